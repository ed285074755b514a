"""Sheets to print: the position on the board, or the puzzle's problems; with solutions on the next page."""

from typing import NamedTuple

from flask import Blueprint, render_template, request
from flask_babel import gettext

from hoppers.analysis import verdicts as judge
from hoppers.analysis.requests import read_goal, read_position, read_puzzle
from hoppers.core.puzzle import Puzzle
from hoppers.web.drawing import board_picture
from hoppers.web.http import warmup
from hoppers.web.http.i18n import in_words
from hoppers.web.pages import problem_labels
from hoppers.web.pages.gallery import deck

printing = Blueprint("printing", __name__)

ON_A_SHEET = 6
GAME = ("position", "goal", "line", "start")
"""What leads back to the game that is printed."""


class Printed(NamedTuple):
    """A problem on paper, and its answer as far as it is known without waiting."""

    name: str
    picture: board_picture.Picture
    verdict: str
    par: str
    """The fewest moves in words, or what the atlas knows of them; '' where nothing is known."""
    moves: list[list[int]]


@printing.get("/puzzles/<puzzle_id>/print")
def sheet(puzzle_id: str) -> str:
    """One position if one is asked for, else the problems that come after one another, easy ones first."""
    puzzle = read_puzzle(puzzle_id)
    goal = request.args.get("goal", puzzle.goal)
    if "position" in request.args:
        asked = [("", request.args["position"], goal)]
    else:
        names = {(problem.start, problem.goal): in_words(problem.name) for problem in puzzle.problems}
        labels = {start: f"{label} → {puzzle.goal}" for label, start in puzzle.starts.items()}
        asked = [(names.get((start, end), labels.get(start, "")), start, end) for start, end in deck(puzzle)]
    printed = [_printed(puzzle, *problem) for problem in asked[:ON_A_SHEET]]
    title, verdicts = in_words(puzzle.title), {problem.verdict for problem in printed}
    is_warming = judge.NOT_KNOWN in verdicts and warmup.progress() is not None
    back = {name: text for name, text in request.args.items() if name in GAME}
    return render_template(
        "print.html", puzzle=puzzle, title=title, printed=printed, warming=is_warming, back=back
    )


def _printed(puzzle: Puzzle, name: str, start: str, goal: str) -> Printed:
    position, code = read_position(puzzle, start), read_goal(puzzle, goal)
    (verdict, left), moves = judge.solution(puzzle, code, position)
    if verdict == judge.NOT_KNOWN:
        moves = judge.known_solution(puzzle, code, position)
    picture = board_picture.picture(puzzle, position, goal)
    return Printed(name, picture, verdict, _par(puzzle, start, goal, left), moves)


def _par(puzzle: Puzzle, start: str, goal: str, moves_left: int | None) -> str:
    if moves_left is not None:
        return str(gettext("%(number)s moves", number=moves_left))
    mark = problem_labels.mark_of(puzzle, start, goal)
    return mark.short if mark else ""
