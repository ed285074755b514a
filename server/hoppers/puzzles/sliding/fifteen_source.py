"""Exact distances of 4x4 tiles: proved by search, remembered, and from then on known along the whole line.

A slide changes the distance by exactly one, so beside positions of known distance one limit decides at most,
and often none is needed. A request may spend so many nodes; what costs more is UNKNOWN for now and is proved
in the background. A position is remembered with the next one of a shortest solution, so that a hint on a
proved line needs no search at all.
"""

import itertools
import threading
from collections import OrderedDict
from collections.abc import Generator
from typing import NamedTuple

from hoppers.core.model import UNKNOWN, Position
from hoppers.puzzles.sliding import pattern_search
from hoppers.puzzles.sliding.pattern_search import NODES, SOLUTIONS, PatternSearch, lower_bound, slices
from hoppers.puzzles.sliding.rules import ANSWER_RULES, neighbours, sliding_tables
from hoppers.tablebase.builder import WORKSHOP, Wish
from hoppers.tablebase.elsewhere import elsewhere
from hoppers.tablebase.proved_answers import Answers
from hoppers.tablebase.table_cache import Allowance

SLICE_NODES = 1 << 14
"""A millisecond, the least that an answer may cost."""
AT_ONCE_NODES = 16_000_000
"""Nodes saved up for requests (about a second)."""
SHARE = 16
"""An answer may take this part of what is left: a million nodes while few ask, enough for 98 of a hundred
shuffles."""
SHARE_IN_A_CROWD = 64
"""The same where many play, for whoever waits for a core waits for these searches, too."""
NODES_A_SECOND = 1_000_000
"""That are earned back (a sixteenth of a core)."""
PROVED_AT_ONCE = 3
"""Requests that are answered by proofs at the same time: together they could overdraw what is saved up."""
BACKGROUND_NODES = 400_000_000
"""Nodes a proof in the background may cost (about half a minute)."""
COSTLY_NODES = 200_000
"""Nodes from which on an answer is worth being kept beyond this process (about 10 ms)."""
REMEMBERED = 1 << 17
MOST_LISTED = 2000
"""Shortest solutions of one position that are kept to be listed."""
MOST_TRIED = 1000
"""Positions of which we remember that so many nodes were too few."""


class Known(NamedTuple):
    """A proved distance."""

    distance: int
    after: int
    """The next state of a shortest solution; 0 at home."""
    ways: frozenset[int] | None
    """All states that shortest solutions go on to, where they were all found."""


class Proved(NamedTuple):
    """How a proof ended, and what it cost."""

    left: int
    nodes: int


Proof = Generator[int, None, Proved]
"""The steps of a proof: the nodes so far."""


class FifteenSource:
    """Exact distances; UNKNOWN where the proof is still to be made. Never asked of odd positions."""

    def __init__(self, nodes: int = AT_ONCE_NODES) -> None:
        """`nodes`: saved up for requests."""
        self._known = OrderedDict({int(sliding_tables(4).home): Known(0, 0, frozenset())})
        self._tried: OrderedDict[int, int] = OrderedDict()
        """State -> nodes that were too few."""
        self._lock, self._room = threading.Lock(), threading.BoundedSemaphore(PROVED_AT_ONCE)
        self._allowance = Allowance(nodes, NODES_A_SECOND)
        self._answers = Answers("tiles-4", ANSWER_RULES)

    def moves_left(self, position: Position) -> int:
        """The fewest moves to the goal, or UNKNOWN if they are not proved and that costs too much now."""
        known = self._known.get(position.state)
        if known is not None:
            return known.distance
        left = self._at_once(position, self._proof(position))
        if left == UNKNOWN:
            self._ask(position)
        return left

    def lead(self, position: Position) -> int | None:
        """The next state of a shortest solution that is known."""
        known = self._known.get(position.state)
        return known.after if known is not None else None

    def preparation(self, position: Position) -> float | None:
        """How far proofs of the position and of what its slides lead to are, 0 to 1; None if none is made."""
        names = [_name(state) for state in (position.state, *neighbours(position))]
        found = [WORKSHOP.progress(name) for name in names]
        return min((progress for progress in found if progress is not None), default=None)

    def line(self, position: Position) -> list[int] | None:
        """The states of a kept shortest solution, if one is kept."""
        return self._answers.line(position)

    def keep(self, position: Position, left: int, line: list[int]) -> None:
        """Keep what a search proved."""
        self._answers.learn(position, left, line)
        if left >= 0:
            self._remember_line(position.state, line)

    def can_list(self, position: Position) -> bool:
        """Find all shortest solutions, so that they can be walked; False if that costs too much."""
        if not self._has_ways(position):
            self._at_once(position, self._proof(position, pattern_search.new_search(MOST_LISTED)))
        return self._has_ways(position)

    def _has_ways(self, position: Position) -> bool:
        known = self._known.get(position.state)
        return known is not None and known.ways is not None

    def _at_once(self, position: Position, proof: Proof) -> int:
        """The proof's answer if it is cheap enough now, or was kept."""
        if not self._room.acquire(blocking=False):
            return UNKNOWN
        share = SHARE_IN_A_CROWD if WORKSHOP.is_crowded() else SHARE
        most, nodes, looked = self._allowance.left() / share, 0, False
        try:
            while nodes <= most and most > self._tried.get(position.state, -1):
                nodes = next(proof)
                if not looked and nodes > COSTLY_NODES:
                    looked = True
                    if (left := self._read(position)) != UNKNOWN:
                        return left
            self._note(position.state, nodes)
            return UNKNOWN if looked else self._read(position)
        except StopIteration as end:
            nodes = end.value.nodes
            return int(end.value.left)
        finally:
            self._allowance.spend(nodes)
            self._room.release()

    def _note(self, state: int, nodes: int) -> None:
        """So many nodes are too few to prove it."""
        self._tried[state] = max(nodes, self._tried.pop(state, 0))
        while len(self._tried) > MOST_TRIED:
            self._tried.popitem(last=False)

    def _read(self, position: Position) -> int:
        """The answer that was kept beyond a process."""
        line = self._answers.line(position)
        if not line:
            return UNKNOWN
        self._remember_line(position.state, line)
        return len(line)

    def _ask(self, position: Position) -> None:
        if self._tried.get(position.state, 0) < BACKGROUND_NODES:
            WORKSHOP.ask(Wish(_name(position.state), lambda: self._make(position)))

    def _make(self, position: Position) -> Generator[float, None, None]:
        """Prove a distance in the background."""
        if position.state in self._known:
            return  # by somebody else, since it was asked for
        near = {state: known for state in neighbours(position) if (known := self._known.get(state))}
        found = yield from elsewhere(prove, position, near)
        if not found:
            self._note(position.state, BACKGROUND_NODES)
        for state, known in found.items():
            self._remember(state, known)

    def _proof(self, position: Position, every: PatternSearch | None = None) -> Proof:
        """Prove a distance. `every`: where to find all shortest solutions."""
        line, spent = pattern_search.new_search() if every is None else every, 0
        limits, nearest = self._limits(position)
        for limit in limits:
            if every is None and nearest is not None and limit == nearest[0] + 1:
                self._remember(position.state, Known(limit, nearest[1], None))
                return Proved(limit, spent)  # by way of that neighbour
            for nodes in slices(line, position.state, limit, every is not None, SLICE_NODES):
                yield spent + nodes
            spent += int(line.counters[NODES])
            if line.counters[SOLUTIONS]:
                self._remember_lines(position, line, limit, every is not None)
                if spent > COSTLY_NODES:
                    self._answers.learn(position, limit, line.solutions[0, :limit].tolist())
                return Proved(limit, spent)
        return Proved(UNKNOWN, spent)

    def _limits(self, position: Position) -> tuple[list[int], tuple[int, int] | None]:
        """The distances it can have, and the distance and state of the nearest neighbour that is known.

        Each neighbour of known distance leaves two, or one if all its shortest solutions are known.
        """
        known, found = self._known.get(position.state), []
        limits = set(
            range(lower_bound(position.state), pattern_search.MAX_MOVES, 2)
            if known is None
            else [known.distance]
        )
        for state in neighbours(position):
            near = self._known.get(state)
            if near is None:
                continue
            found.append((near.distance, state))
            nearer, farther = near.distance - 1, near.distance + 1
            if near.ways is None:
                limits &= {nearer, farther}
            else:
                limits &= {nearer if position.state in near.ways else farther}
        return sorted(limits), min(found, default=None)

    def _remember_lines(self, position: Position, line: PatternSearch, limit: int, every: bool) -> None:
        lines = line.solutions[: int(line.counters[SOLUTIONS]), :limit].tolist()
        ways: dict[int, set[int]] = {}
        for states in lines if every and line.counters[SOLUTIONS] <= MOST_LISTED else ():
            for state, after in itertools.pairwise([position.state, *states]):
                ways.setdefault(state, set()).add(after)
        for states in lines:
            self._remember_line(position.state, states, ways)

    def _remember_line(self, state: int, line: list[int], ways: dict[int, set[int]] | None = None) -> None:
        """Every position of a shortest solution. `ways`: where they are all known, what they go on to."""
        for place, (at, after) in enumerate(itertools.pairwise([state, *line])):
            found = frozenset(ways[at]) if ways else None
            self._remember(at, Known(len(line) - place, after, found))

    def _remember(self, state: int, known: Known) -> None:
        with self._lock:
            before = self._known.pop(state, None)
            if before is not None:  # a hint once given stays the same
                known = known._replace(after=before.after, ways=known.ways or before.ways)
            self._known[state] = known
            if len(self._known) > REMEMBERED:
                self._known.popitem(last=False)


def prove(position: Position, near: dict[int, Known]) -> Generator[float, None, dict[int, Known]]:
    """Prove a distance, given those of neighbours; returns what is found, nothing where it costs too much."""
    source = FifteenSource()
    source._known.update(near)
    for nodes in source._proof(position):
        if nodes >= BACKGROUND_NODES:
            return {}
        yield nodes / BACKGROUND_NODES
    return {state: known for state, known in source._known.items() if state not in near}


def _name(state: int) -> tuple[str, int]:
    return "tiles-4", state
