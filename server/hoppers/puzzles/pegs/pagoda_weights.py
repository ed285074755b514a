"""Weights of pagoda functions (see `pagoda`), found by linear programs: the best ones, or the simplest.

The solution of a linear program is in floating point. It is turned into whole numbers, and only these are
trusted, after every jump has been checked against them.
"""

import threading
from collections.abc import Iterable, Sequence
from functools import cache
from math import gcd

import highspy
import numpy as np

from hoppers.puzzles.pegs.jump_masks import JumpList, holes_of

SCALES = 1, 2, 3, 4, 6, 12  # factors that turn the fractions of the best weights into whole numbers
MAX_SCALE = 12  # largest factor for the simplest weights
LEAST_LACK = 1 / 24
"""Least amount, with weights from -1 to 1, by which a board must weigh less than its end for a proof: half of
1/12, the smallest difference of the fractions that `weights_that_prove` tries."""


def is_pagoda(weights: Sequence[int], jumps: JumpList) -> bool:
    """Return whether `weights` is a pagoda function: no jump increases the total weight of the pegs."""
    return all(weights[a] + weights[b] >= weights[c] for a, b, c in jumps)


def weights_that_prove(jumps: JumpList, holes: int, state: int, end: int) -> list[int] | None:
    """Return whole weights that prove that `end` cannot be reached from `state`; None if none are found."""
    if not may_prove(jumps, holes, state, end):
        return None
    return _whole_weights(jumps, best_weights(jumps, holes, state, end), state, end, SCALES)


def simplest_weights(jumps: JumpList, holes: int, state: int, end: int) -> list[int] | None:
    """Return whole weights that prove that `end` cannot be reached from `state`, with the least sum of sizes.

    The sum is the least over all fractions by which `end` outweighs `state` by 1; the result is the smallest
    multiple of these in whole numbers. None: there are none, or their denominators exceed MAX_SCALE.
    """
    fractions = _least_sizes(jumps, holes, state, end)
    whole = _whole_weights(jumps, fractions, state, end, range(1, MAX_SCALE + 1)) if fractions else None
    return [weight // gcd(*whole) for weight in whole] if whole else None


def _whole_weights(
    jumps: JumpList, fractions: Sequence[float], state: int, end: int, scales: Iterable[int]
) -> list[int] | None:
    """Return the first multiple of `fractions` that is, rounded, a pagoda function by which `end` outweighs.

    None: no factor of `scales` gives one.
    """
    for scale in scales:
        whole = [round(weight * scale) for weight in fractions]
        if is_pagoda(whole, jumps) and _weight(whole, state) < _weight(whole, end):
            return whole
    return None


def _weight(weights: Sequence[int], state: int) -> int:
    return sum(weights[hole] for hole in holes_of(state))


def may_prove(jumps: JumpList, holes: int, state: int, end: int) -> bool:
    """Return whether some pagoda function makes `end` outweigh `state` by LEAST_LACK or more, as proofs need.

    Weights are from -1 to 1. This takes a third of the time of `best_weights`, because the linear program
    starts at the solution of the previous call. The weights found depend on that call, but the difference
    that they reach does not.
    """
    least, _ = _least_difference(jumps, holes, state, end, starts_warm=True)
    return least <= -LEAST_LACK


def best_weights(jumps: JumpList, holes: int, state: int, end: int) -> list[float]:
    """Return the pagoda function, with weights from -1 to 1, by which `end` outweighs `state` the most."""
    _, weights = _least_difference(jumps, holes, state, end, starts_warm=False)
    return weights


def _least_difference(
    jumps: JumpList, holes: int, state: int, end: int, starts_warm: bool
) -> tuple[float, list[float]]:
    """Minimise the weight of `state` minus that of `end` over all pagoda functions with weights from -1 to 1.

    Return the minimum and the weights that give it. `starts_warm`: start at the solution of the previous
    call, on which the weights found then depend.
    """
    cost = np.array([(state >> hole & 1) - (end >> hole & 1) for hole in range(holes)], float)
    solver, lock = _program(jumps, holes)
    with lock:
        if not starts_warm:
            solver.clearSolver()
        solver.changeColsCost(holes, np.arange(holes, dtype=np.int32), cost)
        solver.run()
        return solver.getObjectiveValue(), list(solver.getSolution().col_value)


@cache
def _program(jumps: JumpList, holes: int) -> tuple[highspy.Highs, threading.Lock]:
    """Return a solver with the linear program of a board, all costs 0, and the lock for its use.

    Both are cached, because building the program takes longer than solving it.
    """
    program = highspy.HighsLp()
    program.num_col_, program.num_row_ = holes, len(jumps)
    program.col_cost_ = np.zeros(holes)
    program.col_lower_, program.col_upper_ = np.full(holes, -1.0), np.full(holes, 1.0)
    program.row_lower_, program.row_upper_ = np.zeros(len(jumps)), np.full(len(jumps), highspy.kHighsInf)
    program.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    program.a_matrix_.start_ = np.arange(0, 3 * len(jumps) + 1, 3)
    program.a_matrix_.index_ = np.array(jumps).reshape(-1)
    program.a_matrix_.value_ = np.tile([1.0, 1.0, -1.0], len(jumps))
    solver = _new_solver()
    solver.setOptionValue("presolve", "off")
    solver.passModel(program)
    return solver, threading.Lock()


def _least_sizes(jumps: JumpList, holes: int, state: int, end: int) -> list[float]:
    """Return the pagoda function with the least sum of sizes by which `end` outweighs `state` by 1 or more.

    Each weight is the difference of two variables that are not negative. The list is empty if there is none.
    """
    solver = _new_solver()
    for _ in range(2 * holes):
        solver.addCol(1.0, 0.0, highspy.kHighsInf, 0, [], [])
    lack = [(hole, (end >> hole & 1) - (state >> hole & 1)) for hole in range(holes)]
    rows = [((a, 1), (over, 1), (target, -1)) for a, over, target in jumps]
    for least, row in [(0.0, row) for row in rows] + [(1.0, tuple(term for term in lack if term[1]))]:
        columns = [hole + half for hole, _ in row for half in (0, holes)]
        values = [float(sign * factor) for _, factor in row for sign in (1, -1)]
        solver.addRow(least, highspy.kHighsInf, len(columns), columns, values)
    solver.run()
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return []
    values = list(solver.getSolution().col_value)
    return [plus - minus for plus, minus in zip(values[:holes], values[holes:], strict=True)]


def _new_solver() -> highspy.Highs:
    """Return a solver of linear programs that prints nothing."""
    solver = highspy.Highs()  # type: ignore[no-untyped-call]
    solver.setOptionValue("output_flag", False)
    return solver
