"""A program that solves a linear program, and prints nothing else than its answer."""

LINEAR_PROGRAM = """
from hoppers.puzzles.pegs.pagoda import weights_that_prove

jumps = ((0, 1, 2), (2, 1, 0))
assert weights_that_prove(jumps, 3, 0b001, 0b100)
assert weights_that_prove(jumps, 3, 0b011, 0b100) is None
"""
"""Program that solves the linear programs of two pairs of boards of three holes."""
