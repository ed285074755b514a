"""Complete tables of small boards: one process of the machine builds each, and all map it from the disk.

Their pages are the system's to take back, so a player who asks for every goal of a board fills no memory.
"""

import hashlib
from collections.abc import Callable, Generator
from typing import Any

from hoppers.core.kernels import VERSION
from hoppers.tablebase import table_files
from hoppers.tablebase.builder import finish

LEAST_BYTES = 100_000
"""Of a table that is worth a file."""


def table(what: object, size: int, fill: Callable[[], Any]) -> Any:
    """The read-only array of so many bytes that `fill` makes, or has made on this machine.

    `what`: all that it depends on beside the program's own sources, told apart by its `repr`.
    """

    def build() -> Generator[float, None, table_files.Arrays]:
        yield 0.0
        return {"table": fill()}

    digest = hashlib.sha256(f"{VERSION} {what!r}".encode()).hexdigest()
    steps = table_files.shared(f"complete-{digest[:16]}", build) if size >= LEAST_BYTES else build()
    return table_files.read_only(finish(steps) or {})["table"]
