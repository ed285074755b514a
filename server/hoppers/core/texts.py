"""Texts of positions, read and refused: what is wrong is quoted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hoppers.core.errors import InvalidPosition

if TYPE_CHECKING:
    from hoppers.core.puzzle import Puzzle


def read_cells(puzzle: Puzzle, body: str) -> tuple[int, ...]:
    """The value of every cell.

    Raises:
        InvalidPosition: wrong length, character or pieces.
    """
    if len(body) != puzzle.holes:
        raise InvalidPosition(
            "{puzzle} has {holes} holes, but {text!r} has {length} characters",
            puzzle=puzzle.title,
            holes=puzzle.holes,
            text=body,
            length=len(body),
        )
    for hole, letter in enumerate(body):
        if letter not in puzzle.alphabet:
            raise InvalidPosition(
                "{letter!r} in hole {hole} of {text!r} means nothing; the signs are {alphabet}",
                letter=letter,
                hole=hole,
                text=body,
                alphabet=" ".join(puzzle.alphabet),
            )
    cells = tuple(puzzle.alphabet.index(letter) for letter in body)
    fault = puzzle.find_fault(cells)
    if fault is not None:
        raise InvalidPosition(
            "{text!r} is no position of {puzzle}: {reason}", text=body, puzzle=puzzle.title, reason=fault
        )
    return cells


def read_hand(puzzle: Puzzle, hand: str, cells: tuple[int, ...], text: str) -> int:
    """The hole of the piece in hand.

    Raises:
        InvalidPosition: it is no hole, or an empty one.
    """
    if not (hand.isascii() and hand.isdigit() and len(hand) <= 2 and int(hand) < puzzle.holes):
        raise InvalidPosition(
            "{hand!r} in {text!r} is not a hole from 0 to {last}",
            hand=hand,
            text=text,
            last=puzzle.holes - 1,
        )
    if not cells[int(hand)]:
        raise InvalidPosition(
            "hole {hand} in {text!r} is empty, so no peg there can be in hand", hand=hand, text=text
        )
    return int(hand)
