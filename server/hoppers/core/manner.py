"""How a puzzle is played on a page, in words."""

from typing import NamedTuple

from hoppers.core.model import Words


class Manner(NamedTuple):
    """How a puzzle is played, in words, and what differs on the page."""

    handling: Words = Words(
        "Press a piece, then the hole it should go to; or drag it there. Every legal hole is marked.",
        "駒を押してから行き先の穴を押すか、駒をそこまでドラッグします。動かせる先には印がつきます。",
    )
    setting: Words = Words(
        "Tap the board to change what is there, or type the position.",
        "盤の上を押して並べるか、局面を文字で入力してください。",
    )
    """How a position is set up by hand."""
    closing: Words = Words("last piece", "最後の駒")
    """What has to end in the hole where the goal is a hole."""
    steered: bool = False
    """Whether arrow keys may move pieces: at most one can go each way."""


USUAL = Manner()
