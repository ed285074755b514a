"""The answers for programs: what puzzles there are, and everything known of a position.

All are pure functions of their address, so they may be kept by caches.
"""

from dataclasses import asdict
from typing import Annotated, Any, NamedTuple, TypeVar

import msgspec
from flask import Blueprint, Response, jsonify, request

from .. import judge
from ..atlas.published import par
from ..errors import PuzzleError
from ..puzzle import Puzzle
from ..puzzles import PUZZLES
from ..questions import quoted, read_goal, read_position, read_puzzle
from ..records import Position
from . import warming
from .errors import WarmingUp
from .languages import in_words

api = Blueprint("api", __name__, url_prefix="/api")

KEPT_SECONDS = 3600
PAGE = 100
"""Most solutions in one answer."""
WARMING_SECONDS = 10


class About(msgspec.Struct, forbid_unknown_fields=True):
    """What may stand behind the question mark of a position."""

    goal: str | None = None
    lang: str | None = None


class Depth(About):
    """The same for a position: whether its verdicts are wanted, or only what is seen at once."""

    verdicts: bool = True


class Wanted(About):
    """The same for a solution: whether one that is not proved to be shortest will do."""

    found: bool = False


class Listing(About):
    """The same for lists of solutions."""

    unique: bool = False
    limit: Annotated[int, msgspec.Meta(ge=0)] = PAGE
    offset: Annotated[int, msgspec.Meta(ge=0, le=10_000)] = 0


Query = TypeVar("Query", bound=About)


class Asked(NamedTuple):
    """A position and goal of a puzzle."""

    puzzle: Puzzle
    goal: int
    position: Position


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
    asked = read(puzzle_id, position, wanted.goal)
    return kept(**(graded(asked) if wanted.verdicts else glanced(asked)))


def glanced(asked: Asked) -> dict[str, Any]:
    """A position and its steps at once: verdicts that would take long are unknown."""
    puzzle, goal, position = asked
    steps = [judge.GradedStep(step, judge.seen(puzzle, goal, step.after)) for step in puzzle.steps(position)]
    return {
        "position": puzzle.format(position),
        **judge.seen(*asked)._asdict(),
        "preparation": None,
        "warming": None,
        "steps": [as_fields(puzzle, step) for step in steps],
    }


def graded(asked: Asked) -> dict[str, Any]:
    """A position and its steps with all verdicts, and how far work is that will decide unknown ones."""
    before = judge.preparation(*asked)  # what ends while we judge is asked for once more
    known = judge.judge(*asked)._asdict()
    steps = [as_fields(asked.puzzle, step) for step in judge.graded_steps(*asked)]
    after = judge.preparation(*asked)
    undecided = not is_final({**known, "steps": steps})
    return {
        "position": asked.puzzle.format(asked.position),
        **known,
        "preparation": (before if after is None else after) if undecided else None,
        "warming": warming.progress(),
        "atlas": from_atlas(asked) if known["verdict"] == judge.NOT_KNOWN else None,
        "steps": steps,
    }


def from_atlas(asked: Asked) -> dict[str, Any] | None:
    """What was computed once and for all about a start and a goal; None of any other position."""
    goal = next(text for text, code in asked.puzzle.goals.items() if code == asked.goal)
    found = par(asked.puzzle, asked.puzzle.format(asked.position), goal)
    return found and {"state": found.state, "moves": found.moves, "least": found.least or None}


@api.get("/puzzles/<puzzle_id>/positions/<position>/hint")
def show_hint(puzzle_id: str, position: str) -> Response:
    """The next move of a shortest solution, and its first step."""
    asked = read(puzzle_id, position, query(About).goal)
    hint = judge.hint(asked.puzzle, asked.goal, asked.position)
    step = hint.step and {"from": hint.step.origin, "to": hint.step.target}
    return kept(**hint.judgement._asdict(), move=hint.move, step=step, proved=hint.proved)


@api.get("/puzzles/<puzzle_id>/positions/<position>/solution")
def show_solution(puzzle_id: str, position: str) -> Response:
    """One shortest solution; where none is known, on request whatever way was found."""
    wanted = query(Wanted)
    asked = read(puzzle_id, position, wanted.goal)
    solution = judge.solution(*asked)
    found = judge.way(*asked) if wanted.found and solution.judgement.verdict == judge.NOT_KNOWN else []
    return kept(
        **solution.judgement._asdict(), moves=solution.moves, **({"found": found} if wanted.found else {})
    )


@api.get("/puzzles/<puzzle_id>/positions/<position>/solutions")
def list_solutions(puzzle_id: str, position: str) -> Response:
    """How many shortest solutions there are, and some of them."""
    wanted = query(Listing)
    asked = read(puzzle_id, position, wanted.goal)
    page = (wanted.unique, wanted.offset, min(wanted.limit, PAGE))
    return kept(**asdict(judge.solutions(asked.puzzle, asked.goal, asked.position, *page)))


def query(shape: type[Query]) -> Query:
    """What stands behind the question mark.

    Raises:
        PuzzleError: an unknown name or a wrong value.
    """
    try:
        return msgspec.convert(request.args.to_dict(), shape, strict=False)
    except msgspec.ValidationError as error:
        query_text = quoted(request.query_string.decode(errors="replace"))
        raise PuzzleError("{error}: {query}", error=error, query=query_text) from error


def ready(puzzle_id: str, position: str, goal: str | None) -> Asked:
    """What is asked, once the puzzle's rules are compiled: for what cannot be told before.

    Raises:
        PuzzleError: a text means nothing.
        WarmingUp: compiling takes longer than a request should wait.
    """
    puzzle = read_puzzle(puzzle_id)
    if not warming.wait(puzzle.id, WARMING_SECONDS):
        done, all_ = warming.warmup().progress()
        raise WarmingUp(done, all_, puzzle.id)
    return read(puzzle_id, position, goal)


def read(puzzle_id: str, position: str, goal: str | None) -> Asked:
    """What is asked; while the rules are being compiled, its verdict is unknown.

    Raises:
        PuzzleError: a text means nothing.
    """
    puzzle = read_puzzle(puzzle_id)
    return Asked(puzzle, read_goal(puzzle, goal), read_position(puzzle, position))


def kept(**fields: Any) -> Response:
    """The answer as JSON that caches may keep for an hour, unless a part of it is still to be found out."""
    response = jsonify(fields)
    if is_final(fields):
        response.cache_control.public = True
        response.cache_control.max_age = KEPT_SECONDS
    else:
        response.cache_control.no_store = True
    return response


def is_final(fields: dict[str, Any]) -> bool:
    """Whether an answer will always be the same: every verdict in it is decided, every count is known."""
    parts = [fields, fields.get("start", {}), *fields.get("steps", [])]
    return all(part.get("verdict") != judge.NOT_KNOWN and part.get("count", 0) is not None for part in parts)


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


def as_fields(puzzle: Puzzle, graded: judge.GradedStep) -> dict[str, Any]:
    """A step and what it leads to."""
    step, judgement = graded
    return {
        "from": step.origin,
        "to": step.target,
        "position": puzzle.format(step.after),
        "cost": step.cost,
        **judgement._asdict(),
    }
