"""Errors caused by input, refusals of a busy server, and the codes by which programs recognise them."""

from typing import Literal

from hoppers.core.texts import Text

MAX_TEXT_LENGTH = 80  # characters; longer texts are refused, and quoted up to this length

ErrorCode = Literal[
    "invalid_deal",
    "invalid_goal",
    "invalid_method",
    "invalid_move",
    "invalid_option",
    "invalid_position",
    "invalid_request",
    "race_full",
    "unknown_puzzle",
    "unknown_ticket",
]
"""Codes of errors caused by input, as the API sends them."""
RefusalCode = Literal["busy", "unreachable"]
"""Codes of refusals of valid requests, as the API sends them."""


class PuzzleError(ValueError):
    """Error caused by input. Its message, in English, is for people; programs read its `code`."""

    def __init__(self, template: str, code: ErrorCode = "invalid_request", **values: object) -> None:
        """`template`, `values`: see `Text`."""
        self.code, self.text = code, Text(template, values)
        super().__init__(str(self.text))


class Busy(Exception):
    """Refusal of a request because the server, or the fleet that it needs, cannot serve it now."""

    def __init__(self, sentence: str, code: RefusalCode = "busy") -> None:
        self.code = code
        super().__init__(sentence)


def quoted(value: object) -> str:
    """Return a text in quotation marks, or another value as Python shows it, cut off where it is long."""
    if isinstance(value, str):
        return repr(value) if len(value) <= MAX_TEXT_LENGTH else f"{value[:MAX_TEXT_LENGTH]!r}…"
    shown = repr(value)
    return shown if len(shown) <= MAX_TEXT_LENGTH else f"{shown[:MAX_TEXT_LENGTH]}…"


def checked_length(text: str, code: ErrorCode, most: int = MAX_TEXT_LENGTH) -> str:
    """Return `text` if it has at most `most` characters.

    Raises:
        PuzzleError: `text` is longer; the exception has the code `code`.
    """
    if len(text) > most:
        raise PuzzleError(
            "{text} has {length} characters; the limit is {most}",
            code,
            text=quoted(text),
            length=len(text),
            most=most,
        )
    return text
