"""Methods of iterative deepening for the 8-puzzle and the 15-puzzle, from weak to strong bounds."""

from hoppers.core.events import Marks
from hoppers.core.kernels import Kernel
from hoppers.core.model import Position, Words
from hoppers.core.puzzle import Method, Puzzle
from hoppers.core.rules import word
from hoppers.puzzles.sliding.lower_bounds import (
    BoundTables,
    bound_tables,
    conflicts,
    linear_conflict,
    manhattan,
    walk_lengths,
    walking_distance,
)
from hoppers.puzzles.sliding.rules import BITS, KERNELS
from hoppers.search.iterative_deepening import Style, deepening_method, plain_method
from hoppers.search.trace import no_marks

STRICT = Style(chains=False)
AS_PUBLISHED = Style(chains=False, slack=1)
"""Style of the published program, for equal node counts. Its bound test is one move too loose."""


def _tables(puzzle: Puzzle) -> BoundTables:
    return bound_tables(int(puzzle.holes**0.5))


def distance_marks(puzzle: Puzzle, position: Position, goal: int) -> Marks:
    """Return (Manhattan distance, cell) for each tile that is not home, as marks."""
    distances = puzzle.rules.tables.distances
    cells = [(cell, position.state >> BITS * cell & 15) for cell in range(puzzle.holes)]
    return tuple((int(distances[at]), (at[0],)) for at in cells if distances[at])


def conflict_marks(puzzle: Puzzle, position: Position, goal: int) -> Marks:
    """Return `distance_marks`, and for each row and column the cells of tiles that block each other.

    The number of such a group is 2 for each tile that must leave the row or column.
    """
    side, found = int(puzzle.holes**0.5), distance_marks(puzzle, position, goal)
    for line, stride in ((line, stride) for stride in (1, side) for line in range(side)):
        first = line * side if stride == 1 else line
        cells = tuple(first + place * stride for place in range(side))
        aside = int(conflicts(word(position.state), side, first, stride, line, stride == 1))
        if aside:
            found += ((2 * aside, _blocking_cells(position, cells)),)
    return found


def _blocking_cells(position: Position, cells: tuple[int, ...]) -> tuple[int, ...]:
    """Return the cells whose tiles have their homes in `cells` and block another such tile."""
    here = [(cell, (position.state >> BITS * cell & 15) - 1) for cell in cells]
    own = [(cell, home) for cell, home in here if home in cells]
    return tuple(cell for cell, home in own if any((cell - other) * (home - away) < 0 for other, away in own))


def walking_marks(puzzle: Puzzle, position: Position, goal: int) -> Marks:
    """Return tiles outside their rows with the fewest vertical moves, and likewise for columns."""
    side = int(puzzle.holes**0.5)
    tiles = [(cell, (position.state >> BITS * cell & 15) - 1) for cell in range(puzzle.holes)]
    rows = tuple(cell for cell, home in tiles if home >= 0 and cell // side != home // side)
    columns = tuple(cell for cell, home in tiles if home >= 0 and cell % side != home % side)
    walks = walk_lengths(word(position.state), _tables(puzzle))
    return tuple((int(moves), cells) for moves, cells in zip(walks, (rows, columns), strict=True) if moves)


def _bounded(title: Words, note: Words, name: str, bound: Kernel, style: Style = STRICT) -> Method:
    marks = distance_marks if bound is manhattan else no_marks
    return deepening_method(title, note, KERNELS, style, name, bound, marks=marks)


METHODS = {
    "deepening": plain_method(KERNELS, STRICT),
    "manhattan": _bounded(
        Words("Manhattan distance", "マンハッタン距離"),
        Words(
            "A line is left as soon as its tiles are further from home than the limit allows; tested as "
            "published, one move looser than it may be.",
            "タイルが目的地から遠すぎて上限内に収まらない手順は、すぐに打ち切ります。発表どおり、一手ゆるく判定します。",
        ),
        "manhattan",
        manhattan,
        AS_PUBLISHED,
    ),
    "manhattan-tight": _bounded(
        Words("Manhattan distance, tight", "マンハッタン距離（厳密）"),
        Words(
            "The same bound, tested as tightly as it may be.", "同じ下界を、ぎりぎりまで厳しく判定します。"
        ),
        "manhattan",
        manhattan,
    ),
    "linear-conflict": deepening_method(
        Words("Linear conflict", "線形衝突"),
        Words(
            "Manhattan distance, and two more moves for every tile that must step aside for its neighbours.",
            "マンハッタン距離に、同じ列で道を譲るタイルごとに二手を加えます。",
        ),
        KERNELS,
        STRICT,
        "linear_conflict",
        linear_conflict,
        _tables,
        conflict_marks,
    ),
    "walking-distance": deepening_method(
        Words("Walking distance", "ウォーキング距離"),
        Words(
            "The fewest vertical moves if only rows mattered, and the fewest horizontal if only columns.",
            "行だけを見たときの最少の縦の手数と、列だけを見たときの最少の横の手数の和です。",
        ),
        KERNELS,
        STRICT,
        "walking",
        walking_distance,
        _tables,
        walking_marks,
    ),
    "memory": deepening_method(
        Words("Manhattan distance with a memory", "マンハッタン距離と記憶"),
        Words(
            "The tight bound; and an arrangement below which nothing was found is left at once when another "
            "line leads to it with no more moves to spare.",
            "厳密な下界に加え、その先に解がなかった並びを覚えておき、別の手順で同じか少ない残り手数で着いたら、すぐに打ち切ります。",
        ),
        KERNELS,
        STRICT,
        "memory",
        manhattan,
        marks=distance_marks,
        use_transpositions=True,
    ),
}
