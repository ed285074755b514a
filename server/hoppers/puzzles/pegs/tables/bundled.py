"""Winning tables as small files that are bundled with the program, so that a classic problem needs no build.

The format is only for problems whose goal is the complement of the start. There the winning boards with many
pegs are the complements of the winning boards with few pegs. Only the boards with few pegs are stored, as
byte planes of the differences of ascending keys. Together with the fewest moves of all boards they are
compressed with LZMA (xz), whose container has a checksum.
"""

import logging
import lzma
import struct
from pathlib import Path

import numpy as np

from hoppers.puzzles.pegs.bitboards.class_keys import Numbering
from hoppers.puzzles.pegs.tables.winning_table import WinningTable, complement_levels
from hoppers.runtime.paths import DATA
from hoppers.search.slicing import Pausable

log = logging.getLogger(__name__)

HEADER = struct.Struct("<4sHI")
"""Header of a file: magic bytes, number of holes, number of keys stored."""
MAGIC = b"HPW1"
BYTES_PER_SLICE = 1 << 19  # decompressed between two pauses
SETTINGS = 9 | lzma.PRESET_EXTREME


def path_of(name: str) -> Path:
    """Return the path of a problem's file, which need not exist."""
    return DATA / f"pegs-{name}.xz"


def load(name: str, numbering: Numbering) -> Pausable[WinningTable | None]:
    """Return the bundled winning table of a problem, or None if the file is missing or damaged."""
    try:
        return (yield from unpack(path_of(name).read_bytes(), numbering))
    except FileNotFoundError:
        return None
    except (ValueError, struct.error, lzma.LZMAError):
        log.warning("the table %s that came with the program is damaged", path_of(name), exc_info=True)
        return None


def pack(table: WinningTable, holes: int) -> bytes:
    """Return the content of the file for a winning table. Equal tables give equal files."""
    low = (holes + 1) // 2
    stored = table.keys[: table.first[low]]
    steps = np.diff(stored, prepend=np.uint32(0)).astype("<u4")  # wraps where a level begins
    planes = np.ascontiguousarray(steps.view(np.uint8).reshape(-1, 4).T)
    sizes = np.diff(table.first).astype("<u4")
    header = HEADER.pack(MAGIC, holes, len(stored))
    content = header + sizes.tobytes() + planes.tobytes() + table.fewest.tobytes()
    return lzma.compress(content, preset=SETTINGS)


def unpack(packed: bytes, numbering: Numbering) -> Pausable[WinningTable]:
    """Return the winning table stored in the file content `packed`.

    Raises:
        ValueError: the content has another format or version.
        lzma.LZMAError: the content is damaged.
    """
    content = yield from decompressed(packed)
    magic, holes, stored = HEADER.unpack_from(content)
    if magic != MAGIC:
        raise ValueError(f"{content[:4]!r} begins no table of this version")
    sizes = np.frombuffer(content, "<u4", holes + 1, HEADER.size)
    start = HEADER.size + sizes.nbytes
    planes = np.frombuffer(content, np.uint8, 4 * stored, start).reshape(4, stored)
    steps = np.ascontiguousarray(planes.T).view("<u4").reshape(-1)
    first = np.cumsum([0, *sizes.tolist()])
    low = np.cumsum(steps, dtype=np.uint32)
    levels = [low[first[pegs] : first[pegs + 1]] for pegs in range((holes + 1) // 2)]
    high = yield from complement_levels(levels[1:], numbering)
    keys = np.concatenate([low, *high[::-1]])
    fewest = np.frombuffer(content, np.uint8, len(keys), start + planes.nbytes).copy()
    return WinningTable(numbering, first, keys, fewest)


def decompressed(packed: bytes) -> Pausable[bytes]:
    """Return the decompressed content of `packed` (xz). Yield after each half megabyte.

    Raises:
        lzma.LZMAError: the content is damaged or incomplete.
    """
    reader, parts = lzma.LZMADecompressor(), []
    while not reader.eof:
        parts.append(reader.decompress(packed, BYTES_PER_SLICE))
        packed = b""
        if reader.needs_input:
            raise lzma.LZMAError("the end is missing")
        yield
    return b"".join(parts)
