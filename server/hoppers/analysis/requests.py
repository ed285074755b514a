"""Parse the texts of a request into a question, for HTTP, the channel and the command line."""

from collections.abc import Generator
from dataclasses import replace
from typing import NamedTuple

from hoppers.analysis.atlas_results import known_result
from hoppers.core.errors import (
    InvalidGoal,
    InvalidMethod,
    InvalidPosition,
    PuzzleError,
    UnknownPuzzle,
)
from hoppers.core.events import Event, Solved
from hoppers.core.model import Position
from hoppers.core.puzzle import Method, Puzzle, Question
from hoppers.tablebase.engine import Engine

MAX_TEXT_LENGTH = 80  # characters; longer texts are refused, and quoted up to this length

DEFAULT_METHOD = "best"


class ParsedSearch(NamedTuple):
    """A question and the method that searches for its answer."""

    question: Question
    method: Method
    known_count: int | None = None
    """Number of shortest solutions that the atlas has, for the method `best`; None: to be counted."""

    @property
    def subject(self) -> dict[str, str]:
        """Puzzle id and English title of the method, for the log."""
        return {"puzzle": self.question.puzzle.id, "method": self.method.title.en}

    def events(self) -> Generator[Event, None, None]:
        """Run the search and yield its events; nothing runs before the first `next`."""
        if self.known_count is None:
            yield from self.method.search(self.question)
            return
        for event in self.method.search(self.question._replace(find_all=False)):
            yield replace(event, count=self.known_count) if isinstance(event, Solved) else event


def quoted(text: str) -> str:
    """Return `text` in quotation marks, cut off after `MAX_TEXT_LENGTH` characters."""
    return repr(text) if len(text) <= MAX_TEXT_LENGTH else f"{text[:MAX_TEXT_LENGTH]!r}…"


def read_puzzle(engine: Engine, text: str) -> Puzzle:
    """Return the puzzle with the id `text`.

    Raises:
        UnknownPuzzle: no puzzle has this id.
    """
    return engine.find(checked_length(text, UnknownPuzzle))


def read_position(puzzle: Puzzle, text: str) -> Position:
    """Return the position that `text` describes.

    Raises:
        InvalidPosition: `text` is not a position of the puzzle.
    """
    return puzzle.parse(checked_length(text, InvalidPosition))


def read_goal(puzzle: Puzzle, text: str | None) -> int:
    """Return the code of the goal `text`; None means the puzzle's own goal.

    Raises:
        InvalidGoal: `text` is not a goal of the puzzle.
    """
    return puzzle.parse_goal(text if text is None else checked_length(text, InvalidGoal))


def read_search(
    engine: Engine,
    puzzle_id: str,
    position: str | None = None,
    goal: str | None = None,
    method: str | None = None,
    find_all: bool = False,
    first_move: tuple[int, int] | None = None,
) -> ParsedSearch:
    """Parse a search request. The defaults are the puzzle's own start and goal and the method `best`.

    Raises:
        PuzzleError: one of the arguments is not valid.
    """
    puzzle = read_puzzle(engine, puzzle_id)
    start = read_position(puzzle, puzzle.start if position is None else position)
    name = DEFAULT_METHOD if method is None else checked_length(method, InvalidMethod)
    first = None if first_move is None else puzzle.step(start, *first_move)
    question = Question(puzzle, read_goal(puzzle, goal), start, find_all, first)
    return ParsedSearch(question, puzzle.method(name), _known_count(question, name))


def _known_count(question: Question, method: str) -> int | None:
    """Return the number of shortest solutions in the atlas, if a search may answer from what is known."""
    if not question.find_all or question.first is not None or method != DEFAULT_METHOD:
        return None
    puzzle = question.puzzle
    known = known_result(puzzle, puzzle.format(question.position), puzzle.goal_text(question.goal))
    return None if known is None else known.solutions


def checked_length(text: str, error: type[PuzzleError]) -> str:
    """Return `text` if it has at most `MAX_TEXT_LENGTH` characters.

    Raises:
        PuzzleError: `text` is longer; the exception has the class `error`.
    """
    if len(text) > MAX_TEXT_LENGTH:
        raise error(
            "{text} has {length} characters, more than {most}",
            text=quoted(text),
            length=len(text),
            most=MAX_TEXT_LENGTH,
        )
    return text
