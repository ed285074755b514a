"""Bidirectional search whose two directions share one budget: the proof search of peg boards.

Moves are made from the start, level by level (a level: equally many pegs), and taken back from the goal. Two
bounds give the moves that are still to come and the moves that must have been made (`region_bounds`). Along a
line, twice the moves made, plus the bound on the moves to come, minus the bound on the moves made never
falls; for backward search the same number with the roles exchanged never rises. Under a limit of L moves both
add up to 2 L at most. Forward search therefore keeps positions with at most K, backward search positions with
at most 2 L - 1 - K: every solution has a jump from a position that one direction keeps to a position that the
other keeps. Forward search looks such children up instead of keeping them. The excess of the limit over the
bounds is shared by both directions, and the boards grow exponentially with half of it.

The idea of two bounds in one budget is that of front-to-end bidirectional search with consistent heuristics
(Kaindl and Kainz, 1997; Holte and others, MM, 2016), applied here to two heuristics at once.
"""

import itertools
import time
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from hoppers.core.board import Board, Permutation
from hoppers.core.events import Event, Exhausted, Failed, Progress, Solved, Stopped, Unsolvable
from hoppers.core.kernels import ONE_THREAD, Kernel, KernelThreads, kernel_threads, max_threads
from hoppers.core.model import Position
from hoppers.core.puzzle import Question, moves_of
from hoppers.puzzles.pegs.bidirectional.expand import (
    CACHE_LINES,
    CUT,
    MEETING,
    NODES,
    Budget,
    Output,
    Side,
    expanding_kernel,
)
from hoppers.puzzles.pegs.bidirectional.levels import (
    HALVES,
    MOVES_SHIFT,
    NO_LEVEL,
    Level,
    empty_half,
    find,
    insert,
    make_level,
    max_boards,
    move_entries,
    put,
)
from hoppers.puzzles.pegs.bidirectional.path import Levels, Meeting, Problem, jumps_through
from hoppers.puzzles.pegs.bitboards.jump_masks import Shifts, shift_groups, two_moves
from hoppers.puzzles.pegs.bitboards.pagoda import PagodaLearner, pagoda_learners
from hoppers.puzzles.pegs.bitboards.symmetries import (
    Symmetries,
    kept_symmetries,
    symmetry_counts,
    symmetry_tables,
)
from hoppers.puzzles.pegs.region_bounds import (
    RegionTables,
    bounds_of,
    divisions_of,
    keeps_divisions,
    region_tables,
)
from hoppers.search.slicing import Pausable, map_progress, slices
from hoppers.tablebase.builder import finish
from hoppers.tablebase.memory import BudgetExceeded, Lease, MemoryBudget, MemoryHeld

NO_SOLUTION = 99
"""More moves than any line has."""
NO_MEMORY = {
    "code": "no_memory",
    "message": "Other searches hold the memory that this one needs. Please try again in a moment.",
}


class SearchTuning(NamedTuple):
    """Sizes and factors of the search."""

    slots_per_slice: int = 1 << 13  # slots of a level expanded per thread and slice: about 5 ms
    moved_per_slice: int = 1 << 16  # slots copied per slice when a level grows
    more_slots: float = 1.6  # factor by which a full half of a level grows
    output: int = 1 << 16  # entries per thread and half between two insertions
    queue: int = 64  # children that are fetched into the cache at a time, before they are looked up
    growth: float = 6.0  # boards of a level per board of the level before, at the beginning
    least_growth: float = 0.5
    many_boards: int = 10_000  # size from which the growth of a level predicts that of the next
    growth_margin: float = 1.15
    sampled_slots: int = 1 << 13  # slots of a level in which boards are sampled for pagoda functions
    per_move: float = 6.0  # factor by which one more move of the budget multiplies the boards of a direction
    forward_cost: float = 1.4  # cost of a board of forward search, with its look-ups, per backward board
    wait_seconds: float = 10.0  # longest wait for other searches to release memory


TUNING = SearchTuning()


class Context(NamedTuple):
    """Data that all steps of one search share."""

    problem: Problem
    shifts: Shifts
    bounds: RegionTables
    symmetries: Symmetries
    learners: tuple[PagodaLearner, PagodaLearner]
    """Pagoda functions of forward and backward search."""
    expand: Kernel
    threads: KernelThreads
    output: list[Any]
    """For each half that is expanded: uint64[2, n, 2], entries of both halves of the next level."""
    lease: Lease


class Counts(NamedTuple):
    """Counters of one limit, one row for each half that is expanded."""

    counts: Any
    """int64[2, n]: jumps, positions pruned, fewest moves of a line that both directions keep."""
    meetings: Any
    """uint64[2, n]: board where the directions met, hole of its active peg, moves made."""
    began: float

    @property
    def nodes(self) -> int:
        """Jumps made so far."""
        return int(self.counts[:, NODES].sum())

    @property
    def cut(self) -> int:
        """Positions pruned so far, by the limit or the budget."""
        return int(self.counts[:, CUT].sum())

    @property
    def fewest(self) -> int:
        """Fewest moves of a line that both directions keep, or NO_SOLUTION."""
        return int(self.counts[:, MEETING].min())

    @property
    def meeting(self) -> Meeting:
        """Position where the directions met with the fewest moves."""
        row = self.meetings[int(self.counts[:, MEETING].argmin())]
        return Meeting(*(int(number) for number in row[:3]))


class Limit(NamedTuple):
    """One limit of moves and its division between the directions."""

    moves: int
    forward_share: int
    """Largest number that forward search keeps (see the module)."""

    @property
    def backward_share(self) -> int:
        """Largest number that backward search keeps."""
        return 2 * self.moves - 1 - self.forward_share


class Searched(NamedTuple):
    """Levels of both directions under one limit, from which a solution is read."""

    downs: Levels
    ups: Levels
    sizes: tuple[int, int]
    """Boards that forward and backward search kept."""
    is_complete: bool
    """Whether one direction has kept every position that it can reach, so no higher limit would help."""


def search(question: Question) -> Iterator[Event]:
    """Prove the fewest moves of a question about a peg board, under rising limits."""
    puzzle, root = question.puzzle, question.root
    if puzzle.is_solved(root, question.goal):
        yield Solved(question.spent, 0, 0.0, moves_of(question, []), None, 0)
        return
    goals, lease = _goals(question), Lease(puzzle.engine.memory)
    if not goals:
        yield Unsolvable("class", 0, 0.0)
        return
    try:
        with kernel_threads(max_threads()) as threads:
            yield Progress(question.first_limit, 0, 0.0)
            images = kept_symmetries(usable_symmetries(puzzle.board), root, goals)
            context = _context(puzzle.board, root, goals, images, lease, threads)
            yield from _deepen(question, context)
    finally:
        lease.release()


def precompile(board: Board, width: int) -> None:
    """Compile all kernels of the search, or load them from disk, for one number of symmetries."""
    state, goal = two_moves(board.jumps)
    images, lease = [board.symmetries[0]] * width, Lease(MemoryBudget(1 << 30))
    context = _context(board, Position(state), [1 << goal], images, lease, ONE_THREAD)
    limit = _first_limit(context, 2)
    searched = finish(_search_limit(context, limit, _no_counts()))
    assert searched is not None
    find(searched.downs[state.bit_count()], state)
    half = empty_half(1)
    move_entries(half, half, 0, 0)


def usable_symmetries(board: Board) -> list[Permutation]:
    """Return the symmetries of a board under which both bounds keep their values."""
    divisions = divisions_of(board.points)
    return [image for image in board.symmetries if keeps_divisions(image, divisions)]


def widths(board: Board) -> list[int]:
    """Return the numbers of symmetries for which kernels are compiled."""
    return symmetry_counts(usable_symmetries(board))


def _goals(question: Question) -> list[int]:
    """Return the solved boards in the position class of the root."""
    obstruction = question.puzzle.rules.obstruction
    holes = [hole for hole in range(question.puzzle.holes) if question.goal in (-1, hole)]
    return [1 << hole for hole in holes if obstruction(question.root, hole) != "class"]


def _context(
    board: Board,
    root: Position,
    goals: list[int],
    images: Sequence[Permutation],
    lease: Lease,
    threads: KernelThreads,
) -> Context:
    holes, shifts = len(board.points), shift_groups(board.jumps)
    return Context(
        Problem(board.jumps, holes, root, goals, [*images]),
        shifts,
        region_tables(board.jumps, holes, shifts, divisions_of(board.points), root, goals),
        symmetry_tables(shifts, images),
        pagoda_learners(shifts, holes, root.state, goals),
        expanding_kernel(len(images)),
        threads,
        [np.zeros((HALVES, TUNING.output, 2), np.uint64) for _ in range(HALVES)],
        lease,
    )


def _deepen(question: Question, context: Context) -> Iterator[Event]:
    """Search under rising limits, from the bounds of both ends on, until the question is answered."""
    started, nodes, counts = time.perf_counter(), 0, _no_counts()
    least, most = _least_moves(context), context.problem.root.state.bit_count() - 1
    limit, sizes = None, (1, 1)
    try:
        for moves in itertools.count(question.first_limit - question.spent):
            shown = moves + question.spent
            if least > most or moves > most:
                yield Unsolvable("exhausted", nodes, time.perf_counter() - started)
                return
            if moves < least:
                yield Exhausted(shown, 0, 0, 0.0)
                continue
            limit, counts = _next_limit(context, moves, limit, sizes), _no_counts()
            steps = _search_limit(context, limit, counts)
            searched = yield from map_progress(steps, partial(_progress, counts, shown))
            nodes, seconds = nodes + counts.nodes, time.perf_counter() - counts.began
            if counts.fewest <= moves:
                line = _solution(question, context, searched, counts)
                yield Solved(shown, counts.nodes, seconds, line, None, nodes)
                return
            yield Exhausted(shown, counts.nodes, counts.cut, seconds)
            if searched.is_complete:
                yield Unsolvable("exhausted", nodes, time.perf_counter() - started)
                return
            sizes = searched.sizes
            yield from map_progress(_free(searched, context.lease), partial(_progress, counts, shown))
    except MemoryHeld:
        yield Failed(NO_MEMORY)
    except BudgetExceeded:
        yield Stopped("limit", shown - 1, nodes + counts.nodes, time.perf_counter() - started)


def _solution(question: Question, context: Context, searched: Searched, counts: Counts) -> list[list[int]]:
    """Return the moves of the solution on which the directions met."""
    jumps = jumps_through(context.problem, searched.downs, searched.ups, counts.meeting)
    return moves_of(question, list(question.puzzle.replay(question.root, jumps)))


def _free(searched: Searched, lease: Lease) -> Pausable[None]:
    """Free the levels of a limit one by one: the system takes milliseconds for a large level."""
    for levels in (searched.downs, searched.ups):
        while levels:
            levels.popitem()
            yield
    lease.release()


def _no_counts() -> Counts:
    counts = np.zeros((HALVES, CACHE_LINES), np.int64)
    counts[:, MEETING] = NO_SOLUTION
    return Counts(counts, np.zeros((HALVES, CACHE_LINES), np.uint64), time.perf_counter())


def _progress(counts: Counts, limit: int, _: object) -> Progress:
    return Progress(limit, counts.nodes, time.perf_counter() - counts.began)


def _end_bounds(context: Context) -> tuple[int, int]:
    """Return the bound on the moves to come at the root, and the least bound on the moves made at a goal."""
    to_come, _ = bounds_of(np.uint64(context.problem.root.state), context.bounds)
    made = [bounds_of(np.uint64(goal), context.bounds)[1] for goal in context.problem.goals]
    return int(to_come), int(min(made))


def _least_moves(context: Context) -> int:
    """Return a lower bound on the moves of a solution, from both ends."""
    to_come, made = _end_bounds(context)
    return max(to_come - int(context.problem.root.active >= 0), made, 0)


def _first_limit(context: Context, moves: int) -> Limit:
    """Return the first limit to search, with the excess over the bounds in equal parts."""
    to_come, made = _end_bounds(context)
    return Limit(moves, to_come + (2 * moves - 1 - to_come - made) // 2)


def _next_limit(context: Context, moves: int, before: Limit | None, sizes: tuple[int, int]) -> Limit:
    """Divide a limit between the directions so that both are likely to cost equally much.

    `sizes`: boards that forward and backward search kept under the limit `before`.
    """
    if before is None:
        return _first_limit(context, moves)
    forward, backward = sizes

    def cost(more: int) -> float:
        down, up = TUNING.per_move**more, TUNING.per_move ** (2 - more)
        return TUNING.forward_cost * (forward + 1) * down + (backward + 1) * up

    return Limit(moves, before.forward_share + min(range(3), key=cost))


def _search_limit(context: Context, limit: Limit, counts: Counts) -> Pausable[Searched]:
    """Search under one limit: backwards first, then forwards with look-ups."""
    root = context.problem.root
    ups, growth = {1: _level_of(context, [(goal, -1) for goal in context.problem.goals])}, TUNING.growth
    budget = Budget(True, limit.moves, limit.backward_share)
    for pegs in range(1, root.state.bit_count()):
        if not ups[pegs].size:
            break
        ups[pegs + 1] = yield from _advance(context, ups[pegs], NO_LEVEL, budget, growth, counts)
        growth = _growth(ups[pegs], ups[pegs + 1])
    kept_above, cut_above = sum(level.size for level in ups.values()), counts.cut
    top = ups.pop(root.state.bit_count(), NO_LEVEL)  # never looked up: forward search begins below it
    is_reached = top.size > 0 and find(top, context.problem.canonical(root.state)[0]) > 0
    context.lease.give_back(top.bytes if root.state.bit_count() > 1 else 0)
    del top
    downs = yield from _search_forwards(context, limit, ups, counts)
    sizes = sum(level.size for level in downs.values()), kept_above
    # backward search that has pruned nothing has kept every board that can reach a goal
    is_complete = counts.cut == cut_above or (cut_above == 0 and not is_reached)
    return Searched(downs, ups, sizes, is_complete)


def _search_forwards(context: Context, limit: Limit, ups: Levels, counts: Counts) -> Pausable[Levels]:
    """Search forwards from the root. Levels of backward search that have been passed leave `ups`."""
    root, growth = context.problem.root, TUNING.growth
    budget, downs = Budget(False, limit.moves, limit.forward_share), {}
    downs[root.state.bit_count()] = _level_of(context, [root])
    for pegs in range(root.state.bit_count(), 1, -1):
        if not downs[pegs].size or counts.fewest <= limit.moves:
            break
        opposite = ups.get(pegs - 1, NO_LEVEL)
        downs[pegs - 1] = yield from _advance(context, downs[pegs], opposite, budget, growth, counts)
        growth = _growth(downs[pegs], downs[pegs - 1])
        if counts.fewest > limit.moves and pegs - 1 > 1 and pegs - 1 in ups:
            context.lease.give_back(ups.pop(pegs - 1).bytes)  # no solution will be read from this level
    _note_goals(context, downs, counts)
    return downs


def _growth(before: Level, after: Level) -> float:
    """Return the number of boards to expect in the next level, per board of this level."""
    if after.size < TUNING.many_boards:
        return TUNING.growth
    expected = TUNING.growth_margin * after.size / before.size
    return max(TUNING.least_growth, min(TUNING.growth, expected))


def _level_of(context: Context, positions: Sequence[tuple[int, int]]) -> Level:
    """Return the level of `positions` (board, active hole), reached with no moves."""
    level = make_level(len(positions))
    for board, hole in positions:
        put(level, *context.problem.canonical(board, hole))
    return level


def _note_goals(context: Context, downs: Levels, counts: Counts) -> None:
    """Record solved boards that forward search has kept, as meetings of the directions."""
    for goal in context.problem.goals if 1 in downs else ():
        value = find(downs[1], context.problem.canonical(goal)[0])
        moves = value >> MOVES_SHIFT
        if value and moves < counts.fewest:
            counts.counts[0, MEETING] = moves
            counts.meetings[0, :3] = goal, goal.bit_length() - 1, moves


def _advance(
    context: Context, level: Level, opposite: Level, budget: Budget, growth: float, counts: Counts
) -> Pausable[Level]:
    """Expand a level and return the next one."""
    following = make_level(int(level.size * growth))
    yield from context.lease.wait_and_take(following.bytes, TUNING.wait_seconds)
    learner, cursors = context.learners[budget.up], [0] * HALVES
    side = Side(*budget, context.shifts, context.bounds, learner.flip, learner.tables, context.symmetries)
    filled, halves = np.zeros((HALVES, CACHE_LINES), np.int64), tuple(opposite.halves)
    outputs = [
        Output(
            context.output[half],
            np.zeros((TUNING.queue, 4), np.uint64),
            filled[half],
            counts.counts[half],
            counts.meetings[half],
        )
        for half in range(HALVES)
    ]
    while any(cursor < len(half) for cursor, half in zip(cursors, level.halves, strict=True)):
        filled[:] = 0
        calls = [
            (half, cursor, min(cursor + TUNING.slots_per_slice, len(half)), side, halves, output)
            for half, cursor, output in zip(level.halves, cursors, outputs, strict=True)
        ]
        cursors = context.threads.run(context.expand, calls)
        yield
        yield from _insert(context, following, filled)
        if counts.fewest <= budget.limit:
            break
    sample = level.halves[0][: TUNING.sampled_slots, 0]
    yield from learner.learn(sample[sample != 0])
    return following


def _insert(context: Context, level: Level, filled: Any) -> Pausable[None]:
    """Insert the output of an expansion into the next level, each half in a thread."""
    for number in range(HALVES):
        while level.sizes[number] + int(filled[:, number].sum()) > max_boards(level.halves[number]):
            yield from _grow(context, level, number)
    for source in range(HALVES):
        calls = [
            (context.output[source][number], int(filled[source, number]), level.halves[number])
            for number in range(HALVES)
        ]
        for number, added in enumerate(context.threads.run(insert, calls)):
            level.sizes[number] += added
    yield


def _grow(context: Context, level: Level, number: int) -> Pausable[None]:
    """Replace one half by a larger one."""
    old = level.halves[number]
    larger = empty_half(int(TUNING.more_slots * len(old)))
    yield from context.lease.wait_and_take(larger.nbytes, TUNING.wait_seconds)
    for start, stop in slices(len(old), TUNING.moved_per_slice):
        move_entries(old, larger, start, stop)
        yield
    level.halves[number] = larger
    context.lease.give_back(old.nbytes)
