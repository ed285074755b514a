"""The corner bound as it was published, which is wrong; one lesson shows how, and nothing else uses it."""

from typing import Any

from hoppers.core.kernels import kernel
from hoppers.core.model import Words
from hoppers.puzzles.pegs.bitboards.jump_masks import popcount
from hoppers.puzzles.pegs.lower_bounds import STYLE
from hoppers.puzzles.pegs.rules import RULES
from hoppers.search.iterative_deepening import deepening_method


@kernel
def misprinted_corner_bound(state: Any, active: int, goal: int, tables: Any) -> int:
    """All pegs in corners, also the one in hand, which may go on within its move: too many."""
    return int(popcount(state & tables.corners[()]))


MISPRINT = deepening_method(
    Words("Corner bound as published (wrong)", "発表された隅の下界（誤り）"),
    Words(
        "It also counts the peg in hand, which may go on in the same move, and so cuts ways that are open.",
        "同じ手で続けて動ける、手に持ったペグまで数えるので、まだ開いている手順を打ち切ってしまいます。",
    ),
    RULES,
    STYLE,
    "misprint",
    misprinted_corner_bound,
)
