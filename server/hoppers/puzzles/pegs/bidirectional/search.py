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
(Kaindl and Kainz, 1997; Holte, Felner, Sharon and Sturtevant, MM, 2016), applied here to two heuristics at
once. Bidirectional breadth-first search of pegs with lower bounds is that of Barker and Korf (2012), and
breadth-first search within a bound that of Zhou and Hansen (2006).
"""

import contextlib
import itertools
import time
from collections.abc import Generator, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from hoppers.core.board import Board, Permutation
from hoppers.core.events import NO_MEMORY, Event, Exhausted, Failed, Progress, Solved, Stopped, Unsolvable
from hoppers.core.kernels import ONE_THREAD, KernelThreads, kernel_threads, max_threads
from hoppers.core.model import DEAD, GivenUp, MovesLeft, Position, Progressing
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
    Side,
    empty_half,
    expand,
    find,
    first_level,
    insert_lists,
    make_level,
    make_output,
    move_entries,
)
from hoppers.puzzles.pegs.bidirectional.path import Meeting, SearchLevels
from hoppers.puzzles.pegs.jump_masks import jumps_into, shift_groups, two_moves
from hoppers.puzzles.pegs.pagoda import PagodaLearner
from hoppers.puzzles.pegs.peg_board import peg_board
from hoppers.puzzles.pegs.region_bounds import bounds_of, divisions_of, keeps_divisions, region_tables
from hoppers.puzzles.pegs.symmetries import for_symmetries, problem_symmetries, symmetry_tables
from hoppers.runtime.builder import finish
from hoppers.runtime.memory_budget import WAIT_SECONDS, BudgetExceeded, Lease, MemoryBudget
from hoppers.search.slicing import Pausable, map_progress, slices
from hoppers.tablebase.solutions import SolutionGraphs


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
    wait_seconds: float = WAIT_SECONDS


TUNING = SearchTuning()
MOST_BEFORE = 4
"""Most boards one jump before the ends for which functions are sought; each costs up to three more words."""
SEARCH_SHARE = 0.8  # share of the search in the progress of `optimal_positions`; listing positions follows


class BidirectionalSearch:
    """One search: its problem, and levels, meetings and counters of the current limit."""

    def __init__(
        self,
        board: Board,
        root: Position,
        goals: list[int],
        images: Sequence[Permutation],
        lease: Lease,
        threads: KernelThreads = ONE_THREAD,
        finds_all: bool = False,
    ) -> None:
        """`goals`: solved boards in the position class of `root`, at least one.

        `images`: symmetries that leave root, goals and both bounds unchanged, the identity first.
        `finds_all`: whether the search goes on after the first meeting, until it has all shortest solutions.
        """
        shifts, holes = shift_groups(board.jumps), len(board.points)
        every = (1 << holes) - 1
        bounds, symmetries = region_tables(board, root, goals), symmetry_tables(shifts, images)
        self.levels = SearchLevels(board.jumps, root, goals, images, {}, {})
        self._to_come = int(bounds_of(np.uint64(root.state), bounds)[0])
        """Lower bound on the moves to come at the root, as if it had no active peg."""
        self._made = min(int(bounds_of(np.uint64(goal), bounds)[1]) for goal in goals)
        """Least bound on the moves made at a goal."""
        self.meetings: list[Meeting] = []  # on lines of at most as many moves as the limit
        self.has_all_meetings = True  # whether memory lasted for all meetings, if all solutions are asked for
        self._is_complete = False  # whether a direction kept all it can reach: a higher limit finds no more
        self._lease, self._threads, self._finds_all = lease, threads, finds_all
        self._learners = [
            PagodaLearner(shifts, holes, 0, _weighed_ends(board, goals)),
            PagodaLearner(shifts, holes, every, _weighed_ends(board, [root.state ^ every])),  # complements
        ]
        self._sides = [  # forward and backward search, under no limit yet
            Side(is_backward, 0, 0, shifts, bounds, learner.flip, learner.tables, symmetries)
            for is_backward, learner in zip((False, True), self._learners, strict=True)
        ]
        self._expand_half = for_symmetries(expand, len(images))
        self._outputs = [make_output(TUNING.output, TUNING.queue, TUNING.meetings) for _ in range(HALVES)]
        self._earlier_nodes, self._began = 0, time.perf_counter()

    def events(self, question: Question) -> Iterator[Event]:
        """Search under rising limits, and yield events, until the question is answered or memory runs out.

        Limits below the bound at the root or at the goals are ruled out at once. The root must not be solved.
        """
        started, root = time.perf_counter(), self.levels.root
        least, most = max(self._to_come - int(root.active >= 0), self._made, 0), root.state.bit_count() - 1
        first = question.first_limit - question.spent
        share = self._first_share(max(least, first))
        for moves in itertools.count(first):
            if max(least, moves) > most:
                break
            if moves < least:
                yield Exhausted(moves + question.spent, 0, 0, 0.0)
                continue
            lacks_memory: Event | None = None
            try:
                share = yield from self._limit_events(question, moves, share)
            except TimeoutError:
                lacks_memory = Failed(NO_MEMORY)
            except BudgetExceeded:
                lacks_memory = Stopped("limit", moves + question.spent - 1, *self._total(started))
            if lacks_memory is not None:
                yield from self._free_levels(moves + question.spent)
                yield lacks_memory
                return
            if self.meetings:
                return
            if self._is_complete:
                break
        yield Unsolvable("exhausted", *self._total(started))

    def _total(self, started: float) -> tuple[int, float]:
        """Return the nodes of all limits, and the seconds since `started`."""
        return self._earlier_nodes + self._counted(NODES), time.perf_counter() - started

    def _limit_events(self, question: Question, moves: int, share: int) -> Generator[Event, None, int]:
        """Search under one limit, yield the events, and return the share for the next limit.

        The levels are freed unless the directions have met.

        Raises:
            BudgetExceeded, TimeoutError: memory ran out (see `Lease`).
        """
        shown = moves + question.spent

        def progress(_: object) -> Progress:
            return self._progress(shown)

        next_share = yield from map_progress(self._search_limit(moves, share), progress)
        nodes, seconds = self._counted(NODES), time.perf_counter() - self._began
        if self.meetings:
            count = yield from map_progress(self._count(question), progress)
            boards = self.levels.solution(min(self.meetings))
            line = moves_of(question, question.puzzle.steps_along(question.root, boards))
            yield Solved(shown, nodes, seconds, line, count, self._earlier_nodes + nodes)
            return next_share
        yield Exhausted(shown, nodes, self._counted(CUT), seconds)
        yield from self._free_levels(shown)
        return next_share

    def _progress(self, shown: int) -> Progress:
        """Return the progress under the current limit, which the player sees as `shown`."""
        return Progress(shown, self._counted(NODES), time.perf_counter() - self._began)

    def _free_levels(self, shown: int) -> Iterator[Progress]:
        """Free all levels and their memory, one level at a time, because a large one takes milliseconds."""
        for levels in (self.levels.forward, self.levels.backward):
            while levels:
                levels.popitem()
                yield self._progress(shown)
        self._lease.release()

    def _count(self, question: Question) -> Progressing[int | None]:
        """Return the number of shortest solutions, and store their graph in the engine.

        The result is None if only one solution is requested, if memory ran out after the directions had met,
        or if there are too many positions or solutions (see `GivenUp`).
        """
        if not (question.find_all and self.has_all_meetings):
            return None
        graphs: SolutionGraphs = question.puzzle.engine.resource(SolutionGraphs)
        try:
            moves_left = yield from self.levels.moves_left(self.meetings)
            graph = yield from graphs.build(question.puzzle, question.goal, question.root, moves_left)
        except GivenUp:
            return None
        return graph.count(graph.root)

    def _first_share(self, moves: int) -> int:
        """Return the first share of forward search, which halves the excess of `moves` over the bounds."""
        return self._to_come + (2 * moves - 1 - self._to_come - self._made) // 2

    def _counted(self, index: int) -> int:
        """Return the sum of `Output.counts[index]` over the threads, under the current limit."""
        return sum(int(output.counts[index]) for output in self._outputs)

    def _search_limit(self, moves: int, share: int) -> Pausable[int]:
        """Search under one limit: backwards first, then forwards with look-ups.

        `share`: share of forward search (K in the module). Set `levels`, `meetings`, `has_all_meetings` and
        `_is_complete`. Return the share for the next limit.

        Raises:
            BudgetExceeded, TimeoutError: memory ran out (see `Lease`).
        """
        root, backward = self.levels.root.state, self.levels.backward
        self._earlier_nodes, self._began = self._earlier_nodes + self._counted(NODES), time.perf_counter()
        self.meetings.clear()
        for output in self._outputs:
            output.counts[:] = 0
        yield from self._search_backwards(
            self._sides[BACKWARD]._replace(limit=moves, share=2 * moves - 1 - share)
        )
        kept_above, cut_above = sum(level.size for level in backward.values()), self._counted(CUT)
        top = backward.pop(root.bit_count(), NO_LEVEL)  # never looked up: forward search begins below it
        is_reached = find(top, self.levels.canonical(root)[0]) > 0
        self._lease.give_back(top.bytes if root.bit_count() > 1 else 0)
        del top
        yield from self._search_forwards(self._sides[FORWARD]._replace(limit=moves, share=share))
        # A backward search that has pruned nothing has kept every board that can reach a goal.
        self._is_complete = self._counted(CUT) == cut_above or (cut_above == 0 and not is_reached)
        return _next_share(share, sum(level.size for level in self.levels.forward.values()), kept_above)

    def _search_backwards(self, side: Side) -> Pausable[None]:
        """Fill the levels of backward search from the goals, within the limit and the share of `side`.

        Raises:
            BudgetExceeded, TimeoutError: memory ran out (see `Lease`).
        """
        levels = self.levels.backward
        levels[1] = first_level([self.levels.canonical(goal) for goal in self.levels.goals])
        for pegs in range(1, self.levels.root.state.bit_count()):
            if not levels[pegs].size:
                break
            before = levels.get(pegs - 1, NO_LEVEL)
            is_last = pegs + 1 == self.levels.root.state.bit_count()
            levels[pegs + 1] = yield from self._advance(side, before, levels[pegs], NO_LEVEL, is_last)

    def _search_forwards(self, side: Side) -> Pausable[None]:
        """Fill the levels of forward search from the root, within the limit and the share of `side`.

        Unless all solutions are requested, no level is filled after the directions have met. If memory runs
        out after that, the remaining levels are left out and `has_all_meetings` becomes False. Levels of
        backward search that are passed before the directions meet are removed.

        Raises:
            BudgetExceeded, TimeoutError: memory ran out before the directions met (see `Lease`).
        """
        forward, backward, root = self.levels.forward, self.levels.backward, self.levels.root
        forward[root.state.bit_count()] = first_level([self.levels.canonical(*root)])
        for pegs in range(root.state.bit_count(), 1, -1):
            if not forward[pegs].size or (self.meetings and not self._finds_all):
                break
            before, opposite = forward.get(pegs + 1, NO_LEVEL), backward.get(pegs - 1, NO_LEVEL)
            try:
                forward[pegs - 1] = yield from self._advance(side, before, forward[pegs], opposite, pegs == 2)
            except (BudgetExceeded, TimeoutError):
                if not self.meetings:
                    raise
                self.has_all_meetings = False
                break
            if not self.meetings and pegs - 1 > 1 and pegs - 1 in backward:
                del backward[pegs - 1]  # no solution will be read from this level
                self._lease.give_back(opposite.bytes)
        self._note_goals(side.limit)

    def _note_goals(self, limit: int) -> None:
        """Record solved boards that forward search has reached within the limit as meetings."""
        for goal in self.levels.goals:
            value = find(self.levels.forward.get(1, NO_LEVEL), self.levels.canonical(goal)[0])
            moves = value >> MOVES_SHIFT
            if value and moves <= limit:
                self.meetings.append(Meeting(moves, moves, Position(goal, goal.bit_length() - 1)))

    def _advance(
        self, side: Side, before: Level, level: Level, opposite: Level, is_last: bool
    ) -> Pausable[Level]:
        """Expand a level, learn pagoda functions from it, and return the next level.

        The next level is incomplete if the directions meet and only one solution is requested. `before`: the
        level before `level`, NO_LEVEL for the first. `opposite`: the level of the other direction in which
        boards are looked up, or NO_LEVEL. `is_last`: whether the next level has the other end, which
        functions for the boards before it may exclude.

        Raises:
            BudgetExceeded, TimeoutError: memory ran out (see `Lease`).
        """
        following = make_level(int(level.size * _growth(before, level)))
        yield from self._lease.wait_and_take(following.bytes, TUNING.wait_seconds)
        learner = self._learners[side.is_backward]
        usable = side if is_last else side._replace(pagodas=learner.tables)
        yield from self._expand(usable, level, opposite, following)
        sample = level.halves[0][: TUNING.sampled_slots, 0]
        yield from learner.learn(sample[sample != 0])
        return following

    def _expand(self, side: Side, level: Level, opposite: Level, following: Level) -> Pausable[None]:
        """Expand a level's halves into `following`, if possible in parallel.

        Stop after the first meeting unless all shortest solutions are sought.

        Raises:
            BudgetExceeded, TimeoutError: memory ran out (see `Lease`).
        """
        halves, cursors = tuple(opposite.halves), [0] * HALVES
        while any(cursor < len(half) for cursor, half in zip(cursors, level.halves, strict=True)):
            calls = []
            for half, cursor, output in zip(level.halves, cursors, self._outputs, strict=True):
                output.filled[:] = 0
                stop = min(cursor + TUNING.slots_per_slice, len(half))
                calls.append((half, cursor, stop, side, halves, output))
            cursors = self._threads.run(self._expand_half, calls)
            for output in self._outputs:
                for board, hole, made, moves in output.meetings[: output.filled[MET]].tolist():
                    self.meetings.append(Meeting(moves, made, Position(board, hole)))
            yield
            yield from self._insert(following)
            if self.meetings and not self._finds_all:
                break

    def _insert(self, level: Level) -> Pausable[None]:
        """Insert the output of an expansion into the halves of the next level, in parallel if possible.

        Raises:
            BudgetExceeded, TimeoutError: memory ran out (see `Lease`).
        """
        calls = []
        for number in range(HALVES):
            entries = tuple(output.entries[number] for output in self._outputs)
            filled = tuple(int(output.filled[number]) for output in self._outputs)
            while level.sizes[number] + sum(filled) > int(len(level.halves[number]) * MAX_LOAD):
                yield from self._grow(level, number)
            calls.append((entries, filled, level.halves[number]))
        for number, added in enumerate(self._threads.run(insert_lists, calls)):
            level.sizes[number] += added
        yield

    def _grow(self, level: Level, number: int) -> Pausable[None]:
        """Replace half `number` of a level by a larger one.

        Raises:
            BudgetExceeded, TimeoutError: memory ran out (see `Lease`).
        """
        old = level.halves[number]
        larger = empty_half(int(TUNING.more_slots * len(old)))
        yield from self._lease.wait_and_take(larger.nbytes, TUNING.wait_seconds)
        for start, stop in slices(len(old), TUNING.moved_per_slice):
            move_entries(old, larger, start, stop)
            yield
        level.halves[number] = larger
        self._lease.give_back(old.nbytes)


def _next_share(share: int, forward: int, backward: int) -> int:
    """Return the share of forward search with which the next limit is likely to cost least.

    `share`: share under the limit before. `forward`, `backward`: boards that each direction kept then.
    """

    def cost(more: int) -> float:
        forward_factor, backward_factor = TUNING.per_move**more, TUNING.per_move ** (2 - more)
        return TUNING.forward_cost * (forward + 1) * forward_factor + (backward + 1) * backward_factor

    return share + min(range(3), key=cost)


def _growth(before: Level, after: Level) -> float:
    """Return the expected number of boards in the level after `after`, per board of `after`."""
    if after.size < TUNING.many_boards:
        return TUNING.growth
    expected = TUNING.growth_margin * after.size / before.size
    return max(TUNING.least_growth, min(TUNING.growth, expected))


def usable_symmetries(board: Board) -> list[Permutation]:
    """Return the symmetries of a board under which both bounds keep their values."""
    divisions = divisions_of(board.points)
    return [image for image in board.symmetries if keeps_divisions(image, divisions)]


def _weighed_ends(board: Board, ends: list[int]) -> list[int]:
    """Return the boards one jump before `ends`, or `ends` if those are more than MOST_BEFORE.

    Every longer line of jumps to an end leads through one of the boards before it, and functions exclude more
    boards from these.
    """
    before = sorted({found for end in ends for _, _, found in jumps_into(board.jumps, end)})
    return before if len(before) <= MOST_BEFORE else ends


def _solved_boards(question: Question) -> list[int]:
    return peg_board(question.puzzle).ends(question.goal, question.root.state)


@contextlib.contextmanager
def _opened(question: Question, finds_all: bool, lease: Lease | None = None) -> Iterator[BidirectionalSearch]:
    """Provide a search with its threads and its levels; free both, and their memory, at the end.

    The position class of the root must have a solved board of the goal. `lease`: lease of memory for the
    levels; by default a new one.
    """
    board, root, goals = question.puzzle.board, question.root, _solved_boards(question)
    images = problem_symmetries(usable_symmetries(board), root, goals)
    lease = lease or Lease(question.puzzle.engine.memory)
    with kernel_threads(max_threads()) as threads:
        run = BidirectionalSearch(board, root, goals, images, lease, threads, finds_all)
        try:
            yield run
        finally:
            run.levels.forward.clear()
            run.levels.backward.clear()
            lease.release()


def search(question: Question, lease: Lease | None = None) -> Iterator[Event]:
    """Yield the events of a search that proves the fewest moves of a question, under rising limits.

    If memory runs out before a solution is found, the last event is `Stopped`, or `Failed` if other searches
    held the memory for `wait_seconds`; the search then holds none any more. If all solutions are requested,
    they are counted in the levels of the last limit; the count is None if memory runs out, or if there are
    too many positions or solutions.

    `lease`: lease of memory if the search is a part of another; by default a new one.
    """
    if question.puzzle.is_solved(question.root, question.goal):
        yield Solved(question.spent, 0, 0.0, moves_of(question, []), 1 if question.find_all else None, 0)
        return
    if not _solved_boards(question):
        yield Unsolvable("class", 0, 0.0)
        return
    yield Progress(question.first_limit, 0, 0.0)
    with _opened(question, question.find_all, lease) as run:
        yield from run.events(question)


def optimal_positions(question: Question) -> Progressing[MovesLeft]:
    """Return a function of moves left, found by search: exact on all shortest solutions, DEAD elsewhere.

    The root must not be solved. During the search the progress stays 0 if no solution is known.

    Raises:
        GivenUp: the search gets too little memory, or there are too many positions.
    """
    if not _solved_boards(question):
        return lambda position: DEAD
    puzzle = question.puzzle
    fewest = puzzle.engine.bounds.of(puzzle, question.goal, question.root).most
    with _opened(question, finds_all=True) as run:
        progress = estimated_progress(run.events(question), fewest)
        end = yield from map_progress(progress, lambda done: SEARCH_SHARE * done)
        if isinstance(end, Unsolvable):
            return lambda position: DEAD
        if not (run.meetings and run.has_all_meetings):
            raise GivenUp("large")
        steps = run.levels.moves_left(run.meetings)
        return (yield from map_progress(steps, lambda done: 1 + (1 - SEARCH_SHARE) * (done - 1)))


def estimated_progress(events: Iterator[Event], fewest: int | None) -> Progressing[Event | None]:
    """Yield the progress of a search, 0 to 1, at each of its `events`, and return the last event.

    The progress is estimated from the nodes, which multiply from limit to limit, and never falls. `fewest`:
    moves of the best known solution; with None the progress stays 0.
    """
    event, nodes_before, done = None, 0, 0.0
    for event in events:
        if isinstance(event, Exhausted):
            nodes_before = event.nodes
        if isinstance(event, Progress) and nodes_before and fewest is not None:
            of_limit = max(event.nodes, TUNING.per_move * nodes_before)
            limits = sum(TUNING.per_move**more for more in range(fewest - event.limit + 1))
            done = max(done, min(1.0, event.nodes / max(of_limit * limits, 1)))
        yield done
    return event


def precompile(board: Board, width: int) -> None:
    """Compile all kernels of the search for `width` symmetries, or load them from disk."""
    state, goal = two_moves(board.jumps)
    images, lease = [board.symmetries[0]] * width, Lease(MemoryBudget(1 << 30))
    run = BidirectionalSearch(board, Position(state), [1 << goal], images, lease)
    finish(run._search_limit(2, run._first_share(2)))
    find(run.levels.forward[state.bit_count()], state)
    half = empty_half(1)
    move_entries(half, half, 0, 0)
