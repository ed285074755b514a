"""Sheets to print: the position on the board, or the puzzle's problems; with solutions on the next page."""

from typing import NamedTuple

from flask import Blueprint, render_template, request

from .. import judge
from ..puzzle import Puzzle
from ..questions import read_goal, read_position, read_puzzle
from . import drawing
from .api import ready
from .languages import in_words
from .shelf import deck

printing = Blueprint("printing", __name__)

ON_A_SHEET = 6


class Printed(NamedTuple):
    """A problem on paper, and its answer."""

    name: str
    picture: drawing.Picture
    moves_left: int | None
    moves: list[list[int]]


@printing.get("/puzzles/<puzzle_id>/print")
def sheet(puzzle_id: str) -> str:
    """One position if one is asked for, else the problems that come after one another, easy ones first."""
    puzzle = read_puzzle(puzzle_id)
    ready(puzzle.id, puzzle.start, None)
    goal = request.args.get("goal", puzzle.goal)
    if "position" in request.args:
        asked = [("", request.args["position"], goal)]
    else:
        names = {(problem.start, problem.goal): in_words(problem.name) for problem in puzzle.problems}
        labels = {start: f"{label} → {puzzle.goal}" for label, start in puzzle.starts.items()}
        asked = [(names.get((start, end), labels.get(start, "")), start, end) for start, end in deck(puzzle)]
    printed = [_printed(puzzle, *problem) for problem in asked[:ON_A_SHEET]]
    return render_template("print.html", puzzle=puzzle, title=in_words(puzzle.title), printed=printed)


def _printed(puzzle: Puzzle, name: str, start: str, goal: str) -> Printed:
    position, code = read_position(puzzle, start), read_goal(puzzle, goal)
    answer = judge.solution(puzzle, code, position)
    picture = drawing.picture(puzzle, position, goal)
    return Printed(name, picture, answer.judgement.moves_left, answer.moves)
