"""A winning table as a small file that comes with the program, so that a classic problem needs no build.

Only for problems whose end is the start's complement: there the winning boards with many pegs are the
complements of those with few, which alone are kept, as differences of rising keys, byte by byte. With f of
all boards the file is compressed by LZMA, whose container carries a checksum.
"""

import logging
import lzma
import struct
from pathlib import Path

import numpy as np

from hoppers.puzzles.pegs.bitboards.class_keys import Numbering
from hoppers.puzzles.pegs.tables.winning_table import Winning, complement_levels
from hoppers.runtime.paths import DATA
from hoppers.search.slicing import Pausable

log = logging.getLogger(__name__)

HEADER = struct.Struct("<4sHI")
"""Magic, holes, boards kept."""
MAGIC = b"HPW1"
UNPACKED_AT_ONCE = 1 << 19
"""Bytes unpacked between two pauses."""
SETTINGS = 9 | lzma.PRESET_EXTREME


def path_of(name: str) -> Path:
    """Where the file of a problem is, if there is one."""
    return DATA / f"pegs-{name}.xz"


def load(name: str, numbering: Numbering) -> Pausable[Winning | None]:
    """The table that came with the program, or None; a damaged file is as good as none."""
    try:
        return (yield from unpack(path_of(name).read_bytes(), numbering))
    except FileNotFoundError:
        return None
    except (ValueError, struct.error, lzma.LZMAError):
        log.warning("the table %s that came with the program is damaged", path_of(name), exc_info=True)
        return None


def pack(table: Winning, holes: int) -> bytes:
    """The file of a table; the same table always makes the same file."""
    low = (holes + 1) // 2
    kept = table.keys[: table.first[low]]
    steps = np.diff(kept, prepend=np.uint32(0)).astype("<u4")  # wraps where a level begins
    planes = np.ascontiguousarray(steps.view(np.uint8).reshape(-1, 4).T)
    sizes = np.diff(table.first).astype("<u4")
    header = HEADER.pack(MAGIC, holes, len(kept))
    content = header + sizes.tobytes() + planes.tobytes() + table.fewest.tobytes()
    return lzma.compress(content, preset=SETTINGS)


def unpack(packed: bytes, numbering: Numbering) -> Pausable[Winning]:
    """The table of a file.

    Raises:
        ValueError: it is none of ours.
        lzma.LZMAError: it is damaged.
    """
    content = yield from decompressed(packed)
    magic, holes, kept = HEADER.unpack_from(content)
    if magic != MAGIC:
        raise ValueError(f"{content[:4]!r} begins no table of this version")
    sizes = np.frombuffer(content, "<u4", holes + 1, HEADER.size)
    start = HEADER.size + sizes.nbytes
    planes = np.frombuffer(content, np.uint8, 4 * kept, start).reshape(4, kept)
    steps = np.ascontiguousarray(planes.T).view("<u4").reshape(-1)
    first = np.cumsum([0, *sizes.tolist()])
    low = np.cumsum(steps, dtype=np.uint32)
    levels = [low[first[pegs] : first[pegs + 1]] for pegs in range((holes + 1) // 2)]
    high = yield from complement_levels(levels[1:], numbering)
    keys = np.concatenate([low, *high[::-1]])
    fewest = np.frombuffer(content, np.uint8, len(keys), start + planes.nbytes).copy()
    return Winning(numbering, first, keys, fewest)


def decompressed(packed: bytes) -> Pausable[bytes]:
    """What was compressed, half a megabyte at a time.

    Raises:
        lzma.LZMAError: it is damaged, or not all there.
    """
    reader, parts = lzma.LZMADecompressor(), []
    while not reader.eof:
        parts.append(reader.decompress(packed, UNPACKED_AT_ONCE))
        packed = b""
        if reader.needs_input:
            raise lzma.LZMAError("the end is missing")
        yield
    return b"".join(parts)
