"""Lower bounds, invariants, pagoda functions and the bidirectional search of peg boards."""

import random
from collections import Counter

import numpy as np
import pytest

from hoppers.core.events import Exhausted, Progress, Solved, Unsolvable
from hoppers.core.model import DEAD, Position
from hoppers.core.puzzle import Puzzle, Question
from hoppers.puzzles.pegs.jump_masks import invariants, merson_regions
from hoppers.puzzles.pegs.lower_bounds import (
    merson_bound,
    region_bound,
    region_marks,
    region_rules,
    useful_jumps,
)
from hoppers.puzzles.pegs.pagoda import WeightProof, dead_proof, is_pagoda
from hoppers.puzzles.pegs.rules import ANYWHERE
from hoppers.tablebase.atlas_data import vacated
from tests.puzzles.pegs.positions import PEG_BOARDS
from tests.support.checked_solutions import check_solution
from tests.support.engine import find
from tests.support.weight_proofs import proves_dead


@pytest.mark.parametrize("puzzle_id", PEG_BOARDS)
def test_invariants_span_the_null_space(puzzle_id: str) -> None:
    board = find(puzzle_id).board
    sets = invariants(board.jumps, len(board.points))
    lines = {1 << a | 1 << b | 1 << c for a, b, c in board.jumps}
    assert all((line & members).bit_count() % 2 == 0 for line in lines for members in sets.values())
    assert all(members >> hole & 1 for hole, members in sets.items())
    assert len(sets) == len(board.points) - rank(lines)


def rank(rows: set[int]) -> int:
    """Return the rank over the field of two elements of a matrix whose rows are bit masks."""
    basis: list[int] = []
    for row in rows:
        for other in basis:
            row = min(row, row ^ other)
        basis += [row] if row else []
    return len(basis)


@pytest.mark.parametrize("puzzle_id", PEG_BOARDS)
def test_regions_cannot_be_entered_while_full(puzzle_id: str) -> None:
    board = find(puzzle_id).board
    for region in merson_regions(board.jumps, len(board.points)):
        over = [(a, c) for a, b, c in board.jumps if region >> b & 1]
        assert all(region >> a & 1 or region >> c & 1 for a, c in over)


def test_regions_of_the_published_boards() -> None:
    sizes = {
        name: [r.bit_count() for r in merson_regions(find(name).board.jumps, find(name).holes)]
        for name in ("triangle-21", "english-33")
    }
    assert sizes["triangle-21"] == [1] * 6 + [2] * 6 + [3] * 3
    assert sizes["english-33"].count(1) == 8


@pytest.mark.parametrize("goal", [6, 0, 12, -1])
def test_bounds_on_triangle_21_are_never_too_high(goal: int) -> None:
    puzzle = find("triangle-21")
    source, rng, rules = puzzle.source(goal), random.Random(goal), region_rules(puzzle, goal)
    for _ in range(15_000):
        state = rng.getrandbits(21) | 1 << rng.randrange(21)
        active = rng.choice([-1, *(hole for hole in range(21) if state >> hole & 1)])
        left = source.moves_left(Position(state, active))
        assert left == DEAD or merson_bound(np.uint64(state), active, goal, rules) <= left
        assert left == DEAD or region_bound(np.uint64(state), active, goal, rules) <= left


@pytest.mark.parametrize("puzzle_id", PEG_BOARDS)
def test_merson_bound_counts_regions_greedily(puzzle_id: str) -> None:
    puzzle, rng = find(puzzle_id), random.Random(puzzle_id)
    regions = merson_regions(puzzle.board.jumps, puzzle.holes)
    for _ in range(500):
        state = rng.getrandbits(puzzle.holes) | rng.getrandbits(puzzle.holes)
        active = rng.choice([-1, *(hole for hole in range(puzzle.holes) if state >> hole & 1)])
        left, count = state & ~(1 << active) if active >= 0 else state, 0
        for region in regions:
            if left & region == region:
                left, count = left & ~region, count + 1
        assert merson_bound(np.uint64(state), active, 0, puzzle.rules.tables) == count


@pytest.mark.parametrize("puzzle_id", PEG_BOARDS)
@pytest.mark.parametrize("goal", [4, -1])
def test_marks_of_the_region_bound_add_up(puzzle_id: str, goal: int) -> None:
    puzzle, rng = find(puzzle_id), random.Random(puzzle_id)
    rules = region_rules(puzzle, goal)
    for _ in range(500):
        state = rng.getrandbits(puzzle.holes) | rng.getrandbits(puzzle.holes)
        active = rng.choice([-1, *(hole for hole in range(puzzle.holes) if state >> hole & 1)])
        marks = region_marks(puzzle, Position(state, active), goal)
        holes = [hole for _, cells in marks for hole in cells]
        assert len(set(holes)) == len(holes) and all(state >> hole & 1 for hole in holes)
        assert sum(moves for moves, _ in marks) == region_bound(np.uint64(state), active, goal, rules)


@pytest.mark.parametrize("goal", [6, 9, 0])
def test_jumps_removed_by_the_peg_type_rule_are_fatal(goal: int) -> None:
    puzzle = find("triangle-21")
    source, rng, tight = puzzle.source(goal), random.Random(goal), 0
    corners = sum(1 << hole for hole in (0, 1, 12, 18, 19, 20))
    for _ in range(1200):
        position = Position(rng.getrandbits(21) | corners & rng.getrandbits(21))
        useful = useful_jumps(puzzle.board.jumps, 21, position.state, goal)
        tight += useful != puzzle.board.jumps
        pairs = {(a, c) for a, _, c in useful}
        for step in puzzle.legal_steps(position):
            if (step.origin, step.target) not in pairs:
                assert source.moves_left(step.after) == DEAD
    assert (tight > 0) == (goal != 0)


def test_peg_type_rule_removes_nothing_for_other_goals() -> None:
    jumps = find("triangle-21").board.jumps
    start = (1 << 21) - 1 ^ 1 << 6
    assert useful_jumps(jumps, 21, start, 6) != jumps
    assert useful_jumps(jumps, 21, start, 0) == useful_jumps(jumps, 21, start, -1) == jumps


def search(puzzle: Puzzle, method: str, position: Position, goal: int) -> object:
    question = Question(puzzle, goal, position)
    events = [e for e in puzzle.method(method).search(question) if not isinstance(e, Progress)]
    limits = [event.limit for event in events if isinstance(event, Exhausted)]
    assert limits == sorted(set(limits))
    if isinstance(events[-1], Solved):
        check_solution(question, events[-1])
    return events[-1]


def test_pagoda_functions_prove_twelve_problems_of_diamond_41_dead() -> None:
    puzzle = find("diamond-41")
    kinds = {
        min((image[start], image[end]) for image in puzzle.board.symmetries)
        for start in range(41)
        for end in range(41)
        if puzzle.rules.obstruction(vacated(puzzle, start), end) != "class"
    }
    dead = {(start, end) for start, end in kinds if puzzle.rules.obstruction(vacated(puzzle, start), end)}
    assert kinds - dead == {(1, 3), (1, 18), (1, 39), (6, 9), (6, 34)}
    assert len(dead) == 12 and {(0, 25), (0, 40), (1, 24)} < dead
    assert puzzle.rules.obstruction(vacated(puzzle, 0), ANYWHERE) == "pagoda"
    assert puzzle.rules.obstruction(vacated(puzzle, 1), ANYWHERE) is None
    assert puzzle.rules.obstruction(vacated(puzzle, 6), 12) == "pagoda"
    assert search(puzzle, "bidirectional", vacated(puzzle, 6), 12) == Unsolvable("pagoda", 0, 0.0)


@pytest.mark.parametrize("puzzle_id", ["hoppers", "diamond-13", "triangle-15", "triangle-21"])
def test_cheap_proofs_never_reject_a_solvable_position(puzzle_id: str) -> None:
    puzzle, rng, kinds = find(puzzle_id), random.Random(9), Counter[str]()
    for _ in range(1500):
        pegs = rng.sample(range(puzzle.holes), rng.randint(1, puzzle.holes))
        state, goal = sum(1 << hole for hole in pegs), rng.randrange(puzzle.holes)
        proofs = dead_proof(puzzle.board.jumps, puzzle.holes, state, 1 << goal)
        if proofs is None:
            kinds["undecided"] += 1
            continue
        kinds["stuck" if not proofs else "both" if proofs_of_pairs(state, 1 << goal, proofs) else "one"] += 1
        assert puzzle.source(goal).moves_left(Position(state)) == DEAD
        assert proves_dead(puzzle_id, frozenset(pegs), goal, proofs)
    assert min(kinds[kind] for kind in ("undecided", "stuck", "both", "one")) > 0, kinds


def proofs_of_pairs(state: int, end: int, proofs: list[WeightProof]) -> bool:
    return all(first != state and last != end for first, last, _ in proofs)


@pytest.mark.parametrize("puzzle_id", ["french-37", "diamond-41"])
def test_positions_without_jumps_are_dead_at_once(puzzle_id: str) -> None:
    puzzle = find(puzzle_id)
    full = Position((1 << puzzle.holes) - 1)
    reasons = {puzzle.rules.obstruction(full, goal) for goal in (ANYWHERE, *range(puzzle.holes))}
    assert reasons <= {"class", "stuck"}


def test_is_pagoda_checks_every_jump() -> None:
    jumps = find("hoppers").board.jumps
    assert is_pagoda([1] * 13, jumps)
    assert not is_pagoda([0] * 6 + [1] + [0] * 6, jumps)
