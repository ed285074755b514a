"""Errors caused by input: each has a sentence that quotes the input, and a code for programs."""

from typing import Any, Literal, NamedTuple

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
"""Kinds of errors caused by input, as programs read them."""
RefusalCode = Literal["busy", "unreachable"]
"""Reasons why a valid request is refused, as programs read them."""


class Sentence(NamedTuple):
    """English sentence with {names}, and their values. A translation may order the names differently."""

    template: str
    values: dict[str, Any]

    def __str__(self) -> str:
        """Return the sentence in English."""
        return self.template.format(**self.values) if self.values else self.template


class PuzzleError(ValueError):
    """Error caused by input. Its message is one sentence that quotes the input; `code` is its kind."""

    def __init__(self, template: str, code: ErrorCode = "invalid_request", **values: Any) -> None:
        """`template`: English sentence with {names}; `values`: their values, which may be `Words`."""
        self.code, self.sentence = code, Sentence(template, values)
        super().__init__(str(self.sentence))


class Busy(Exception):
    """Refusal of a request because the server, or the fleet that it needs, cannot serve it now."""

    def __init__(self, sentence: str, code: RefusalCode = "busy") -> None:
        self.code = code
        super().__init__(sentence)
