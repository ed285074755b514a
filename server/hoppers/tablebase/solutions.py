"""Shortest solutions: one of them from a source of exact answers, or all of them as a graph.

A solution graph has every position on a shortest solution once, and the steps between these positions. It
allows counting all shortest solutions and listing them in order, also up to symmetry. Small graphs are built
within a request, all others in the background or within the search that counts.
"""

import contextlib
import functools
import time
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, cast

import numpy as np

from hoppers.core.board import Permutation
from hoppers.core.model import (
    DEAD,
    GivenUp,
    KnownAnswer,
    MovesLeft,
    Position,
    ProblemKey,
    Progressing,
    Source,
    Step,
)
from hoppers.core.puzzle import Puzzle, PuzzleEngine
from hoppers.runtime.builder import finish
from hoppers.runtime.lru_cache import LRUCache
from hoppers.search.slicing import map_progress

Line = tuple[Step, ...]


class GraphLimits(NamedTuple):
    """Limits on solution graphs, with their reasons."""

    at_once_positions: int = 3000  # largest graph built in a request (0.2 s), not in the background
    interpreted_positions: int = 1000  # the same while the rules run as plain Python (0.5 s)
    positions: int = 300_000  # largest graph: about 15 MB, and half a minute to build
    kept_bytes: int = 40_000_000  # all graphs in an engine's memory; the largest of English 33 has 4 MB
    unrequested_seconds: float = 60.0  # after the last request for a graph, when its build is cancelled
    lister_share: float = 0.8  # part of the progress for the table or search that a graph needs first
    given_up: int = 1000  # positions to remember whose solutions are too many or too costly to find


LIMITS = GraphLimits()


def optimal_steps(puzzle: Puzzle, moves_left: MovesLeft, position: Position) -> Iterator[Step]:
    """Yield the steps that begin a shortest solution, each computed when needed.

    Steps that continue the move of an active peg come first. Hints take the first step, and lists of
    solutions keep the order. `Table.bestSteps` (static/tables/table.js) answers alike in the page.
    """
    left = moves_left(position)
    for step in sorted(puzzle.legal_steps(position) if left >= 0 else (), key=lambda step: step.cost):
        after = moves_left(step.after)
        if after >= 0 and step.cost + after == left:
            yield step


def shortest_solution(puzzle: Puzzle, goal: int, position: Position, moves_left: MovesLeft) -> Iterator[Step]:
    """Yield the steps of one shortest solution of a solvable position, each computed when needed.

    `moves_left`: exact on shortest solutions, and exact or negative elsewhere.
    """
    while not puzzle.is_solved(position, goal):
        step = next(optimal_steps(puzzle, moves_left, position))
        yield step
        position = step.after


def steps_of_answer(puzzle: Puzzle, goal: int, position: Position, answer: KnownAnswer) -> Iterable[Step]:
    """Return the steps of the solution in an answer, computed when needed if the answer is from a table."""
    if answer.left >= 0 and answer.table is not None:
        return shortest_solution(puzzle, goal, position, answer.table)
    return puzzle.replay(position, answer.jumps)


def solution_counts(
    puzzle: Puzzle, goal: int, positions: Iterable[Position], moves_left: MovesLeft
) -> Iterator[int]:
    """Yield the number of shortest solutions from each of the solvable positions, in their order.

    Each position on the way is counted once, so all positions of a table cost as much as one graph of all of
    them. `moves_left`: exact, for every position.
    """
    left = functools.cache(moves_left)

    @functools.cache
    def count(position: Position) -> int:
        if puzzle.is_solved(position, goal):
            return 1
        return sum(count(puzzle.canonical(step.after)) for step in optimal_steps(puzzle, left, position))

    return map(count, positions)


class SolutionGraph(NamedTuple):
    """All shortest solutions from position 0. Steps lead to higher numbers.

    Positions are in the form of `Puzzle.canonical`; symmetric positions are separate.
    """

    states: Any  # uint64[positions]
    actives: Any  # int8[positions]
    counts: Any  # int64[positions]: number of shortest solutions from each position
    first: Any  # int32[positions + 1]: number of the first step from each position
    steps: Any  # int8[steps, 3]: origin, target and cost of each step
    afters: Any  # int32[steps]: number of the position after each step
    root: int = 0  # number of the position whose solutions are counted and listed

    @property
    def bytes(self) -> int:
        """Memory of all arrays, in bytes."""
        return sum(int(array.nbytes) for array in self[:-1])

    def position(self, number: int) -> Position:
        """Return the position with the given number."""
        return Position(int(self.states[number]), int(self.actives[number]))

    def number_at(self, position: Position) -> int | None:
        """Return the number of a position, or None if it is on no shortest solution."""
        found = np.flatnonzero((self.states == np.uint64(position.state)) & (self.actives == position.active))
        return int(found[0]) if len(found) else None

    def count(self, number: int) -> int:
        """Return the number of shortest solutions from a position: 1 if it is solved, 0 if it is dead."""
        return int(self.counts[number])

    def moves_left(self, number: int) -> int:
        """Return the fewest moves left of a position, or DEAD."""
        if not self.count(number):
            return DEAD
        moves = 0
        while steps := self.steps_at(number):
            step, number = steps[0]
            moves += step.cost
        return moves

    def steps_at(self, number: int) -> list[tuple[Step, int]]:
        """Return each step that begins a shortest solution, with the number of the position after it."""
        edges = slice(self.first[number], self.first[number + 1])
        rows = zip(self.steps[edges].tolist(), self.afters[edges].tolist(), strict=True)
        return [
            (Step(origin, target, self.position(after), cost), after)
            for (origin, target, cost), after in rows
        ]


def solution_graph(
    puzzle: Puzzle, goal: int, start: Position, moves_left: MovesLeft, most: int = LIMITS.positions
) -> Progressing[SolutionGraph]:
    """Build the graph of all shortest solutions from `start`, and yield the progress after each position.

    `moves_left` must be exact on shortest solutions, and exact or negative elsewhere (see
    `Source.solution_lookup`). `most`: the maximum number of positions.

    Raises:
        GivenUp: the graph has more than `most` positions, or 2**63 solutions or more.
    """
    numbers, positions, edges = {start: 0}, [start], []
    first, done, total = [0], 0.0, max(moves_left(start), 1)
    for position in positions:  # grows meanwhile: breadth-first, so all steps lead to higher numbers
        for step in () if puzzle.is_solved(position, goal) else optimal_steps(puzzle, moves_left, position):
            if step.after not in numbers:
                after = puzzle.canonical(step.after)
                if after not in numbers:
                    numbers[after] = len(positions)
                    positions.append(after)
                numbers[step.after] = numbers[after]
            edges.append((step.origin, step.target, step.cost, numbers[step.after]))
        first.append(len(edges))
        if len(positions) > most:
            raise GivenUp("many")
        done = max(done, 1 - moves_left(position) / total)
        yield done
    solved = [puzzle.is_solved(position, goal) for position in positions]
    return _packed(positions, first, edges, solved)


def _packed(
    positions: list[Position], first: list[int], edges: list[tuple[int, int, int, int]], solved: list[bool]
) -> SolutionGraph:
    """Return the graph. An edge is (origin, target, cost, number of the position after the step).

    `first`: see `SolutionGraph`. `solved`: whether each position is solved.

    Raises:
        GivenUp: there are 2**63 solutions or more.
    """
    counts = [int(is_end) for is_end in solved]
    for number in reversed(range(len(positions))):
        counts[number] += sum(counts[edge[3]] for edge in edges[first[number] : first[number + 1]])
    if counts[0] >= 1 << 63:
        raise GivenUp("many")
    rows = np.array(edges, np.int32).reshape(-1, 4)
    return SolutionGraph(
        np.array([position.state for position in positions], np.uint64),
        np.array([position.active for position in positions], np.int8),
        np.array(counts, np.int64),
        np.array(first, np.int32),
        rows[:, :3].astype(np.int8),
        rows[:, 3].copy(),
    )


def finished_graph(
    puzzle: Puzzle, source: Source, goal: int, start: Position, most: int = LIMITS.positions
) -> SolutionGraph:
    """Return the graph of all shortest solutions from `start`, built at once in this thread.

    Raises:
        GivenUp: the graph has more than `most` positions or too many solutions, or takes too much memory or
            time.
    """
    moves_left = source.solution_lookup(start) or finish(source.build_solution_lookup(start))
    return finish(solution_graph(puzzle, goal, start, moves_left, most))


class SolutionList:
    """The shortest solutions in a graph, in order: all of them, or one of each set of symmetric solutions.

    Of each set, the least solution is counted and listed: the first if the solutions are sorted by the holes
    of their steps. If a beginning is less than all its other images, so is every solution with this
    beginning. So only beginnings that equal one of their other images are compared further.
    """

    def __init__(self, graph: SolutionGraph, symmetries: Iterable[Permutation] = ()) -> None:
        """`symmetries`: the symmetries that keep position and goal, the identity included; () lists all."""
        self._graph, self._symmetries = graph, tuple(symmetries)
        self._counts: dict[tuple[int, tuple[Permutation, ...]], int] = {}

    def count(self) -> int:
        """Return the number of solutions."""
        return self._count(self._graph.root, self._symmetries)

    def page(self, offset: int, limit: int) -> Iterator[Line]:
        """Yield up to `limit` solutions in order, without the first `offset` ones."""
        return self._page(self._graph.root, self._symmetries, offset, limit)

    def number_of(self, line: list[tuple[int, int]]) -> int | None:
        """Return the number in this list, from 1, of a solution or of its image that is listed.

        `line` has (origin, target) of each step. The result is None if `line` is not a shortest solution.
        """
        images = [[(image[origin], image[target]) for origin, target in line] for image in self._symmetries]
        before, number, symmetries = 0, self._graph.root, self._symmetries
        for holes in min(images, default=line):
            for step, after, kept in self._least_steps(number, symmetries):
                if (step.origin, step.target) == holes:
                    number, symmetries = after, kept
                    break
                before += self._count(after, kept)
            else:
                return None
        is_end = self._graph.count(number) and not self._graph.steps_at(number)
        return before + 1 if is_end else None

    def _count(self, number: int, symmetries: tuple[Permutation, ...]) -> int:
        """Return the number of least solutions with a beginning that `symmetries` leave unchanged.

        `number`: the number of the position after the beginning.
        """
        if len(symmetries) <= 1 or not self._graph.steps_at(number):
            return self._graph.count(number)
        key = number, symmetries
        if key not in self._counts:
            steps = self._least_steps(number, symmetries)
            self._counts[key] = sum(self._count(after, kept) for _, after, kept in steps)
        return self._counts[key]

    def _page(
        self, number: int, symmetries: tuple[Permutation, ...], offset: int, limit: int
    ) -> Iterator[Line]:
        if limit <= 0 or offset >= self._count(number, symmetries):
            return
        if not self._graph.steps_at(number):
            yield ()
        for step, after, kept in self._least_steps(number, symmetries):
            below = self._count(after, kept)
            for rest in self._page(after, kept, offset, limit):
                yield (step, *rest)
                limit -= 1
            offset = max(0, offset - below)

    def _least_steps(
        self, number: int, symmetries: tuple[Permutation, ...]
    ) -> Iterator[tuple[Step, int, tuple[Permutation, ...]]]:
        """Yield each step without a lesser image, the number after it, and the symmetries that keep it."""
        for step, after in self._graph.steps_at(number):
            holes = step.origin, step.target
            images = [(image[step.origin], image[step.target]) for image in symmetries]
            if all(holes <= other for other in images):
                pairs = zip(symmetries, images, strict=True)
                yield step, after, tuple(image for image, other in pairs if other == holes)


class SolutionGraphs:
    """Solution graphs of an engine: a cache in memory, and builds in the background."""

    def __init__(self, engine: PuzzleEngine) -> None:
        self._engine = engine
        self._graphs: LRUCache[ProblemKey, SolutionGraph] = LRUCache(
            LIMITS.kept_bytes, lambda graph: graph.bytes, keeps_newest=True
        )
        self._given_up: LRUCache[ProblemKey, str] = LRUCache(LIMITS.given_up)  # reasons of `GivenUp`
        self._requested_at: LRUCache[ProblemKey, float] = LRUCache(LIMITS.given_up)
        """Problem -> time of the last request for its graph, in seconds of `time.monotonic`."""

    def find(self, puzzle: Puzzle, goal: int, position: Position) -> SolutionGraph | None:
        """Return a graph in memory that contains `position`, with `position` as its root; or None."""
        for key, graph in self._graphs.items():
            if key[:2] == (puzzle.id, goal) and (number := graph.number_at(position)) is not None:
                self._graphs.get(key)  # counts as a use
                return graph._replace(root=number)
        return None

    def find_or_build(self, puzzle: Puzzle, goal: int, position: Position) -> SolutionGraph | float | str:
        """Return the graph of a position. If it is not available, return a progress or a reason instead.

        A missing graph is built at once if it is small. Otherwise a background build is requested once the
        kernels are compiled, and the result is its progress, 0 to 1. If no graph is to come, the result is
        the code of the reason: that of a `GivenUp`, or "busy" if the server begins no further build now.
        """
        found = self.find(puzzle, goal, position)
        if found is not None:
            return found
        if not puzzle.is_compiled:
            return self._build_at_once(puzzle, goal, position) or 0.0
        key = ProblemKey(puzzle.id, goal, position)
        build = "solutions", *key
        self._requested_at.put(key, time.monotonic())
        progress = self._engine.builder.progress(build)  # first: a build that gives up ends after its reason
        if reason := self._given_up.get(key):
            return reason
        if progress is None:
            if graph := self._build_at_once(puzzle, goal, position):
                return graph
            is_large = puzzle.source(goal).needs_large_build(position)
            steps = functools.partial(self._build, puzzle, goal, position)
            self._engine.builder.submit(build, steps, large=is_large, lane="solutions")
            progress = self._engine.builder.progress(build)
        if progress is None:  # refused, or ended meanwhile
            return self.find(puzzle, goal, position) or self._given_up.get(key) or "busy"
        return progress

    def build(
        self, puzzle: Puzzle, goal: int, position: Position, moves_left: MovesLeft | None = None
    ) -> Progressing[SolutionGraph]:
        """Return the graph of a position, from memory or built in this process. Yield the progress, 0 to 1.

        `moves_left`: see `solution_graph`; by default `solution_lookup` of the source, built if necessary.

        Raises:
            GivenUp: the solutions are too many, or too costly to find.
        """
        found = self.find(puzzle, goal, position)
        if found is not None:
            return found
        source = puzzle.source(goal)
        moves_left = moves_left or source.solution_lookup(position)
        if moves_left is None:
            steps = source.build_solution_lookup(position)
            moves_left = yield from map_progress(steps, lambda done: LIMITS.lister_share * done)
        build, share = solution_graph(puzzle, goal, position, moves_left), 1 - LIMITS.lister_share
        graph = yield from map_progress(build, lambda done: 1 - share * (1 - done))
        return self._put(puzzle, goal, graph)

    def _build_at_once(self, puzzle: Puzzle, goal: int, position: Position) -> SolutionGraph | None:
        """Return the graph of a position if it can be built within a request, else None."""
        moves_left = puzzle.source(goal).solution_lookup(position)
        if moves_left is None:
            return None
        most = LIMITS.at_once_positions if puzzle.is_compiled else LIMITS.interpreted_positions
        try:
            graph = finish(solution_graph(puzzle, goal, position, moves_left, most))
        except GivenUp:
            return None
        return self._put(puzzle, goal, graph)

    def _build(self, puzzle: Puzzle, goal: int, position: Position) -> Progressing[None]:
        """Build the graph of a position, and save the answer that it proves.

        If there is no graph, the reason is remembered. The build is cancelled if it is no longer requested.
        """
        known = self._engine.bounds.line(puzzle, goal, position)
        steps = build_graph(self._engine, puzzle.id, goal, position, known)
        key = ProblemKey(puzzle.id, goal, position)
        made = yield from self._while_requested(key, steps)
        if made is None:
            return
        if isinstance(made, str):
            self._given_up.put(key, made)
            return
        self._save(puzzle, goal, position, self._put(puzzle, goal, made))

    def _save(self, puzzle: Puzzle, goal: int, position: Position, graph: SolutionGraph) -> None:
        """Learn and save what a graph proves of its root, unless the source has a complete table."""
        if puzzle.source(goal).is_complete:
            return
        bounds, line = self._engine.bounds, next(SolutionList(graph).page(0, 1), ())
        if graph.moves_left(graph.root) == DEAD:
            bounds.learn_dead(puzzle, goal, position)
        else:
            bounds.learn_shortest(puzzle, goal, position, line)
        bounds.save(puzzle, goal, position, line)

    def _while_requested(
        self, key: ProblemKey, steps: Progressing[SolutionGraph | str]
    ) -> Progressing[SolutionGraph | str | None]:
        """Run a build; return its result, or None after `LIMITS.unrequested_seconds` without a request."""
        with contextlib.closing(steps):
            while time.monotonic() - (self._requested_at.get(key) or 0.0) < LIMITS.unrequested_seconds:
                try:
                    progress = next(steps)
                except StopIteration as end:
                    return cast(SolutionGraph | str, end.value)
                yield progress
        return None

    def _put(self, puzzle: Puzzle, goal: int, graph: SolutionGraph) -> SolutionGraph:
        self._graphs.put(ProblemKey(puzzle.id, goal, graph.position(0)), graph)
        return graph


def build_graph(
    engine: PuzzleEngine, puzzle_id: str, goal: int, position: Position, known: list[Step]
) -> Progressing[SolutionGraph | str]:
    """Return a graph with `position` as its root, or the reason of `GivenUp`. Yield the progress, 0 to 1.

    `known`: steps of the best known solution. A search estimates its progress from the number of its moves.
    """
    puzzle = engine.find(puzzle_id)
    engine.bounds.learn_line(puzzle, goal, position, known)
    try:
        return (yield from engine.resource(SolutionGraphs).build(puzzle, goal, position))
    except GivenUp as given_up:
        return given_up.reason
