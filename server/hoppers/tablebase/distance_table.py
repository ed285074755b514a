"""Complete tables for puzzles whose every step costs one move and can be undone.

The distance to the goal equals the distance from it, so one breadth-first search from all solved positions
(retrograde analysis) finds the fewest moves of every position.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hoppers.core.kernels import Kernel, kernel
from hoppers.core.model import DEAD, NO_SOLUTION, Position, Source
from hoppers.core.rules import RuleKernels, next_step
from hoppers.tablebase.table_files import load_or_fill_table

UNREACHED = NO_SOLUTION  # distance of a position that no search has reached


@kernel
def rank(state: Any, active: int, tables: Any) -> int:
    """Return the number of a position, from 0 (placeholder: each family supplies its own kernel)."""
    return 0


def flood(states: Any, actives: Any, goals: int, distances: Any, tables: Any) -> int:
    """Fill `distances` (uint8, by rank, all UNREACHED) by breadth-first search (generic kernel).

    `states` and `actives` are the queue, with room for every position; its first `goals` entries are the
    solved positions. Return the number of positions reached.
    """
    for index in range(goals):
        distances[rank(states[index], actives[index], tables)] = 0
    start, end = 0, goals
    while start < end < len(states):  # stop as soon as all positions are reached
        state, active = states[start], actives[start]
        further = distances[rank(state, active, tables)] + 1
        cursor = 0
        while True:
            cursor, _, _, after, active_after, _ = next_step(state, active, cursor, tables)
            if cursor < 0:
                break
            number = rank(after, active_after, tables)
            if distances[number] == UNREACHED:
                distances[number] = further
                states[end], actives[end] = after, active_after
                end += 1
        start += 1
    return end


@dataclass(frozen=True, eq=False)
class DistanceTable(Source):
    """Source that reads the complete table of distances of one puzzle and goal."""

    distances: Any
    """uint8 by rank; UNREACHED where the goal cannot be reached."""
    rank: Kernel
    tables: Any
    is_complete = True

    def moves_left(self, position: Position) -> int:
        """Return the fewest moves to the goal, or DEAD."""
        number = self.rank(np.uint64(position.state), position.active, self.tables)
        distance = int(self.distances[number])
        return DEAD if distance == UNREACHED else distance

    def moves_by_number(self) -> Any:
        """Return the distances by rank, which is the number of a state: see `core.numbering`."""
        return self.distances

    def distribution(self) -> list[int]:
        """Return the number of positions at distance 0, 1, 2, … from the goal."""
        counts: list[int] = np.bincount(self.distances[self.distances != UNREACHED]).tolist()
        return counts


def distance_table(
    kernels: RuleKernels, rank: Kernel, size: int, tables: Any, solved: list[Position]
) -> DistanceTable:
    """Return the complete table of a goal, built or loaded from disk. This may take seconds.

    Args:
        kernels: rules of the family.
        rank: kernel that numbers positions from 0.
        size: number of ranks.
        tables: tuple of arrays or numbers that the kernels take, part of the key of the stored table.
        solved: all solved positions of the goal.
    """

    def fill() -> Any:
        distances = np.full(size, UNREACHED, np.uint8)
        states, actives = np.empty(size, np.uint64), np.empty(size, np.int8)
        for index, position in enumerate(solved):
            states[index], actives[index] = position
        kernels.specialise(flood, "table", rank=rank)(states, actives, len(solved), distances, tables)
        return distances

    key = (kernels.name, size, [np.asarray(field).tolist() for field in tables], solved)
    return DistanceTable(load_or_fill_table(key, size, fill), rank, tables)
