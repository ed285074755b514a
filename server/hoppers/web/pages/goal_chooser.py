"""Choosing start and goal: what the atlas knows of every goal from a start, for pages and for programs."""

from flask import Blueprint, Response, redirect, render_template, request
from flask.typing import ResponseReturnValue

from hoppers.analysis.atlas_results import known_result
from hoppers.analysis.requests import read_goal, read_position, read_puzzle
from hoppers.core.puzzle import Puzzle
from hoppers.web.api.positions import kept
from hoppers.web.api.query import address_of
from hoppers.web.pages import problem_labels
from hoppers.web.pages.play import KEPT_SECONDS, frame

choosing = Blueprint("choosing", __name__)
choosing.context_processor(frame)


@choosing.get("/api/puzzles/<puzzle_id>/atlas")
def atlas_of(puzzle_id: str) -> Response:
    """What the atlas knows of every goal from a start."""
    puzzle = read_puzzle(puzzle_id)
    start = _start(puzzle)
    known = [(goal, known_result(puzzle, start, goal)) for goal in puzzle.goals]
    goals = [{"goal": goal, **problem_labels.fields(entry)} for goal, entry in known if entry is not None]
    return kept(position=start, goals=goals)


@choosing.get("/puzzles/<puzzle_id>/goals")
def goals(puzzle_id: str) -> ResponseReturnValue:
    """The goals as the page shows them, to be put in where a player has chosen another start.

    Whoever opens the address is led to the page on which this is one part.
    """
    puzzle = read_puzzle(puzzle_id)
    goal, start = request.args.get("goal", puzzle.goal), _start(puzzle)
    read_goal(puzzle, goal)
    if "text/html" in request.headers.get("Accept", ""):  # no script asks for pages
        return redirect(address_of("pages.play", {"puzzle_id": puzzle_id}, request.args.to_dict()))
    page = render_template("goals.html", puzzle=puzzle, goal=goal, **problem_labels.map_of(puzzle, start))
    response = Response(page, mimetype="text/html")
    response.vary.add("Accept")
    response.cache_control.private = True
    response.cache_control.max_age = KEPT_SECONDS
    return response


def _start(puzzle: Puzzle) -> str:
    return puzzle.format(read_position(puzzle, request.args.get("start", puzzle.start)))
