"""Choose start and goal: the atlas results of every goal from a start, for pages and for programs."""

from flask import Blueprint, Response, redirect, render_template, request
from flask.typing import ResponseReturnValue

from hoppers.analysis.atlas_results import known_result
from hoppers.analysis.requests import read_goal, read_position
from hoppers.core.puzzle import Puzzle
from hoppers.web.api.positions import CACHE_SECONDS, cacheable_json
from hoppers.web.api.query import url_with_query
from hoppers.web.current import read_puzzle
from hoppers.web.pages import problem_labels
from hoppers.web.pages.play import page_context

blueprint = Blueprint("goal_chooser", __name__)
blueprint.context_processor(page_context)


@blueprint.get("/api/puzzles/<puzzle_id>/atlas")
def list_results(puzzle_id: str) -> Response:
    """Return the atlas results of every goal from a start."""
    puzzle = read_puzzle(puzzle_id)
    start = _read_start(puzzle)
    known = [(goal, known_result(puzzle, start, goal)) for goal in puzzle.rules.goals]
    goals = [
        {"goal": goal, **problem_labels.result_fields(entry)} for goal, entry in known if entry is not None
    ]
    return cacheable_json(position=start, goals=goals)


@blueprint.get("/puzzles/<puzzle_id>/goals")
def show_goals(puzzle_id: str) -> ResponseReturnValue:
    """Return the goals of another start as a fragment of HTML, which a script inserts into the page.

    A browser that opens this URL is redirected to the page that contains the fragment.
    """
    puzzle = read_puzzle(puzzle_id)
    goal, start = request.args.get("goal", puzzle.goal), _read_start(puzzle)
    read_goal(puzzle, goal)
    if "text/html" in request.headers.get("Accept", ""):  # scripts do not accept pages
        return redirect(url_with_query("pages.play", {"puzzle_id": puzzle_id}, request.args.to_dict()))
    context = problem_labels.goal_context(puzzle, start)
    fragment = render_template("goal_choices.html", puzzle=puzzle, goal=goal, **context)
    response = Response(fragment, mimetype="text/html")
    response.vary.add("Accept")
    response.cache_control.private = True
    response.cache_control.max_age = CACHE_SECONDS
    return response


def _read_start(puzzle: Puzzle) -> str:
    return puzzle.format(read_position(puzzle, request.args.get("start", puzzle.start)))
