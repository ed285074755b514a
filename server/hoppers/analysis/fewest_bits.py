"""Fewest bits of a position: -log2 of the chance that random play solves it in the fewest moves.

Random play picks each step uniformly among the legal ones. One bit more halves its chance. Another measure,
of peg boards alone, is the chance that random play solves it at all: see `atlas.solve_bits`.
"""

import math

import numpy as np

from hoppers.core.model import MovesLeft, Position
from hoppers.core.puzzle import Puzzle
from hoppers.runtime.builder import finish
from hoppers.tablebase.solutions import SolutionGraph, solution_graph

MAX_POSITIONS = 4_000  # on shortest solutions of a position that is measured


def fewest_bits(puzzle: Puzzle, goal: int, position: Position, moves_left: MovesLeft) -> float:
    """Return the fewest bits of a solvable position. `moves_left`: exact for every position that follows.

    Raises:
        GivenUp: more than `MAX_POSITIONS` positions are on shortest solutions.
    """
    return fewest_bits_of_graph(
        puzzle, finish(solution_graph(puzzle, goal, position, moves_left, MAX_POSITIONS))
    )


def fewest_bits_of_graph(puzzle: Puzzle, graph: SolutionGraph) -> float:
    """Return the fewest bits of the first position of `graph`, which must be solvable."""
    chances, solved = np.zeros(len(graph.states)), []
    chances[0] = 1.0
    for number in range(len(chances)):  # all steps lead to higher numbers
        steps = graph.steps_at(number)
        if not steps:
            solved.append(float(chances[number]))
            continue
        share = chances[number] / len(puzzle.legal_steps(graph.position(number)))
        for _, after in steps:
            chances[after] += share
    return in_bits(math.fsum(solved))


def in_bits(chance: float) -> float:
    """Return a chance in bits, with two decimals."""
    return round(-math.log2(chance), 2)
