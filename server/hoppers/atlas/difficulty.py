"""How much luck a player who jumps at random needs: the measure of difficulty, the same for every board.

Somebody who picks every jump at random among the legal ones, until none is left, solves a position with some
chance. It is exact: a board's chance is the mean of those of the boards one jump later, 1 at the goal. The
measure is that chance counted in bits, log2(1 / chance): each more halves the chance. A game with more than
`MOST_PEGS` pegs is measured from where the published solution has no more left, for what comes before is too
much to list on the largest boards; smaller boards are measured whole.

Where steps can be taken back a random game need not end. There the player has as many steps as a shortest
solution: what counts is whether every one of them is right. On peg boards that is the same measure, for there
all solutions of a problem have equally many jumps.
"""

import itertools
import math
from typing import Any

import numpy as np

from hoppers.core.kernels import kernel
from hoppers.core.model import Position, Source
from hoppers.core.puzzle import Puzzle
from hoppers.puzzles.pegs.bitboards.jump_masks import Shifts, forward_jumps, lowest_bit, shift_groups
from hoppers.puzzles.pegs.closure.backward_values import solvable_number
from hoppers.puzzles.pegs.closure.closure import build_closure
from hoppers.puzzles.pegs.closure.hash_buckets import board_at
from hoppers.tablebase.builder import finish
from hoppers.tablebase.solutions import best_steps

MOST_PEGS = 24
MOST_BOARDS = 20_000_000
"""More than can follow from so many pegs on any of the boards."""


@kernel
def count_chances(level: Any, chances: Any, below: Any, chances_below: Any, shifts: Any) -> None:
    """Fill the chances of a level of boards from those of the level one jump later.

    Chances (float64) are those of the boards that can be solved, in their order; the others have none.
    """
    bucket = number = 0
    for index in range(len(level.packed.rests)):
        if level.solvable[index >> 6] >> np.uint64(index & 63) & np.uint64(1) == np.uint64(0):
            continue
        while index >= level.packed.starts[bucket + 1]:
            bucket += 1
        board, jumps, together = board_at(bucket, index, level.packed), 0, 0.0
        for slot in range(len(shifts.first) - 1):
            lows = forward_jumps(board, slot, shifts)
            while lows != np.uint64(0):
                line = np.uint64(64 * slot) + lowest_bit(lows)
                lows &= lows - np.uint64(1)
                after = solvable_number(board ^ shifts.lines[line], below)
                together += chances_below[after] if after >= 0 else 0.0
                jumps += 1
        chances[number] = together / jumps
        number += 1


def chance(state: int, goal: int, shifts: Shifts) -> float:
    """The chance that random jumps from a board with no more than `MOST_PEGS` pegs end at the goal."""
    closure = finish(build_closure(np.array([state], np.uint64), goal, shifts, MOST_BOARDS))
    if closure is None:
        raise MemoryError(f"more than {MOST_BOARDS} boards can follow from {state:#x}")
    chances = np.ones(len(closure.levels[1].values))
    for pegs in range(2, state.bit_count() + 1):
        level, chances_below = closure.levels[pegs], chances
        chances = np.zeros(len(level.values))
        count_chances(level, chances, closure.levels[pegs - 1], chances_below, shifts)
    return float(chances[0]) if len(chances) else 0.0


def luck(puzzle: Puzzle, start: Position, goal: int, line: list[list[int]]) -> float:
    """The bits of luck that a problem needs, to two digits; `line` solves it."""
    state = measured_from(puzzle, start, line)
    return _bits(chance(state, goal, shift_groups(puzzle.board.jumps)))


def on_the_way(
    puzzle: Puzzle, source: Source, goal: int, start: Position, most: int
) -> tuple[int, float] | None:
    """How many shortest solutions there are, and the bits of luck that it takes to make no other step.

    For puzzles in which every step is a move. None where more than `most` positions lie on the way.
    """
    walked, here = 0, {start: (1, 1.0)}
    for _ in range(source.moves_left(start)):
        walked += len(here)
        if walked > most:
            return None
        after: dict[Position, tuple[int, float]] = {}
        for position, (ways, chance) in here.items():
            share = chance / len(puzzle.raw_steps(position))
            for step in best_steps(puzzle, source, position):
                known = after.get(step.after, (0, 0.0))
                after[step.after] = known[0] + ways, known[1] + share
        here = after
    return sum(ways for ways, _ in here.values()), _bits(math.fsum(share for _, share in here.values()))


def _bits(chance: float) -> float:
    return round(-math.log2(chance), 2)


def measured_from(puzzle: Puzzle, start: Position, line: list[list[int]]) -> int:
    """The first board on a line with no more than `MOST_PEGS` pegs."""
    over = {(origin, target): middle for origin, middle, target in puzzle.board.jumps}
    legs, state = [leg for move in line for leg in itertools.pairwise(move)], start.state
    for origin, target in legs:
        if state.bit_count() <= MOST_PEGS:
            break
        state ^= 1 << origin | 1 << over[origin, target] | 1 << target
    return state
