"""Decides problems with one vacancy by levels from both ends (see `level_proof`) with functions of its own.

Linear programs find them for samples of boards that other functions have left possible. Which of them are
used decides only how many boards are kept. Levels are stored, so an interrupted search goes on there.
"""

import json
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hoppers.puzzles.pegs.jump_masks import mapped
from hoppers.puzzles.pegs.pagoda import MAX_FUNCTIONS, PagodaTables, weights_that_prove
from hoppers.puzzles.pegs.peg_board import PegBoard
from hoppers.puzzles.pegs.proofs.level_proof import (
    boards_of,
    count_meetings,
    mirrored_complement,
    tables_of,
)
from hoppers.puzzles.pegs.tables.closure import pack_level, successor_level
from hoppers.puzzles.pegs.tables.hash_buckets import PackedLevel, index_of, sample_boards
from hoppers.runtime.builder import finish

ROUNDS, SAMPLE_SIZE = 6, 200  # searches that are sampled, and boards of each sample
SAMPLED_LEVEL = 100_000  # boards of a level at which such a search ends
MOST_LATE = 512  # late boards

Weights = list[int]
Jump = tuple[int, int, int]
Levels = list[PackedLevel]


class LevelAnswer(NamedTuple):
    """A solution, or else functions and levels that show that there is none."""

    jumps: list[Jump] | None
    functions: list[Weights]
    ahead: int
    """Number of levels before the one that gives the late boards."""
    sizes: list[int]


def decide_by_levels(
    board: PegBoard, vacancy: int, end: int, most: int, folder: Path | None = None
) -> Generator[str, None, LevelAnswer]:
    """Decide a problem whose vacancy and end a symmetry exchanges. Yield what has been done, in words.

    `most`: boards of a level that memory allows. `folder`: where functions and levels are stored.

    Raises:
        ValueError: no symmetry exchanges vacancy and end.
        MemoryError: a level has more than `most` boards.
    """
    mirror = mirrored_complement(board, vacancy, end)
    start, middle = board.every ^ 1 << vacancy, (board.holes + 1) // 2
    functions, ahead = yield from _plan(board, start, end, mirror, folder)
    levels, tables = [_first(board, start)], tables_of(board, functions, [1 << end])
    for number in range(1, board.holes - middle):
        if number == ahead + 1:
            tables = tables_of(board, functions, _late(levels[-1], mirror))
        levels.append(_next(levels[-1], number, board, tables, most, folder))
        yield f"{board.holes - 1 - number} pegs: {levels[-1].size:,} boards"
    jumps, meetings, before, after = count_meetings(levels[-1], board.shifts, mirror)
    yield f"{int(jumps):,} jumps from there, of which {int(meetings):,} meet the other half of a line"
    line = _line(board, levels, mirror, vacancy, end, int(before), int(after)) if meetings else None
    return LevelAnswer(line, functions, ahead, [level.size for level in levels[1:]])


def _plan(
    board: PegBoard, start: int, end: int, mirror: Any, folder: Path | None
) -> Generator[str, None, tuple[list[Weights], int]]:
    """Return functions, and how many levels precede the late boards; read or write them in `folder`."""
    file = folder / "functions.json" if folder else None
    if file and file.is_file():
        plan = json.loads(file.read_text())
        return plan["functions"], plan["ahead"]
    functions = yield from _learned(board, start, [1 << end], [])
    ahead, level = 0, _first(board, start)
    while ahead < board.holes // 2 - 2:
        after = finish(
            successor_level(level, board.shifts, tables_of(board, functions, [1 << end]), MOST_LATE)
        )
        if not 0 < after.size <= MOST_LATE:
            break
        ahead, level = ahead + 1, after
    functions = yield from _learned(board, start, _late(level, mirror), functions)
    if file and folder:
        folder.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps({"functions": functions, "ahead": ahead}))
    return functions, ahead


def _learned(
    board: PegBoard, start: int, ends: Sequence[int], known: list[Weights]
) -> Generator[str, None, list[Weights]]:
    """Return at most MAX_FUNCTIONS functions that exclude `ends` from many boards after `start`."""
    pool, sample, chosen = [*known], list[int](), known or [[0] * board.holes]
    for number in range(1, ROUNDS + 1):
        level, tables = _first(board, start), tables_of(board, chosen, ends)
        pegs = board.holes - 1
        while 0 < level.size < SAMPLED_LEVEL and pegs > (board.holes + 1) // 2:
            level, pegs = finish(successor_level(level, board.shifts, tables, SAMPLED_LEVEL)), pegs - 1
        if level.size < SAMPLED_LEVEL // 10:
            break
        boards = sample_boards(level, SAMPLE_SIZE)
        sample += boards
        for one in boards:
            pool += [weights for weights in _excluding(board, one, ends, pool) if weights not in pool]
        chosen = _few(pool, sample, ends) or chosen
        yield f"round {number}: {pegs} pegs, {len(pool)} functions found, {len(chosen)} used"
    return chosen


def _excluding(board: PegBoard, state: int, ends: Sequence[int], known: Sequence[Weights]) -> list[Weights]:
    """Return new functions that, with known ones, exclude all ends from a board, or [] if one has none."""
    found, left = list[Weights](), [*ends]
    for weights in known:
        left = [end for end in left if not _lighter(weights, state, end)]
    while left:
        new = weights_that_prove(board.jumps, board.holes, state, left[0])
        if new is None:
            return []
        found.append(new)
        left = [end for end in left if not _lighter(new, state, end)]
    return found


def _lighter(weights: Weights, state: int, end: int) -> bool:
    return sum(w * ((state >> hole & 1) - (end >> hole & 1)) for hole, w in enumerate(weights)) < 0


def _few(pool: Sequence[Weights], sample: Sequence[int], ends: Sequence[int]) -> list[Weights]:
    """Return at most MAX_FUNCTIONS of the functions that together exclude many pairs of board and end."""
    if not pool:
        return []
    weights = np.array(pool)
    totals, goals = (weights @ _rows(boards, weights.shape[1]) for boards in (sample, ends))
    excluded = totals[:, :, None] < goals[:, None, :]  # function, board, end
    # only boards that all functions together exclude count
    left = excluded.any(axis=0) & excluded.any(axis=0).all(axis=1)[:, None]
    chosen = list[Weights]()
    while left.any() and len(chosen) < MAX_FUNCTIONS:
        best = int((excluded & left).sum(axis=(1, 2)).argmax())
        chosen.append(list(pool[best]))
        left = left & ~excluded[best]
    return chosen


def _rows(boards: Sequence[int], holes: int) -> Any:
    return (np.array(boards, np.uint64) >> np.arange(holes, dtype=np.uint64)[:, None] & np.uint64(1)).astype(
        int
    )


def _first(board: PegBoard, start: int) -> PackedLevel:
    return finish(pack_level(np.array([start], np.uint64), board.holes))


def _late(level: PackedLevel, mirror: Any) -> list[int]:
    return [int(mapped(found, mirror)) for found in boards_of(level)]


def _next(
    level: PackedLevel, number: int, board: PegBoard, tables: PagodaTables, most: int, folder: Path | None
) -> PackedLevel:
    """Return the level after `level`, from `folder` if it is there."""
    file = folder / f"level-{number}.npz" if folder else None
    if file and file.is_file():
        with np.load(file) as arrays:
            return PackedLevel(arrays["starts"], arrays["rests"], arrays["unused"][()])
    found = finish(successor_level(level, board.shifts, tables, most))
    if found.size > most:
        raise MemoryError(f"level {number} has more than {most:,} boards")
    if file:
        with file.with_suffix(".part").open("wb") as part:
            np.savez(part, starts=found.starts, rests=found.rests, unused=found.unused)
        file.with_suffix(".part").replace(file)
    return found


def _line(
    board: PegBoard, levels: Levels, mirror: Any, vacancy: int, end: int, before: int, after: int
) -> list[Jump]:
    """Return the jumps of a solution whose middle jump leads from `before` to `after`."""
    other = int(mapped(np.uint64(after), mirror))
    images = _images(board, mirror)
    middle = next(
        jump
        for jump in board.jumps
        if sum(1 << hole for hole in jump) == before ^ after and before >> jump[0] & 1
    )
    # the way to the image of `after`, taken back with pegs and holes exchanged, is the way on from `after`
    back = [(images[a], images[o], images[t]) for a, o, t in reversed(_way(board, levels, other))]
    return [*_way(board, levels, before), middle, *back]


def _images(board: PegBoard, mirror: Any) -> list[int]:
    empty = int(mapped(np.uint64(0), mirror))
    return [
        (int(mapped(np.uint64(1 << hole), mirror)) ^ empty).bit_length() - 1 for hole in range(board.holes)
    ]


def _way(board: PegBoard, levels: Levels, state: int) -> list[Jump]:
    """Return jumps that lead from the first level to a board of the last one."""
    way = list[Jump]()
    for level in reversed(levels[:-1]):
        for jump in board.jumps:
            a, o, t = (1 << hole for hole in jump)
            if state & (a | o | t) == t and index_of(np.uint64(state ^ (a | o | t)), level) >= 0:
                state ^= a | o | t
                way.append(jump)
                break
    return way[::-1]
