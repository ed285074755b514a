"""Proofs by levels: a slow twin with sets of holes finds the same boards, and tables the same answers."""

import itertools
import json

import pytest

from hoppers.core.model import DEAD
from hoppers.puzzles.pegs.pagoda import dead_proof
from hoppers.puzzles.pegs.peg_board import peg_board
from hoppers.puzzles.pegs.proofs.level_proof import level_proof
from hoppers.tablebase.atlas_data import vacated
from tests import ROOT, naive
from tests.support.engine import find

Pegs = frozenset[int]
BOARD, EARLY = "hoppers", 10
HOLES = frozenset(range(13))


def twin_jumps() -> list[tuple[int, int, int]]:
    twin = naive.rules(BOARD)
    assert isinstance(twin, naive.Pegs)
    return twin.jumps


def after(pegs: Pegs) -> list[Pegs]:
    return [pegs - {a, b} | {c} for a, b, c in twin_jumps() if {a, b} <= pegs and c not in pegs]


def exchanging(one: int, other: int) -> list[int] | None:
    """Return a symmetry of the drawing that exchanges two holes, or None: rotations and reflections."""
    twin = naive.rules(BOARD)
    assert isinstance(twin, naive.Pegs)
    middle = [sum(place[axis] for place in twin.places) / len(twin.places) for axis in (0, 1)]
    places = [(round(x - middle[0], 3), round(y - middle[1], 3)) for x, y in twin.places]
    for swaps, across, down in itertools.product((False, True), (1, -1), (1, -1)):
        moved = [(across * (y if swaps else x), down * (x if swaps else y)) for x, y in places]
        image = [places.index(place) for place in moved]
        if (image[one], image[other]) == (other, one):
            return image
    return None


def naive_levels(
    start: Pegs, last: int, ends: list[Pegs], functions: list[list[int]]
) -> tuple[dict[int, int], set[Pegs]]:
    def weighs(board: Pegs) -> list[int]:
        return [sum(weights[hole] for hole in board) for weights in functions]

    def may_reach(board: Pegs, end: Pegs) -> bool:
        return all(own >= wanted for own, wanted in zip(weighs(board), weighs(end), strict=True))

    level, sizes = {start}, {}
    for pegs in range(len(start) - 1, last - 1, -1):
        level = {
            board for before in level for board in after(before) if any(may_reach(board, end) for end in ends)
        }
        sizes[pegs] = len(level)
    return sizes, level


def functions_of_a_proof() -> list[list[int]]:
    """Return a function without effect and, of a problem without a solution, one that proves this."""
    puzzle = find(BOARD)
    proofs = (
        dead_proof(puzzle.board.jumps, puzzle.holes, vacated(puzzle, one).state, 1 << other)
        for one, other in itertools.permutations(range(puzzle.holes), 2)
    )
    return [[0] * puzzle.holes, next(proof for proof in proofs if proof)[0][2]]


@pytest.mark.parametrize("count", [1, 2])
def test_levels_are_those_of_the_slow_twin_and_table(count: int) -> None:
    puzzle, functions, answers = find(BOARD), functions_of_a_proof()[:count], set()
    for vacancy, end in [(6, 6), (0, 12), (0, 2), (2, 0), (1, 11), (3, 9), (3, 4), (5, 7)]:
        image = exchanging(vacancy, end)
        assert image is not None
        proof = level_proof(peg_board(puzzle), vacancy, end, functions, EARLY)
        early, last = naive_levels(HOLES - {vacancy}, EARLY, [frozenset([end])], functions)
        late = [frozenset(image[hole] for hole in HOLES - board) for board in last]
        middle, level = naive_levels(HOLES - {vacancy}, 7, late, functions)
        jumps = [board for before in level for board in after(before)]
        met = [board for board in jumps if frozenset(image[hole] for hole in HOLES - board) in level]
        assert proof == (early, middle, len(jumps), len(met)), (vacancy, end)
        is_dead = puzzle.source(end).moves_left(vacated(puzzle, vacancy)) == DEAD
        assert is_dead == (not met), (vacancy, end)
        answers.add(is_dead)
    assert answers == {True, False}


def test_functions_that_a_jump_increases_are_refused() -> None:
    with pytest.raises(ValueError, match="pagoda"):
        level_proof(peg_board(find(BOARD)), 6, 6, [[int(hole == 6) for hole in range(13)]], EARLY)


def test_holes_that_no_symmetry_exchanges_are_refused() -> None:
    with pytest.raises(ValueError, match="no symmetry"):
        level_proof(peg_board(find(BOARD)), 6, 0, [[0] * 13], EARLY)


def test_functions_of_the_atlas_are_pagodas_of_the_naive_board() -> None:
    twin = naive.rules("diamond-41")
    assert isinstance(twin, naive.Pegs)
    result = json.loads((ROOT / "docs/atlas/pegs-diamond-41.json").read_text())["1-39"]
    assert len(result["functions"]) == 4 and all(len(weights) == 41 for weights in result["functions"])
    assert all(
        weights[a] + weights[b] >= weights[c] for weights in result["functions"] for a, b, c in twin.jumps
    )
    assert result["early"][-1] == [35, 259]
    assert result["middle"][-1] == [21, 9_271_723] and result["jumps"] == 122_515_739
    assert result["proved"] and result["moves"] is None and result["reason"] == "levels"
