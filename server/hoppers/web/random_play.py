"""How often random play solves a problem, in words."""

import math

from hoppers.analysis.atlas_results import known_result
from hoppers.core.puzzle import Puzzle
from hoppers.web.http.i18n import format_decimal, gettext

SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
LONG_POWER = 9
"""Power of ten from which on numbers of games are written with it."""


def fewest_text(bits: float) -> str:
    """Return in words how often random play needs the fewest moves: once in 2 ** `bits` games."""
    games = games_for_one(bits)
    return str(gettext("random play solves it in the fewest moves once in {games} games", games=games))


def solve_text(bits: float) -> str:
    """Return in words how often random play solves a problem: once in 2 ** `bits` games."""
    return str(gettext("random play solves it once in {games} games", games=games_for_one(bits)))


def fact_about(puzzle: Puzzle, start: str, goal: str) -> str:
    """Return how often random play solves a problem, or '' if the atlas has no chance of it."""
    known = known_result(puzzle, start, goal)
    if known is None or known.bits is None:
        return ""
    if known.solve_bits is None:
        return fewest_text(known.bits)
    return solve_text(known.bits)


def games_for_one(bits: float) -> str:
    """Return the number of games among which one is expected, as people write numbers.

    Bits have two decimals, so that about two digits of the number are known, and no more are shown.
    """
    games = 2**bits
    power = math.floor(math.log10(games))
    if power < LONG_POWER:
        return format_decimal(round(games, 1 - power), "#,##0.#")
    return f"{format_decimal(round(games / 10**power, 1), '0.0')} × 10{str(power).translate(SUPERSCRIPTS)}"
