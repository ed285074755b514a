"""Facts about a peg board that all goals share: position classes, symmetries, predecessors."""

import hashlib
from functools import cached_property, lru_cache

from hoppers.core.board import Board
from hoppers.core.model import UNKNOWN, Position
from hoppers.core.puzzle import Puzzle, cached_in_puzzle
from hoppers.puzzles.pegs.jump_masks import Shifts, invariants, jumps_into, shift_groups
from hoppers.puzzles.pegs.pagoda import PagodaSet, WeightProof, dead_proof
from hoppers.puzzles.pegs.rules import ANYWHERE
from hoppers.puzzles.pegs.tables.closure import build_closure
from hoppers.runtime.builder import finish
from hoppers.runtime.lru_cache import LRUCache


class PegBoard:
    """Data of one peg board that all goals share: symmetries, position classes and reachable boards."""

    def __init__(self, shape: Board) -> None:
        self.jumps, self.symmetries = shape.jumps, shape.symmetries
        self.holes = len(shape.points)
        self.every = (1 << self.holes) - 1  # mask of all holes
        self.name = hashlib.sha256(repr(shape.jumps).encode()).hexdigest()[:12]  # the same for equal jumps
        self.starts = lru_cache(maxsize=4096)(self._starts)
        self.unreached_proofs = lru_cache(maxsize=4096)(self._find_unreached_proofs)
        self._reached: LRUCache[tuple[int, int], bool] = LRUCache(16_384)  # about 3 MB

    @cached_property
    def shifts(self) -> Shifts:
        """Lines of the board, grouped for kernels (see `jump_masks.Shifts`)."""
        return shift_groups(self.jumps)

    @cached_property
    def pagodas(self) -> PagodaSet:
        """Pagoda functions found so far in this process, for any goal."""
        return PagodaSet(self.jumps, self.holes, self.shifts)

    @cached_property
    def sets(self) -> list[int]:
        """Masks of the sets of holes whose parities of pegs define the position class."""
        return list(invariants(self.jumps, self.holes).values())

    @cached_property
    def class_ends(self) -> dict[tuple[int, ...], list[int]]:
        """Solved boards by the parities of their position class."""
        ends: dict[tuple[int, ...], list[int]] = {}
        for hole in range(self.holes):
            ends.setdefault(self.parities(1 << hole), []).append(1 << hole)
        return ends

    @property
    def supports_winning_tables(self) -> bool:
        """Whether winning tables fit into memory: keys have at most 29 bits (64 MB for a bit set)."""
        return self.holes - len(self.sets) <= 29

    def table_name(self, goal: int, start: int) -> str:
        """Return the storage name of the winning table of a goal (hole or ANYWHERE) and a start board."""
        return f"{self.name}-{goal}-{start:x}"

    def parities(self, state: int) -> tuple[int, ...]:
        """Return the parities, 0 or 1 for each of `sets`, that define the position class of a board."""
        return tuple((state & members).bit_count() & 1 for members in self.sets)

    def ends(self, goal: int, state: int) -> list[int]:
        """Return the solved boards for a goal (hole or ANYWHERE) in the position class of `state`."""
        ends = self.class_ends.get(self.parities(state), [])
        return [end for end in ends if goal == ANYWHERE or end == 1 << goal]

    def dead_reason(self, goal: int, state: int) -> str | None:
        """Return the code of a cheap proof that a board cannot reach a goal (hole or ANYWHERE), or None.

        "class": no solved board of the goal is in the board's class, which no jump leaves. "stuck": no jump
        is possible, or each leads to a board on which none is. "pagoda": pagoda functions exclude every
        solved board of the goal (see `dead_proof`).
        """
        reason = "class"
        for end in self.ends(goal, state):
            proofs = self.unreached_proofs(state, end)
            if proofs is None:
                return None
            reason = "pagoda" if proofs else "stuck"
        return reason

    def _find_unreached_proofs(self, state: int, end: int) -> list[WeightProof] | None:
        """Return the proofs of `dead_proof`, or a known pagoda function that proves the same."""
        known = self.pagodas.known_weights(state, end)
        if known is not None:  # jumps add no weight: a proof holds for all later boards
            return [(state, end, known)]
        proofs = dead_proof(self.jumps, self.holes, state, end)
        if proofs:
            self.pagodas.add(end, [weights for _, last, weights in proofs if last == end])
        return proofs

    def reaches(self, start: int, state: int) -> bool:
        """Return whether `state` proves reachable from `start`; if so, cache this. False may mean unknown."""
        before = [board for _, _, board in jumps_into(self.jumps, state)]
        is_known = start in (state, *before) or any((start, at) in self._reached for at in [state, *before])
        if not is_known and start not in self.starts(state):
            return False
        self.note_reached(start, state)
        return True

    def note_reached(self, start: int, state: int) -> None:
        """Cache that `state` can be reached from `start`, because boards one jump later are often queried."""
        self._reached.put((start, state), True)

    def _starts(self, state: int) -> list[int]:
        """Return the boards with one vacancy from which `state` can be reached.

        A jump taken back is a jump of the complement. The closure of the complement (everything reachable
        from it) therefore has the complements of all boards that lead to `state`. This closure is small,
        because `state` lacks few pegs. The result is empty if the closure is too large, or if `state` has
        fewer pegs than half of the holes.
        """
        if 2 * state.bit_count() < self.holes:
            return []
        most = 1_000_000  # far more predecessors than a board of many pegs has
        closure = finish(build_closure([self.every ^ state], ANYWHERE, self.shifts, most))
        if closure is None:
            return []
        singles = [1 << hole for hole in range(self.holes)]
        return [self.every ^ one for one in singles if closure.moves_left(Position(one)) != UNKNOWN]


@cached_in_puzzle
def peg_board(puzzle: Puzzle) -> PegBoard:
    """Return the data of a puzzle's board that its sources and builds share."""
    return PegBoard(puzzle.board)
