"""Exact distances of tiles in rows of four, and their method "best": IDA* with pattern databases.

A slide changes the distance by exactly one, so limits rise by two.

The source proves distances by search and records them in `Engine.bounds` for every position of the solution:
a hint on a proved solution needs no search. Next to positions of known distance, one limit at most has to be
searched, and often none. A request may spend a limited number of nodes; a position that costs more is UNKNOWN
for now and is proved in the background.
"""

import time
from collections.abc import Generator, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from hoppers.core.errors import PuzzleError
from hoppers.core.events import Event, Exhausted, Progress, Solved
from hoppers.core.kernels import max_threads
from hoppers.core.model import (
    UNKNOWN,
    GivenUp,
    KnownAnswer,
    MovesLeft,
    Position,
    Progressing,
    Source,
    Step,
)
from hoppers.core.puzzle import ChosenBound, Puzzle, Question, moves_of
from hoppers.core.texts import Text
from hoppers.puzzles.sliding import beam_search, pattern_databases, pattern_search
from hoppers.puzzles.sliding.pattern_databases import PatternTables
from hoppers.puzzles.sliding.pattern_search import (
    CUT,
    NODES,
    SOLUTIONS,
    PatternSearch,
    pattern_bound,
    search_limit,
)
from hoppers.puzzles.sliding.rules import HOME, sliding_tables
from hoppers.runtime.builder import finish
from hoppers.runtime.lru_cache import LRUCache
from hoppers.runtime.token_bucket import TokenBucket
from hoppers.search.iterative_deepening import checked
from hoppers.search.slicing import map_progress
from hoppers.tablebase.best_method import best

MAX_PATTERN = 6
"""Most tiles of a pattern that a person chooses: its table takes half a second."""


class ProofLimits(NamedTuple):
    """Limits on proofs and caches, in nodes unless named otherwise; 16 million nodes take a second."""

    slice: int = 1 << 14  # between two checks of the limits: about a millisecond, the least cost of an answer
    bucket_capacity: int = 16_000_000  # of the token bucket that requests spend from
    earned_per_second: int = 1_000_000  # refill of the token bucket: a sixteenth of a core
    share: int = 16  # a request may spend level / share: up to a million, enough for 98 % of random positions
    busy_share: int = 64  # in place of `share` under high load, when every request waits for a core
    background: int = 400_000_000  # a proof in the background: about half a minute
    costly: int = 200_000  # answers of longer proofs are saved for later processes: about 10 ms
    listed: int = 4_000_000_000  # background search for all shortest solutions: about five minutes
    listed_positions: int = 300_000  # maximum positions on shortest solutions to collect
    failed_positions: int = 1000  # maximum number of positions to remember whose proof ran out of nodes


LIMITS = ProofLimits()


class Neighbour(NamedTuple):
    """A position one slide away whose distance is proved."""

    step: Step
    """The slide that leads to the position."""
    jumps: Sequence[tuple[int, int]]
    """Origin and target of each slide of a shortest solution of the position."""

    @property
    def distance(self) -> int:
        """Fewest moves of the position."""
        return len(self.jumps)

    def solution(self, puzzle: Puzzle) -> list[Step]:
        """Return the steps of the shortest solution."""
        return puzzle.replay(self.step.after, self.jumps)


class PatternSource(Source):
    """Source of exact distances of a board with pattern databases; UNKNOWN if a proof is missing.

    The source does not test the parity: callers must not pass positions that are unsolvable by parity.
    """

    def __init__(self, puzzle: Puzzle) -> None:
        self._puzzle, self._engine = puzzle, puzzle.engine
        self._home = int(sliding_tables(puzzle.board).home)
        self._failed: LRUCache[int, int] = LRUCache(LIMITS.failed_positions)
        """State -> number of nodes that was too small for a proof."""
        self._budget = TokenBucket(LIMITS.bucket_capacity, LIMITS.earned_per_second)

    def moves_left(self, position: Position) -> int:
        """Return the fewest moves to the goal, or UNKNOWN if the proof costs too much for a request."""
        return self.answer(position).left

    def answer(self, position: Position) -> KnownAnswer:
        """Return the answer of `moves_left`, with a shortest solution, perhaps after a brief search."""
        answer = self.known_answer(position)
        if answer.left == UNKNOWN:
            self._prove_at_once(position)
            answer = self._answer(position)
        if answer.left == UNKNOWN:
            self.request_proof(position)
        return answer

    def known_answer(self, position: Position) -> KnownAnswer:
        """Return the answer that an earlier search, perhaps of another process, has proved, or UNKNOWN."""
        if position.state == self._home:
            return KnownAnswer(0, "kept")
        return self._engine.bounds.stored_answer(self._puzzle, HOME, position)

    def _answer(self, position: Position) -> KnownAnswer:
        """Return the answer in memory, or UNKNOWN."""
        return self._engine.bounds.answer(self._puzzle, HOME, position)

    def least(self, position: Position) -> int:
        """Return the least distance that pattern databases, unfinished proofs and known neighbours allow."""
        return self._limits(position, self._known_neighbours(position))[0]

    def progress(self, position: Position) -> float | None:
        """Return the least progress, from 0 (queued) to 1, of proofs of a position and its neighbours.

        None means that no such proof is queued or running.
        """
        near = [position, *(step.after for step in self._puzzle.legal_steps(position))]
        found = [self._engine.builder.progress(self._build_key(at)) for at in near]
        return min((progress for progress in found if progress is not None), default=None)

    def solution_lookup(self, position: Position) -> MovesLeft | None:
        """Return the moves left as a function of positions; UNKNOWN for those on no shortest solution.

        The result is None if finding all shortest solutions costs too much for a request, or finds too many
        positions.
        """
        search, paid = self._search_all(position, self._max_nodes_at_once()), 0

        def pay(nodes: int) -> None:
            nonlocal paid
            self._budget.spend(nodes - paid)
            paid = nodes

        try:
            return finish(map_progress(search, pay))
        except GivenUp:
            return None

    def build_solution_lookup(self, position: Position) -> Progressing[MovesLeft]:
        """Return the function of `solution_lookup` after a search for all shortest solutions.

        Yield the progress, 0 to 1.

        Raises:
            GivenUp: the search takes more than `LIMITS.listed` nodes, or finds no solution or too many
                positions.
        """
        search = self._search_all(position, LIMITS.listed)
        return (yield from map_progress(search, lambda nodes: min(1.0, nodes / LIMITS.listed)))

    def _search_all(self, position: Position, most: float) -> Generator[int, None, MovesLeft]:
        """Return the moves left as a function of positions; UNKNOWN for those on no shortest solution.

        Yield the nodes so far after each slice.

        Raises:
            GivenUp: the search takes more than `most` nodes, or finds no solution or too many positions.
        """
        self.known_answer(position)  # learns what is stored
        # No slice finds more solutions than it visits nodes, so that there is room for all of them.
        search, spent, lefts = pattern_search.new_search(LIMITS.slice), 0, {position.state: 0}
        for limit in self._limits(position, self._known_neighbours(position)):
            lefts[position.state] = limit
            for nodes in search_limit(self._patterns(), search, position.state, limit, True, LIMITS.slice):
                _collect(search, limit, lefts)
                yield spent + nodes
                if spent + nodes > most:
                    raise GivenUp("long")
            _collect(search, limit, lefts)
            if len(lefts) > 1 or limit == 0:
                return lambda reached: lefts.get(reached.state, UNKNOWN)
            spent += int(search.counters[NODES])
        raise GivenUp("long")

    def _prove_at_once(self, position: Position) -> None:
        """Prove the distance of a position unless that takes more nodes than a request may use.

        No proof is begun if one with at least as many nodes has failed.
        """
        most, nodes = self._max_nodes_at_once(), 0
        if most <= self._nodes_failed(position):
            return
        try:
            for nodes in self._proof(position):
                if nodes > most:
                    break
        finally:
            self._budget.spend(nodes)
        if self._answer(position).left == UNKNOWN:
            self._note_failure(position.state, nodes)

    def _max_nodes_at_once(self) -> float:
        share = LIMITS.busy_share if self._engine.is_busy() else LIMITS.share
        return self._budget.level() / share

    def _nodes_failed(self, position: Position) -> int:
        failed = self._failed.get(position.state)
        return -1 if failed is None else failed

    def _note_failure(self, state: int, nodes: int) -> None:
        """Remember that `nodes` nodes are too few for a proof of the distance of `state`."""
        self._failed.put(state, max(nodes, self._failed.get(state) or 0))

    def request_proof(self, position: Position) -> None:
        """Request a background proof, before all that are waiting, unless an earlier one ran out of nodes."""
        if self._nodes_failed(position) < LIMITS.background:
            self._engine.builder.submit(self._build_key(position), lambda: self._build(position))

    def _build_key(self, position: Position) -> tuple[str, int]:
        return self._puzzle.id, position.state

    def _build(self, position: Position) -> Progressing[None]:
        if self._answer(position).left != UNKNOWN:
            return  # proved since the request
        near, bounds = self._known_neighbours(position), self._engine.bounds
        solution, least = yield from self.prove(position, near, self.least(position))
        if solution:
            bounds.learn_shortest(self._puzzle, HOME, position, solution)
        else:
            self._note_failure(position.state, LIMITS.background)
            bounds.raise_least(self._puzzle, HOME, position, least)

    def _proof(self, position: Position, threads: int = 1) -> Iterator[int]:
        """Prove the distance of a position in slices, and record it. Yield the nodes so far.

        The last number is that of all nodes. A solution that took many nodes is also saved. `threads`:
        threads of a long search.
        """
        search, spent, bounds = pattern_search.new_search(), 0, self._engine.bounds
        near, patterns = self._known_neighbours(position), self._patterns()
        nearest = min(near, key=lambda known: known.distance, default=None)
        for limit in self._limits(position, near):
            if nearest is not None and limit == nearest.distance + 1:  # the slide to it is optimal
                steps = [nearest.step, *nearest.solution(self._puzzle)]
                bounds.learn_shortest(self._puzzle, HOME, position, steps)
                break
            for nodes in search_limit(patterns, search, position.state, limit, False, LIMITS.slice, threads):
                yield spent + nodes
            spent += int(search.counters[NODES])
            if search.counters[SOLUTIONS]:
                steps = self._puzzle.steps_along(position, search.solutions[0, :limit].tolist())
                bounds.learn_shortest(self._puzzle, HOME, position, steps)
                if spent > LIMITS.costly:
                    bounds.save(self._puzzle, HOME, position)
                break
            bounds.raise_least(self._puzzle, HOME, position, limit + 2)
            if self._answer(position).left != UNKNOWN:
                break  # the best known solution is proved shortest
        yield spent

    def _limits(self, position: Position, near: list[Neighbour]) -> list[int]:
        """Return the possible distances, ascending. Each neighbour allows its own plus or minus one."""
        record = self._engine.bounds.record(self._puzzle, HOME, position)
        own = pattern_bound(self._patterns(), position.state)
        least = max(own, record.least)
        least += (least - own) % 2  # an exhausted limit rules out the next one, too, because of the parity
        limits = set(range(least, pattern_search.MAX_MOVES, 2))
        if record.is_tight:
            limits = {least}
        for neighbour in near:
            limits &= {neighbour.distance - 1, neighbour.distance + 1}
        return sorted(limits)

    def _patterns(self) -> PatternTables:
        return pattern_databases.load(self._puzzle.board)

    def _known_neighbours(self, position: Position) -> list[Neighbour]:
        found, bounds = [], self._engine.bounds
        for step in self._puzzle.legal_steps(position):
            record = bounds.record(self._puzzle, HOME, step.after)
            if record.is_tight or step.after.state == self._home:
                found.append(Neighbour(step, record.jumps))
        return found

    def prove(
        self, position: Position, near: list[Neighbour], least: int
    ) -> Progressing[tuple[list[Step], int]]:
        """Return the steps of a shortest solution of a position, and its least distance.

        There are no steps if the proof was given up at `LIMITS.background` nodes. Yield the progress, 0 to 1.
        `near`: neighbours of known distance. `least`: a proved lower bound of the distance.
        """
        bounds = self._engine.bounds
        for neighbour in near:
            solution = neighbour.solution(self._puzzle)
            bounds.learn_shortest(self._puzzle, HOME, neighbour.step.after, solution)
        bounds.raise_least(self._puzzle, HOME, position, least)
        for nodes in self._proof(position, threads=max_threads()):
            if nodes >= LIMITS.background:
                break
            yield nodes / LIMITS.background
        known = bounds.record(self._puzzle, HOME, position)
        return self._puzzle.replay(position, known.jumps if known.is_tight else []), known.least


def least_moves(puzzle: Puzzle, position: Position, goal: int) -> int:
    """Return a proved lower bound: that of the source, or Manhattan distance until kernels are compiled."""
    source = puzzle.source(goal)
    if isinstance(source, PatternSource):
        return source.least(position)
    return beam_search.manhattan_distance(puzzle, position)


def chosen_pattern(puzzle: Puzzle, position: Position, holes: frozenset[int]) -> ChosenBound:
    """Return the bound of a pattern: the fewest moves of the tiles in the chosen cells, the others forgotten.

    Raises:
        PuzzleError: the pattern has more than `MAX_PATTERN` tiles.
    """
    cells = puzzle.cells(position.state)
    tiles = [cells[hole] for hole in holes if cells[hole]]
    if len(tiles) > MAX_PATTERN:
        raise PuzzleError(
            "a pattern has at most {most} tiles, and this one {count}", most=MAX_PATTERN, count=len(tiles)
        )
    bound = pattern_databases.fewest_moves_of(puzzle.board, tiles, cells) if tiles else 0
    return ChosenBound(bound, ((bound, tuple(sorted(holes))),), None)


def any_solution(puzzle: Puzzle, position: Position, goal: int) -> list[Step]:
    """Return the steps of a solution: of a beam search, or through a neighbour if that is shorter."""
    found = beam_search.any_solution(puzzle, position)
    for step in puzzle.steps(position):
        rest = puzzle.engine.bounds.line(puzzle, goal, step.after)
        if rest and len(rest) + 1 < len(found):
            found = [step, *rest]
    return found


def _collect(search: PatternSearch, limit: int, lefts: dict[int, int]) -> None:
    """Move the solutions of a search to `lefts`, the moves left by state. `limit`: moves of each solution.

    Raises:
        GivenUp: there are more than `LIMITS.listed_positions` states.
    """
    count, search.counters[SOLUTIONS] = int(search.counters[SOLUTIONS]), 0
    for place in range(limit if count else 0):
        states = np.unique(search.solutions[:count, place]).tolist()
        lefts.update(dict.fromkeys(states, limit - place - 1))
    if len(lefts) > LIMITS.listed_positions:
        raise GivenUp("many")


def _search(question: Question) -> Iterator[Event]:
    total, root = 0, question.root
    search, patterns = pattern_search.new_search(), pattern_databases.load(question.puzzle.board)
    least = pattern_bound(patterns, root.state)
    if question.spent + least > 1:
        yield Exhausted(question.spent + least - 1, 0, 0, 0.0)
    for left in range(least, pattern_search.MAX_MOVES, 2):
        began, limit = time.perf_counter(), question.spent + left
        for nodes in search_limit(
            patterns, search, root.state, left, question.find_all, 1 << 17, max_threads()
        ):
            yield Progress(limit, nodes, time.perf_counter() - began)
        nodes, cut, solutions = (int(search.counters[count]) for count in (NODES, CUT, SOLUTIONS))
        total += nodes
        if solutions or left == 0:
            line = question.puzzle.steps_along(root, search.solutions[0, :left].tolist())
            count = max(solutions, 1) if question.find_all else None
            yield Solved(limit, nodes, time.perf_counter() - began, moves_of(question, line), count, total)
            return
        yield Exhausted(limit, nodes, cut, time.perf_counter() - began)


BEST = best(
    checked(_search),
    (
        Text("Pattern databases"),
        Text(
            "Three groups of tiles were solved in advance; their exact move counts add up to a lower bound."
        ),
    ),
    may_look_up=lambda question: not question.find_all,  # the search counts all shortest solutions itself
    least_saved=LIMITS.costly,
)
"""The method of IDA* with the pattern databases."""
