"""Searches that run in the page."""

from hoppers.core.puzzle import Puzzle
from hoppers.puzzles import PUZZLES

LIMITS = "(rows) => rows.map((row) => Number(row.dataset.limit))"


def endless_puzzle() -> Puzzle:
    """Return a puzzle for which iterative deepening never ends."""
    tiles = [puzzle for puzzle in PUZZLES.values() if "manhattan" in puzzle.solving.methods]
    return max(tiles, key=lambda puzzle: puzzle.holes)
