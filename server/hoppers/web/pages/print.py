"""Sheets to print: one position, or the first problems of a puzzle; solutions on the next page."""

from typing import Any

from flask import Blueprint, render_template, request
from flask_babel import ngettext

from hoppers.analysis import verdicts
from hoppers.core.puzzle import Puzzle
from hoppers.drawing import board_picture
from hoppers.web.current import read_puzzle
from hoppers.web.http.i18n import localized
from hoppers.web.http.responses import may_change
from hoppers.web.pages import goals
from hoppers.web.pages.puzzle_lists import problem_order

blueprint = Blueprint("print", __name__)


@blueprint.get("/puzzles/<puzzle_id>/print")
def sheet(puzzle_id: str) -> str:
    """Return a sheet with the position in the query, or else with the first six of `problem_order`.

    Raise a PuzzleError if the position or its goal is not valid.
    """
    puzzle = read_puzzle(puzzle_id)
    goal = request.args.get("goal", puzzle.goal)
    if "position" in request.args:
        problems = [("", request.args["position"], goal)]
    else:
        names = {(start, puzzle.goal): f"{label} → {puzzle.goal}" for label, start in puzzle.starts.items()}
        names |= {(each.start, each.goal): localized(each.name) for each in puzzle.gallery.problems}
        problems = [(names.get(problem, ""), *problem) for problem in problem_order(puzzle)[:6]]
    # read before the verdicts: without kernels, a sheet is reloaded if one of its verdicts is not final
    was_compiled = puzzle.is_compiled
    printed = [_printed_problem(puzzle, *problem) for problem in problems]
    is_open = not all(problem["verdict"].is_final for problem in printed)
    if is_open:
        may_change()
    needed = ("position", "goal", "line", "start")  # arguments of the link back to the game
    return render_template(
        "pages/print.html",
        puzzle=puzzle,
        title=localized(puzzle.texts.title),
        printed=printed,
        glyphs=board_picture.glyphs_of(puzzle).values(),
        warming=is_open and not was_compiled,
        back={name: text for name, text in request.args.items() if name in needed},
    )


def _printed_problem(puzzle: Puzzle, name: str, start: str, goal: str) -> dict[str, Any]:
    """Return the template variables of a problem, with a shortest or else the best known solution, if any.

    Raise a PuzzleError if `start` or `goal` is not valid.
    """
    position, code = puzzle.parse(start), puzzle.parse_goal(goal)
    verdict, moves = verdicts.solution(puzzle, code, position)
    return {
        "name": name,
        "start": start,
        "goal": goal,
        "picture": board_picture.picture(puzzle, position, goal),
        "verdict": verdict,
        "result": _result(puzzle, start, goal, verdict.moves_left),
        "moves": moves,
    }


def _result(puzzle: Puzzle, start: str, goal: str, moves_left: int | None) -> str:
    if moves_left is not None:
        return str(ngettext("%(num)s move", "%(num)s moves", moves_left))
    result = goals.result_text(puzzle, start, goal)
    return result.short if result else ""
