"""The boards on which a first visit learns to play, from data/first_boards.json.

All of them are positions of one puzzle with one goal, so that one game can show them in turn.
"""

from functools import cache

import msgspec

from hoppers.core.model import prebuild_decoder
from hoppers.runtime import PACKAGE

DATA = PACKAGE / "data" / "first_boards.json"


@prebuild_decoder
class FirstBoard(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A board of the first visit, in the format of the data file. Its texts are in English."""

    puzzle: str
    position: str
    goal: str
    text: str
    """What the board teaches."""


@cache
def load_first_boards() -> list[FirstBoard]:
    """Return the boards in their order, read and checked on the first call."""
    return msgspec.json.decode(DATA.read_bytes(), type=list[FirstBoard])
