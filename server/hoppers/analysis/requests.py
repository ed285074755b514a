"""The texts of a request become a question: the same for HTTP, the channel and the command line."""

from collections.abc import Generator
from typing import NamedTuple

from hoppers.core.errors import (
    InvalidGoal,
    InvalidMethod,
    InvalidPosition,
    PuzzleError,
    UnknownPuzzle,
)
from hoppers.core.events import Event
from hoppers.core.model import Position
from hoppers.core.puzzle import Method, Puzzle, Question
from hoppers.tablebase.engine import Engine

LONGEST = 80
"""Characters of the longest text worth reading; what is longer is quoted only so far."""

DEFAULT_METHOD = "best"


class Search(NamedTuple):
    """A question and the method chosen to answer it."""

    question: Question
    method: Method

    @property
    def subject(self) -> dict[str, str]:
        """What is searched, in words for the log."""
        return {"puzzle": self.question.puzzle.id, "method": self.method.title.en}

    def events(self) -> Generator[Event, None, None]:
        """What the search says; nothing runs before the first event is asked for."""
        yield from self.method.search(self.question)


def quoted(text: str) -> str:
    """The text in quotation marks, cut off where it gets long."""
    return repr(text) if len(text) <= LONGEST else f"{text[:LONGEST]!r}…"


def read_puzzle(engine: Engine, text: str) -> Puzzle:
    """The puzzle of this id.

    Raises:
        UnknownPuzzle: there is none.
    """
    return engine.find(of_sane_length(text, UnknownPuzzle))


def read_position(puzzle: Puzzle, text: str) -> Position:
    """The position of this text.

    Raises:
        InvalidPosition: the puzzle has no such position.
    """
    return puzzle.parse(of_sane_length(text, InvalidPosition))


def read_goal(puzzle: Puzzle, text: str | None) -> int:
    """The code of this goal; None means the puzzle's own.

    Raises:
        InvalidGoal: the puzzle has no such goal.
    """
    return puzzle.parse_goal(text if text is None else of_sane_length(text, InvalidGoal))


def read_search(
    engine: Engine,
    puzzle_id: str,
    position: str | None = None,
    goal: str | None = None,
    method: str | None = None,
    find_all: bool = False,
    first_move: tuple[int, int] | None = None,
) -> Search:
    """The search these texts ask for; what is None is the puzzle's own start and goal, and the best method.

    Raises:
        PuzzleError: one of them means nothing.
    """
    puzzle = read_puzzle(engine, puzzle_id)
    start = read_position(puzzle, puzzle.start if position is None else position)
    name = DEFAULT_METHOD if method is None else of_sane_length(method, InvalidMethod)
    first = None if first_move is None else puzzle.step(start, *first_move)
    question = Question(puzzle, read_goal(puzzle, goal), start, find_all, first)
    return Search(question, puzzle.method(name))


def of_sane_length(text: str, error: type[PuzzleError]) -> str:
    """The text, unless it is longer than LONGEST.

    Raises:
        PuzzleError: it is; of the class that is given.
    """
    if len(text) > LONGEST:
        raise error(
            "{text} has {length} characters, more than {most}",
            text=quoted(text),
            length=len(text),
            most=LONGEST,
        )
    return text
