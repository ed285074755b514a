"""Records of what is known of problems by canonical form, in memory and in a store that outlives the process.

A record is a `Bounds` with its best solution, in the holes of the canonical form. Nothing is inferred here:
see `bounds`. Stored values are JSON with checksums. In memory, keys and records are
packed into bytes, which take half the memory and no time of the garbage collector.
"""

import hashlib
import json
import logging
import struct
import time
from collections.abc import Sequence

from hoppers.core.machine_code import SOURCES_DIGEST
from hoppers.core.model import DEAD_BOUND, Bounds, ByteStore, Position, ProblemKey
from hoppers.runtime.lru_cache import LRUCache

log = logging.getLogger(__name__)

MAX_BYTES = 16_000_000  # of the records in memory, besides those of the atlas: some 50,000
ENTRY_BYTES = 230  # memory of a record in addition to its packed form: key, objects and place in the table
READ_SECONDS = 1.0  # between two reads of an open problem's record, which other processes may improve
CHECKSUM_BYTES = 8
NOTHING = Bounds()
KEY = struct.Struct("<Qii")  # state, goal and active hole, before the puzzle's id
NUMBERS = struct.Struct("<II")  # bounds, before the holes of the best known solution
NO_MOST = (1 << 32) - 1  # in place of its moves, if no solution is known


class Records:
    """Records by canonical problem. Callers hold a lock while they change a record.

    Those of atlas problems and of positions on their solutions are lasting: they are never dropped. An atlas
    problem without tight bounds is open: each of its changes is stored, and its stored record is read again
    and again. Of all other records only those are stored for which `store` is called.
    """

    def __init__(self, store: ByteStore | None) -> None:
        """`store`: store that outlives the process; None: nothing is stored."""
        self.changes = 0
        """Number of changes of open problems since the start."""
        self._store = store
        self._lasting: dict[bytes, bytes] = {}
        self._recent: LRUCache[bytes, bytes] = LRUCache(MAX_BYTES, lambda record: len(record) + ENTRY_BYTES)
        self._read_at: dict[bytes, float] = {}
        """Packed key of an open problem -> `time.monotonic` of the last read of its stored record."""

    def get(self, key: ProblemKey) -> Bounds:
        """Return the record in memory, `NOTHING` if there is none."""
        packed = packed_key(key)
        found = self._lasting.get(packed) or self._recent.get(packed)
        return NOTHING if found is None else _unpacked(found)

    def put(self, key: ProblemKey, record: Bounds) -> None:
        """Replace a record in memory; that of an open problem in the store, too."""
        packed = packed_key(key)
        if packed not in self._lasting:
            self._recent.put(packed, _packed(record))
            return
        self._lasting[packed] = _packed(record)
        if packed in self._read_at:
            self.changes += 1
            self.store(key)

    def add_listed(self, key: ProblemKey, record: Bounds) -> None:
        """Add the record of an atlas problem, which is open unless its bounds are tight."""
        packed = packed_key(key)
        self._lasting[packed] = _packed(record)
        if not record.is_decided:
            self._read_at[packed] = float("-inf")

    def is_lasting(self, key: ProblemKey) -> bool:
        """Return whether a record is never dropped."""
        return packed_key(key) in self._lasting

    def make_lasting(self, key: ProblemKey) -> None:
        """Keep a record, perhaps `NOTHING`, for ever."""
        self._lasting.setdefault(packed_key(key), _packed(self.get(key)))

    def is_due(self, key: ProblemKey) -> bool:
        """Return whether the stored record of an open problem has to be read. It then counts as read now."""
        packed = packed_key(key)
        last = self._read_at.get(packed)
        if last is None or time.monotonic() < last + READ_SECONDS:
            return False
        self._read_at[packed] = time.monotonic()
        return True

    def store(self, key: ProblemKey) -> None:
        """Store a record for other processes. Without a store, do nothing."""
        record = self.get(key)
        self._write(key, [SOURCES_DIGEST, record.least, record.most, record.jumps])

    def stored(self, key: ProblemKey) -> Bounds | None:
        """Return the stored record, or None. Its solution is not replayed yet.

        Its lower bound is 0 if another version of the program has stored it.

        Raises:
            ValueError, TypeError, OverflowError: the value is damaged, or has another form.
        """
        name = _name(key)
        value = None if self._store is None else self._store.get(name)
        if value is None:
            return None
        if value[:CHECKSUM_BYTES] != checksum(name, value[CHECKSUM_BYTES:]):
            raise ValueError("the checksum differs")
        content = json.loads(value[CHECKSUM_BYTES:])
        if content is None:
            return None
        version, least, most, jumps = content
        if not 0 <= int(least) <= DEAD_BOUND:
            raise ValueError(f"{least} moves are out of range")
        return Bounds(int(least) if version == SOURCES_DIGEST else 0, most, _holes(jumps))

    def drop_stored(self, key: ProblemKey) -> None:
        """Replace a damaged value by null, which counts as none, so that it is logged once."""
        self._write(key, None)

    def _write(self, key: ProblemKey, content: object) -> None:
        if self._store is not None:
            name, text = _name(key), json.dumps(content).encode()
            self._store.put(name, checksum(name, text) + text)


def packed_key(key: ProblemKey) -> bytes:
    """Return the key of a record as bytes."""
    puzzle, goal, (state, active) = key
    return KEY.pack(state, goal, active) + puzzle.encode()


def unpacked_key(packed: bytes) -> ProblemKey:
    """Return the key of which `packed` is the packed form."""
    state, goal, active = KEY.unpack_from(packed)
    return ProblemKey(packed[KEY.size :].decode(), goal, Position(state, active))


def _packed(record: Bounds) -> bytes:
    least, most, holes = record
    return NUMBERS.pack(least, NO_MOST if most is None else most) + holes


def _unpacked(packed: bytes) -> Bounds:
    least, most = NUMBERS.unpack_from(packed)
    return Bounds(least, None if most == NO_MOST else most, packed[NUMBERS.size :])


def checksum(name: str, value: bytes) -> bytes:
    """Return a checksum of a name and a value (8 bytes of SHA-256)."""
    return hashlib.sha256(name.encode() + b"\0" + value).digest()[:CHECKSUM_BYTES]


def _name(key: ProblemKey) -> str:
    return f"bounds/{key.name}"


def _holes(jumps: Sequence[Sequence[int]]) -> bytes:
    """Return `Bounds.holes` of (origin, target) of each step."""
    return bytes([hole for origin, target in jumps for hole in (origin, target)])
