"""Values that outlive the process: proved answers and bounds, as JSON with checksums, by name."""

import hashlib
import json
from typing import Any, Protocol

CHECKSUM_BYTES = 8


class ByteStore(Protocol):
    """Store of bytes under names. The store limits its own size; its methods never raise."""

    def get(self, name: str) -> bytes | None:
        """Return the value stored under a name, or None if there is none."""
        ...

    def put(self, name: str, value: bytes) -> None:
        """Store `value` under a name, if there is room."""
        ...


class AnswerStore:
    """JSON values by name in a byte store, if any. Without one, the store is always empty."""

    def __init__(self, values: ByteStore | None) -> None:
        self._bytes = values
        self.is_open = values is not None

    def get(self, name: str) -> Any:
        """Return the value stored under a name, or None if there is none.

        Raises:
            ValueError: the value is damaged.
        """
        stored = self._bytes.get(name) if self._bytes is not None else None
        if stored is None:
            return None
        if stored[:CHECKSUM_BYTES] != checksum(name, stored[CHECKSUM_BYTES:]):
            raise ValueError("the checksum differs")
        return json.loads(stored[CHECKSUM_BYTES:])

    def put(self, name: str, value: Any) -> None:
        """Store `value` under a name, if there is room."""
        if self._bytes is not None:
            text = json.dumps(value).encode()
            self._bytes.put(name, checksum(name, text) + text)


def checksum(name: str, value: bytes) -> bytes:
    """Return a checksum of a name and a value (8 bytes of SHA-256)."""
    return hashlib.sha256(name.encode() + b"\0" + value).digest()[:CHECKSUM_BYTES]
