"""Atlas section "figures": well-known starting figures of English 33, with the last peg in the middle."""

from functools import partial
from typing import Any, NamedTuple

from hoppers.core.puzzle import Puzzle, Question
from hoppers.tablebase.engine import Engine
from tools.atlas import peg_results
from tools.atlas.results import Compute, Effort, Result, Results, Save, Section, row

BOARD, MIDDLE = "english-33", "16"


class FigureDrawing(NamedTuple):
    """A starting figure as a drawing of the board, in reading order without spaces."""

    name: str
    drawing: str


FIGURES = {
    "cross": FigureDrawing("Cross", "... .o. ..ooo.. ...o... ...o... ... ..."),
    "plus": FigureDrawing("Plus", "... .o. ...o... .ooooo. ...o... .o. ..."),
    "fireplace": FigureDrawing("Fireplace", "ooo ooo ..ooo.. ..o.o.. ....... ... ..."),
    "arrow": FigureDrawing("Lamp, or arrow", ".o. ooo .ooooo. ...o... ...o... ooo ooo"),
    "pyramid": FigureDrawing("Pyramid", "... .o. ..ooo.. .ooooo. ooooooo ... ..."),
    "diamond": FigureDrawing("Diamond", ".o. ooo .ooooo. ooo.ooo .ooooo. ooo .o."),
    "full": FigureDrawing("Central game", "ooo ooo ooooooo ooo.ooo ooooooo ooo ooo"),
}
PAGE = """# Starting figures of English 33

Well-known figures of pegs, each to be cleared with the last peg in the middle, hole 16. Elsewhere the cross
is called Latin cross, and the plus Greek cross. *Moves* is the fewest, proved by bidirectional search that
exhausted every smaller limit; the other columns are those of the pages of the boards. Made by
`python -m tools.atlas figures`.

| figure | moves | solutions | solve bits | too few | one solution |
|---|---|---|---|---|---|
"""


def section(engine: Engine, effort: Effort) -> Section:
    """Return the section. `effort`: limits of one search."""
    puzzle = engine.puzzles[BOARD]
    entries: dict[str, Compute] = {name: partial(_measure, puzzle, effort, name) for name in FIGURES}
    return Section("figures", entries, _render)


def start_of(name: str) -> str:
    """Return the start of a figure as the text of a position."""
    return FIGURES[name].drawing.replace(" ", "")


def publish(results: Results) -> dict[str, list[dict[str, Any]]]:
    """Return the part of the data file with the figures."""
    figures = []
    for name, result in results.items():
        fields = {field: result.get(field) for field in ("moves", "count", "unique", "solve_bits")}
        figures.append({"name": FIGURES[name].name, "start": start_of(name), "goal": MIDDLE, **fields})
    return {BOARD: figures} if figures else {}


def _measure(puzzle: Puzzle, effort: Effort, name: str, done: Results, save: Save) -> Result:
    """Return the proved result of a figure.

    Raises:
        ArithmeticError: the search does not prove a solution within `effort`.
    """
    problem = Question(puzzle, puzzle.parse_goal(MIDDLE), puzzle.parse(start_of(name)))
    result = peg_results.search(problem, effort)
    if not result["proved"] or result["moves"] is None:
        raise ArithmeticError(f"no shortest solution of {name} is proved: {result}")
    return peg_results.with_bits(problem, peg_results.with_count(problem, result, effort))


def _render(results: Results) -> str:
    return PAGE + "".join(row(FIGURES[name].name, result) for name, result in results.items())
