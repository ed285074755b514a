"""Duplicate pruning for sliding tiles: sequences of slides that a depth-first search need not follow.

A sequence is a *duplicate* if another sequence has an equal effect, uses no cell outside the rectangle of the
duplicate, and is shorter, or equally long and lexicographically earlier. The shortest duplicates are two
slides of which the second undoes the first. The next have six slides round two by two cells: six slides the
other way round have an equal effect. A search for one shortest solution may prune wherever its last slides
are a duplicate.

A finite-state machine recognises the duplicates of at most ten slides. It is built as in Aho and Corasick
(1975). Source: Taylor and Korf, "Pruning duplicate nodes in depth-first search" (1993).

A search that counts all solutions may only prune slides that undo the slide before: these are the duplicates
of two slides. A second machine does this.
"""

from typing import Any

import numpy as np

STEPS = ((-1, 0), (0, -1), (0, 1), (1, 0))
"""Row and column step of the blank: up, left, right, down. Direction 3 - d undoes direction d."""
SIDE = 4
STATE_BITS = 12  # bits of a state number in a row of the machine
ALLOWED = 4 * STATE_BITS  # shift of the four bits of the allowed directions in a row of the machine

Slides = tuple[int, ...]  # directions of the blank, one after another
Box = tuple[int, int, int, int]  # rectangle of cells: first and last row, first and last column


def find_duplicates(longest: int = 10) -> set[Slides]:
    """Return all duplicates of at most `longest` slides that fit on the board and contain no shorter one."""
    effect, box = _effect(())
    seen, found = {effect: [box]}, set[Slides]()
    sequences: list[Slides] = [()]
    for _ in range(longest):
        longer = [(*slides, direction) for slides in sequences for direction in range(4)]
        sequences = []
        for slides in longer:
            if any(slides[i:] in found for i in range(len(slides))):
                continue
            effect, box = _effect(slides)
            top, bottom, left, right = box
            if bottom - top >= SIDE or right - left >= SIDE:
                continue
            # Sequences come by length and, within a length, in lexicographic order, so an earlier sequence
            # with an equal effect is preferred. It can replace `slides` everywhere on the board only if its
            # rectangle lies within that of `slides`.
            boxes = seen.setdefault(effect, [])
            if any(_is_within(earlier, box) for earlier in boxes):
                found.add(slides)
            else:
                boxes.append(box)
                sequences.append(slides)
    return found


def _effect(slides: Slides) -> tuple[Any, Box]:
    """Return the effect of slides on an unbounded board, and the rectangle of cells that the blank visits.

    The blank starts in (0, 0). The effect is its last cell, and a pair for each tile that is not where it
    started: the cell of the tile and the cell that it came from.
    """
    sources: dict[tuple[int, int], tuple[int, int]] = {}
    blank, visited = (0, 0), [(0, 0)]
    for direction in slides:
        after = blank[0] + STEPS[direction][0], blank[1] + STEPS[direction][1]
        sources[blank] = sources.pop(after, after)
        blank = after
        visited.append(blank)
    rows, columns = zip(*visited, strict=True)
    moved = frozenset(pair for pair in sources.items() if pair[0] != pair[1])
    return (blank, moved), (min(rows), max(rows), min(columns), max(columns))


def _is_within(inner: Box, outer: Box) -> bool:
    return inner[0] >= outer[0] and inner[1] <= outer[1] and inner[2] >= outer[2] and inner[3] <= outer[3]


def state_machine(forbidden: set[Slides], first: int = 0) -> list[int]:
    """Return the rows of a finite-state machine that allows no slide which completes a forbidden sequence.

    A state is the longest suffix of the slides so far that is a proper prefix of a forbidden sequence (Aho
    and Corasick, 1975). The start state comes first. A row holds a bit for each allowed direction, and the
    number of the state that follows it, counted from `first`.
    """
    prefixes = {slides[:length] for slides in forbidden for length in range(len(slides))} | {()}
    states = sorted(prefixes, key=lambda slides: (len(slides), slides))
    number = {slides: first + place for place, slides in enumerate(states)}
    return [_row(state, forbidden, number) for state in states]


def _row(state: Slides, forbidden: set[Slides], number: dict[Slides, int]) -> int:
    row = 0
    for direction in range(4):
        ends = [(*state, direction)[i:] for i in range(len(state) + 2)]
        if not any(end in forbidden for end in ends):
            following = next(number[end] for end in ends if end in number)
            row |= 1 << ALLOWED + direction | following << STATE_BITS * direction
    return row


def state_machines() -> Any:
    """Return the two finite-state machines that prune duplicates, as one uint64 array of rows.

    The machine that prunes all duplicates of at most ten slides begins at row 0. The last five rows are the
    machine that prunes only undoing slides: its start, and a state for each last direction.

    Raises:
        ArithmeticError: the numbers of the states do not fit into STATE_BITS bits.
    """
    direct = state_machine(find_duplicates())
    if len(direct) + 5 > 1 << STATE_BITS:
        raise ArithmeticError(f"{len(direct)} states do not fit into {STATE_BITS} bits")
    return np.array(direct + state_machine(find_duplicates(2), len(direct)), np.uint64)
