"""Flip It (Nob Yoshigahara): a disc jumps over other discs into the gap, and the discs jumped over turn.

A state has two bits per cell: gap 0, white 1, black 2. Turning a disc inverts both bits. `active` is the cell
of the gap. In the classic rule a disc jumps over at least one disc; in the variant ('slide') a disc next to
the gap may also move into it.
"""

import itertools
import random
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from hoppers.core.board import SQUARE, Board
from hoppers.core.kernels import kernel
from hoppers.core.model import ANY_GOAL, NO_SOLUTION, Position, Problem, RandomKind
from hoppers.core.numbering import (
    StateNumbering,
    cells_with_mark,
    moved_marked,
    number_with_mark,
    with_mark,
)
from hoppers.core.puzzle import Gallery, Puzzle, Rules, Solving, Texts
from hoppers.core.rules import RuleKernels
from hoppers.core.texts import Text
from hoppers.search.breadth_first import BREADTH_FIRST, breadth_first_method
from hoppers.search.iterative_deepening import PLAIN, deepening_method
from hoppers.tablebase.best_method import best
from hoppers.tablebase.distance_table import DistanceTable, distance_table

ANYWHERE = -1  # code of the goal that allows the gap in any cell
LENGTHS = range(5, 17)
CLASSIC = {6: ("A", "bb_bbb"), 7: ("B", "b_wbbbb"), 8: ("C", "b_wwwbbb")}
"""Length of a row in cells -> letter and start position of its classic problem."""


class FlipParameters(NamedTuple):
    """Parameters of the rules, passed to the compiled rules as their `tables` (see `core.rules`)."""

    cells: int  # length of the row
    least: int  # least distance of a jump, in cells: 2, or 1 if discs may also slide (the variant)


@kernel
def next_step(state: Any, active: int, cursor: int, tables: Any) -> tuple[int, int, int, Any, int, int]:
    """Return the first legal jump of a disc in cell `cursor` or right of it; see `core.rules.next_step`."""
    near = active - tables.least < cursor < active + tables.least
    origin = active + tables.least if near else cursor
    if origin >= tables.cells:
        return -1, 0, 0, state, active, 0
    here, gap = np.uint64(2 * origin), np.uint64(2 * active)
    # mask of both bits of each cell between the gap and the disc
    between = (np.uint64(1) << max(here, gap)) - (np.uint64(4) << min(here, gap))
    disc = state >> here & np.uint64(3)
    after = state ^ (disc << here) ^ (disc << gap) ^ between
    return origin + 1, origin, active, after, origin, 1


@kernel
def is_solved(state: Any, active: int, goal: int, tables: Any) -> bool:
    """Return whether no disc is black and the gap is in cell `goal` (any cell if `goal` is negative)."""
    return bool(state & np.uint64(0xAAAAAAAAAAAAAAAA) == np.uint64(0)) and (goal < 0 or active == goal)


@kernel
def every_second_bit(bits: Any) -> Any:
    """Return bits 0, 2, 4, … of `bits` as bits 0, 1, 2, … (Warren, "Hacker's Delight", section 7-2)."""
    bits &= np.uint64(0x5555555555555555)
    bits = (bits | bits >> np.uint64(1)) & np.uint64(0x3333333333333333)
    bits = (bits | bits >> np.uint64(2)) & np.uint64(0x0F0F0F0F0F0F0F0F)
    bits = (bits | bits >> np.uint64(4)) & np.uint64(0x00FF00FF00FF00FF)
    bits = (bits | bits >> np.uint64(8)) & np.uint64(0x0000FFFF0000FFFF)
    return (bits | bits >> np.uint64(16)) & np.uint64(0x00000000FFFFFFFF)


@kernel
def rank(state: Any, active: int, tables: Any) -> Any:
    """Return the gap's cell and the colours of the discs as a number below `cells * 2 ** (cells - 1)`."""
    colours = every_second_bit(state >> np.uint64(1))
    gap = np.uint64(active)
    below = colours & ((np.uint64(1) << gap) - np.uint64(1))
    above = colours >> (gap + np.uint64(1)) << gap
    return np.int64(above | below) + active * (np.int64(1) << (tables.cells - 1))


KERNELS = RuleKernels("flips", next_step, is_solved)
TRANSPOSITIONS = deepening_method(
    Text("Iterative deepening + transposition table"),
    Text(
        "A position from which no solution was found is stored. It is pruned when it is reached again "
        "with as many moves left or fewer."
    ),
    "memory",
    use_transpositions=True,
)


RULE = Text("Jump a disc over one or more others into the gap; the discs it jumps over turn over.")
SLIDE_RULE = Text(
    "Jump a disc over one or more others into the gap; the discs it jumps over turn over. "
    "A disc next to the gap may also slide into it."
)


def _validate(cells: tuple[int, ...]) -> Text | None:
    gaps = cells.count(0)
    if gaps == 1:
        return None
    return Text("it has {gaps} gaps instead of one", {"gaps": gaps})


def solved(cells: int, goal: int) -> list[Position]:
    """Return the positions of a row of `cells` cells with only white discs and the gap in the cell `goal`.

    If `goal` is ANYWHERE, the gap may be in any cell.
    """
    gaps = range(cells) if goal == ANYWHERE else [goal]
    return [Position(sum(1 << 2 * cell for cell in range(cells) if cell != gap), gap) for gap in gaps]


BIDIRECTIONAL = breadth_first_method(lambda question: solved(question.puzzle.holes, question.goal))


def text_of(number: int, cells: int) -> str:
    """Return the text of the position with rank `number` on a row of `cells` cells (see `rank`)."""
    gap, colours = divmod(number, 1 << cells - 1)
    discs = ["wb"[colours >> disc & 1] for disc in range(cells - 1)]
    return "".join([*discs[:gap], "_", *discs[gap:]])


def fewest_moves(parameters: FlipParameters, goal: int) -> Any:
    """Return the fewest moves to a goal (cell or ANYWHERE) by number of the position (uint8, see `rank`).

    The algorithm is a breadth-first search on whole arrays. It needs no compiled kernel, so a server that has
    just started can use it.
    """
    cells, least = parameters
    distances = np.full((cells, 1 << cells), NO_SOLUTION, np.uint8)
    """[gap, row]: a row has one bit per cell, 1 for a black disc."""
    distances[slice(None) if goal == ANYWHERE else goal, 0] = 0
    for distance in itertools.count():
        level = distances == distance
        if not level.any():
            break
        for gap, origin in itertools.permutations(range(cells), 2):
            if abs(origin - gap) >= least:
                rows = np.flatnonzero(level[gap])
                disc = rows >> origin & 1  # moves to the gap
                between = (1 << max(gap, origin)) - (2 << min(gap, origin))  # cells to invert
                after = rows ^ (disc << origin) ^ (disc << gap) ^ between
                distances[origin, after] = np.minimum(distances[origin, after], distance + 1)
    rows, gaps = with_mark(np.arange(cells << cells - 1), cells)
    return distances[gaps, rows]


@cache
def hardest(parameters: FlipParameters) -> tuple[str, ...]:
    """Return the texts of the positions that need the most moves until all discs are white, gap anywhere."""
    moves = fewest_moves(parameters, ANYWHERE)
    most = moves[moves != NO_SOLUTION].max()
    return tuple(text_of(number, parameters.cells) for number in np.flatnonzero(moves == most).tolist())


def _unsolved(rng: random.Random, cells: int) -> str:
    """Return the text of a random position with at least one black disc."""
    while True:
        text = text_of(rng.randrange(cells << cells - 1), cells)
        if "b" in text:
            return text


def _random_kinds(parameters: FlipParameters) -> dict[str, RandomKind]:
    any_, most = Text("Random"), Text("One of the hardest in this row")
    cells = parameters.cells
    return {
        "random": RandomKind(any_, partial(_unsolved, cells=cells), lambda: (cells << cells - 1) - cells),
        "hardest": RandomKind(
            most, lambda rng: rng.choice(hardest(parameters)), lambda: len(hardest(parameters))
        ),
    }


def row_table(parameters: FlipParameters, goal: int) -> DistanceTable:
    """Return the complete table of a goal (cell or ANYWHERE) on a row, built or loaded from disk."""
    cells = parameters.cells
    return distance_table(KERNELS, rank, cells << cells - 1, parameters, solved(cells, goal))


def numbering(parameters: FlipParameters) -> StateNumbering:
    """Return the numbers of the states of a row, which are those of `rank`."""
    cells, values = parameters.cells, (1, 2, 0)  # white, black, gap
    return StateNumbering(
        cells << cells - 1,
        moved_marked,
        lambda goal, numbers: np.ones(len(numbers), bool),
        lambda row: number_with_mark(row, values),
        lambda number: cells_with_mark(number, cells, values),
        partial(fewest_moves, parameters),
    )


def _title(cells: int, slide: bool) -> Text:
    values = {"cells": cells}
    return Text("Flip It {cells} with slides", values) if slide else Text("Flip It {cells}", values)


def flip_puzzle(parameters: FlipParameters) -> Puzzle:
    """Return the puzzle on a row of cells, with the classic rule or the variant (see `FlipParameters`)."""
    cells, slide = parameters.cells, parameters.least == 1
    letter, start = CLASSIC.get(cells, ("", "bb_" + "b" * (cells - 3)))
    name = Text("Classic {letter}", {"letter": letter}) if letter else Text("All black")
    return Puzzle(
        id=f"flip-it-{cells}-slide" if slide else f"flip-it-{cells}",
        family="flips",
        board=Board.from_text("o" * cells, SQUARE),
        rules=Rules(
            kernels=KERNELS,
            tables=parameters,
            alphabet="_wb",
            notations=tuple(gap + discs for gap in "_.-" for discs in ("wb", "○●")),
            bits_per_cell=2,
            goals={ANY_GOAL: ANYWHERE, **{str(cell): cell for cell in range(cells)}},
            find_active=lambda values: values.index(0),
            validate=_validate,
            goal_image=lambda image, goal: goal if goal == ANYWHERE else image[goal],
            unique="_",
            numbering=numbering(parameters),
            description={"kind": "flips", "least": parameters.least},
        ),
        texts=Texts(
            _title(cells, slide),
            SLIDE_RULE if slide else RULE,
            Text("Press a disc, and it goes into the gap; or drag it there."),
            Text(
                "Tap a disc to turn it over, or the gap and then a disc to swap them. Or type the position."
            ),
            Text("gap"),
            Text("Make all discs white."),
        ),
        solving=Solving(
            methods={
                "deepening": PLAIN,
                "memory": TRANSPOSITIONS,
                "breadth-first": BREADTH_FIRST,
                "bidirectional": BIDIRECTIONAL,
                "best": best(TRANSPOSITIONS.search),
            },
            open_source=lambda puzzle, goal: row_table(parameters, goal),
        ),
        gallery=Gallery(
            problems=(Problem(name, start, ANY_GOAL),),
            pieces=("", "disc-w", "disc-b"),
            order=200 + 2 * cells + slide,
            random_kinds=_random_kinds(parameters),
            featured=cells in CLASSIC and not slide,
        ),
    )


PUZZLES = [flip_puzzle(FlipParameters(cells, least)) for cells in LENGTHS for least in (2, 1)]
