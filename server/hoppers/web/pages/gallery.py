"""The puzzles as small pictures: all of the gallery, those beside the board, and the rest of a family."""

from functools import cache
from typing import NamedTuple

from flask_babel import gettext

from hoppers.analysis import verdicts
from hoppers.analysis.atlas_results import known_result
from hoppers.core.kernels import INTERPRETED
from hoppers.core.model import Complete
from hoppers.core.puzzle import Puzzle
from hoppers.puzzles import PUZZLES
from hoppers.web.drawing import board_picture
from hoppers.web.http import warmup
from hoppers.web.http.i18n import in_words
from hoppers.web.pages import problem_labels


class Rated(NamedTuple):
    """A classic problem, and what the atlas knows of it."""

    name: str
    start: str
    goal: str
    mark: problem_labels.Mark


class Card(NamedTuple):
    """A puzzle in the gallery or on the shelf."""

    puzzle: Puzzle
    title: str
    picture: board_picture.Picture
    problems: tuple[Rated, ...] = ()
    """Of the gallery: the classic ones of which the atlas knows something."""


def featured() -> list[Card]:
    """The puzzles of the gallery as pictures."""
    return [_card(puzzle)._replace(problems=_rated(puzzle)) for puzzle in PUZZLES.values() if puzzle.featured]


def _rated(puzzle: Puzzle) -> tuple[Rated, ...]:
    marks = [
        (problem, problem_labels.mark_of(puzzle, problem.start, problem.goal)) for problem in puzzle.problems
    ]
    return tuple(Rated(in_words(p.name), p.start, p.goal, mark) for p, mark in marks if mark is not None)


def shelf(current: Puzzle) -> list[Card]:
    """The puzzles beside the board: those of the gallery, and the one that is played."""
    return [_card(puzzle) for puzzle in PUZZLES.values() if puzzle.featured or puzzle is current]


def relatives(current: Puzzle) -> list[Puzzle]:
    """The puzzles of the same family, if the gallery does not show them all."""
    family = [puzzle for puzzle in PUZZLES.values() if puzzle.family == current.family]
    return [] if all(puzzle.featured for puzzle in family) else family


def deck(puzzle: Puzzle) -> list[tuple[str, str]]:
    """Start and goal of the problems worth setting one after another; by difficulty where that is known."""
    known = not INTERPRETED.get() and isinstance(puzzle.source(puzzle.parse_goal(None)), Complete)
    return _graded(puzzle) if known else _by_luck(puzzle)


def _by_luck(puzzle: Puzzle) -> list[tuple[str, str]]:
    """The problems, those first that need little luck, where the atlas knows it."""
    problems = [(problem.start, problem.goal) for problem in puzzle.problems]
    known = {problem: known_result(puzzle, *problem) for problem in problems}
    return sorted(problems, key=lambda problem: getattr(known[problem], "difficulty_bits", None) or 0.0)


_GRADED: dict[str, list[tuple[str, str]]] = {}


def _graded(puzzle: Puzzle) -> list[tuple[str, str]]:
    """The problems and other starts that can be solved, those with few moves first; kept if all are known."""
    if puzzle.id in _GRADED:
        return _GRADED[puzzle.id]
    problems = [(problem.start, problem.goal) for problem in puzzle.problems]
    asked = dict.fromkeys([*problems, *((start, puzzle.goal) for start in puzzle.starts.values())])
    judged = {problem: _judged(puzzle, *problem) for problem in asked}
    if any(verdict.verdict == verdicts.NOT_KNOWN for verdict in judged.values()):
        return _by_luck(puzzle)
    live = [problem for problem in asked if judged[problem].moves_left]
    return _GRADED.setdefault(puzzle.id, sorted(live, key=lambda problem: judged[problem].moves_left or 0))


def _judged(puzzle: Puzzle, start: str, goal: str) -> verdicts.Verdict:
    return verdicts.verdict_of(puzzle, puzzle.parse_goal(goal), puzzle.parse(start))


def _card(puzzle: Puzzle) -> Card:
    return Card(puzzle, in_words(puzzle.title), _thumbnail(puzzle))


@cache
def _thumbnail(puzzle: Puzzle) -> board_picture.Picture:
    return board_picture.picture(puzzle, puzzle.parse(puzzle.start), puzzle.goal, margin=6)


def subtitle(puzzle: Puzzle) -> str:
    """How many holes; the fewest moves from the start, too, where a table knows them and not the atlas."""
    holes = gettext("%(number)s places", number=puzzle.holes)
    in_atlas = problem_labels.mark_of(puzzle, puzzle.start, puzzle.goal) is not None
    fewest = shortest(puzzle) if is_warm(puzzle) and not in_atlas else None
    return str(
        holes if fewest is None else gettext("%(holes)s, %(moves)s moves at best", holes=holes, moves=fewest)
    )


def is_warm(puzzle: Puzzle) -> bool:
    """Whether judging takes no time: the gallery never waits for a compiler."""
    return warmup.warmup().is_ready(puzzle.id)


def shortest(puzzle: Puzzle) -> int | None:
    """The fewest moves from the start."""
    return _judged(puzzle, puzzle.start, puzzle.goal).moves_left
