"""Certificates of peg solitaire: claims about a position with a proof that another program can check.

docs/certificates.md has the format; data/check_certificate.py is such a program.
"""

import hashlib
import itertools
from collections.abc import Iterable, Sequence
from functools import reduce
from operator import xor
from typing import Any, NamedTuple

import numpy as np

from hoppers.core.model import DEAD, NO_SOLUTION, Position
from hoppers.core.numbering import with_mark
from hoppers.core.puzzle import Certificate, Puzzle, cached_in_puzzle
from hoppers.puzzles.pegs.jump_masks import holes_of, jumps_from, jumps_into
from hoppers.puzzles.pegs.peg_board import PegBoard, peg_board
from hoppers.puzzles.pegs.proofs.level_proof import exchanging
from hoppers.puzzles.pegs.rules import ANYWHERE
from hoppers.puzzles.pegs.tables.complete_table import MAX_HOLES

MAX_ENDS = 2_500  # pairs of a board and an end that functions have to exclude


class Function(NamedTuple):
    """Weights of the holes. Their sum over the pegs never rises, or never changes modulo 2 if `is_parity`."""

    weights: tuple[int, ...]
    is_parity: bool = False

    def excludes(self, pair: tuple[int, int]) -> bool:
        """Return whether no jumps lead from the first board of a pair to the second."""
        before, after = (sum(self.weights[hole] for hole in holes_of(board)) for board in pair)
        return (before - after) % 2 == 1 if self.is_parity else before < after


def certificate(puzzle: Puzzle, position: Position, goal: int, line: str) -> Certificate | None:
    """Return the certificate of a position and a goal (hole or ANYWHERE), or None if there is none.

    Functions that show that there is no solution come first, then the digest of the complete table, then the
    best known solution `line`, as in links, which shows how many moves suffice; '' for none.
    """
    proof = _functions_proof(peg_board(puzzle), position.state, goal)
    if proof is not None:
        return certificate_with(puzzle, position, goal, "impossible", proof)
    if puzzle.holes <= MAX_HOLES:
        left = puzzle.source(goal).moves_left(position)
        claim = "impossible" if left == DEAD else {"moves": left}
        return certificate_with(
            puzzle, position, goal, claim, {"kind": "table", "sha256": _digest(puzzle, goal)}
        )
    return line_certificate(puzzle, position, goal, line) if line else None


def line_certificate(puzzle: Puzzle, position: Position, goal: int, line: str) -> Certificate:
    """Return the certificate that as many moves suffice as a solution has (`line`, as in links)."""
    moves = line.split(".")
    most = len(moves) - (moves[0].split("-")[0] == str(position.active))
    return certificate_with(puzzle, position, goal, {"most": most}, {"kind": "line", "line": line})


def certificate_with(
    puzzle: Puzzle, position: Position, goal: int, claim: Any, proof: dict[str, Any]
) -> Certificate:
    """Return the certificate of a claim about a position and a goal with its proof."""
    return {
        "board": {"rows": puzzle.board.rows, "lines": [list(way) for way in puzzle.board.directions]},
        "start": puzzle.format(position),
        "goal": puzzle.goal_text(goal),
        "claim": claim,
        "proof": proof,
    }


def levels_certificate(
    puzzle: Puzzle,
    position: Position,
    goal: int,
    functions: Iterable[Sequence[int]],
    ahead: int,
    sizes: Sequence[int],
) -> Certificate:
    """Return the certificate that a problem with one vacancy has no solution, by levels (see `level_proof`).

    `ahead`: number of levels before the one that gives the late boards. `sizes`: boards of each level.
    """
    board = peg_board(puzzle)
    vacancy = (position.state ^ board.every).bit_length() - 1
    symmetry = exchanging(board, vacancy, goal)
    proof = {
        "kind": "levels",
        "functions": [{"weights": list(weights)} for weights in functions],
        "symmetry": list(symmetry),
        "ahead": ahead,
        "sizes": list(sizes),
    }
    return certificate_with(puzzle, position, goal, "impossible", proof)


def _functions_proof(board: PegBoard, state: int, goal: int) -> dict[str, Any] | None:
    """Return a proof by functions that a goal cannot be reached from a state, or None if none is known.

    A board after a first jump on which no jump is possible is excluded by looking one jump further ahead.
    """
    pegs = state & board.every
    weighed = [board.unreached_proofs(pegs, end) for end in board.ends(goal, pegs)]
    if None in weighed:
        return None
    proofs = [proof for found in weighed for proof in found or ()]
    parities = [reduce(xor, sets) for n in range(1, 4) for sets in itertools.combinations(board.sets, n)]
    functions = [
        *(Function(tuple(weights)) for weights in dict.fromkeys(tuple(proof[2]) for proof in proofs)),
        *(Function(tuple(members >> hole & 1 for hole in range(board.holes)), True) for members in parities),
    ]
    ends = {1 << hole for hole in range(board.holes) if goal in (ANYWHERE, hole)}
    for first, last in ((0, 0), (1, 0), (0, 1), (1, 1), (2, 0), (2, 1)):
        if first + last < pegs.bit_count():
            chosen = _chosen(functions, _pairs(board, {pegs}, ends, first, last))
            if chosen is not None:
                return {"kind": "functions", "functions": chosen, "first": first, "last": last}
    return None


def _pairs(
    board: PegBoard, early: set[int], late: set[int], first: int, last: int
) -> list[tuple[int, int]] | None:
    """Return all pairs of a board `first` jumps after `early` and one `last` jumps before `late`."""
    for _ in range(first):
        early = {after for state in early for _, _, after in jumps_from(board.jumps, state)}
    for _ in range(last):
        late = {before for state in late for _, _, before in jumps_into(board.jumps, state)}
    return [*itertools.product(early, late)] if len(early) * len(late) <= MAX_ENDS else None


def _chosen(
    functions: Sequence[Function], pairs: Iterable[tuple[int, int]] | None
) -> list[dict[str, Any]] | None:
    """Return few of the functions that together exclude all pairs, or None if one is not excluded.

    The function that excludes most of the pairs that are left is taken next.
    """
    if pairs is None:
        return None
    excluded = [{pair for pair in pairs if one.excludes(pair)} for one in functions]
    left, chosen = {*pairs}, list[dict[str, Any]]()
    while left:
        number = max(range(len(functions)), key=lambda index: len(excluded[index] & left), default=-1)
        if number < 0 or not excluded[number] & left:
            return None
        left -= excluded[number]
        weights, is_parity = functions[number]
        chosen.append({"weights": list(weights), **({"modulo": 2} if is_parity else {})})
    return chosen


@cached_in_puzzle
def _digest(puzzle: Puzzle, goal: int) -> str:
    """Return the SHA-256 of the fewest moves of all boards, a byte each, 255 where there is no solution.

    With a red peg, the boards of all holes that it may be in follow one another; a board has its bit, too.
    """
    holes, moves = puzzle.holes, puzzle.source(goal).moves_by_number()
    if not puzzle.rules.unique:
        return hashlib.sha256(moves.tobytes()).hexdigest()
    every = np.full(holes << holes, NO_SOLUTION, np.uint8)
    others, reds = with_mark(np.arange(len(moves), dtype=np.int64), holes)
    every[reds << holes | others | np.int64(1) << reds] = moves
    return hashlib.sha256(every.tobytes()).hexdigest()
