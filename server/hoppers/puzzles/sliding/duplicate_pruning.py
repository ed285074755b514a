"""Slides that lead nowhere new: what a depth-first search may leave out without missing a solution.

Some sequences of slides arrive where a shorter one does, or one of the same length that comes earlier in the
alphabet, without leaving the rectangle of cells that the longer one used; going round two by two cells is the
simplest. A search for one shortest solution may stop wherever its last slides are such a *detour*. Taylor and
Korf, "Pruning duplicate nodes in depth-first search" (1993). A search that counts all solutions may only
leave out slides that are taken straight back, the detours of two slides.
"""

from typing import Any, NamedTuple

import numpy as np

STEPS = ((-1, 0), (0, -1), (0, 1), (1, 0))
"""Where the blank goes, row and column: up, left, right, down. Direction d is taken back by 3 - d."""
LONGEST = 10
SIDE = 4
STATE_BITS = 12
ALLOWED = 4 * STATE_BITS
"""Where the bits of the allowed directions begin in a row of the automaton."""

Word = tuple[int, ...]


class Trip(NamedTuple):
    """What a sequence of slides does on a board without edges, the blank starting in (0, 0)."""

    word: Word
    blank: tuple[int, int]
    moved: dict[tuple[int, int], tuple[int, int]]
    """Cell -> the cell its tile came from, for all tiles that have moved."""
    box: tuple[int, int, int, int]
    """The cells used: first and last row, first and last column."""


def detours(longest: int = LONGEST) -> set[Word]:
    """All detours of at most so many slides that hold no shorter detour."""
    start = Trip((), (0, 0), {}, (0, 0, 0, 0))
    seen, found, trips = {_arrival(start): [start.box]}, set[Word](), [start]
    for _ in range(longest):
        longer = [_go_on(trip, direction) for trip in trips for direction in range(4)]
        trips = []
        for trip in longer:
            if _is_too_wide(trip.box) or any(trip.word[i:] in found for i in range(len(trip.word))):
                continue
            boxes = seen.setdefault(_arrival(trip), [])
            if any(_is_within(box, trip.box) for box in boxes):
                found.add(trip.word)
            else:
                boxes.append(trip.box)
                trips.append(trip)
    return found


def _go_on(trip: Trip, direction: int) -> Trip:
    (row, column), moved = trip.blank, dict(trip.moved)
    down, right = STEPS[direction]
    blank = row + down, column + right
    moved[trip.blank] = moved.pop(blank, blank)
    if moved[trip.blank] == trip.blank:
        del moved[trip.blank]
    top, bottom, left, wide = trip.box
    box = min(top, blank[0]), max(bottom, blank[0]), min(left, blank[1]), max(wide, blank[1])
    return Trip((*trip.word, direction), blank, moved, box)


def _arrival(trip: Trip) -> tuple[tuple[int, int], frozenset[Any]]:
    return trip.blank, frozenset(trip.moved.items())


def _is_too_wide(box: tuple[int, int, int, int]) -> bool:
    return box[1] - box[0] >= SIDE or box[3] - box[2] >= SIDE


def _is_within(inner: tuple[int, int, int, int], outer: tuple[int, int, int, int]) -> bool:
    return inner[0] >= outer[0] and inner[1] <= outer[1] and inner[2] >= outer[2] and inner[3] <= outer[3]


def automaton(forbidden: set[Word], first: int = 0) -> list[int]:
    """A row per state, the start first: what may follow the slides so far.

    A state is the longest end of them that may become a forbidden word (Aho and Corasick, 1975). A row holds
    the number of the state after each direction, counted from `first`, and a bit for each allowed one.
    """
    beginnings = {word[:length] for word in forbidden for length in range(len(word))} | {()}
    states = sorted(beginnings, key=lambda word: (len(word), word))
    number = {word: first + place for place, word in enumerate(states)}
    return [_row(state, forbidden, number) for state in states]


def _row(state: Word, forbidden: set[Word], number: dict[Word, int]) -> int:
    row = 0
    for direction in range(4):
        ends = [(*state, direction)[i:] for i in range(len(state) + 2)]
        if not any(end in forbidden for end in ends):
            following = next(number[end] for end in ends if end in number)
            row |= 1 << ALLOWED + direction | following << STATE_BITS * direction
    return row


def turns() -> Any:
    """Both automata as one uint64 array: without detours from row 0, and all but taking back from the end.

    The second has five rows: the start and one for each last direction.
    """
    direct = automaton(detours())
    if len(direct) + 5 > 1 << STATE_BITS:
        raise ArithmeticError(f"{len(direct)} states do not fit into {STATE_BITS} bits")
    return np.array(direct + automaton(detours(2), len(direct)), np.uint64)
