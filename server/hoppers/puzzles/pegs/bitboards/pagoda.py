"""Proofs by weight: a pagoda function gives every hole a weight such that no jump increases the total.

For every jump the two pegs before it weigh at least as much as the one after it. A position that weighs less
than its goal can therefore never reach it (Berlekamp, Conway and Guy, "Winning Ways", 1982). The best weights
for a position and a goal are the solution of a linear program. The solution in floating point is rounded to
whole numbers, and only the whole numbers are trusted, after every jump has been checked against them.
"""

import threading
from collections.abc import Callable, Sequence
from functools import cache, lru_cache

import highspy
import numpy as np

from hoppers.puzzles.pegs.bitboards.jump_masks import JumpList

DENOMINATORS = (1, 2, 3, 4, 6, 12)
"""Denominators of weights to try. Optimal weights are simple fractions; other solutions are dropped."""
MIN_GAP = 1 / 24
"""Smallest difference of weights to accept: half the smallest difference of such fractions."""


def proves_dead(jumps: JumpList, holes: int) -> Callable[[int, int], bool]:
    """Return a cached predicate (board, end): whether a pagoda function proves that `end` is unreachable."""

    @lru_cache(maxsize=4096)
    def proved(state: int, end: int) -> bool:
        return weights_that_prove(jumps, holes, state, end) is not None

    return proved


def weights_that_prove(jumps: JumpList, holes: int, state: int, end: int) -> list[int] | None:
    """Return whole weights that prove that the board `end` cannot be reached from `state`, or None."""
    weights = best_weights(jumps, holes, state, end)
    if _weight(weights, state) > _weight(weights, end) - MIN_GAP:
        return None
    for denominator in DENOMINATORS:
        whole = [round(weight * denominator) for weight in weights]
        if is_pagoda(whole, jumps) and _weight(whole, state) < _weight(whole, end):
            return whole
    return None


def is_pagoda(weights: list[int], jumps: JumpList) -> bool:
    """Return whether `weights` is a pagoda function: no jump increases the total weight of the pegs."""
    return all(weights[a] + weights[b] >= weights[c] for a, b, c in jumps)


def _weight(weights: Sequence[float], state: int) -> float:
    return sum(weight for hole, weight in enumerate(weights) if state >> hole & 1)


def best_weights(jumps: JumpList, holes: int, state: int, end: int) -> list[float]:
    """Return the weights, from -1 to 1, by which the board `end` outweighs `state` most (linear program)."""
    cost = np.array([(state >> hole & 1) - (end >> hole & 1) for hole in range(holes)], float)
    solver, lock = _program(jumps, holes)
    with lock:
        solver.clearSolver()  # no warm start: the result must not depend on earlier calls
        solver.changeColsCost(holes, np.arange(holes, dtype=np.int32), cost)
        solver.run()
        return list(solver.getSolution().col_value)


@cache
def _program(jumps: JumpList, holes: int) -> tuple[highspy.Highs, threading.Lock]:
    """Return the linear program of a board, without costs, and a lock for its use.

    Building the program takes longer than solving it.
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
    solver = highspy.Highs()  # type: ignore[no-untyped-call]
    for option, value in (("output_flag", False), ("presolve", "off")):
        solver.setOptionValue(option, value)
    solver.passModel(program)
    return solver, threading.Lock()
