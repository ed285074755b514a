"""Choosing start and goal: what the atlas knows of every goal from a start, for pages and for programs."""

from flask import Blueprint, Response, render_template, request

from ..atlas.published import par
from ..puzzle import Puzzle
from ..questions import read_goal, read_position, read_puzzle
from . import pars
from .api import kept
from .pages import KEPT_SECONDS, frame

choosing = Blueprint("choosing", __name__)
choosing.context_processor(frame)


@choosing.get("/api/puzzles/<puzzle_id>/atlas")
def atlas_of(puzzle_id: str) -> Response:
    """What the atlas knows of every goal from a start."""
    puzzle = read_puzzle(puzzle_id)
    start = _start(puzzle)
    known = [(goal, par(puzzle, start, goal)) for goal in puzzle.goals]
    goals = [{"goal": goal, **pars.fields(entry)} for goal, entry in known if entry is not None]
    return kept(position=start, goals=goals)


@choosing.get("/puzzles/<puzzle_id>/goals")
def goals(puzzle_id: str) -> Response:
    """The goals as the page shows them, to be put in where a player has chosen another start."""
    puzzle = read_puzzle(puzzle_id)
    goal = request.args.get("goal", puzzle.goal)
    read_goal(puzzle, goal)
    page = render_template("goals.html", puzzle=puzzle, goal=goal, **pars.map_of(puzzle, _start(puzzle)))
    response = Response(page, mimetype="text/html")
    response.cache_control.private = True
    response.cache_control.max_age = KEPT_SECONDS
    return response


def _start(puzzle: Puzzle) -> str:
    return puzzle.format(read_position(puzzle, request.args.get("start", puzzle.start)))
