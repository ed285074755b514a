"""The winning table of one problem: every solvable position reachable from the start.

Levels of boards (up to 33 holes) are listed forwards from the start and backwards from the goals, always on
the side with fewer boards, until the two sides meet. The boards common to both sides are traced to both ends,
which gives every winning board. The fewest moves then follow from one peg upwards (see `complete_table` for f
and the first movers). If the start is the complement of the only goal, the winning boards with few pegs are
the complements of those with many (Beasley, "The Ins and Outs of Peg Solitaire"), which saves half the work.

The table of the central game of English 33 is bundled with the program as a small file, so it needs no build.
The format is only for problems whose goal is the complement of the start. Only the boards with few pegs are
stored, as byte planes of the differences of ascending keys. Together with the fewest moves of all boards they
are compressed with LZMA (xz), whose container has a checksum.
"""

import itertools
import logging
import lzma
import struct
from pathlib import Path
from typing import Any

import numpy as np

from hoppers.core.kernels import ONE_THREAD, KernelThreads, kernel_threads
from hoppers.core.model import Progressing
from hoppers.puzzles.pegs.jump_masks import MAX_JUMPS
from hoppers.puzzles.pegs.tables.bitset import (
    HALVES,
    add_halves,
    add_keys,
    clear,
    make_bitset,
    members,
    pop_keys,
)
from hoppers.puzzles.pegs.tables.level_kernels import (
    MOVES_SHIFT,
    Numbering,
    complements_of,
    least_key,
    list_neighbours,
    value_boards,
)
from hoppers.runtime import PACKAGE
from hoppers.search.slicing import (
    Pausable,
    copy_in_slices,
    decompress_in_slices,
    map_progress,
    report_progress,
    slices,
    touch_pages,
)
from hoppers.tablebase.table_files import Arrays

BOARDS_PER_SLICE = 1 << 13  # boards per kernel call, which takes a few milliseconds
DOWN, UP = False, True
KeyLevel = Any  # keys of boards with the same number of pegs, ascending (uint32)
log = logging.getLogger(__name__)

HEADER = struct.Struct("<4sHI")  # header of a file: magic bytes, number of holes, number of keys stored
MAGIC = b"HPW1"


class Workspace:
    """Data that all steps of a build share. The set `keys` is empty between steps."""

    def __init__(self, numbering: Numbering, crew: KernelThreads) -> None:
        """`crew`: threads of the build."""
        self.numbering, self.crew = numbering, crew
        self.keys = make_bitset(numbering.bits)
        room = 16 * BOARDS_PER_SLICE + MAX_JUMPS  # more than most slices of one thread need
        self.found = np.empty((crew.size, HALVES, room), np.uint32)  # keys that each thread has listed
        self.ends = np.zeros((crew.size, HALVES), np.int64)  # number of keys in each row of `found`


def neighbour_level(
    keys: KeyLevel, up: bool, space: Workspace, allowed: KeyLevel | None = None
) -> Pausable[KeyLevel]:
    """Return the level of all boards one jump from the boards `keys`. `up`: whether jumps are taken back.

    With `allowed`, only boards that are also in that level are returned.
    """
    crew, found, ends, parts = space.crew, space.found, space.ends, space.crew.parts(len(keys))
    while any(start < stop for start, stop in parts):
        calls = [
            (keys, start, min(start + BOARDS_PER_SLICE, stop), up, space.numbering, room, counts)
            for (start, stop), room, counts in zip(parts, found, ends, strict=True)
        ]
        nexts = crew.run(space.numbering.compiled(list_neighbours), calls)
        crew.run(add_halves, [(found, ends, *halves, space.keys) for halves in crew.parts(HALVES)])
        parts = [(start, stop) for start, (_, stop) in zip(nexts, parts, strict=True)]
        yield
    if allowed is None:
        return (yield from pop_keys(space.keys))
    common = yield from members(space.keys, allowed)
    yield from clear(space.keys)
    return common


def complement(keys: KeyLevel, numbering: Numbering, crew: KernelThreads = ONE_THREAD) -> Pausable[KeyLevel]:
    """Return the level of the complements of the boards `keys`. The position class must contain them, too.

    Different boards have different complements, so there are no repeats to remove.
    """
    complements = np.empty(len(keys), np.uint32)
    for start, stop in slices(len(keys), crew.size * BOARDS_PER_SLICE):
        some, found = keys[start:stop], complements[start:stop]
        calls = [(some[first:last], numbering, found[first:last]) for first, last in crew.parts(len(some))]
        crew.run(numbering.compiled(complements_of), calls)
        yield
    complements.sort()
    return complements


def _level(boards: list[int], space: Workspace) -> KeyLevel:
    key_of = space.numbering.compiled(least_key)
    keys = [key_of(np.uint64(board), space.numbering) for board in boards]
    return np.unique(np.array(keys, np.uint32))


KeyLevels = dict[int, KeyLevel]  # number of pegs -> level of boards


def _meet(start: int, ends: list[int], space: Workspace) -> Pausable[tuple[KeyLevels, KeyLevels]]:
    """Return the levels reachable from the start, and the levels that can reach an end, until they meet.

    The lowest forward level has one peg more than the highest backward level.
    """
    forward: KeyLevels = {start.bit_count(): _level([start], space)}
    backward: KeyLevels = {1: _level(ends, space)}
    while min(forward) - max(backward) > 1:
        low, high = min(forward), max(backward)
        if len(forward[low]) <= len(backward[high]):
            forward[low - 1] = yield from neighbour_level(forward[low], DOWN, space)
        else:
            backward[high + 1] = yield from neighbour_level(backward[high], UP, space)
    return forward, backward


def _meet_complements(start: int, holes: int, space: Workspace) -> Pausable[tuple[KeyLevels, KeyLevels]]:
    """Return levels like `_meet`, but only the highest backward level, as complements of a forward level.

    The only goal must be the complement of the start.
    """
    forward: KeyLevels = {start.bit_count(): _level([start], space)}
    while 2 * min(forward) > holes + 1:
        low = min(forward)
        forward[low - 1] = yield from neighbour_level(forward[low], DOWN, space)
    high = min(forward) - 1
    return forward, {high: (yield from complement(forward[holes - high], space.numbering, space.crew))}


def _winning_levels(
    forward: KeyLevels, backward: KeyLevels, holes: int, space: Workspace
) -> Pausable[KeyLevels]:
    """Return the boards that the start reaches and that reach an end, by number of pegs.

    `holes`: number of holes if the lower levels are complements of the upper levels, else 0.
    Levels are removed from `forward` and `backward` when they are used, to save memory.
    """
    low = min(forward)
    winning: KeyLevels = {low - 1: backward[low - 1]}  # with boards that the start may not reach
    for pegs in range(low, max(forward) + 1):
        winning[pegs] = yield from neighbour_level(winning[pegs - 1], UP, space, forward.pop(pegs))
    for pegs in range(low - 1, 0, -1):
        if holes - pegs in winning:
            winning[pegs] = yield from complement(winning[holes - pegs], space.numbering, space.crew)
        else:
            winning[pegs] = yield from neighbour_level(winning[pegs + 1], DOWN, space, backward.pop(pegs))
    return winning


def joined(winning: KeyLevels, holes: int) -> Pausable[tuple[Any, Any]]:
    """Return `first` and `keys` of the table made of the levels `winning` (see `table_builds.WinningTable`).

    The levels are removed one by one, to save memory.
    """
    first = np.cumsum([0, *(len(winning.get(pegs, ())) for pegs in range(holes + 1))])
    keys = np.empty(first[-1], np.uint32)
    for pegs in sorted(winning):
        yield from copy_in_slices(winning.pop(pegs), keys[first[pegs] : first[pegs + 1]])
    return first, keys


def fewest_moves(first: Any, keys: Any, space: Workspace) -> Progressing[Any]:
    """Return the fewest moves of the boards of each level, from one peg upwards (uint8). Yield the progress.

    Boards of a level do not depend on each other, so the threads share each slice.
    """
    crew, total, fewest = space.crew, max(len(keys), 1), np.zeros(len(keys), np.uint8)
    levels = [slice(*ends) for ends in itertools.pairwise(first.tolist())]
    values = np.zeros(len(keys[levels[1]]), np.uint64)
    for below, level in itertools.pairwise(levels[1:]):
        done, values_below = level.start / total, values
        values = np.empty(len(keys[level]), np.uint64)
        yield from report_progress(done, add_keys(space.keys, keys[below]))
        for start, stop in slices(len(values), crew.size * BOARDS_PER_SLICE):
            some, found = keys[level][start:stop], values[start:stop]
            calls = [
                (some[begin:end], space.numbering, space.keys, values_below, found[begin:end])
                for begin, end in crew.parts(len(some))
            ]
            crew.run(space.numbering.compiled(value_boards), calls)
            fewest[level][start:stop] = found >> np.uint64(MOVES_SHIFT)
            yield done + start / total
        yield from report_progress(done, clear(space.keys))
    return fewest


def build(
    start: int, ends: list[int], holes: int, numbering: Numbering, threads: int = 1
) -> Progressing[Arrays]:
    """Build the winning table from a start, of two pegs or more, to the solved boards `ends` of its class.

    Return the arrays of the table by name (a field of `table_builds.WinningTable`). Yield the progress, 0 to
    1, every few milliseconds. The symmetries of `numbering` must leave the start and the set of ends
    unchanged. `threads`: 1 or 2.
    """
    mirrored = ends == [start ^ (1 << holes) - 1]
    with kernel_threads(threads) as crew:
        space = Workspace(numbering, crew)
        for zeros in (space.keys.words, space.keys.ranks):
            yield from report_progress(0.0, touch_pages(zeros))
        meet = _meet_complements(start, holes, space) if mirrored else _meet(start, ends, space)
        forward, backward = yield from report_progress(0.0, meet)
        traced = _winning_levels(forward, backward, holes if mirrored else 0, space)
        winning = yield from report_progress(0.4, traced)
        first, keys = yield from report_progress(0.6, joined(winning, holes))
        fewest = yield from map_progress(fewest_moves(first, keys, space), lambda done: 0.6 + 0.4 * done)
    return {"first": first, "keys": keys, "fewest": fewest}


def bundled_path(name: str) -> Path:
    """Return the path of the bundled file for the table `name`. The file need not exist."""
    return PACKAGE / "data" / f"pegs-{name}.xz"


def load_bundled(name: str, numbering: Numbering) -> Pausable[Arrays | None]:
    """Return the arrays of the bundled winning table `name`, or None if its file is missing or damaged.

    Damage is logged.
    """
    path = bundled_path(name)
    if not path.exists():
        return None
    try:
        if not path.is_file():  # reading from a pipe would wait for ever
            raise OSError("it is not a file")
        return (yield from unpack_table(path.read_bytes(), numbering))
    except (OSError, ValueError, struct.error, lzma.LZMAError) as error:
        log.warning("the table %s that came with the program is damaged: %s", path, error)
        return None


def pack_table(arrays: Arrays, holes: int) -> bytes:
    """Return the arrays of a winning table as the content of a file. Equal tables give equal contents.

    The goal of the table must be the complement of its start (see the module).
    """
    first = arrays["first"]
    stored = arrays["keys"][: first[(holes + 1) // 2]]
    steps = np.diff(stored, prepend=np.uint32(0)).astype("<u4")  # differences wrap where a level begins
    planes = np.ascontiguousarray(steps.view(np.uint8).reshape(-1, 4).T)
    sizes = np.diff(first).astype("<u4")
    header = HEADER.pack(MAGIC, holes, len(stored))
    content = header + sizes.tobytes() + planes.tobytes() + arrays["fewest"].tobytes()
    return lzma.compress(content, preset=9 | lzma.PRESET_EXTREME)


def unpack_table(packed: bytes, numbering: Numbering) -> Pausable[Arrays]:
    """Return the arrays of the winning table stored in the file content `packed`.

    Raises:
        ValueError, struct.error: the content has another format or version.
        lzma.LZMAError: the content is damaged.
    """
    content = yield from decompress_in_slices(packed)
    magic, holes, stored = HEADER.unpack_from(content)
    if magic != MAGIC:
        raise ValueError(f"{content[:4]!r} begins no table of this version")
    sizes = np.frombuffer(content, "<u4", holes + 1, HEADER.size)
    start = HEADER.size + sizes.nbytes
    planes = np.frombuffer(content, np.uint8, 4 * stored, start).reshape(4, stored)
    steps = np.ascontiguousarray(planes.T).view("<u4").reshape(-1)
    first = np.cumsum([0, *sizes.tolist()])
    low = np.cumsum(steps, dtype=np.uint32)
    levels = [low]
    for pegs in reversed(range(1, (holes + 1) // 2)):
        levels.append((yield from complement(low[first[pegs] : first[pegs + 1]], numbering)))
    keys = np.concatenate(levels)
    fewest = np.frombuffer(content, np.uint8, len(keys), start + planes.nbytes).copy()
    return {"first": first, "keys": keys, "fewest": fewest}
