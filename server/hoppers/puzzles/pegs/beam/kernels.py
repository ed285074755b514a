"""Kernels of the beam search: the next layer, the cost of boards, and the board nearest to the goal.

The value of a board is the fewest moves that lead to it, above a mask of the pegs that may have made the last
of these moves (see `beam.search`).
"""

from typing import Any, NamedTuple

import numpy as np

from hoppers.core.kernels import kernel
from hoppers.puzzles.pegs.bitboards.jump_masks import forward_jumps, lowest_bit, popcount
from hoppers.puzzles.pegs.closure.backward_values import MOVES_SHIFT, value_of
from hoppers.search.hash_tables import slot_of

COST_OF_MOVE = 12  # unit of the ratings
NO_SOLUTION_COST = 1 << 30  # more than any solution costs


class BeamWeights(NamedTuple):
    """Data of the cost function: Merson regions, masks of holes, and the cost of a peg in each mask."""

    regions: Any
    masks: Any
    weights: Any


@kernel
def expand_layer(
    boards: Any, values: Any, order: Any, count: int, slots: Any, known: Any, shifts: Any
) -> int:
    """Insert all boards one jump later into the hash set `slots`, with their values in `known`.

    Append the set's index of each new board to `order` from `count` on, and return the new count. When
    `order` is full, further boards are ignored.
    """
    one, room = np.uint64(1), len(order)
    for index in range(len(boards)):
        board, moves = boards[index], values[index] >> np.uint64(MOVES_SHIFT)
        for slot in range(len(shifts.first) - 1):
            lows = forward_jumps(board, slot, shifts)
            while lows != np.uint64(0) and count < room:
                low = lowest_bit(lows)
                lows &= lows - one
                line = np.uint64(64 * slot) + low
                upwards = board >> low & one
                origin = low + shifts.spans[line] * (one - upwards)
                target = low + shifts.spans[line] * upwards
                made = moves + one - (values[index] >> origin & one)
                value = made << np.uint64(MOVES_SHIFT) | one << target
                after = board ^ shifts.lines[line]
                place = slot_of(after, slots)
                if slots[place] == np.uint64(0):
                    slots[place], known[place], order[count] = after, value, place
                    count += 1
                elif made < known[place] >> np.uint64(MOVES_SHIFT):
                    known[place] = value
                elif made == known[place] >> np.uint64(MOVES_SHIFT):
                    known[place] |= value
    return count


@kernel
def rate_boards(boards: Any, values: Any, weights: Any, costs: Any) -> None:
    """Write the cost of each board into `costs` (int64). Boards with low costs are kept in the beam.

    The cost counts moves made, full Merson regions, and pegs that are hard to capture.
    """
    for index in range(len(boards)):
        board = boards[index]
        cost = np.int64(values[index] >> np.uint64(MOVES_SHIFT)) * COST_OF_MOVE
        for number in range(len(weights.masks)):
            cost += weights.weights[number] * popcount(board & weights.masks[number])
        for region in weights.regions:
            if board & region == region:
                board ^= region
                cost += COST_OF_MOVE
        costs[index] = cost


@kernel
def best_board(boards: Any, values: Any, level: Any) -> tuple[int, Any]:
    """Return the index of the board with the shortest total solution, or -1 if all boards are dead.

    The second result is the mask of the pegs that may have moved last and can begin a shortest solution of
    that board. `level`: level of a closure that contains the boards.
    """
    least, best, pegs = np.int64(NO_SOLUTION_COST), -1, np.uint64(0)
    for number in range(len(boards)):
        entry = value_of(boards[number], level)
        left = np.int64(entry >> np.uint64(MOVES_SHIFT)) - 1
        going_on = entry & values[number] & (np.uint64(1) << np.uint64(MOVES_SHIFT)) - np.uint64(1)
        total = np.int64(values[number] >> np.uint64(MOVES_SHIFT)) + left - int(going_on != np.uint64(0))
        if left >= 0 and total < least:
            least, best, pegs = total, number, going_on
    return best, pegs
