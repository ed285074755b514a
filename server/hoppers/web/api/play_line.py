"""The line of play or the random position that a link describes, and the views that return them as JSON.

A line is given by `start=`, `line=9-3.2-0-6`, `position=` and `goal=`; each step is checked and gets a
verdict. A random position is given by its kind, `deal=`, and by `seed=`; equal seeds give equal positions on
every server.
"""

import itertools
import secrets
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

import msgspec
from flask import Blueprint, Response, jsonify

from hoppers.analysis import verdicts
from hoppers.analysis.random_positions import random_in_moves, random_kind, random_position
from hoppers.core.errors import PuzzleError, quoted
from hoppers.core.model import Position, RandomKind, Step, prebuild_decoder
from hoppers.core.puzzle import Puzzle
from hoppers.web.api import answers
from hoppers.web.api.operations import operation
from hoppers.web.api.positions import cacheable_json, step_fields, verdict_fields
from hoppers.web.current import read_puzzle, require_answers
from hoppers.web.http.i18n import localized
from hoppers.web.http.responses import cache_publicly

blueprint = Blueprint("play_line", __name__)


@prebuild_decoder
class DealQuery(msgspec.Struct, forbid_unknown_fields=True):
    """Query string of a random position; without a seed it is of a new one, without moves of any."""

    seed: str | None = None
    moves: int | None = None
    lang: str | None = None


@prebuild_decoder
class LineQuery(msgspec.Struct, forbid_unknown_fields=True):
    """Query string of a line of play, as in links (see `read_steps`)."""

    start: str | None = None
    line: str | None = None
    position: str | None = None
    goal: str | None = None
    deal: str | None = None
    seed: str | None = None
    lang: str | None = None

    @property
    def given(self) -> dict[str, str]:
        """The arguments that the query string has."""
        return {name: text for name, text in msgspec.structs.asdict(self).items() if text is not None}


class PlayLine(NamedTuple):
    """A line of play from `start`, with the verdict on each step."""

    puzzle: Puzzle
    goal: int
    start: Position
    steps: list[verdicts.GradedStep]

    @property
    def end(self) -> Position:
        """The last position of the line."""
        return self.steps[-1].step.after if self.steps else self.start

    @property
    def as_json(self) -> answers.LineAnswer:
        """JSON fields of the line: its start and its steps, each with a verdict."""
        verdict = verdicts.find_verdict(self.puzzle, self.goal, self.start)
        return {
            "start": {"position": self.puzzle.format(self.start), **verdict_fields(verdict)},
            "steps": [step_fields(self.puzzle, graded) for graded in self.steps],
        }


def read_line(puzzle: Puzzle, args: Mapping[str, str]) -> PlayLine:
    """Return the line of play that the query string `args` of a link describes; errors as in `read_steps`.

    A solution that is better than the best known one is known from then on: the rules have replayed it.
    """
    goal = puzzle.parse_goal(args.get("goal"))
    start, steps = read_steps(puzzle, args)
    verdicts.learn_solution(puzzle, goal, start, steps)
    graded = [verdicts.GradedStep(step, verdicts.find_verdict(puzzle, goal, step.after)) for step in steps]
    return PlayLine(puzzle, goal, start, graded)


def read_steps(puzzle: Puzzle, args: Mapping[str, str]) -> tuple[Position, list[Step]]:
    """Return the start and the steps of the line that the query string `args` of a link describes.

    The line begins at `start=`, else at a random position if `deal=` is given, else at the puzzle's start.
    Without `line=` it is empty and begins at `position=`, if given. With both, it must end at `position=`.

    Raises:
        PuzzleError: a part is not valid, or two parts contradict each other.
    """
    line_text, position_text = args.get("line", ""), args.get("position")
    start_text = args.get("start") if line_text else position_text or args.get("start")
    if not start_text and "deal" in args:
        start_text = random_position(puzzle, args["deal"], args.get("seed", ""))
    start = puzzle.parse(start_text or puzzle.start)
    steps = list(_steps(puzzle, start, line_text))
    end = steps[-1].after if steps else start
    if position_text and puzzle.parse(position_text) != end:
        texts = {"line": quoted(line_text), "position": quoted(position_text)}
        raise PuzzleError(
            "{line} leads to {end!r}, not to {position}", "invalid_position", end=puzzle.format(end), **texts
        )
    return start, steps


def _steps(puzzle: Puzzle, position: Position, text: str) -> Iterator[Step]:
    """Yield the steps of a text such as `9-3.2-0-6`.

    Raises:
        PuzzleError: the text has another form or too many steps, or a step is not legal.
    """
    hole_pairs = list(_line_hole_pairs(text))
    most = 600  # steps; the longest URL has room for about this number
    if len(hole_pairs) > most:
        raise PuzzleError(
            "{text} has {length} steps; the limit is {most}",
            "invalid_move",
            text=quoted(text),
            length=len(hole_pairs),
            most=most,
        )
    for number, (origin, target) in enumerate(hole_pairs, 1):
        try:
            step = puzzle.step(position, origin, target)
        except PuzzleError as error:
            raise PuzzleError(
                "{step}, step {number} of {text}, is not legal in {position!r}",
                "invalid_move",
                step=quoted(f"{origin}-{target}"),
                number=number,
                text=quoted(text),
                position=puzzle.format(position),
            ) from error
        yield step
        position = step.after


def _line_hole_pairs(text: str) -> Iterator[tuple[int, int]]:
    for move in filter(None, text.split(".")):
        holes = move.split("-")
        if len(holes) < 2 or not all(hole.isascii() and hole.isdigit() and len(hole) < 4 for hole in holes):
            raise PuzzleError(
                "{move} in {text} is not a move; write hole numbers joined by '-', such as 9-3",
                "invalid_move",
                move=quoted(move),
                text=quoted(text),
            )
        yield from ((int(a), int(b)) for a, b in itertools.pairwise(holes))


def new_seed() -> str:
    """Return a random seed of at most six digits."""
    return str(secrets.randbelow(1_000_000))


def deal(puzzle: Puzzle, name: str, seed: str, moves: int | None = None) -> answers.Deal:
    """Return the random position of kind `name` for `seed`, the seed, and `of`.

    The field `of` is the number of positions of this kind, or None if it is not counted. `moves`: in place of
    what the kind asks for, the number of moves that the position needs to the puzzle's own goal. Raise a
    PuzzleError if the puzzle has no such kind or position, or the seed is too long.
    """
    kind = random_kind(puzzle, name)
    if moves is not None:
        require_answers(puzzle)
        position = random_in_moves(puzzle, puzzle.parse_goal(None), moves, seed)
        return {"position": position, "seed": seed, "of": None}
    return {"position": random_position(puzzle, name, seed), "seed": seed, "of": position_count(kind)}


@cache
def position_count(kind: RandomKind) -> int | None:
    """Return the number of positions of a kind, counted at the first call; None if it is not counted."""
    return kind.size() if kind.size else None


def random_kinds(puzzle: Puzzle) -> list[dict[str, Any]]:
    """Return name, title and number of positions of each kind of random position.

    The number is None if it is not counted, and until the kernels are compiled, because counting without them
    may take seconds.
    """
    return [
        {
            "id": name,
            "title": localized(kind.name),
            "of": position_count(kind) if puzzle.is_compiled else None,
        }
        for name, kind in puzzle.gallery.random_kinds.items()
    ]


@blueprint.get("/api/puzzles/<puzzle_id>/deals/<name>")
@operation(answers.Deal, DealQuery)
def show_random_position(puzzle_id: str, name: str, query: DealQuery) -> Response:
    """Return the random position of a seed, or of a new seed if the query has none."""
    puzzle, seed = read_puzzle(puzzle_id), query.seed
    answer = jsonify(deal(puzzle, name, new_seed() if seed is None else seed, query.moves))
    if seed is not None:
        return cache_publicly(answer)
    answer.headers["Cache-Control"] = "no-store"  # else a cache would deal the same position again
    return answer


@blueprint.get("/api/puzzles/<puzzle_id>/line")
@operation(answers.LineAnswer, LineQuery)
def show_play_line(puzzle_id: str, query: LineQuery) -> Response:
    """Return the start of a line, and the position after each step, with their verdicts."""
    return cacheable_json(read_line(read_puzzle(puzzle_id), query.given).as_json)


@blueprint.get("/api/puzzles/<puzzle_id>/number")
@operation(answers.SolutionNumberAnswer, LineQuery)
def show_solution_number(puzzle_id: str, query: LineQuery) -> Response:
    """Return the number of a line, from 1, in the list of its start's shortest solutions, and its kind.

    The fields are null if the line is not in that list, or the list is not known yet.
    """
    puzzle = read_puzzle(puzzle_id)
    require_answers(puzzle)
    line = read_line(puzzle, query.given)
    steps = [(graded.step.origin, graded.step.target) for graded in line.steps]
    return cacheable_json(verdicts.solution_number(puzzle, line.goal, line.start, steps)._asdict())
