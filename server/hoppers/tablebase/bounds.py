"""What an engine knows of the fewest moves: what may be learnt, and what follows from it.

A record (see `records`) has a proved lower bound and the best known solution, which can only improve. Once
the fewest moves are proved, both are equal. Symmetric images of a problem share one record. Positions along a
solution have records, too. When a solution improves, the records of earlier positions improve along all known
steps. A stored solution is replayed by the rules before it is used.
"""

import logging
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from hoppers.core.board import Permutation
from hoppers.core.model import (
    ANY_GOAL,
    DEAD,
    DEAD_BOUND,
    UNKNOWN,
    Bounds,
    ByteStore,
    KnownAnswer,
    Position,
    ProblemKey,
    Step,
    cost_of,
)
from hoppers.core.puzzle import Puzzle
from hoppers.runtime.event_counts import ANSWER_LOOKUPS
from hoppers.runtime.lru_cache import LRUCache
from hoppers.tablebase.canonical import canonical_form, holes_table, inverse
from hoppers.tablebase.records import NOTHING, Records, packed_key, unpacked_key

log = logging.getLogger(__name__)

MAX_STEPS = 1 << 14  # positions with known steps that lead to them
MAX_FORMS = 1 << 11  # canonical forms in the cache; a request needs up to a hundred


class KnownStep(NamedTuple):
    """A step that leads to a problem, under which it is stored in packed form."""

    parent: ProblemKey  # canonical problem before the step
    origin: int  # hole in the position of `parent`
    target: int
    cost: int  # moves that the step starts, 0 or 1

    @property
    def packed(self) -> bytes:
        """The step as bytes: the three numbers, then the packed key of `parent`."""
        return bytes(self[1:]) + packed_key(self.parent)


def unpacked_step(packed: bytes) -> KnownStep:
    """Return the step of which `packed` is the packed form."""
    origin, target, cost = packed[:3]
    return KnownStep(unpacked_key(packed[3:]), origin, target, cost)


AtlasLines = Callable[[Puzzle], Mapping[ProblemKey, Bounds]]


class KnownBounds:
    """All bounds, solutions and proofs that an engine knows. Thread-safe."""

    def __init__(self, store: ByteStore | None, atlas: AtlasLines = lambda puzzle: {}) -> None:
        """`store`: see `Records`.

        `atlas`: puzzle -> its atlas problems, not necessarily in canonical form, and their records, in the
        holes of the problems. Their solutions must be right. A puzzle's problems are added before the first
        record of the puzzle is read. Positions on their solutions are added before the first record of the
        goal is read when the kernels may be called, because every solution is replayed.
        """
        self._records = Records(store)
        self._packed_steps_to: LRUCache[bytes, tuple[bytes, ...]] = LRUCache(MAX_STEPS)
        """Problem without an active peg -> known steps that lead to its position, both in packed form."""
        self._canonical_form: Callable[[Puzzle, int, Position], tuple[ProblemKey, Permutation]]
        self._canonical_form = lru_cache(MAX_FORMS)(canonical_form)
        """`canonical_form` with a cache, because one request needs it some thirty times."""
        self._lock = threading.RLock()
        self._atlas, self._is_adding = atlas, False
        self._added: set[tuple[str, int | None]] = set()
        """(puzzle, None) once its atlas problems are added; (puzzle, goal) once solutions to it are."""

    @property
    def changes(self) -> int:
        """Number of changes, since the start, to records of atlas problems without tight bounds."""
        return self._records.changes

    def of(self, puzzle: Puzzle, goal: int, position: Position) -> Bounds:
        """Return the bounds of a position. The lower bound is at least the one that the rules alone prove."""
        record = self.record(puzzle, goal, position)
        rule_bound = puzzle.solving.lower_bound(puzzle, position, goal)
        return Bounds(max(record.least, rule_bound), record.most)

    def answer(self, puzzle: Puzzle, goal: int, position: Position) -> KnownAnswer:
        """Return the answer that the record of a position proves, or UNKNOWN, with the best known solution.

        It is "atlas" if the position is a problem of the atlas or on a solution to one, else "kept".
        """
        record = self.record(puzzle, goal, position)
        if not record.is_decided:
            return KnownAnswer(UNKNOWN, jumps=record.jumps)
        is_lasting = self._records.is_lasting(self._canonical_form(puzzle, goal, position)[0])
        left = DEAD if record.most is None else record.most
        return KnownAnswer(left, "atlas" if is_lasting else "kept", jumps=record.jumps)

    def stored_answer(self, puzzle: Puzzle, goal: int, position: Position) -> KnownAnswer:
        """Return what `answer` does, after learning the stored record of the position if that is UNKNOWN."""
        answer = self.answer(puzzle, goal, position)
        if answer.left != UNKNOWN:
            return answer
        found = self._learn_stored(puzzle, self._canonical_form(puzzle, goal, position)[0])
        ANSWER_LOOKUPS[found].add()
        return self.answer(puzzle, goal, position) if found == "yes" else answer

    def line(self, puzzle: Puzzle, goal: int, position: Position) -> list[Step]:
        """Return the steps of the best known solution of a position, an empty list if none is known."""
        return puzzle.replay(position, self.record(puzzle, goal, position).jumps)

    def learn_line(self, puzzle: Puzzle, goal: int, position: Position, steps: Sequence[Step]) -> None:
        """Record a solution for its start and every position on it, and for all goals that it reaches.

        Nothing is recorded if there are no steps or they do not lead to the goal `goal`.
        """
        if not steps or not puzzle.is_solved(steps[-1].after, goal):
            return
        self._add_atlas(puzzle, goal)
        places = _places(puzzle, position, steps)
        with self._lock:
            for code in _goals_reached(puzzle, places[-1]):
                self._learn_along(puzzle, code, places, steps)

    def learn_shortest(self, puzzle: Puzzle, goal: int, position: Position, steps: Sequence[Step]) -> None:
        """Record a solution that is proved shortest (see `learn_line`): all positions on it are decided."""
        if not steps or not puzzle.is_solved(steps[-1].after, goal):
            return
        self._add_atlas(puzzle, goal)
        places = _places(puzzle, position, steps)
        with self._lock:
            self._decide_along(puzzle, goal, places, steps)
            for code in _goals_reached(puzzle, places[-1]):
                if code != goal:
                    self._learn_along(puzzle, code, places, steps)

    def learn_dead(self, puzzle: Puzzle, goal: int, position: Position) -> None:
        """Record a proof that a position has no solution."""
        self.raise_least(puzzle, goal, position, DEAD_BOUND)

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
        key, _ = self._canonical_form(puzzle, goal, position)
        if self._get(puzzle, key) != NOTHING:
            known = self._record(puzzle, goal, position)
            if (known.least, known.most) != (left, left):
                return True
        return any(
            (most := self._get(puzzle, step.parent).most) is None or most > step.cost + left
            for step in self._steps_to(_at_rest(puzzle, key))
        )

    def save(self, puzzle: Puzzle, goal: int, position: Position, steps: Sequence[Step] = ()) -> None:
        """Store the records of a position and of the costly positions on `steps` for later processes.

        A position whose answer is not proved is left out. Costly: see `Source.is_costly`.
        """
        source = puzzle.source(goal)
        after = [puzzle.canonical(step.after) for step in steps if source.is_costly(step.after)]
        for place in [position, *after]:
            key, _ = self._canonical_form(puzzle, goal, place)
            if self._records.get(key).is_decided:
                self._records.store(key)

    def record(self, puzzle: Puzzle, goal: int, position: Position) -> Bounds:
        """Return the bounds of a position and its best known solution, in the holes of `position`.

        In contrast to `of`, the lower bound may be less than that of the rules.
        """
        self._add_atlas(puzzle, goal)
        return self._record(puzzle, goal, position)

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
            key, image = self._canonical_form(puzzle, problem.goal, problem.position)
            self._records.add_listed(key, known._replace(holes=known.holes.translate(holes_table(image))))

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
        key, image = self._canonical_form(puzzle, goal, position)
        record = self._get(puzzle, key)
        if not record.holes:
            return record
        return record._replace(holes=record.holes.translate(holes_table(inverse(image))))

    def _get(self, puzzle: Puzzle, key: ProblemKey) -> Bounds:
        if self._records.is_due(key):
            self._learn_stored(puzzle, key)
        return self._records.get(key)

    def _learn_along(self, puzzle: Puzzle, goal: int, places: list[Position], steps: Sequence[Step]) -> None:
        """Record a solution for each of `places`, the positions before and after `steps`."""
        self._keep_along(puzzle, goal, places, cost_of(steps))
        self._improve(puzzle, goal, places[-1], Bounds(0, 0))
        for number in reversed(range(len(steps))):
            self._note_step(puzzle, goal, places[number], steps[number], places[number + 1])

    def _decide_along(self, puzzle: Puzzle, goal: int, places: list[Position], steps: Sequence[Step]) -> None:
        """Record a solution that is proved shortest for each of `places` (see `_learn_along`).

        It takes half the time of raising the bounds after `_learn_along`.
        """
        if self._is_contradicted(puzzle, self._record(puzzle, goal, places[0]), cost_of(steps)):
            return
        self._keep_along(puzzle, goal, places, cost_of(steps))
        moves, holes = 0, b""
        self._improve(puzzle, goal, places[-1], Bounds(0, 0))
        for place, step in zip(reversed(places[:-1]), reversed(steps), strict=True):
            moves, holes = moves + step.cost, bytes([step.origin, step.target]) + holes
            if not self._improve(puzzle, goal, place, Bounds(moves, moves, holes)):
                self._raise(puzzle, goal, place, moves)

    def _is_contradicted(self, puzzle: Puzzle, known: Bounds, least: int) -> bool:
        """Return whether a known solution has fewer moves than a proved bound, which is logged."""
        if known.most is None or least <= known.most:
            return False
        log.error("%s: a proof of %d moves contradicts a solution of %d", puzzle.id, least, known.most)
        return True

    def _keep_along(self, puzzle: Puzzle, goal: int, places: list[Position], moves: int) -> None:
        """Make the records of `places` lasting if these are a best known solution of a lasting problem."""
        key, _ = self._canonical_form(puzzle, goal, places[0])
        most = self._records.get(key).most
        if self._records.is_lasting(key) and (most is None or moves <= most):
            for place in places:
                self._records.make_lasting(self._canonical_form(puzzle, goal, place)[0])

    def _raise(self, puzzle: Puzzle, goal: int, position: Position, least: int) -> bool:
        """Raise a lower bound to `least` unless a known solution contradicts it; return whether it rose."""
        known = self._record(puzzle, goal, position)
        if least <= known.least or self._is_contradicted(puzzle, known, least):
            return False
        key, _ = self._canonical_form(puzzle, goal, position)
        self._records.put(key, self._get(puzzle, key)._replace(least=least))
        return True

    def _improve(self, puzzle: Puzzle, goal: int, position: Position, found: Bounds) -> bool:
        """Record `found`, a solution with a proved lower bound, unless a known solution is at least as short.

        Return whether it is recorded. It also improves the records of the position without its active peg,
        of the positions before known steps, and of the goal "any".
        """
        known = self._record(puzzle, goal, position).most
        if found.most is None or (known is not None and known <= found.most):
            return False
        if puzzle.rules.multi_step_moves and position.active >= 0:
            # without the active peg, a solution that begins with its jump starts one move more
            most = found.most + found.holes.startswith(bytes([position.active]))
            self._improve(puzzle, goal, Position(position.state), Bounds(0, most, found.holes))
        key, image = self._canonical_form(puzzle, goal, position)
        holes, least = found.holes.translate(holes_table(image)), self._get(puzzle, key).least
        self._records.put(key, Bounds(max(least, found.least), found.most, holes))
        for known_step in self._steps_to(_at_rest(puzzle, key)):
            _, parent_goal, parent = known_step.parent
            [step] = puzzle.replay(parent, [(known_step.origin, known_step.target)])
            self._improve_before(puzzle, parent_goal, parent, step, puzzle.canonical(step.after))
        anywhere = puzzle.rules.goals.get(ANY_GOAL, goal)
        if anywhere != goal:
            self._improve(puzzle, anywhere, position, found._replace(least=0))
        return True

    def _improve_before(
        self, puzzle: Puzzle, goal: int, position: Position, step: Step, after: Position
    ) -> None:
        """Record the solution that begins with `step`, if one is known for the position `after` it."""
        rest = self._record(puzzle, goal, after)
        if rest.most is not None:
            holes = bytes([step.origin, step.target]) + rest.holes
            self._improve(puzzle, goal, position, Bounds(0, step.cost + rest.most, holes))

    def _note_step(self, puzzle: Puzzle, goal: int, position: Position, step: Step, after: Position) -> None:
        """Record a known solution that begins with `step`, if any; store that `step` leads to `after`.

        The step is not stored if the fewest moves of `position` are proved, which it cannot improve.
        """
        self._improve_before(puzzle, goal, position, step, after)
        parent, image = self._canonical_form(puzzle, goal, position)
        if self._records.get(parent).is_tight:
            return
        key = packed_key(_at_rest(puzzle, self._canonical_form(puzzle, goal, after)[0]))
        known = KnownStep(parent, image[step.origin], image[step.target], step.cost).packed
        before = self._packed_steps_to.get(key) or ()
        if known not in before:
            self._packed_steps_to.put(key, (*before, known))

    def _steps_to(self, key: ProblemKey) -> list[KnownStep]:
        """Return the known steps that lead to the position of a problem without an active peg."""
        return [unpacked_step(packed) for packed in self._packed_steps_to.get(packed_key(key)) or ()]

    def _learn_stored(self, puzzle: Puzzle, key: ProblemKey) -> str:
        """Improve a record by the stored one. Return whether there is one: "yes", "no" or "damaged"."""
        try:
            stored = self._records.stored(key)
            if stored is None:
                return "no"
            self._learn_record(puzzle, key, stored)
        except (ValueError, TypeError, OverflowError) as error:
            log.warning("ignoring what is stored of %s: %s", key, error)
            self._records.drop_stored(key)
            return "damaged"
        return "yes"

    def _learn_record(self, puzzle: Puzzle, key: ProblemKey, stored: Bounds) -> None:
        """Improve a record by a stored one.

        Raises:
            ValueError: a shorter solution proves wrong.
            TypeError, OverflowError: a value has another form.
        """
        known, steps = self._records.get(key).most, None
        if stored.most is not None and (known is None or stored.most < known):
            steps = puzzle.replay(key.position, stored.jumps)
            is_solved = puzzle.is_solved(steps[-1].after if steps else key.position, key.goal)
            if not is_solved or cost_of(steps) != stored.most:
                raise ValueError("the solution does not reach the goal")
            self.learn_line(puzzle, key.goal, key.position, steps)
        self.raise_least(puzzle, key.goal, key.position, stored.least, steps)


def _places(puzzle: Puzzle, position: Position, steps: Sequence[Step]) -> list[Position]:
    """Return a position and the positions after each of `steps`."""
    return [position, *(puzzle.canonical(step.after) for step in steps)]


def _goals_reached(puzzle: Puzzle, position: Position) -> list[int]:
    return [code for code in puzzle.rules.goals.values() if puzzle.is_solved(position, code)]


def _at_rest(puzzle: Puzzle, key: ProblemKey) -> ProblemKey:
    """Return the key without its active peg, or `key` itself in a puzzle without active pegs."""
    return key._replace(position=Position(key.position.state)) if puzzle.rules.multi_step_moves else key


def _better(one: Bounds, other: Bounds) -> Bounds:
    """Return the higher lower bound and the shorter solution of two records."""
    least = max(one.least, other.least)
    is_shorter = one.most is not None and (other.most is None or one.most <= other.most)
    return (one if is_shorter else other)._replace(least=least)
