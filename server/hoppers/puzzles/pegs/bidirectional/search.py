"""Breadth-first by moves from both ends until they meet, one limit after the other.

Both ends cut by Merson regions: full ones cost moves to come, and those that were full at the start and are
not any more have cost moves already. Both leave out what pagoda functions prove dead, or out of reach (see
`scales`). The smaller end always goes on, so neither ever goes very deep. Limits
are exhausted one by one; the first at which the ends meet is the fewest moves.
"""

import time
from collections.abc import Callable, Generator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from hoppers.core.board import Permutation
from hoppers.core.events import Event, Exhausted, Progress, Solved, Stopped, Unsolvable
from hoppers.core.puzzle import Question
from hoppers.puzzles.pegs.bidirectional.kernels import (
    ROOM,
    Ends,
    Images,
    MeetingKernels,
    Side,
    image_tables,
    keepers,
    meeting_kernels,
)
from hoppers.puzzles.pegs.bidirectional.path import first_of, solution
from hoppers.puzzles.pegs.bitboards.jump_masks import JumpList, shift_groups
from hoppers.puzzles.pegs.bitboards.merson_packing import (
    Packing,
    full_regions,
    make_packing,
    packing_of,
)
from hoppers.puzzles.pegs.bitboards.pagoda_filter import no_scale
from hoppers.puzzles.pegs.bitboards.pagoda_sides import Scales, scales_of
from hoppers.search.hash_set import insert_all, room_in
from hoppers.search.iterative_deepening import first_limit
from hoppers.search.memory_budget import MEMORY_BUDGET, SLOT_BYTES, BudgetExceeded, Lease, MemoryBudget
from hoppers.search.slicing import map_progress, next_size, slices

FEWEST, MOST = 1 << 5, 1 << 10
"""Boards expanded per kernel call."""
ANY_BOUND = 1 << 10
"""Cuts nothing."""
SMALLEST = 1 << 14
COPIED = 1 << 13
"""Boards copied into a larger set at a time: a few milliseconds."""
MOST_BOARDS = 10_000_000
"""Boards kept per end and limit for players, about 20 bytes each with their set; beyond them it gives up."""


class Wave(NamedTuple):
    """One end while a limit is searched: its levels of boards, one per move made from that end."""

    side: Side
    levels: list[Any]


class World(NamedTuple):
    """The tables of one board under the symmetries that keep both ends."""

    images: Images
    kernels: MeetingKernels
    packing: Packing
    scales: tuple[Scales, Scales]
    lease: Lease
    most: int
    """Boards kept per end and limit."""


def both_ends(
    jumps: JumpList,
    symmetries: tuple[Permutation, ...],
    ends: Callable[[Question], Ends],
    memory: MemoryBudget = MEMORY_BUDGET,
    most: int | None = None,
) -> Callable[[Question], Generator[Event, None, None]]:
    """The search on a board. `ends` finds both ends of a question; `most`: boards kept per end and limit."""
    shifts, holes = shift_groups(jumps), len(symmetries[0])

    def search(question: Question) -> Generator[Event, None, None]:
        both = ends(question)
        kept = keepers(symmetries, both)
        scales = scales_of(shifts, holes, [start.state for start in both.starts], both.goals)
        images, kernels = image_tables(shifts, holes, kept), meeting_kernels(len(kept))
        world = World(images, kernels, packing_of(jumps, holes), scales, Lease(memory), most or MOST_BOARDS)
        return _deepen(question, both, world)

    return search


def rehearse(jumps: JumpList, symmetries: tuple[Permutation, ...], width: int) -> None:
    """Compile, or load from disk, all kernels for questions that keep so many of the symmetries."""
    shifts, nothing, none = shift_groups(jumps), np.zeros(2, np.uint64), np.empty(0, np.uint64)
    insert_all(none, nothing)
    packing, at_start = make_packing([1], len(symmetries[0])), np.array(0, np.uint32)
    side = Side(False, nothing, packing, at_start, no_scale(len(shifts.lines)))
    images, kernels = image_tables(shifts, len(symmetries[0]), symmetries[:width]), meeting_kernels(width)
    kernels.meet(none, side, side, 0, np.empty(ROOM, np.uint64), 0, images)
    kernels.least_image(np.uint64(1), images)


def numbers_kept(symmetries: tuple[Permutation, ...]) -> list[int]:
    """How many of the symmetries a question may keep: they are a group, so the number divides theirs."""
    return [width for width in range(1, len(symmetries) + 1) if len(symmetries) % width == 0]


def _deepen(question: Question, ends: Ends, world: World) -> Generator[Event, None, None]:
    started, total = time.perf_counter(), 0
    limit = first_limit(question)
    try:
        while True:
            began = time.perf_counter()
            result = yield from _search_limit(question, ends, world, limit - question.spent, began)
            total += result.nodes
            world.lease.release()
            seconds = time.perf_counter() - began
            if result.line:
                played = solution(question, result.line, partial(_least, world))
                moves = yield from map_progress(played, partial(_progress, limit, result.nodes, began))
                yield Solved(limit, result.nodes, seconds, moves, None, total)
                return
            yield Exhausted(limit, result.nodes, result.cut, seconds)
            if result.complete:
                yield Unsolvable("exhausted", total, time.perf_counter() - started)
                return
            limit += 1
    except BudgetExceeded:
        yield Stopped("limit", limit - 1, total, time.perf_counter() - started)
    finally:
        world.lease.release()


class Result(NamedTuple):
    """What came of a limit: a chain of boards (least images) if it is solved."""

    line: list[int]
    nodes: int
    cut: int
    complete: bool
    """One end has met every board it can, so no other limit would do better."""


def _search_limit(
    question: Question, ends: Ends, world: World, limit: int, began: float
) -> Generator[Event, None, Result]:
    forward, backward = _waves(ends, world)
    nodes, cuts = len(forward.levels[0]) + len(backward.levels[0]), [0, 0]
    common = np.intersect1d(forward.levels[0], backward.levels[0])
    if limit < 0 or len(common):
        return Result([int(board) for board in common[:1]] if limit >= 0 else [], nodes, 0, False)
    while len(forward.levels) + len(backward.levels) - 2 < limit:
        waves, index = [forward, backward], int(len(forward.levels[-1]) > len(backward.levels[-1]))
        wave = waves[index]
        if not len(wave.levels[-1]):
            return Result([], nodes, sum(cuts), cuts[index] == 0)
        steps = _advance(wave, waves[1 - index], limit - len(wave.levels), world)
        told_limit = question.spent + limit
        waves[index], cut, met = yield from map_progress(steps, partial(_progress, told_limit, nodes, began))
        forward, backward = waves
        nodes, cuts[index] = nodes + len(waves[index].levels[-1]), cuts[index] + cut
        if met:
            back = _line(forward, backward, met, world)
            line = yield from map_progress(back, partial(_progress, told_limit, nodes, began))
            return Result(line, nodes, sum(cuts), False)
    return Result([], nodes, sum(cuts), False)


def _progress(limit: int, nodes: int, began: float, found: int | None) -> Progress:
    """`found`: the boards of the level so far."""
    return Progress(limit, nodes + (found or 0), time.perf_counter() - began)


def _waves(ends: Ends, world: World) -> tuple[Wave, Wave]:
    """Both ends with their first boards."""
    full = [start.state & ~(1 << start.active if start.active >= 0 else 0) for start in ends.starts[:1]]
    at_start = np.array(full_regions(np.uint64(full[0] if full else 0), world.packing), np.uint32)
    waves = []
    for up, boards in ((False, [start.state for start in ends.starts]), (True, ends.goals)):
        least = [world.kernels.least_image(np.uint64(board), world.images) for board in boards]
        level = np.unique(np.array(least, np.uint64))
        seen = np.zeros(SMALLEST, np.uint64)
        insert_all(level, seen)
        waves.append(Wave(Side(up, seen, world.packing, at_start, world.scales[up].scale), [level]))
    return waves[0], waves[1]


def _advance(
    wave: Wave, other: Wave, allowed: int, world: World
) -> Generator[int, None, tuple[Wave, int, int]]:
    """One level more of a wave; yields its boards so far. Returns the wave, boards cut, a common board."""
    frontier, known, scales = wave.levels[-1], sum(map(len, wave.levels)), world.scales[wave.side.up]
    yield from map_progress(scales.learn(frontier), lambda _: 0)
    side = wave.side._replace(scale=scales.scale)
    reached = np.empty(world.most, np.uint64)  # no memory is taken before it is written to
    count, cuts, start, size = 0, 0, 0, FEWEST
    while start < len(frontier):
        if known + count + ROOM > world.most:
            raise BudgetExceeded
        if known + count + ROOM > room_in(side.seen):
            world.lease.take(3 * SLOT_BYTES * len(side.seen))  # what it will have more
            side = yield from _grown(side, [*wave.levels, reached[:count]])
        part, began = frontier[start : start + size], time.perf_counter()
        room = reached[: min(world.most, room_in(side.seen)) - known]
        done, count, cut, met = world.kernels.meet(part, side, other.side, allowed, room, count, world.images)
        start, cuts = start + done, cuts + cut
        size = next_size(size, time.perf_counter() - began, FEWEST, MOST)
        if met:
            return Wave(side, [*wave.levels, reached[:count]]), cuts, int(met)
        yield count
    return Wave(side, [*wave.levels, reached[:count]]), cuts, 0


def _grown(side: Side, levels: list[Any]) -> Generator[int, None, Side]:
    """The side with a set four times as large."""
    seen = np.zeros(4 * len(side.seen), np.uint64)
    for level in levels:
        for start, stop in slices(len(level), COPIED):
            insert_all(level[start:stop], seen)
            yield len(levels[-1])
    return side._replace(seen=seen)


def _line(forward: Wave, backward: Wave, met: int, world: World) -> Generator[None, None, list[int]]:
    """The boards (least images) of a solution through a board that both ends have."""
    down = yield from _chain(forward, met, world)
    up = yield from _chain(backward, met, world)
    return [*reversed(down), met, *up]


def _chain(wave: Wave, met: int, world: World) -> Generator[None, None, list[int]]:
    """From next to `met` back to where the wave began, one board per level."""
    board, found = met, []
    first = next(number for number, level in enumerate(wave.levels) if met in level)
    for level in reversed(wave.levels[:first]):
        reached = np.empty(2 * ROOM, np.uint64)
        scale = no_scale(len(world.images.shifts.lines))
        back = wave.side._replace(up=not wave.side.up, seen=np.zeros(2 * SMALLEST, np.uint64), scale=scale)
        nowhere = back._replace(seen=np.zeros(2, np.uint64))
        part = np.array([board], np.uint64)
        _, count, _, _ = world.kernels.meet(part, back, nowhere, ANY_BOUND, reached, 0, world.images)
        board = yield from first_of([level], reached[:count])
        found.append(board)
    return found


def _least(world: World, state: int) -> int:
    return int(world.kernels.least_image(np.uint64(state), world.images))
