"""Errors in input: a sentence that quotes the input, and a code for programs."""

from typing import Any, NamedTuple


class Sentence(NamedTuple):
    """A sentence with {names} for the values it quotes, so that a translation can order them differently."""

    template: str
    values: dict[str, Any]

    def __str__(self) -> str:
        """Return the sentence in English."""
        return self.template.format(**self.values) if self.values else self.template


class PuzzleError(ValueError):
    """Error caused by input. The message is one sentence that quotes the input; `code` names the kind."""

    code = "invalid_request"

    def __init__(self, template: str, **values: Any) -> None:
        """`template`: English sentence with {names}; `values`: their values, which may be `Words`."""
        self.sentence = Sentence(template, values)
        super().__init__(str(self.sentence))


class UnknownPuzzle(PuzzleError):
    """No puzzle has the requested id."""

    code = "unknown_puzzle"


class InvalidPosition(PuzzleError):
    """The text is not a position of the puzzle."""

    code = "invalid_position"


class InvalidGoal(PuzzleError):
    """The text is not a goal of the puzzle."""

    code = "invalid_goal"


class InvalidMove(PuzzleError):
    """The step is not legal in the position."""

    code = "invalid_move"


class InvalidMethod(PuzzleError):
    """The puzzle has no method of the requested name."""

    code = "invalid_method"


class Busy(Exception):
    """The server already runs as many searches as its limit allows."""

    code = "busy"


class RaceFull(PuzzleError):
    """Four searches of the race are running already."""

    code = "race_full"


class UnknownTicket(PuzzleError):
    """The player has no search with this ticket, or was disconnected for too long."""

    code = "unknown_ticket"
