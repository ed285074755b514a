"""Best-first by moves from both ends: every board is opened once, however many limits are tried.

A board's total is the moves made from its end and the moves that full Merson regions still cost to the other
end. Under a limit the boards with that total are opened, level by level (a level: so many moves made); others
are put aside for the limit they belong to. The bound is consistent (see `packing`), so a board is opened
with its fewest moves, and nothing done for one limit is done again for the next (A*, in the layers of
breadth-first search). The side with fewer boards goes a level deeper for each limit; the ends have met when
both have opened the same board.
"""

import time
from collections.abc import Callable, Generator, Iterator
from functools import cache, partial
from typing import NamedTuple

import numpy as np

from ..board import Permutation
from ..puzzle import Question
from ..search.both_ends import Ends, keepers, numbers_kept
from ..search.chains import solution
from ..search.deepening import first_limit
from ..search.events import Event, Exhausted, Progress, Solved, Stopped, Unsolvable
from ..search.jumps import JumpList, invariants, regions
from ..search.memory import MEMORY, Full, Lease
from .expanding import (
    STEEPEST,
    ExpandingKernels,
    Found,
    Scratch,
    Side,
    expanding_kernels,
    make_scratch,
    total,
    ways_of,
)
from .marks import common, make_marks, marks_size, note_level, open_all
from .numbering import Numbering, number_class
from .packing import Packing, full_regions, make_packing
from .scales import scales_of
from .waves import NONE, Tally, Wave, meeting, take
from .weighing import no_scale

SLICE = 1 << 10
"""Boards expanded per kernel call: a few milliseconds."""
LOOKED = 256
"""Slices between two looks whether the ends have met, once they can."""
LISTED_BYTES = 6
"""Of a board in the lists: its key, and half a copy while its level is expanded."""
FOUND = 1 << 18
"""Room for what comes of a slice."""
PATIENCE_SECONDS = 60.0
"""For which a search waits for another to end, for two of the hardest have no room beside each other."""
WIDEST_KEY = 29
"""Bits of the largest keys: the marks of both sides take 2**bits / 2 bytes."""


class World(NamedTuple):
    """The tables of one question's class under the symmetries that keep both ends."""

    numbering: Numbering
    kernels: ExpandingKernels
    scratch: Scratch
    found: Found
    lease: Lease


def best_first(
    jumps: JumpList,
    symmetries: tuple[Permutation, ...],
    ends: Callable[[Question], Ends],
    otherwise: Callable[[Question], Iterator[Event]],
) -> Callable[[Question], Iterator[Event]]:
    """The search on a board. `ends` finds both ends of a question.

    `otherwise`: the search for boards with wider keys, and for when others hold the memory for the marks
    and do not give it back.
    """
    holes = len(symmetries[0])
    packing = cache(lambda: make_packing(regions(jumps, holes), holes))
    bits = key_bits(jumps, holes)

    def search(question: Question) -> Iterator[Event]:
        lease, began = Lease(MEMORY), time.perf_counter()
        try:
            for _ in lease.take_in_turn(2 * marks_size(bits), PATIENCE_SECONDS):
                yield Progress(first_limit(question), 0, time.perf_counter() - began)
        except Full:
            yield from otherwise(question)
            return
        try:
            both = ends(question)
            goals = same_class(jumps, holes, question.root.state, both.goals)
            world = _world(question, jumps, keepers(symmetries, both), lease)
            waves = _waves(question, Ends(both.starts, goals), world, packing(), jumps)
            yield from _deepen(question, world, waves)
        finally:
            lease.release()

    return search if bits <= WIDEST_KEY else otherwise


def key_bits(jumps: JumpList, holes: int) -> int:
    """Bits of a board's key: its holes but those that the position class tells."""
    return holes - len(invariants(jumps, holes))


def _world(question: Question, jumps: JumpList, kept: list[Permutation], lease: Lease) -> World:
    return World(
        number_class(jumps, question.puzzle.holes, question.root.state, kept),
        expanding_kernels(len(kept)),
        make_scratch(len(kept)),
        _room(),
        lease,
    )


def _room() -> Found:
    return Found(np.empty((STEEPEST + 1, FOUND), np.uint32), np.zeros(STEEPEST + 1, np.int64))


def rehearse(jumps: JumpList, symmetries: tuple[Permutation, ...]) -> None:
    """Compile, or load from disk, all kernels, for every number of symmetries that a question may keep.

    Does nothing on a board with wider keys, whose questions are searched otherwise.
    """
    holes = len(symmetries[0])
    if key_bits(jumps, holes) > WIDEST_KEY:
        return
    packing, marks = make_packing([1], holes), make_marks(0)
    common(marks, marks)
    note_level(NONE, 0, open_all(NONE, marks), np.zeros(0, np.int64))
    at_start = np.array(full_regions(np.uint64(1), packing), np.uint32)
    for width in numbers_kept(symmetries):
        numbering = number_class(jumps, holes, 1, list(symmetries[:width]))
        kernels, scratch = expanding_kernels(width), make_scratch(width)
        ways = ways_of(jumps, holes, False, numbering.shifts.lines)
        side = Side(False, marks, ways, packing, at_start, no_scale(len(numbering.shifts.lines)))
        kernels.expand(NONE, 1, 1, side, numbering, scratch, _room())
        kernels.least_key(np.uint64(1), numbering)
        kernels.reach(NONE, 0, side, numbering, scratch)
    total(np.uint64(1), 0, side)


def same_class(jumps: JumpList, holes: int, state: int, goals: list[int]) -> list[int]:
    """The solved boards in the position class of a board."""
    sets = invariants(jumps, holes).values()
    return [goal for goal in goals if all(((goal ^ state) & s).bit_count() % 2 == 0 for s in sets)]


def _waves(question: Question, ends: Ends, world: World, packing: Packing, jumps: JumpList) -> list[Wave]:
    """Both ends, their first boards put aside for the limits they belong to."""
    root, holes, first = question.root, question.puzzle.holes, first_limit(question) - question.spent
    at_rest = root.state & ~(1 << root.active if root.active >= 0 else 0)
    at_start = np.array(full_regions(np.uint64(at_rest), packing), np.uint32)
    scales, waves = scales_of(world.numbering.shifts, holes, root.state, ends.goals), []
    for up, boards in ((False, [start.state for start in ends.starts]), (True, ends.goals)):
        ways, back = (ways_of(jumps, holes, way, world.numbering.shifts.lines) for way in (up, not up))
        side = Side(up, make_marks(world.numbering.bits), ways, packing, at_start, scales[up].scale)
        wave = Wave(side, back, scales[up])
        for board in boards:
            key = world.kernels.least_key(np.uint64(board), world.numbering)
            least = int(total(np.uint64(board), 0, wave.side))
            wave.aside[max(first, least), 0].append(np.array([key], np.uint32))
        waves.append(wave)
    return waves


def _deepen(question: Question, world: World, waves: list[Wave]) -> Iterator[Event]:
    started, nodes, limit = time.perf_counter(), 0, first_limit(question)
    try:
        while True:
            tally = Tally(limit - question.spent)
            met = yield from _search_limit(question, tally, world, waves)
            nodes, seconds = nodes + tally.nodes, time.perf_counter() - tally.began
            if met >= 0:
                moves = solution(question, _line(met, waves, world), partial(_key, world))
                yield Solved(limit, tally.nodes, seconds, moves, None, nodes)
                return
            yield Exhausted(limit, tally.nodes, tally.cut, seconds)
            if any(wave.is_done for wave in waves):
                yield Unsolvable("exhausted", nodes, time.perf_counter() - started)
                return
            limit += 1
    except Full:
        yield Stopped("limit", limit - 1, nodes, time.perf_counter() - started)


def _key(world: World, state: int) -> int:
    return int(world.kernels.least_key(np.uint64(state), world.numbering))


def _search_limit(
    question: Question, tally: Tally, world: World, waves: list[Wave]
) -> Generator[Event, None, int]:
    """Everything within a limit; returns a key that both ends have, or -1."""
    levels = [0, 0]
    for wave in waves:
        tally.nodes += wave.open(tally.limit, 0)
    while sum(levels) < tally.limit:
        index = int(waves[0].size(levels[0]) > waves[1].size(levels[1]))
        steps = _expand(waves[index], levels[index], tally, world)
        levels[index] += 1
        for number, _ in enumerate(steps, 1):
            seconds = time.perf_counter() - tally.began
            yield Progress(tally.limit + question.spent, tally.nodes, seconds)
            if sum(levels) == tally.limit and number % LOOKED == 0 and (met := meeting(tally, waves)) >= 0:
                return met
    return meeting(tally, waves)


def _expand(wave: Wave, level: int, tally: Tally, world: World) -> Iterator[None]:
    """Expand all boards of a level that are opened and not expanded, and open the next for this limit."""
    while level >= wave.deepest:
        wave.opened.append([])
        wave.fresh.append([])
    keys, start = np.concatenate([NONE, *wave.fresh[level]]), 0
    wave.fresh[level] = []
    wave.learn(keys, world.numbering)
    while start < len(keys):
        part = keys[start : start + SLICE]
        done = world.kernels.expand(
            part, level + 1, tally.limit, wave.side, world.numbering, world.scratch, world.found
        )
        if done < 0:
            raise Full
        start += done
        world.lease.take(LISTED_BYTES * int(world.found.counts.sum()))
        take(world.found, wave, level + 1, tally)
        yield
    tally.nodes += wave.open(tally.limit, level + 1)


def _line(met: int, waves: list[Wave], world: World) -> list[int]:
    """The boards (keys) of a solution through a board that both ends have."""
    down, up = (_chain(wave, met, world) for wave in waves)
    return [*reversed(down), met, *up]


def _chain(wave: Wave, met: int, world: World) -> list[int]:
    """From next to `met` back to where the wave began, one board per level."""
    key, found = met, []
    level = next(n for n, lists in enumerate(wave.opened) if any(met in keys for keys in lists))
    back = wave.side._replace(up=not wave.side.up, ways=wave.back)
    for lists in reversed(wave.opened[:level]):
        part = np.array([key], np.uint32)
        _, end = world.kernels.reach(part, 0, back, world.numbering, world.scratch)
        key = next(int(k) for keys in lists for k in keys[np.isin(keys, world.scratch.keys[:end])][:1])
        found.append(key)
    return found
