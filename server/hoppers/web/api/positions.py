"""The answers for programs: what puzzles there are, and everything known of a position.

All are pure functions of their address, so they may be kept by caches.
"""

from dataclasses import asdict
from typing import Annotated, Any

import msgspec
from flask import Blueprint, Response, jsonify

from hoppers.analysis import atlas_lines, verdicts
from hoppers.analysis.atlas_results import known_result
from hoppers.analysis.requests import read_puzzle
from hoppers.core import schemas
from hoppers.core.kernels import INTERPRETED
from hoppers.core.puzzle import Puzzle
from hoppers.puzzles import PUZZLES
from hoppers.web.api.query import About, Asked, query, read, read_patiently
from hoppers.web.http import warmup
from hoppers.web.http.i18n import in_words

api = Blueprint("api", __name__, url_prefix="/api")

LASTING = "public, max-age=3600"
"""Of an answer that will always be the same: for an hour it need not be asked for again."""
PAGE = 100
"""Most solutions in one answer."""


@schemas.known
class Depth(About):
    """The same for a position: whether its verdicts are wanted, or only what is seen at once."""

    verdicts: bool = True


@schemas.known
class Wanted(About):
    """The same for a solution: whether one that is not proved to be shortest will do."""

    found: bool = False


@schemas.known
class Listing(About):
    """The same for lists of solutions."""

    unique: bool = False
    limit: Annotated[int, msgspec.Meta(ge=0)] = PAGE
    offset: Annotated[int, msgspec.Meta(ge=0, le=10_000)] = 0


@api.get("/puzzles")
def list_puzzles() -> Response:
    """All puzzles, in the order of the gallery."""
    return jsonify(puzzles=[summary(puzzle) for puzzle in PUZZLES.values()])


@api.get("/puzzles/<puzzle_id>")
def show_puzzle(puzzle_id: str) -> Response:
    """Everything a program needs to draw and play a puzzle."""
    puzzle = read_puzzle(puzzle_id)
    return jsonify(
        **summary(puzzle),
        objective=in_words(puzzle.objective),
        alphabet=puzzle.alphabet,
        points=puzzle.board.points,
        drawn=[(round(x, 2), round(y, 2)) for x, y in puzzle.board.drawn],
        starts=dict(puzzle.starts),
        goals=list(puzzle.goals),
        problems=[{"name": in_words(p.name), "start": p.start, "goal": p.goal} for p in puzzle.problems],
        method_notes={
            name: {"title": in_words(method.title), "note": in_words(method.note)}
            for name, method in puzzle.methods.items()
        },
        lesson=puzzle.lesson,
    )


@api.get("/puzzles/<puzzle_id>/positions/<position>")
def show_position(puzzle_id: str, position: str) -> Response:
    """The verdict on a position and on every step from it."""
    wanted = query(Depth)
    if wanted.verdicts:
        return kept(**graded(read_patiently(puzzle_id, position, wanted.goal)))
    return kept(**glanced(read(puzzle_id, position, wanted.goal)))


def glanced(asked: Asked) -> dict[str, Any]:
    """A position and its steps at once: verdicts that would take long are unknown."""
    puzzle, goal, position = asked
    steps = [
        verdicts.GradedStep(step, verdicts.immediate_verdict(puzzle, goal, step.after))
        for step in puzzle.steps(position)
    ]
    return {
        "position": puzzle.format(position),
        **verdicts.immediate_verdict(*asked)._asdict(),
        "preparation": None,
        "warming": None,
        "steps": [as_fields(puzzle, step) for step in steps],
    }


def graded(asked: Asked) -> dict[str, Any]:
    """A position and its steps with all verdicts, and how far work is that will decide unknown ones."""
    before = verdicts.preparation(*asked)  # what ends while we judge is asked for once more
    known = verdicts.verdict_of(*asked)._asdict()
    steps = [as_fields(asked.puzzle, step) for step in verdicts.graded_steps(*asked)]
    after = verdicts.preparation(*asked)
    undecided = not is_final({**known, "steps": steps})
    return {
        "position": asked.puzzle.format(asked.position),
        **known,
        "preparation": (before if after is None else after) if undecided else None,
        "warming": warmup.progress(),
        "atlas": from_atlas(asked) if known["verdict"] == verdicts.NOT_KNOWN else None,
        "steps": steps,
    }


def from_atlas(asked: Asked) -> dict[str, Any] | None:
    """What was computed once and for all about a start, or a position on the best line known; else None.

    A shorter way that was found since counts instead of the line.
    """
    puzzle, goal = asked.puzzle, asked.puzzle.goal_text(asked.goal)
    start = known_result(puzzle, puzzle.format(asked.position), goal)
    on_line = None if INTERPRETED.get() else atlas_lines.bounds(puzzle, goal, asked.position)
    if start is None and on_line is None:
        return None
    least, moves = (start.least, start.moves) if start else (on_line or (0, None))
    if not INTERPRETED.get():
        moves = min(filter(None, (verdicts.fewest_known(*asked), moves)), default=None)
    state = start.state if start else "found"
    if moves:
        state = "proved" if least == moves else "found"
    return {"state": state, "moves": moves, "least": max(least, 0) or None}


@api.get("/puzzles/<puzzle_id>/positions/<position>/hint")
def show_hint(puzzle_id: str, position: str) -> Response:
    """The next move of a shortest solution, and its first step."""
    return kept(**hint_of(read_patiently(puzzle_id, position, query(About).goal)))


def hint_of(asked: Asked) -> dict[str, Any]:
    """A hint as it is told."""
    hint = verdicts.hint(*asked)
    step = hint.step and {"from": hint.step.origin, "to": hint.step.target}
    found = {} if hint.found is None else {"found": hint.found}
    return {
        **hint.verdict._asdict(),
        "move": hint.move,
        "step": step,
        "proved": hint.proved,
        **found,
    }


@api.get("/puzzles/<puzzle_id>/positions/<position>/solution")
def show_solution(puzzle_id: str, position: str) -> Response:
    """One shortest solution; where none is known, on request whatever way was found."""
    wanted = query(Wanted)
    asked = read_patiently(puzzle_id, position, wanted.goal)
    solution = verdicts.solution(*asked)
    found = (
        verdicts.known_solution(*asked)
        if wanted.found and solution.verdict.verdict == verdicts.NOT_KNOWN
        else []
    )
    return kept(
        **solution.verdict._asdict(), moves=solution.moves, **({"found": found} if wanted.found else {})
    )


@api.get("/puzzles/<puzzle_id>/positions/<position>/solutions")
def list_solutions(puzzle_id: str, position: str) -> Response:
    """How many shortest solutions there are, and some of them."""
    wanted = query(Listing)
    asked = read_patiently(puzzle_id, position, wanted.goal)
    page = (wanted.unique, wanted.offset, min(wanted.limit, PAGE))
    return kept(**asdict(verdicts.solutions(asked.puzzle, asked.goal, asked.position, *page)))


def kept(**fields: Any) -> Response:
    """The answer as JSON that caches may keep for an hour, unless a part of it is still to be found out."""
    response = jsonify(fields)
    response.headers["Cache-Control"] = control_of(fields)
    return response


def control_of(fields: dict[str, Any]) -> str:
    """For how long an answer may be kept."""
    return LASTING if is_final(fields) else "no-store"


def is_final(fields: dict[str, Any]) -> bool:
    """Whether an answer will always be the same: all is warm, every verdict decided, every count known."""
    if fields.get("warming"):
        return False
    parts = [fields, fields.get("start", {}), *fields.get("steps", [])]
    return all(
        part.get("verdict") != verdicts.NOT_KNOWN and part.get("count", 0) is not None for part in parts
    )


def summary(puzzle: Puzzle) -> dict[str, Any]:
    """A puzzle in a list."""
    return {
        "id": puzzle.id,
        "title": in_words(puzzle.title),
        "family": puzzle.family,
        "holes": puzzle.holes,
        "start": puzzle.start,
        "goal": puzzle.goal,
        "methods": list(puzzle.methods),
    }


def as_fields(puzzle: Puzzle, graded: verdicts.GradedStep) -> dict[str, Any]:
    """A step and what it leads to."""
    step, verdict = graded
    return {
        "from": step.origin,
        "to": step.target,
        "position": puzzle.format(step.after),
        "cost": step.cost,
        **verdict._asdict(),
    }
