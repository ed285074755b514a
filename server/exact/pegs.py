"""Complete tables for peg boards small enough to number every position (up to 21 holes).

Let f(b) be the fewest moves from board b with no peg in hand, and g(b, p) the same with peg p in hand.
Stopping costs nothing and starting p again costs one move, so g(b, p) is f(b) or f(b) - 1; it is f(b) - 1
exactly when p makes the first move of some shortest solution of b. One byte and one mask of these best
first movers per board therefore say everything (docs/tables.md).
"""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..compiled import kernel
from ..records import DEAD, Position, Source

UNSOLVABLE = 255
SEEN = 254
TABLES_KEPT = 12


class Jumps(NamedTuple):
    """A board's jumps as arrays: three-hole mask, pegs needed, origin, target."""

    masks: Any
    pegs: Any
    origins: Any
    targets: Any


@kernel
def best_first_movers(board: int, fewest: Any, movers: Any, jumps: Any) -> tuple[int, Any]:
    """f(board) and the mask of pegs that start a shortest solution, from the boards one peg below."""
    least, starters = UNSOLVABLE, np.uint32(0)
    for jump in range(len(jumps.masks)):
        if board & jumps.masks[jump] != jumps.pegs[jump]:
            continue
        after = board ^ jumps.masks[jump]
        if fewest[after] >= SEEN:
            continue
        goes_on = (movers[after] >> np.uint32(jumps.targets[jump])) & np.uint32(1)
        moves = 1 + fewest[after] - np.int64(goes_on)
        if moves < least:
            least, starters = moves, np.uint32(0)
        if moves == least:
            starters |= np.uint32(1) << np.uint32(jumps.origins[jump])
    return least, starters


@kernel
def fill(goals: Any, holes: int, jumps: Any) -> tuple[Any, Any]:
    """Both tables for one goal, growing backwards from the solved boards, fewest pegs first.

    Returns (fewest uint8[2**holes], UNSOLVABLE where there is no solution; movers uint32[2**holes]).
    """
    fewest = np.full(1 << holes, UNSOLVABLE, np.uint8)
    movers = np.zeros(1 << holes, np.uint32)
    queue = np.empty(1 << holes, np.uint32)
    queue[: len(goals)] = goals
    end = len(goals)
    for board in goals:
        fewest[board] = 0
    start = 0
    while start < end:
        board = np.int64(queue[start])
        if start >= len(goals):
            fewest[board], movers[board] = best_first_movers(board, fewest, movers, jumps)
        for jump in range(len(jumps.masks)):
            if board & jumps.masks[jump] == jumps.masks[jump] ^ jumps.pegs[jump]:
                before = board ^ jumps.masks[jump]
                if fewest[before] == UNSOLVABLE:
                    fewest[before] = SEEN
                    queue[end] = before
                    end += 1
        start += 1
    return fewest, movers


class PegTable(NamedTuple):
    """The complete table of one board and goal."""

    fewest: Any
    movers: Any

    def moves_left(self, position: Position) -> int:
        """The fewest moves still to be started, or DEAD."""
        fewest = int(self.fewest[position.state])
        if fewest == UNSOLVABLE:
            return DEAD
        return fewest - (position.active >= 0 and int(self.movers[position.state]) >> position.active & 1)


def complete_tables(jumps: tuple[tuple[int, int, int], ...], holes: int) -> Any:
    """A function from goal (a hole, or -1 for anywhere) to its table, remembering the last ones asked for."""
    arrays = Jumps(
        np.array([1 << a | 1 << b | 1 << c for a, b, c in jumps], np.int64),
        np.array([1 << a | 1 << b for a, b, _ in jumps], np.int64),
        np.array([a for a, _, _ in jumps], np.int64),
        np.array([c for _, _, c in jumps], np.int64),
    )

    @lru_cache(maxsize=TABLES_KEPT)
    def source(goal: int) -> Source:
        ends = range(holes) if goal < 0 else [goal]
        return PegTable(*fill(np.array([1 << end for end in ends], np.int64), holes, arrays))

    return source
