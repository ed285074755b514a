"""Measured facts about problems in words."""

from flask_babel import format_decimal, gettext

from hoppers.analysis.atlas_results import known_result
from hoppers.atlas.difficulty import MAX_PEGS
from hoppers.core.puzzle import Puzzle


def difficulty_text(difficulty: float) -> str:
    """Return in words how often random play needs the fewest moves: once in 2 ** `difficulty` games."""
    return str(
        gettext("random play solves it in the fewest moves once in %(games)s games", games=_games(difficulty))
    )


def fact_about(puzzle: Puzzle, start: str, goal: str) -> str:
    """Return how often random play solves a problem, or '' if the atlas has no exact chance of it."""
    bits = getattr(known_result(puzzle, start, goal), "difficulty_bits", None)
    if bits is None or puzzle.holes > MAX_PEGS:  # measured from a later position
        return ""
    if not puzzle.rules.multi_step_moves:
        return difficulty_text(bits)
    return str(gettext("random play solves it once in %(games)s games", games=_games(bits)))


def _games(bits: float) -> str:
    """Return the number of games among which one is expected, as people write numbers."""
    return str(format_decimal(round(2**bits)))
