"""Complete tables of small peg boards by numpy alone: the same values as those of `complete_table`.

All boards with equally many pegs are a level. A level is finished when its turn comes, because every jump
takes one peg, and each jump takes back all its boards at once.
"""

from typing import Any

import numpy as np

from hoppers.core.board import Board
from hoppers.core.model import NO_SOLUTION
from hoppers.core.numbering import with_mark


def fewest_moves(board: Board, ends: list[int], has_red: bool) -> Any:
    """Return the fewest moves until the last peg is in one of the holes `ends` (uint8, by number).

    See `core.numbering`. An arrangement is a number of its own here: a bit for each peg, and above them the
    hole of the red peg; without one, 0.
    """
    holes = len(board.points)
    size = holes << holes if has_red else 1 << holes
    fewest, movers = np.full(size, NO_SOLUTION, np.uint8), np.zeros(size, np.uint32)
    level = np.array([has_red * end << holes | 1 << end for end in ends])
    fewest[level] = 0
    while len(level):
        found, moves, first_movers = [level[:0]], fewest[level], movers[level]
        for origin, over, target in board.jumps:
            line = 1 << origin | 1 << over | 1 << target
            here = level & line == 1 << target
            before = level[here] ^ line  # all different: no update meets another
            if has_red:
                before += (before >> holes == target) * (origin - target << holes)
            value = moves[here] + 1 - (first_movers[here] >> target & 1).astype(np.uint8)
            known, mover = fewest[before], np.uint32(1 << origin)
            found.append(before[known == NO_SOLUTION])
            equal = np.where(value == known, movers[before] | mover, movers[before])
            movers[before] = np.where(value < known, mover, equal)
            fewest[before] = np.minimum(value, known)
        level = np.unique(np.concatenate(found))
    return _by_number(fewest, holes) if has_red else fewest


def _by_number(fewest: Any, holes: int) -> Any:
    others, reds = with_mark(np.arange(holes << holes - 1), holes)
    return fewest[reds << holes | others | np.int64(1) << reds]
