"""Positions that may become cards: all of a puzzle with a complete table, others played backwards.

The order of the positions is that of their SHA-256, so that it is as good as random and equal everywhere.
"""

import itertools
from collections.abc import Iterator
from hashlib import sha256

import numpy as np

from hoppers.core.model import MovesLeft
from hoppers.core.puzzle import Puzzle
from hoppers.puzzles.pegs.jump_masks import shift_groups
from hoppers.puzzles.pegs.tables.closure import build_closure
from hoppers.runtime.builder import finish

MAX_BOARDS = 30_000  # that follow from a card on a board without a complete table
BACKWARDS = 400  # games played backwards for each number of pegs
PEGS_BACKWARDS = range(5, 18)


def shuffled(texts: Iterator[str], about: str) -> list[str]:
    """Return the texts by SHA-256. `about`: a text that makes the order another one."""
    return sorted(texts, key=lambda text: sha256(f"{about} {text}".encode()).digest())


def texts_of(puzzle: Puzzle, goal: str, pegs: range | None = None) -> Iterator[str]:
    """Yield the texts of positions without an active peg, from which cards are chosen.

    `pegs`: their numbers; None: any.
    """
    match puzzle.family:
        case "pegs" if not puzzle.source(puzzle.parse_goal(goal)).is_complete:
            yield from _played_backwards(puzzle, goal, pegs or PEGS_BACKWARDS)
        case "pegs":
            texts, empty = _peg_texts(puzzle), puzzle.rules.alphabet[0]
            yield from (text for text in texts if not pegs or puzzle.holes - text.count(empty) in pegs)
        case "flips":
            for colours in itertools.product(puzzle.rules.alphabet[1:], repeat=puzzle.holes - 1):
                row = "".join(colours)
                yield from (f"{row[:gap]}_{row[gap:]}" for gap in range(puzzle.holes))
        case _:
            yield from map("".join, itertools.permutations(sorted(goal)))


def _peg_texts(puzzle: Puzzle) -> Iterator[str]:
    """Yield all positions of a board, with the red peg in each hole if the board has one."""
    empty, *pegs = list(puzzle.rules.alphabet)
    for cells in itertools.product(empty + pegs[0], repeat=puzzle.holes):
        text = "".join(cells)
        if len(pegs) == 1 and text.strip(empty):
            yield text
        for hole in (hole for hole, cell in enumerate(text) if cell != empty and len(pegs) > 1):
            yield text[:hole] + pegs[1] + text[hole + 1 :]


def _played_backwards(puzzle: Puzzle, goal: str, counts: range) -> Iterator[str]:
    """Yield positions with `counts` pegs from which the goal hole can be reached."""
    for game, most in itertools.product(range(BACKWARDS), counts):
        pegs = {int(goal)}
        while len(pegs) < most:
            before = [
                (origin, over, target)
                for origin, over, target in puzzle.board.jumps
                if target in pegs and not {origin, over} & pegs
            ]
            if not before:
                break
            choice = sha256(f"{game} {most} {len(pegs)}".encode()).digest()
            origin, over, target = before[int.from_bytes(choice) % len(before)]
            pegs = pegs - {target} | {origin, over}
        if len(pegs) == most:
            yield "".join("o" if hole in pegs else "." for hole in range(puzzle.holes))


def exact_lookup(puzzle: Puzzle, goal: str, text: str) -> MovesLeft | None:
    """Return the exact moves left of all positions that follow, or None if they are too many."""
    code = puzzle.parse_goal(goal)
    source = puzzle.source(code)
    if source.is_complete:
        return source.moves_left
    start = np.array([puzzle.parse(text).state], np.uint64)
    closure = finish(build_closure(start, code, shift_groups(puzzle.board.jumps), MAX_BOARDS))
    return None if closure is None else closure.moves_left
