"""Bidirectional search whose two directions share one budget: the proof search of peg boards.

Moves are made from the start, level by level (a level: all boards with equally many pegs), and taken back
from the goal. Two bounds give the moves that are still to come and the moves that must have been made
(`region_bounds`). Along a line, 2 * made + bound_to_come - bound_made never falls, and
2 * to_come + bound_made - bound_to_come never rises. On a solution of at most L moves the two numbers add up
to 2 L at most. Forward search therefore keeps positions whose first number is at most K, its share, and
backward search positions whose second number is at most 2 L - 1 - K: every solution has a jump from a
position that one direction keeps to a position that the other keeps. Forward search looks children beyond K
up in the levels of backward search. The excess of the limit over the bounds is shared by both directions, and
the number of boards grows exponentially with half of the excess.

The idea of two bounds in one budget is that of front-to-end bidirectional search with consistent heuristics
(Kaindl and Kainz, 1997; Holte and others, MM, 2016), applied here to two heuristics at once.
"""

import itertools
import time
from collections.abc import Generator, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from hoppers.core.board import Board, Permutation
from hoppers.core.events import Event, Exhausted, Failed, Progress, Solved, Stopped, Unsolvable
from hoppers.core.kernels import ONE_THREAD, Kernel, KernelThreads, kernel_threads, max_threads
from hoppers.core.model import DEAD, GivenUp, MovesLeft, Position
from hoppers.core.puzzle import Question, moves_of
from hoppers.puzzles.pegs.bidirectional.kernels import (
    BACKWARD,
    CUT,
    FORWARD,
    HALVES,
    MAX_LOAD,
    MET,
    MOVES_SHIFT,
    NO_LEVEL,
    NODES,
    Level,
    Output,
    Side,
    empty_half,
    expand,
    find,
    insert_lists,
    make_level,
    make_output,
    move_entries,
    put,
)
from hoppers.puzzles.pegs.bidirectional.path import (
    Levels,
    Meeting,
    SearchProblem,
    boards_through,
    moves_left_on_solutions,
)
from hoppers.puzzles.pegs.jump_masks import shift_groups, two_moves
from hoppers.puzzles.pegs.pagoda import PagodaLearner, pagoda_learners
from hoppers.puzzles.pegs.peg_board import peg_board
from hoppers.puzzles.pegs.region_bounds import bounds_of, divisions_of, keeps_divisions, region_tables
from hoppers.puzzles.pegs.symmetries import for_symmetries, problem_symmetries, symmetry_tables
from hoppers.search.slicing import Pausable, map_progress, slices
from hoppers.tablebase.builder import finish
from hoppers.tablebase.memory import BudgetExceeded, Lease, MemoryBudget, MemoryHeld
from hoppers.tablebase.solutions import SolutionGraphs

NO_MEMORY = {
    "code": "no_memory",
    "message": "Other searches hold the memory that this one needs. Please try again in a moment.",
}


class SearchTuning(NamedTuple):
    """Sizes, factors and times that tune the search."""

    slots_per_slice: int = 1 << 13  # slots of a level expanded per thread and slice: about 2 ms
    moved_per_slice: int = 1 << 16  # slots copied per slice when a level grows
    more_slots: float = 1.6  # factor by which a full half of a level grows
    output: int = 1 << 16  # maximum entries per thread and half between two insertions
    meetings: int = 1 << 12  # maximum meetings of the directions per thread between two insertions
    queue: int = 64  # children that are fetched into the cache at a time, before they are looked up
    growth: float = 6.0  # expected boards of a level per board of the level before; also the maximum
    least_growth: float = 0.5  # minimum of the expected growth
    many_boards: int = 10_000  # boards of a level from which its growth predicts that of the next
    growth_margin: float = 1.15  # factor by which the expected growth exceeds the growth of the level before
    sampled_slots: int = 1 << 13  # slots of a level in which boards are sampled for pagoda functions
    per_move: float = 6.0  # factor by which one more move of the budget multiplies the boards of a direction
    forward_cost: float = 1.4  # cost of a forward board, with its look-ups, relative to a backward board
    wait_seconds: float = 10.0  # longest wait for other searches to release memory


TUNING = SearchTuning()
SEARCH_SHARE = 0.8  # share of the search in the progress of `optimal_positions`; listing positions follows


class Counts:
    """Counters and meetings of the current limit, from kernel outputs, and the nodes of earlier limits."""

    def __init__(self, outputs: list[Output]) -> None:
        self.outputs, self.earlier_nodes, self.began = outputs, 0, time.perf_counter()
        self.meetings: list[Meeting] = []
        """Meetings on lines of at most as many moves as the limit."""

    def start_limit(self) -> None:
        """Add the nodes to those of earlier limits, clear counters and meetings, and restart the clock."""
        self.earlier_nodes, self.began = self.earlier_nodes + self.nodes, time.perf_counter()
        self.meetings.clear()
        for output in self.outputs:
            output.counts[:] = 0

    def collect_meetings(self) -> None:
        """Move the meetings in the outputs to `meetings`."""
        for output in self.outputs:
            for board, hole, made, moves in output.meetings[: output.filled[MET]].tolist():
                self.meetings.append(Meeting(moves, made, Position(board, hole)))
            output.filled[MET] = 0

    @property
    def nodes(self) -> int:
        """Jumps made or taken back under the current limit."""
        return sum(int(output.counts[NODES]) for output in self.outputs)

    @property
    def cut(self) -> int:
        """Positions not kept under the current limit, because of the limit or a direction's share."""
        return sum(int(output.counts[CUT]) for output in self.outputs)

    def progress(self, limit: int) -> Progress:
        """Return a progress event for `limit`, with the nodes and seconds under the current limit."""
        return Progress(limit, self.nodes, time.perf_counter() - self.began)


class Context(NamedTuple):
    """Data that all steps of one search share."""

    problem: SearchProblem
    sides: tuple[Side, Side]  # forward and backward search, under no limit yet
    learners: tuple[PagodaLearner, PagodaLearner]  # pagoda functions of forward and backward search
    expand: Kernel
    threads: KernelThreads
    counts: Counts
    lease: Lease
    finds_all: bool = False
    """Whether the search goes on after the first meeting, until all shortest solutions are found."""


class Searched(NamedTuple):
    """Result of the search under one limit: levels of both directions, from which solutions are read."""

    forward: Levels  # levels of forward search
    backward: Levels  # levels of backward search from which solutions may be read
    meetings: list[Meeting]  # on lines of the fewest moves; empty if the limit is ruled out
    has_all_meetings: bool  # whether memory lasted for all meetings, if all solutions are asked for
    sizes: tuple[int, int]  # boards that forward and backward search kept
    is_complete: bool  # whether one direction kept all that it can reach: a higher limit finds no more


class SearchProgress:
    """Progress of a search, 0 to 1, estimated from its nodes, which multiply from limit to limit.

    `event`: the last event of the search, or None before the first.
    """

    def __init__(self, fewest: int | None) -> None:
        """`fewest`: moves of the best known solution; with None the progress stays 0."""
        self.event: Event | None = None
        self._fewest, self._nodes_before, self._done = fewest, 0, 0.0

    def update(self, event: Event) -> float:
        """Record an event of the search, and return the progress, which never falls."""
        self.event = event
        if isinstance(event, Exhausted):
            self._nodes_before = event.nodes
        if isinstance(event, Progress) and self._nodes_before and self._fewest is not None:
            of_limit = max(event.nodes, TUNING.per_move * self._nodes_before)
            limits = sum(TUNING.per_move**more for more in range(self._fewest - event.limit + 1))
            self._done = max(self._done, min(1.0, event.nodes / max(of_limit * limits, 1)))
        return self._done


def search(question: Question) -> Iterator[Event]:
    """Yield the events of a search that proves the fewest moves of a question, under rising limits.

    If all solutions are requested, they are counted in the levels of the last limit.
    """
    puzzle, root = question.puzzle, question.root
    if puzzle.is_solved(root, question.goal):
        yield Solved(question.spent, 0, 0.0, moves_of(question, []), 1 if question.find_all else None, 0)
        return
    lease = Lease(puzzle.engine.memory)
    if not solved_boards(question):
        yield Unsolvable("class", 0, 0.0)
        return
    try:
        with kernel_threads(max_threads()) as threads:
            yield Progress(question.first_limit, 0, 0.0)
            context = new_context(question, lease, threads)._replace(finds_all=question.find_all)
            yield from deepen(question, context)
    finally:
        lease.release()


def optimal_positions(question: Question) -> Generator[float, None, MovesLeft]:
    """Return a function of moves left, found by search: exact on all shortest solutions, DEAD elsewhere.

    Yield the progress, 0 to 1. During the search it stays 0 if no solution is known.

    Raises:
        GivenUp: the search gets too little memory, or there are too many positions.
    """
    if not solved_boards(question):
        return lambda position: DEAD
    puzzle = question.puzzle
    lease = Lease(puzzle.engine.memory)
    progress = SearchProgress(puzzle.engine.bounds.of(puzzle, question.goal, question.root).most)
    try:
        with kernel_threads(max_threads()) as threads:
            context = new_context(question, lease, threads)._replace(finds_all=True)
            events = deepen(question, context)
            searched = yield from map_progress(events, lambda event: SEARCH_SHARE * progress.update(event))
        if isinstance(progress.event, Unsolvable):
            return lambda position: DEAD
        if searched is None or not searched.has_all_meetings:
            raise GivenUp("large")
        steps = moves_left_on_solutions(
            context.problem, searched.forward, searched.backward, searched.meetings
        )
        return (yield from map_progress(steps, lambda done: 1 + (1 - SEARCH_SHARE) * (done - 1)))
    finally:
        lease.release()


def precompile(board: Board, width: int) -> None:
    """Compile all kernels of the search for `width` symmetries, or load them from disk."""
    state, goal = two_moves(board.jumps)
    images, lease = [board.symmetries[0]] * width, Lease(MemoryBudget(1 << 30))
    context = _context(board, Position(state), [1 << goal], images, lease, ONE_THREAD)
    searched = finish(_search_limit(context, 2, _first_share(context, 2)))
    find(searched.forward[state.bit_count()], state)
    half = empty_half(1)
    move_entries(half, half, 0, 0)


def usable_symmetries(board: Board) -> list[Permutation]:
    """Return the symmetries of a board under which both bounds keep their values."""
    divisions = divisions_of(board.points)
    return [image for image in board.symmetries if keeps_divisions(image, divisions)]


def solved_boards(question: Question) -> list[int]:
    """Return the solved boards of the goal in the position class of the root."""
    return peg_board(question.puzzle).ends(question.goal, question.root.state)


def new_context(question: Question, lease: Lease, threads: KernelThreads) -> Context:
    """Return the data of a search. The position class of the root must have a solved board of the goal."""
    goals, board = solved_boards(question), question.puzzle.board
    images = problem_symmetries(usable_symmetries(board), question.root, goals)
    return _context(board, question.root, goals, images, lease, threads)


def _context(
    board: Board,
    root: Position,
    goals: list[int],
    images: Sequence[Permutation],
    lease: Lease,
    threads: KernelThreads,
) -> Context:
    holes, shifts = len(board.points), shift_groups(board.jumps)
    bounds = region_tables(board, shifts, root, goals)
    symmetries = symmetry_tables(shifts, images)
    learners = pagoda_learners(shifts, holes, root.state, goals)
    forward, backward = (
        Side(is_backward, 0, 0, shifts, bounds, learner.flip, learner.tables, symmetries)
        for is_backward, learner in zip((False, True), learners, strict=True)
    )
    return Context(
        SearchProblem(board.jumps, holes, root, goals, [*images]),
        (forward, backward),
        learners,
        for_symmetries(expand, len(images)),
        threads,
        Counts([make_output(TUNING.output, TUNING.queue, TUNING.meetings) for _ in range(HALVES)]),
        lease,
    )


def deepen(question: Question, context: Context) -> Generator[Event, None, Searched | None]:
    """Search under rising limits, and yield the events, until the question is answered or memory runs out.

    Limits below the bound at the root or at the goals are ruled out at once. Return the result of the limit
    at which the directions met, or None if no solution was found.
    """
    started, counts = time.perf_counter(), context.counts
    least, most = _least_moves(context), context.problem.root.state.bit_count() - 1
    first = question.first_limit - question.spent
    share = _first_share(context, max(least, first))
    for moves in itertools.count(first):
        if max(least, moves) > most:
            break
        if moves < least:
            yield Exhausted(moves + question.spent, 0, 0, 0.0)
            continue
        try:
            searched = yield from _limit_events(question, context, moves, share)
        except MemoryHeld:
            yield Failed(NO_MEMORY)
            return None
        except BudgetExceeded:
            nodes, seconds = counts.earlier_nodes + counts.nodes, time.perf_counter() - started
            yield Stopped("limit", moves + question.spent - 1, nodes, seconds)
            return None
        if searched.meetings:
            return searched
        if searched.is_complete:
            break
        share = _next_share(share, searched.sizes)
    yield Unsolvable("exhausted", counts.earlier_nodes + counts.nodes, time.perf_counter() - started)
    return None


def _limit_events(
    question: Question, context: Context, moves: int, share: int
) -> Generator[Event, None, Searched]:
    """Search under one limit, yield the events, and return the result.

    The levels in the result are freed if a higher limit has to be searched.
    """
    counts, shown = context.counts, moves + question.spent
    steps = _search_limit(context, moves, share)
    searched = yield from map_progress(steps, lambda _: counts.progress(shown))
    seconds = time.perf_counter() - counts.began
    if searched.meetings:
        counting = _count(question, context.problem, searched)
        count = yield from map_progress(counting, lambda _: counts.progress(shown))
        line = _solution(question, context.problem, searched)
        yield Solved(shown, counts.nodes, seconds, line, count, counts.earlier_nodes + counts.nodes)
        return searched
    yield Exhausted(shown, counts.nodes, counts.cut, seconds)
    if not searched.is_complete:
        yield from map_progress(_free(searched, context.lease), lambda _: counts.progress(shown))
    return searched


def _count(
    question: Question, problem: SearchProblem, searched: Searched
) -> Generator[float, None, int | None]:
    """Return the number of shortest solutions, and store their graph in the engine.

    The result is None if only one solution is requested, or if counting takes too much memory or time.
    """
    if not (question.find_all and searched.has_all_meetings):
        return None
    graphs: SolutionGraphs = question.puzzle.engine.resource(SolutionGraphs)
    try:
        moves_left = yield from moves_left_on_solutions(
            problem, searched.forward, searched.backward, searched.meetings
        )
        graph = yield from graphs.build(question.puzzle, question.goal, question.root, moves_left)
    except GivenUp:
        return None
    return graph.count(graph.root)


def _solution(question: Question, problem: SearchProblem, searched: Searched) -> list[list[int]]:
    """Return the moves of a shortest solution on which the directions met."""
    boards = boards_through(problem, searched.forward, searched.backward, min(searched.meetings))
    return moves_of(question, question.puzzle.steps_along(question.root, boards))


def _free(searched: Searched, lease: Lease) -> Pausable[None]:
    """Free the levels of a limit one by one, as a large one takes milliseconds, and release the lease."""
    for levels in (searched.forward, searched.backward):
        while levels:
            levels.popitem()
            yield
    lease.release()


def _end_bounds(context: Context) -> tuple[int, int]:
    """Return the bound on the moves to come at the root, and the least bound on the moves made at a goal."""
    tables = context.sides[FORWARD].bounds
    to_come, _ = bounds_of(np.uint64(context.problem.root.state), tables)
    return int(to_come), min(int(bounds_of(np.uint64(goal), tables)[1]) for goal in context.problem.goals)


def _least_moves(context: Context) -> int:
    """Return a lower bound on the moves of a solution, from the bounds at root and goals."""
    to_come, made = _end_bounds(context)
    return max(to_come - int(context.problem.root.active >= 0), made, 0)


def _first_share(context: Context, moves: int) -> int:
    """Return the first share of forward search, which halves the excess of `moves` over the bounds."""
    to_come, made = _end_bounds(context)
    return to_come + (2 * moves - 1 - to_come - made) // 2


def _next_share(share: int, sizes: tuple[int, int]) -> int:
    """Return the share of forward search with which the next limit is likely to cost least.

    `share`, `sizes`: share under the limit before, and boards that forward and backward search kept then.
    """
    forward, backward = sizes

    def cost(more: int) -> float:
        forward_factor, backward_factor = TUNING.per_move**more, TUNING.per_move ** (2 - more)
        return TUNING.forward_cost * (forward + 1) * forward_factor + (backward + 1) * backward_factor

    return share + min(range(3), key=cost)


def _search_limit(context: Context, moves: int, share: int) -> Pausable[Searched]:
    """Search under one limit: backwards first, then forwards with look-ups.

    `share`: share of forward search (K in the module).
    """
    root, counts = context.problem.root, context.counts
    counts.start_limit()
    backward = yield from _search_backwards(context, moves, 2 * moves - 1 - share)
    kept_above, cut_above = sum(level.size for level in backward.values()), counts.cut
    top = backward.pop(root.state.bit_count(), NO_LEVEL)  # never looked up: forward search begins below it
    is_reached = find(top, context.problem.canonical(root.state)[0]) > 0
    context.lease.give_back(top.bytes if root.state.bit_count() > 1 else 0)
    del top
    forward, has_all = yield from _search_forwards(context, moves, share, backward)
    sizes = sum(level.size for level in forward.values()), kept_above
    # A backward search that has pruned nothing has kept every board that can reach a goal.
    is_complete = counts.cut == cut_above or (cut_above == 0 and not is_reached)
    return Searched(forward, backward, [*counts.meetings], has_all, sizes, is_complete)


def _search_backwards(context: Context, moves: int, share: int) -> Pausable[Levels]:
    """Return the levels of backward search from the goals under a limit of `moves` moves."""
    side, growth = context.sides[BACKWARD]._replace(limit=moves, share=share), TUNING.growth
    levels = {1: _level_of(context, [(goal, -1) for goal in context.problem.goals])}
    for pegs in range(1, context.problem.root.state.bit_count()):
        if not levels[pegs].size:
            break
        levels[pegs + 1] = yield from _advance(context, side, levels[pegs], NO_LEVEL, growth)
        growth = _growth(levels[pegs], levels[pegs + 1])
    return levels


def _search_forwards(
    context: Context, moves: int, share: int, backward: Levels
) -> Pausable[tuple[Levels, bool]]:
    """Search forwards from the root. Remove levels of `backward` that are passed before the directions meet.

    Return the levels of forward search, and whether memory lasted for all of them. If it did not last, the
    directions have met already.
    """
    root, counts, has_all = context.problem.root, context.counts, True
    side, growth = context.sides[FORWARD]._replace(limit=moves, share=share), TUNING.growth
    forward = {root.state.bit_count(): _level_of(context, [root])}
    for pegs in range(root.state.bit_count(), 1, -1):
        if not forward[pegs].size or (counts.meetings and not context.finds_all):
            break
        opposite = backward.get(pegs - 1, NO_LEVEL)
        try:
            forward[pegs - 1] = yield from _advance(context, side, forward[pegs], opposite, growth)
        except BudgetExceeded:
            if not counts.meetings:
                raise
            has_all = False
            break
        growth = _growth(forward[pegs], forward[pegs - 1])
        if not counts.meetings and pegs - 1 > 1 and pegs - 1 in backward:
            context.lease.give_back(backward.pop(pegs - 1).bytes)  # no solution will be read from this level
    _note_goals(context, forward, moves)
    return forward, has_all


def _growth(before: Level, after: Level) -> float:
    """Return the expected number of boards in the level after `after`, per board of `after`."""
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


def _note_goals(context: Context, forward: Levels, limit: int) -> None:
    """Record solved boards that forward search has reached within the limit as meetings of the directions."""
    for goal in context.problem.goals if 1 in forward else ():
        value = find(forward[1], context.problem.canonical(goal)[0])
        moves = value >> MOVES_SHIFT
        if value and moves <= limit:
            context.counts.meetings.append(Meeting(moves, moves, Position(goal, goal.bit_length() - 1)))


def _advance(context: Context, side: Side, level: Level, opposite: Level, growth: float) -> Pausable[Level]:
    """Expand a level, learn pagoda functions from it, and return the next level. `growth`: see `_growth`."""
    following = make_level(int(level.size * growth))
    yield from context.lease.wait_and_take(following.bytes, TUNING.wait_seconds)
    learner = context.learners[side.is_backward]
    yield from _expand(context, side._replace(pagodas=learner.tables), level, opposite, following)
    sample = level.halves[0][: TUNING.sampled_slots, 0]
    yield from learner.learn(sample[sample != 0])
    return following


def _expand(context: Context, side: Side, level: Level, opposite: Level, following: Level) -> Pausable[None]:
    """Expand a level's halves into `following`, if possible in parallel. Stop at a meeting if it suffices."""
    halves, cursors = tuple(opposite.halves), [0] * HALVES
    while any(cursor < len(half) for cursor, half in zip(cursors, level.halves, strict=True)):
        calls = []
        for half, cursor, output in zip(level.halves, cursors, context.counts.outputs, strict=True):
            output.filled[:] = 0
            stop = min(cursor + TUNING.slots_per_slice, len(half))
            calls.append((half, cursor, stop, side, halves, output))
        cursors = context.threads.run(context.expand, calls)
        context.counts.collect_meetings()
        yield
        yield from _insert(context, following)
        if context.counts.meetings and not context.finds_all:
            break


def _insert(context: Context, level: Level) -> Pausable[None]:
    """Insert the output of an expansion into the halves of the next level, in parallel if possible."""
    outputs = context.counts.outputs
    for number in range(HALVES):
        more = sum(int(output.filled[number]) for output in outputs)
        while level.sizes[number] + more > int(len(level.halves[number]) * MAX_LOAD):
            yield from _grow(context, level, number)
    calls = [
        (
            tuple(output.entries[number] for output in outputs),
            tuple(int(output.filled[number]) for output in outputs),
            half,
        )
        for number, half in enumerate(level.halves)
    ]
    for number, added in enumerate(context.threads.run(insert_lists, calls)):
        level.sizes[number] += added
    yield


def _grow(context: Context, level: Level, number: int) -> Pausable[None]:
    """Replace half `number` of a level by a larger one."""
    old = level.halves[number]
    larger = empty_half(int(TUNING.more_slots * len(old)))
    yield from context.lease.wait_and_take(larger.nbytes, TUNING.wait_seconds)
    for start, stop in slices(len(old), TUNING.moved_per_slice):
        move_entries(old, larger, start, stop)
        yield
    level.halves[number] = larger
    context.lease.give_back(old.nbytes)
