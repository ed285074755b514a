"""Errors caused by input: each has a sentence that quotes the input, and a code for programs."""

from typing import Any, NamedTuple


class Sentence(NamedTuple):
    """English sentence with {names}, and their values. A translation may order the names differently."""

    template: str
    values: dict[str, Any]

    def __str__(self) -> str:
        """Return the sentence in English."""
        return self.template.format(**self.values) if self.values else self.template


class PuzzleError(ValueError):
    """Error caused by input. Its message is one sentence that quotes the input; `code` is its kind."""

    code = "invalid_request"

    def __init__(self, template: str, **values: Any) -> None:
        """`template`: English sentence with {names}; `values`: their values, which may be `Words`."""
        self.sentence = Sentence(template, values)
        super().__init__(str(self.sentence))


class UnknownPuzzle(PuzzleError):
    """A puzzle id that does not exist."""

    code = "unknown_puzzle"


class InvalidPosition(PuzzleError):
    """A text that is not a position of the puzzle."""

    code = "invalid_position"


class InvalidGoal(PuzzleError):
    """A text that is not a goal of the puzzle."""

    code = "invalid_goal"


class InvalidMove(PuzzleError):
    """A step that is not legal in the position."""

    code = "invalid_move"


class InvalidMethod(PuzzleError):
    """A name that is not a method of the puzzle."""

    code = "invalid_method"


class Busy(Exception):
    """Refusal of a search because the server already runs as many searches as its limit allows."""

    code = "busy"


class RaceFull(PuzzleError):
    """Refusal of a search because four searches of the race are already running."""

    code = "race_full"


class UnknownTicket(PuzzleError):
    """A ticket that names no search of the player, for example after too long a disconnection."""

    code = "unknown_ticket"
