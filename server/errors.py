"""What is wrong with an input: one sentence that quotes it, and a code for programs."""


class PuzzleError(ValueError):
    """Caused by input; the message is one sentence that quotes it, `code` names the kind."""

    code = "invalid_request"


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
