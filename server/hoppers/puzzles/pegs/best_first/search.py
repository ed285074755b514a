"""Bidirectional A* by moves: every board is opened once, however many limits are tried.

A board's total is the moves made from its end plus the moves that full Merson regions still cost on the way
to the other end. Under a limit the boards with that total are opened, level by level (a level: equally many
moves made); others are deferred to the limit they belong to. The bound is consistent (see `jump_masks`),
so a board is opened with its fewest moves, and no work is repeated for the next limit: A* (Hart, Nilsson and
Raphael, 1968) in the layers of a breadth-first search. The direction with fewer boards goes one level deeper.
The directions have met when both have opened the same board.
"""

import itertools
import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from hoppers.core.board import Permutation
from hoppers.core.events import Event, Exhausted, Failed, Progress, Solved, Stopped, Unsolvable
from hoppers.core.puzzle import Question
from hoppers.puzzles.pegs.best_first.frontier import NONE, AStarFrontier, LimitCounts
from hoppers.puzzles.pegs.best_first.kernels import (
    AStarDirection,
    continuation_table,
    expanding_kernels,
    make_scratch,
    total,
)
from hoppers.puzzles.pegs.best_first.limit import AStarContext, make_output, search_limit
from hoppers.puzzles.pegs.best_first.open_flags import (
    flags_size,
    make_flags,
    note_level,
    open_all,
    opened_by_both,
)
from hoppers.puzzles.pegs.bidirectional.kernels import Ends, kept_symmetries
from hoppers.puzzles.pegs.bidirectional.search import solution
from hoppers.puzzles.pegs.bitboards.class_keys import number_class
from hoppers.puzzles.pegs.bitboards.jump_masks import (
    JumpList,
    Packing,
    full_regions,
    invariants,
    make_packing,
    packing_of,
)
from hoppers.puzzles.pegs.bitboards.pagoda import no_filter, pagoda_learners
from hoppers.search.slicing import map_progress, touch_pages
from hoppers.tablebase.builder import finish
from hoppers.tablebase.memory import BudgetExceeded, Lease

MAX_WAIT_SECONDS = 60.0
"""Longest wait for another search to free its memory: two of the hardest searches do not fit together."""
NO_MEMORY = {
    "code": "no_memory",
    "message": "Other searches hold the memory that this one needs. Please try again in a moment.",
}
MAX_KEY_BITS = 29
"""Maximum bits of a key: the flags of both directions take 2**bits / 2 bytes."""


def best_first(
    jumps: JumpList,
    symmetries: tuple[Permutation, ...],
    ends: Callable[[Question], Ends],
) -> Callable[[Question], Iterator[Event]]:
    """Return the bidirectional A* search on a board that `fits`.

    The search fails with NO_MEMORY if other searches hold the memory for its flags for too long.

    Args:
        jumps: jumps of the board.
        symmetries: symmetries of the board.
        ends: function that returns the starts and solved boards of a question.
    """
    holes = len(symmetries[0])
    bits = key_bits(jumps, holes)

    def search(question: Question) -> Iterator[Event]:
        lease, began = Lease(question.puzzle.engine.memory), time.perf_counter()
        try:
            for _ in lease.wait_and_take(2 * flags_size(bits), MAX_WAIT_SECONDS):
                yield Progress(question.first_limit, 0, time.perf_counter() - began)
        except BudgetExceeded:
            yield Failed(NO_MEMORY)
            return
        try:
            both = ends(question)
            goals = same_class(jumps, holes, question.root.state, both.goals)
            context = _context(question, jumps, kept_symmetries(symmetries, both), lease)
            yield Progress(question.first_limit, 0, time.perf_counter() - began)
            packing = packing_of(jumps, holes)
            yield Progress(question.first_limit, 0, time.perf_counter() - began)
            frontiers = _frontiers(question, Ends(both.starts, goals), context, packing, jumps)
            for _ in itertools.chain(*(touch_pages(frontier.side.flags.words) for frontier in frontiers)):
                yield Progress(question.first_limit, 0, time.perf_counter() - began)
            yield from _deepen(question, context, frontiers)
        finally:
            lease.release()

    return search


def fits(jumps: JumpList, holes: int) -> bool:
    """Return whether keys of a board are short enough for flags in memory."""
    return key_bits(jumps, holes) <= MAX_KEY_BITS


def key_bits(jumps: JumpList, holes: int) -> int:
    """Return the bits of a key: the number of holes whose content does not follow from the position class."""
    return holes - len(invariants(jumps, holes))


def _context(question: Question, jumps: JumpList, kept: list[Permutation], lease: Lease) -> AStarContext:
    return AStarContext(
        number_class(jumps, question.puzzle.holes, question.root.state, kept),
        expanding_kernels(len(kept)),
        make_scratch(len(kept)),
        make_output(),
        lease,
    )


def precompile(jumps: JumpList, symmetries: tuple[Permutation, ...], width: int) -> None:
    """Compile all kernels of the bidirectional A*, or load them from disk, for one number of symmetries.

    `width`: number of symmetries that keep the start and the goals. Nothing is compiled for a board with keys
    of more than MAX_KEY_BITS bits, because such boards have another search.
    """
    holes = len(symmetries[0])
    if not fits(jumps, holes):
        return
    packing, marks = make_packing([1], holes), make_flags(0)
    finish(opened_by_both(marks, marks))
    note_level(NONE, 0, open_all(NONE, marks), np.zeros(0, np.int64))
    at_start = np.array(full_regions(np.uint64(1), packing), np.uint32)
    numbering = number_class(jumps, holes, 1, list(symmetries[:width]))
    kernels, scratch = expanding_kernels(width), make_scratch(width)
    continuations = continuation_table(jumps, holes, False, numbering.shifts.lines)
    side = AStarDirection(
        False, marks, continuations, packing, at_start, no_filter(len(numbering.shifts.lines))
    )
    kernels.expand(NONE, 1, 1, 1, side, numbering, scratch, make_output())
    kernels.least_key(np.uint64(1), numbering)
    kernels.reach(NONE, 0, side, numbering, scratch)
    total(np.uint64(1), 0, side)


def same_class(jumps: JumpList, holes: int, state: int, goals: list[int]) -> list[int]:
    """Return the boards of `goals` that are in the position class of `state`."""
    sets = invariants(jumps, holes).values()
    return [goal for goal in goals if all(((goal ^ state) & s).bit_count() % 2 == 0 for s in sets)]


def _frontiers(
    question: Question, ends: Ends, context: AStarContext, packing: Packing, jumps: JumpList
) -> list[AStarFrontier]:
    """Return both directions, with their first boards deferred to the limits that equal their totals."""
    root, holes, first = question.root, question.puzzle.holes, question.first_limit - question.spent
    at_rest = root.state & ~(1 << root.active if root.active >= 0 else 0)
    at_start = np.array(full_regions(np.uint64(at_rest), packing), np.uint32)
    learners, frontiers = pagoda_learners(context.numbering.shifts, holes, [root.state], ends.goals), []
    for up, boards in ((False, [start.state for start in ends.starts]), (True, ends.goals)):
        continuations, back = (
            continuation_table(jumps, holes, direction, context.numbering.shifts.lines)
            for direction in (up, not up)
        )
        side = AStarDirection(
            up, make_flags(context.numbering.bits), continuations, packing, at_start, learners[up].current
        )
        frontier = AStarFrontier(side, back, learners[up])
        for board in boards:
            key = context.kernels.least_key(np.uint64(board), context.numbering)
            least = int(total(np.uint64(board), 0, frontier.side))
            frontier.deferred[max(first, least), 0].append(np.array([key], np.uint32))
        frontiers.append(frontier)
    return frontiers


def _deepen(question: Question, context: AStarContext, frontiers: list[AStarFrontier]) -> Iterator[Event]:
    started, nodes, limit = time.perf_counter(), 0, question.first_limit
    try:
        while True:
            counts = LimitCounts(limit - question.spent)
            progress = partial(_progress, counts, limit)
            line = yield from map_progress(search_limit(counts, context, frontiers), progress)
            nodes, seconds = nodes + counts.nodes, time.perf_counter() - counts.began
            if line:
                moves = yield from map_progress(solution(question, line, partial(_key, context)), progress)
                yield Solved(limit, counts.nodes, seconds, moves, None, nodes)
                return
            yield Exhausted(limit, counts.nodes, counts.cut, seconds)
            if any(frontier.is_done for frontier in frontiers):
                yield Unsolvable("exhausted", nodes, time.perf_counter() - started)
                return
            limit += 1
    except BudgetExceeded:
        yield Stopped("limit", limit - 1, nodes, time.perf_counter() - started)


def _progress(counts: LimitCounts, limit: int, _: object) -> Progress:
    return Progress(limit, counts.nodes, time.perf_counter() - counts.began)


def _key(context: AStarContext, state: int) -> int:
    return int(context.kernels.least_key(np.uint64(state), context.numbering))
