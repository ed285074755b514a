"""What is wrong with an input: one sentence that quotes it, and a code for programs."""

from typing import Any, NamedTuple


class Sentence(NamedTuple):
    """A sentence with {names} for what it quotes: another language puts the same in an order of its own."""

    template: str
    values: dict[str, Any]

    def __str__(self) -> str:
        """The English one."""
        return self.template.format(**self.values) if self.values else self.template


class PuzzleError(ValueError):
    """Caused by input; the message is one sentence that quotes it, `code` names the kind."""

    code = "invalid_request"

    def __init__(self, template: str, **values: Any) -> None:
        """The sentence, with {names} where `values` belong; a text in both languages may be one of them."""
        self.sentence = Sentence(template, values)
        super().__init__(str(self.sentence))


class UnknownPuzzle(PuzzleError):
    """No puzzle has this id."""

    code = "unknown_puzzle"


class InvalidPosition(PuzzleError):
    """The text is not a position of this puzzle."""

    code = "invalid_position"


class InvalidGoal(PuzzleError):
    """The text is not a goal of this puzzle."""

    code = "invalid_goal"


class InvalidMove(PuzzleError):
    """The step is not legal in the position."""

    code = "invalid_move"


class InvalidMethod(PuzzleError):
    """The puzzle has no such method."""

    code = "invalid_method"


class Busy(Exception):
    """The server runs as many searches as it can."""

    code = "busy"


class RaceFull(PuzzleError):
    """Four searches are running under this race already."""

    code = "race_full"


class UnknownTicket(PuzzleError):
    """The player has no such search, or has been away from it for too long."""

    code = "unknown_ticket"
