"""JSON API of a whole puzzle: numbers of positions, and results of the atlas."""

import msgspec
from flask import Blueprint, Response

from hoppers.analysis.atlas_results import known_result
from hoppers.core.model import prebuild_decoder
from hoppers.core.puzzle import Puzzle, cached_in_puzzle
from hoppers.tablebase.atlas_data import KnownResult
from hoppers.web.api import answers
from hoppers.web.api.operations import PositionQuery, operation
from hoppers.web.api.positions import cacheable_json
from hoppers.web.current import read_puzzle, require_answers

blueprint = Blueprint("api_results", __name__, url_prefix="/api/puzzles/<puzzle_id>")


@prebuild_decoder
class AtlasQuery(msgspec.Struct, forbid_unknown_fields=True):
    """Query string of the results about a start; by default it is the puzzle's own."""

    start: str | None = None
    lang: str | None = None


def counts_of(puzzle: Puzzle, goal: int) -> tuple[int, ...] | None:
    """Return the numbers of positions with 0, 1, 2, … moves left, or None without a complete table.

    The result is also None until the kernels are compiled. Peg boards are counted without an active peg.
    """
    return _distribution(puzzle, goal) if puzzle.source(goal).is_complete else None


@cached_in_puzzle
def _distribution(puzzle: Puzzle, goal: int) -> tuple[int, ...] | None:
    counts = puzzle.source(goal).distribution()
    return None if counts is None else tuple(counts)


@blueprint.get("/distribution")
@operation(answers.Distribution, PositionQuery)
def show_distribution(puzzle_id: str, query: PositionQuery) -> Response:
    """Return the numbers of positions with 0, 1, 2, … moves left, and their sum.

    Both fields are null without a complete table.
    """
    puzzle = read_puzzle(puzzle_id)
    require_answers(puzzle)
    counts = counts_of(puzzle, puzzle.parse_goal(query.goal))
    if counts is None:
        return cacheable_json(answers.Distribution(counts=None, positions=None))
    return cacheable_json(answers.Distribution(counts=list(counts), positions=sum(counts)))


@blueprint.get("/atlas")
@operation(answers.AtlasResults, AtlasQuery)
def list_results(puzzle_id: str, query: AtlasQuery) -> Response:
    """Return the results of the atlas about a start, one for each goal that has a result.

    Without `start` it is the puzzle's own. Caches may store the answer if all results are proved.
    """
    puzzle = read_puzzle(puzzle_id)
    start = puzzle.format(puzzle.parse(query.start or puzzle.start))
    known = [(goal, known_result(puzzle, start, goal)) for goal in puzzle.rules.goals]
    goals = [result_fields(goal, entry) for goal, entry in known if entry is not None]
    response = cacheable_json(answers.AtlasResults(position=start, goals=goals))
    if not all(entry.proved for _, entry in known if entry is not None):
        response.headers["Cache-Control"] = "no-store"
    return response


def result_fields(goal: str, known: KnownResult) -> answers.AtlasResult:
    """Return the atlas result of a problem with the goal `goal` as JSON fields."""
    return {
        "goal": goal,
        "state": known.state,
        "moves": known.moves,
        "least": known.lower_bound or None,
        "count": known.count,
        "unique_count": known.unique,
        "solve_bits": known.solve_bits,
        "fewest_bits": known.fewest_bits,
        "difficulty": known.grade,
        "reason": known.reason,
    }
