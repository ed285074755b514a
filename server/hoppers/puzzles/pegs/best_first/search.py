"""Best-first by moves from both ends: every board is opened once, however many limits are tried.

A board's total is the moves made from its end and the moves that full Merson regions still cost to the other
end. Under a limit the boards with that total are opened, level by level (a level: so many moves made); others
are put aside for the limit they belong to. The bound is consistent (see `packing`), so a board is opened
with its fewest moves, and nothing done for one limit is done again for the next (A*, in the layers of
breadth-first search). The side with fewer boards goes a level deeper for each limit; the ends have met when
both have opened the same board.
"""

import itertools
import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from hoppers.core.board import Permutation
from hoppers.core.events import Event, Exhausted, Progress, Solved, Stopped, Unsolvable
from hoppers.core.puzzle import Question
from hoppers.puzzles.pegs.best_first.frontier import NONE, Tally, Wave
from hoppers.puzzles.pegs.best_first.kernels import (
    Side,
    expanding_kernels,
    make_scratch,
    total,
    ways_of,
)
from hoppers.puzzles.pegs.best_first.limit import World, make_room, search_limit
from hoppers.puzzles.pegs.best_first.open_flags import (
    common,
    make_marks,
    marks_size,
    note_level,
    open_all,
)
from hoppers.puzzles.pegs.bidirectional.kernels import Ends, keepers
from hoppers.puzzles.pegs.bidirectional.path import solution
from hoppers.puzzles.pegs.bitboards.class_keys import number_class
from hoppers.puzzles.pegs.bitboards.jump_masks import JumpList, invariants
from hoppers.puzzles.pegs.bitboards.merson_packing import (
    Packing,
    full_regions,
    make_packing,
    packing_of,
)
from hoppers.puzzles.pegs.bitboards.pagoda_filter import no_scale
from hoppers.puzzles.pegs.bitboards.pagoda_sides import scales_of
from hoppers.search.iterative_deepening import first_limit
from hoppers.search.memory_budget import MEMORY_BUDGET, BudgetExceeded, Lease
from hoppers.search.slicing import map_progress, touch_pages
from hoppers.tablebase.builder import finish

PATIENCE_SECONDS = 60.0
"""For which a search waits for another to end, for two of the hardest have no room beside each other."""
WIDEST_KEY = 29
"""Bits of the largest keys: the marks of both sides take 2**bits / 2 bytes."""


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
    bits = key_bits(jumps, holes)

    def search(question: Question) -> Iterator[Event]:
        lease, began = Lease(MEMORY_BUDGET), time.perf_counter()
        try:
            for _ in lease.wait_and_take(2 * marks_size(bits), PATIENCE_SECONDS):
                yield Progress(first_limit(question), 0, time.perf_counter() - began)
        except BudgetExceeded:
            yield from otherwise(question)
            return
        try:
            both = ends(question)
            goals = same_class(jumps, holes, question.root.state, both.goals)
            world = _world(question, jumps, keepers(symmetries, both), lease)
            yield Progress(first_limit(question), 0, time.perf_counter() - began)
            packing = packing_of(jumps, holes)
            yield Progress(first_limit(question), 0, time.perf_counter() - began)
            waves = _waves(question, Ends(both.starts, goals), world, packing, jumps)
            for _ in itertools.chain(*(touch_pages(wave.side.marks.words) for wave in waves)):
                yield Progress(first_limit(question), 0, time.perf_counter() - began)
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
        make_room(),
        lease,
    )


def rehearse(jumps: JumpList, symmetries: tuple[Permutation, ...], width: int) -> None:
    """Compile, or load from disk, all kernels for questions that keep so many of the symmetries.

    Does nothing on a board with wider keys, whose questions are searched otherwise.
    """
    holes = len(symmetries[0])
    if key_bits(jumps, holes) > WIDEST_KEY:
        return
    packing, marks = make_packing([1], holes), make_marks(0)
    finish(common(marks, marks))
    note_level(NONE, 0, open_all(NONE, marks), np.zeros(0, np.int64))
    at_start = np.array(full_regions(np.uint64(1), packing), np.uint32)
    numbering = number_class(jumps, holes, 1, list(symmetries[:width]))
    kernels, scratch = expanding_kernels(width), make_scratch(width)
    ways = ways_of(jumps, holes, False, numbering.shifts.lines)
    side = Side(False, marks, ways, packing, at_start, no_scale(len(numbering.shifts.lines)))
    kernels.expand(NONE, 1, 1, 1, side, numbering, scratch, make_room())
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
    scales, waves = scales_of(world.numbering.shifts, holes, [root.state], ends.goals), []
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
            going_on = partial(_progress, tally, limit)
            line = yield from map_progress(search_limit(tally, world, waves), going_on)
            nodes, seconds = nodes + tally.nodes, time.perf_counter() - tally.began
            if line:
                moves = yield from map_progress(solution(question, line, partial(_key, world)), going_on)
                yield Solved(limit, tally.nodes, seconds, moves, None, nodes)
                return
            yield Exhausted(limit, tally.nodes, tally.cut, seconds)
            if any(wave.is_done for wave in waves):
                yield Unsolvable("exhausted", nodes, time.perf_counter() - started)
                return
            limit += 1
    except BudgetExceeded:
        yield Stopped("limit", limit - 1, nodes, time.perf_counter() - started)


def _progress(tally: Tally, limit: int, _: object) -> Progress:
    return Progress(limit, tally.nodes, time.perf_counter() - tally.began)


def _key(world: World, state: int) -> int:
    return int(world.kernels.least_key(np.uint64(state), world.numbering))
