"""Bounds of the fewest moves: one record per position and goal, for all answers and searches of an engine.

A record has a proved lower bound and the best known solution, which can only improve. Symmetric images of a
problem share one record. Positions along a solution have records, too. When a solution improves, the records
of earlier positions improve along all known steps. The problems of the atlas are lasting: their records are
never dropped, and improvements are stored for later processes. A stored solution is replayed by the rules
before it is used.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from hoppers.core.board import Permutation
from hoppers.core.machine_code import SOURCES_DIGEST
from hoppers.core.model import ANY_GOAL, Bounds, ByteStore, Position, ProblemKey, Step, cost_of
from hoppers.core.puzzle import Puzzle
from hoppers.runtime.lru_cache import LRUCache
from hoppers.tablebase.proved_answers import canonical_form, drop_value, inverse, read_value, write_value

log = logging.getLogger(__name__)

MAX_RECORDS = 1 << 14  # in each cache: records that are not lasting, known steps, canonical forms
READ_SECONDS = 1.0  # between two reads of a stored record, which other processes may improve


class KnownStep(NamedTuple):
    """A step that leads to a problem, under which it is stored."""

    parent: ProblemKey  # canonical problem before the step
    origin: int  # hole in the position of `parent`
    target: int
    cost: int  # moves that the step starts, 0 or 1


NOTHING = Bounds()
AtlasLines = Callable[[Puzzle], Mapping[ProblemKey, Bounds]]


class KnownBounds:
    """All bounds that an engine knows. Thread-safe."""

    def __init__(self, store: ByteStore | None, atlas: AtlasLines = lambda puzzle: {}) -> None:
        """`store`: store for the records of atlas problems without tight bounds; None: nothing is stored.

        `atlas`: puzzle -> its atlas problems, not necessarily in canonical form, and their records, in the
        holes of the problems. Their solutions must be right. A puzzle's problems are added before the first
        record of the puzzle is read. Positions on their solutions are added before the first record of the
        goal is read when the kernels may be called, because every solution is replayed.
        """
        self.changes = 0
        """Number of changes, since the start, to records of atlas problems without tight bounds."""
        self._store = store
        self._lasting: dict[ProblemKey, Bounds] = {}
        """Records of lasting problems and of the positions on their solutions."""
        self._read_at: dict[ProblemKey, float] = {}
        """Atlas problem without tight bounds -> `time.monotonic` of the last read of its stored record."""
        self._recent: LRUCache[ProblemKey, Bounds] = LRUCache(MAX_RECORDS)
        self._steps_to: LRUCache[ProblemKey, frozenset[KnownStep]] = LRUCache(MAX_RECORDS)
        """Problem without an active peg -> known steps that lead to its position."""
        self.canonical_form: Callable[[Puzzle, int, Position], tuple[ProblemKey, Permutation]]
        self.canonical_form = lru_cache(MAX_RECORDS)(canonical_form)
        """`proved_answers.canonical_form` with a cache, because one request needs it some thirty times."""
        self._lock = threading.RLock()
        self._atlas, self._is_adding = atlas, False
        self._added: set[tuple[str, int | None]] = set()
        """(puzzle, None) once its atlas problems are added; (puzzle, goal) once solutions to it are."""

    def of(self, puzzle: Puzzle, goal: int, position: Position) -> Bounds:
        """Return the bounds of a position. The lower bound is at least the one that the rules alone prove."""
        self._add_atlas(puzzle, goal)
        record = self._record(puzzle, goal, position)
        rule_bound = puzzle.solving.lower_bound(puzzle, position, goal)
        return Bounds(max(record.least, rule_bound), record.most)

    def is_lasting(self, puzzle: Puzzle, goal: int, position: Position) -> bool:
        """Return whether the record of a position is never dropped.

        This is so for problems of the atlas and for positions on their solutions.
        """
        self._add_atlas(puzzle, goal)
        return self.canonical_form(puzzle, goal, position)[0] in self._lasting

    def line(self, puzzle: Puzzle, goal: int, position: Position) -> list[Step]:
        """Return the steps of the best known solution of a position, an empty list if none is known."""
        self._add_atlas(puzzle, goal)
        return puzzle.replay(position, self._record(puzzle, goal, position).jumps)

    def learn_line(self, puzzle: Puzzle, goal: int, position: Position, steps: Sequence[Step]) -> None:
        """Record a solution for its start and every position on it, and for all goals that it reaches.

        Nothing is recorded if there are no steps or they do not lead to the goal `goal`.
        """
        if not steps or not puzzle.is_solved(steps[-1].after, goal):
            return
        self._add_atlas(puzzle, goal)
        places = [position, *(puzzle.canonical(step.after) for step in steps)]
        goals = [code for code in puzzle.rules.goals.values() if puzzle.is_solved(steps[-1].after, code)]
        with self._lock:
            for code in goals:
                self._keep_along(puzzle, code, places, cost_of(steps))
                self._improve(puzzle, code, places[-1], Bounds(0, 0))
                for number in reversed(range(len(steps))):
                    self._note_step(puzzle, code, places[number], steps[number], places[number + 1])

    def raise_least(
        self,
        puzzle: Puzzle,
        goal: int,
        position: Position,
        least: int,
        steps: Iterable[Step] | None = None,
    ) -> None:
        """Record a proof that no solution of a position has fewer than `least` moves.

        The proof also raises the bounds of the positions on a solution, up to the first position whose bound
        does not rise. `steps`: the steps of this solution; by default of the best known one.
        """
        self._add_atlas(puzzle, goal)
        with self._lock:
            if not self._raise(puzzle, goal, position, least):
                return
            for step in self.line(puzzle, goal, position) if steps is None else steps:
                least -= step.cost
                if not self._raise(puzzle, goal, puzzle.canonical(step.after), least):
                    return

    def learn_steps_from(self, puzzle: Puzzle, goal: int, position: Position, steps: Iterable[Step]) -> None:
        """Record that each of `steps` is legal in `position`, and improve the bounds on both sides.

        A solution for a position after a step, known now or found later, also improves the record of
        `position`. The lower bound of `position`, less the step's cost, holds after the step. `steps`: steps
        as in `Puzzle.steps`.
        """
        with self._lock:
            least = self.of(puzzle, goal, position).least
            for step in steps:
                self._note_step(puzzle, goal, position, step, step.after)
                self._raise(puzzle, goal, step.after, least - step.cost)

    def would_improve(self, puzzle: Puzzle, goal: int, position: Position, left: int) -> bool:
        """Return whether a proof that `left` moves are the fewest from a position would improve a record.

        The records are that of the position, if it has one, and the solutions of positions from which a known
        step leads to it.
        """
        self._add_atlas(puzzle, goal)
        key, _ = self.canonical_form(puzzle, goal, position)
        if self._get(puzzle, key) is not NOTHING:
            known = self._record(puzzle, goal, position)
            if (known.least, known.most) != (left, left):
                return True
        return any(
            (most := self._get(puzzle, step.parent).most) is None or most > step.cost + left
            for step in self._steps_to.get(_at_rest(puzzle, key)) or ()
        )

    def _add_atlas(self, puzzle: Puzzle, goal: int) -> None:
        """Add what is missing of the atlas: problems of the puzzle and, if possible, solutions to `goal`."""
        wanted = (puzzle.id, goal if puzzle.is_compiled else None)
        if wanted in self._added:
            return
        with self._lock:
            if self._is_adding or wanted in self._added:  # the lock is held by this thread alone
                return
            self._is_adding = True
            try:
                problems = self._atlas(puzzle)
                if (puzzle.id, None) not in self._added:
                    self._add_problems(puzzle, problems)
                if puzzle.is_compiled:
                    self._add_positions(puzzle, goal, problems)
                self._added |= {(puzzle.id, None), wanted}
            finally:
                self._is_adding = False

    def _add_problems(self, puzzle: Puzzle, problems: Mapping[ProblemKey, Bounds]) -> None:
        """Add the atlas problems of a puzzle as lasting problems."""
        for problem, known in problems.items():
            key, image = self.canonical_form(puzzle, problem.goal, problem.position)
            self._lasting[key] = known._replace(holes=known.holes.translate(_table(image)))
            if not known.is_tight:
                self._read_at[key] = float("-inf")

    def _add_positions(self, puzzle: Puzzle, goal: int, problems: Iterable[ProblemKey]) -> None:
        """Add records for the positions on the best known solutions to `goal` or a symmetric image of it."""
        ends = {puzzle.rules.goal_image(image, goal) for image in puzzle.board.symmetries}
        for _, end, start in problems:
            if end in ends:
                least, steps = self._record(puzzle, end, start).least, self.line(puzzle, end, start)
                self.learn_line(puzzle, end, start, steps)
                for step in steps:
                    least -= step.cost
                    self._raise(puzzle, end, puzzle.canonical(step.after), least)

    def _record(self, puzzle: Puzzle, goal: int, position: Position) -> Bounds:
        """Return the bounds of a position and its best known solution, in the holes of `position`.

        The record of the position without its active peg gives bounds, too: a peg that may continue its move
        saves at most one move. A lower bound for the goal "any" is one for every goal.
        """
        own = self._own(puzzle, goal, position)
        if puzzle.rules.multi_step_moves and position.active >= 0:
            rest = self._own(puzzle, goal, Position(position.state))
            most = None if rest.most is None else rest.most - rest.holes.startswith(bytes([position.active]))
            own = _better(own, Bounds(rest.least - 1, most, rest.holes))
        anywhere = puzzle.rules.goals.get(ANY_GOAL, goal)
        if anywhere == goal:
            return own
        return own._replace(least=max(own.least, self._record(puzzle, anywhere, position).least))

    def _own(self, puzzle: Puzzle, goal: int, position: Position) -> Bounds:
        key, image = self.canonical_form(puzzle, goal, position)
        record = self._get(puzzle, key)
        if not record.holes:
            return record
        return record._replace(holes=record.holes.translate(_table(inverse(image))))

    def _get(self, puzzle: Puzzle, key: ProblemKey) -> Bounds:
        if key in self._read_at:
            self._read(puzzle, key)
        return self._lasting.get(key) or self._recent.get(key) or NOTHING

    def _put(self, key: ProblemKey, record: Bounds) -> None:
        if key not in self._lasting:
            self._recent.put(key, record)
            return
        self._lasting[key] = record
        if key in self._read_at:
            self.changes += 1
            value = [SOURCES_DIGEST, record.least, record.most, record.jumps]
            write_value(self._store, f"bounds/{key.name}", value)

    def _keep_along(self, puzzle: Puzzle, goal: int, places: list[Position], moves: int) -> None:
        """Make the records of `places` lasting if these are a best known solution of a lasting problem."""
        record = self._lasting.get(self.canonical_form(puzzle, goal, places[0])[0])
        if record is not None and (record.most is None or moves <= record.most):
            for place in places:
                key, _ = self.canonical_form(puzzle, goal, place)
                self._lasting.setdefault(key, self._recent.get(key) or NOTHING)

    def _raise(self, puzzle: Puzzle, goal: int, position: Position, least: int) -> bool:
        """Raise a lower bound to `least` unless a known solution contradicts it; return whether it rose."""
        bounds = self.of(puzzle, goal, position)
        if bounds.most is not None and least > bounds.most:
            log.error("%s: a proof of %d moves contradicts a solution of %d", puzzle.id, least, bounds.most)
            return False
        if least <= bounds.least:
            return False
        key, _ = self.canonical_form(puzzle, goal, position)
        self._put(key, self._get(puzzle, key)._replace(least=least))
        return True

    def _improve(self, puzzle: Puzzle, goal: int, position: Position, found: Bounds) -> None:
        """Record the solution `found` for a position, unless a known one is at least as short.

        It also improves the records of the position without its active peg, of the positions before known
        steps, and of the goal "any".
        """
        known = self._record(puzzle, goal, position).most
        if found.most is None or (known is not None and known <= found.most):
            return
        if puzzle.rules.multi_step_moves and position.active >= 0:
            # without the active peg, a solution that begins with its jump starts one move more
            most = found.most + found.holes.startswith(bytes([position.active]))
            self._improve(puzzle, goal, Position(position.state), found._replace(most=most))
        key, image = self.canonical_form(puzzle, goal, position)
        holes = found.holes.translate(_table(image))
        self._put(key, self._get(puzzle, key)._replace(most=found.most, holes=holes))
        for known_step in self._steps_to.get(_at_rest(puzzle, key)) or ():
            _, parent_goal, parent = known_step.parent
            [step] = puzzle.replay(parent, [(known_step.origin, known_step.target)])
            self._improve_before(puzzle, parent_goal, parent, step, puzzle.canonical(step.after))
        anywhere = puzzle.rules.goals.get(ANY_GOAL, goal)
        if anywhere != goal:
            self._improve(puzzle, anywhere, position, found)

    def _improve_before(
        self, puzzle: Puzzle, goal: int, position: Position, step: Step, after: Position
    ) -> None:
        """Record the solution that begins with `step`, if one is known for the position `after` it."""
        rest = self._record(puzzle, goal, after)
        if rest.most is not None:
            holes = bytes([step.origin, step.target]) + rest.holes
            self._improve(puzzle, goal, position, Bounds(0, step.cost + rest.most, holes))

    def _note_step(self, puzzle: Puzzle, goal: int, position: Position, step: Step, after: Position) -> None:
        """Store that `step` leads to `after`, and record a known solution that begins with it, if any."""
        parent, image = self.canonical_form(puzzle, goal, position)
        key = _at_rest(puzzle, self.canonical_form(puzzle, goal, after)[0])
        known = KnownStep(parent, image[step.origin], image[step.target], step.cost)
        before = self._steps_to.get(key) or frozenset()
        if known not in before:
            self._steps_to.put(key, before | {known})
        self._improve_before(puzzle, goal, position, step, after)

    def _read(self, puzzle: Puzzle, key: ProblemKey) -> None:
        """Improve a record by the stored one, which is read at most every `READ_SECONDS`."""
        if time.monotonic() < self._read_at[key] + READ_SECONDS:
            return
        self._read_at[key] = time.monotonic()
        try:
            stored = read_value(self._store, f"bounds/{key.name}")
            if stored is not None:
                version, least, most, jumps = stored
                self._take_over(puzzle, key, least if version == SOURCES_DIGEST else 0, most, jumps)
        except (ValueError, TypeError, OverflowError) as error:
            log.warning("ignoring stored bounds of %s: %s", key, error)
            drop_value(self._store, f"bounds/{key.name}")

    def _take_over(
        self, puzzle: Puzzle, key: ProblemKey, least: int, most: int | None, jumps: list[tuple[int, int]]
    ) -> None:
        """Improve a record by a stored one.

        Raises:
            ValueError: a shorter solution proves wrong.
            TypeError, OverflowError: a value has another form.
        """
        known = self._lasting[key].most
        if most is not None and (known is None or most < known):
            steps = puzzle.replay(key.position, jumps)
            if not steps or not puzzle.is_solved(steps[-1].after, key.goal):
                raise ValueError("the solution does not reach the goal")
            self.learn_line(puzzle, key.goal, key.position, steps)
        self.raise_least(puzzle, key.goal, key.position, least)


def _at_rest(puzzle: Puzzle, key: ProblemKey) -> ProblemKey:
    """Return the key without its active peg, or `key` itself in a puzzle without active pegs."""
    return key._replace(position=Position(key.position.state)) if puzzle.rules.multi_step_moves else key


def _better(one: Bounds, other: Bounds) -> Bounds:
    """Return the higher lower bound and the shorter solution of two records."""
    least = max(one.least, other.least)
    is_shorter = one.most is not None and (other.most is None or one.most <= other.most)
    return (one if is_shorter else other)._replace(least=least)


@cache
def _table(image: Permutation) -> bytes:
    """Return the table with which `bytes.translate` maps each hole to its image."""
    return bytes(image).ljust(256, b"\0")
