"""Sheets to print: the position on the board, or the problems of a puzzle; solutions on the next page."""

from typing import NamedTuple

from flask import Blueprint, render_template, request
from flask_babel import gettext

from hoppers.analysis import verdicts
from hoppers.analysis.requests import read_goal, read_position
from hoppers.core.puzzle import Puzzle
from hoppers.web.current import read_puzzle
from hoppers.web.drawing import board_picture
from hoppers.web.http.i18n import localized
from hoppers.web.pages import goals
from hoppers.web.pages.gallery import problem_order

blueprint = Blueprint("print", __name__)


class PrintedProblem(NamedTuple):
    """A problem on a printed sheet, and its solution if it is known without waiting."""

    name: str
    picture: board_picture.Picture
    verdict: verdicts.Verdict
    result: str
    """The fewest moves or the atlas result, in words; '' if neither is known."""
    moves: list[list[int]]
    proved: bool
    """Whether no solution has fewer moves than `moves`."""


@blueprint.get("/puzzles/<puzzle_id>/print")
def sheet(puzzle_id: str) -> str:
    """Return a sheet with the position in the query, or else with the first six of `problem_order`."""
    puzzle = read_puzzle(puzzle_id)
    goal = request.args.get("goal", puzzle.goal)
    if "position" in request.args:
        problems = [("", request.args["position"], goal)]
    else:
        names = {
            (problem.start, problem.goal): localized(problem.name) for problem in puzzle.gallery.problems
        }
        labels = {start: f"{label} → {puzzle.goal}" for label, start in puzzle.starts.items()}
        problems = [
            (names.get((start, end), labels.get(start, "")), start, end)
            for start, end in problem_order(puzzle)
        ]
    was_compiled = puzzle.is_compiled  # read before the verdicts: a sheet with unknown verdicts is reloaded
    printed = [_printed_problem(puzzle, *problem) for problem in problems[:6]]
    title = localized(puzzle.texts.title)
    is_open = not all(verdicts.is_final(problem.verdict) for problem in printed)
    is_warming = is_open and not was_compiled
    needed = ("position", "goal", "line", "start")  # arguments of the link back to the game
    back = {name: text for name, text in request.args.items() if name in needed}
    return render_template(
        "print.html", puzzle=puzzle, title=title, printed=printed, warming=is_warming, back=back
    )


def _printed_problem(puzzle: Puzzle, name: str, start: str, goal: str) -> PrintedProblem:
    position, code = read_position(puzzle, start), read_goal(puzzle, goal)
    verdict, moves, proved = verdicts.solution(puzzle, code, position)
    picture = board_picture.picture(puzzle, position, goal)
    result = _result(puzzle, start, goal, verdict.moves_left)
    return PrintedProblem(name, picture, verdict, result, moves, proved)


def _result(puzzle: Puzzle, start: str, goal: str, moves_left: int | None) -> str:
    if moves_left is not None:
        return str(gettext("%(number)s moves", number=moves_left))
    result = goals.result_text(puzzle, start, goal)
    return result.short if result else ""
