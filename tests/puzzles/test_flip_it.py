"""The theorem of docs/flip-it.md: its arrows, the cases of its lower bound, and its plans."""

import itertools
import json
import random
from collections.abc import Iterator
from math import comb

import pytest

from tests import ROOT
from tests.naive import Flips, fewest_moves_to_goals

TURNED = str.maketrans("<>", "><")
LEFT, RIGHT = str.maketrans("bw><", "><bw"), str.maketrans("bw<>", "<>bw")
"""Discs as arrows and arrows as discs, on either side of the gap."""
COUNTED = json.loads((ROOT / "docs" / "atlas" / "flips.json").read_text(encoding="utf-8"))


def most_moves(cells: int) -> int:
    """Return the number of moves that the theorem states."""
    return (cells + 1) // 2 + 3


def redrawn(row: str) -> str:
    """Return a row of discs as a row of arrows, or the other way round."""
    left, right = row.split("_")
    return left.translate(LEFT) + "_" + right.translate(RIGHT)


def all_rows(cells: int) -> Iterator[str]:
    """Yield all rows of arrows."""
    for gap in range(cells):
        for row in itertools.product("<>", repeat=cells - 1):
            yield "".join([*row[:gap], "_", *row[gap:]])


def after(row: str, *cells: int) -> str:
    """Return a row after the gap has gone to these cells, one after another."""
    for cell in cells:
        changed = list(row)
        changed[row.index("_")], changed[cell] = row[cell].translate(TURNED), "_"
        row = "".join(changed)
    return row


def plan(row: str, least: int) -> list[int]:
    """Return the cells to which the gap goes, so that all discs become white."""
    if row.count("<") > row.count(">"):
        return [len(row) - 1 - cell for cell in plan(row[::-1].translate(TURNED), least)]
    if row[0] == "_" and "<" not in row:
        return []
    first = first_cells(row, least)
    return [*first, *last_cells(after(row, *first), least)]


def holding(arrow: str, row: str, first: int) -> list[int]:
    """Return the cells from `first` on that hold an arrow."""
    return [cell for cell in range(first, len(row)) if row[cell] == arrow]


def first_cells(row: str, least: int) -> list[int]:
    """Return the first cells of a plan, after which cell 0 has `<`; if it had not, the last of them is c."""
    if row[0] == "<":
        return []
    first = [0] if row[0] == ">" else []
    if least == 2 and row[:2] == ">_":
        first = [holding("<" if row.count("<") >= 2 else ">", row, 3)[0], 0]
    free = holding(">", after(row, *first), least)
    return [*first, min(free, key=lambda cell: cell % 2 == 0)]


def last_cells(row: str, least: int) -> list[int]:
    """Return the other cells of a plan: those with `<`, by the classic rule first the odd ones."""
    gap, taken = row.index("_"), holding("<", row, 1)
    odd, even = ([cell for cell in taken if cell % 2 == rest] for rest in (1, 0))
    if least == 1:
        return [*taken, 0]
    free = [cell for cell in holding(">", row, 3) if cell % 2]
    if len(taken) <= 3:
        d, e = [cell for cell in free if not {cell - 1, cell + 1} & {gap, *taken}][:2]
        odd, even = [*odd, *[gap] * (gap % 2)], [*even, *[gap] * (1 - gap % 2)]
        return [d, e, *odd, d, *even, 0]
    if gap % 2 == 0 and len(odd) < 4:
        c = next(cell for cell in free if abs(cell - gap) != 1)
        return [c, *in_order(c, odd, [*even, gap])]
    return in_order(gap, odd, even)


def in_order(gap: int, odd: list[int], even: list[int]) -> list[int]:
    """Return the odd cells, the even ones and cell 0, none next to the one before; [] if there is none."""
    if not odd and not even:
        return [0]
    for cell in odd or even:
        others = [[other for other in group if other != cell] for group in (odd, even)]
        if abs(cell - gap) != 1 and (rest := in_order(cell, *others)):
            return [cell, *rest]
    return []


def is_solution(row: str, cells: list[int], least: int) -> bool:
    """Return whether the gap can go to these cells, and all discs are white then."""
    steps = itertools.pairwise([row.index("_"), *cells])
    return all(abs(to - origin) >= least for origin, to in steps) and "b" not in redrawn(after(row, *cells))


def long_rows() -> Iterator[str]:
    """Yield rows of 23 cells with few `<`, then random ones with different shares in odd and even cells."""
    for gap, a, b in itertools.product(range(23), repeat=3):
        yield "".join("_" if cell == gap else "<" if cell in (a, b) else ">" for cell in range(23))
    rng = random.Random(64)
    for cells in rng.choices(range(23, 27), k=10_000):
        shares = rng.choices((0, 0.1, 0.3, 0.5, 0.8, 1), k=2)
        row = ["<" if rng.random() < shares[cell % 2] else ">" for cell in range(cells)]
        row[rng.choice((0, 1, 2, rng.randrange(cells)))] = "_"
        yield "".join(row)


@pytest.mark.parametrize("least", [1, 2])
def test_a_move_takes_one_arrow_and_turns_it(least: int) -> None:
    for row in all_rows(7):
        found = {redrawn(result) for _, _, result, _ in Flips(least).steps(redrawn(row))}
        assert found == {after(row, cell) for cell in range(7) if abs(cell - row.index("_")) >= least}


@pytest.mark.parametrize(("a", "b"), [(2, 2), (3, 2), (2, 3), (3, 3), (4, 3), (3, 4), (4, 4), (5, 4), (4, 5)])
def test_black_rows_need_four_moves_more_than_wrong_arrows(a: int, b: int) -> None:
    text = "b" * a + "_" + "b" * b
    found = fewest_moves_to_goals(Flips(1), text, [str(goal) for goal in range(a + 1)])
    assert found == {str(goal): b + goal + 4 for goal in range(a + 1)}


@pytest.mark.parametrize("cells", range(5, 11))
def test_the_plan_with_slides_solves_every_position(cells: int) -> None:
    for row in all_rows(cells):
        cells_taken = plan(row, 1)
        assert len(cells_taken) <= most_moves(cells)
        assert is_solution(row, cells_taken, 1)


def test_plans_have_as_many_moves_as_the_proof_says() -> None:
    for row in (row for row in all_rows(9) if 1 <= row.count("<") <= 4):
        assert len(plan(row, 1)) - row.count("<") == {"_": 2, "<": 0, ">": 4}[row[0]]
    for row in long_rows():
        turned = min(row.count("<"), row.count(">"))
        assert len(plan(row, 2)) - turned <= (10 if turned <= 1 else 8 if turned <= 4 else 4)


def test_the_classic_plan_solves_rows_of_23_cells_or_more() -> None:
    for row in long_rows():
        cells_taken = plan(row, 2)
        assert len(cells_taken) <= most_moves(len(row)), row
        assert is_solution(row, cells_taken, 2), row


@pytest.mark.parametrize(("rule", "shortest"), [("slide", 5), ("classic", 9)])
def test_counted_rows_agree_with_the_theorem(rule: str, shortest: int) -> None:
    for cells in range(shortest, 23):
        assert COUNTED[f"{cells}-{rule}"]["moves"] == most_moves(cells)


def test_counted_numbers_with_slides_are_binomial() -> None:
    for cells in range(5, 23):
        expected = comb(cells - 4, (cells - 5) // 2) if cells % 2 else comb(cells - 2, (cells - 2) // 2)
        assert COUNTED[f"{cells}-slide"]["count"] == expected
