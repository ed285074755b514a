"""State of one direction of the bidirectional A*: opened and deferred boards by level.

A level is the set of boards after the same number of moves. An opened board is within the current limit and
stored with its level. A deferred board has a total above the limit and waits for a higher one.
"""

import time
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np

from hoppers.puzzles.pegs.best_first.kernels import AStarDirection, ExpansionOutput
from hoppers.puzzles.pegs.best_first.open_flags import note_level, open_all, opened_by_both
from hoppers.puzzles.pegs.bitboards.class_keys import Numbering, board_of
from hoppers.puzzles.pegs.bitboards.pagoda import PagodaLearner
from hoppers.search.slicing import Pausable, next_size

NONE = np.empty(0, np.uint32)
Lists = list[Any]
"""Arrays of keys (uint32) that form one list together."""
BOARDS_PER_SLICE = 1 << 15  # a millisecond or two
MAX_BATCHES = 1 << 7  # expanded in one call


def portions(lists: Lists) -> Iterator[Lists]:
    """Yield the arrays of `lists` in groups of about BOARDS_PER_SLICE keys."""
    portion, boards = [], 0
    for keys in lists:
        portion.append(keys)
        boards += len(keys)
        if boards >= BOARDS_PER_SLICE:
            yield portion
            portion, boards = [], 0
    yield portion


class AStarFrontier:
    """One direction of the bidirectional A*: boards by level, opened or deferred to a later limit."""

    def __init__(self, side: AStarDirection, back: Any, learner: PagodaLearner) -> None:
        """Start without boards. `back`: `continuation_table` of the opposite direction, for tracing back."""
        self.side, self.back, self.learner = side, back, learner
        self.opened: list[Lists] = [[]]
        """Level -> opened boards."""
        self.fresh: list[Lists] = [[]]
        """Level -> opened boards that are not expanded yet."""
        self.deferred: defaultdict[tuple[int, int], Lists] = defaultdict(list)
        """(total, level) -> deferred boards, some of which may have been opened since."""
        self.batches = 1
        """Batches per call: few at first, when each board touches a new page of memory."""

    @property
    def deepest(self) -> int:
        """Highest level that has a list of boards."""
        return len(self.opened) - 1

    def size(self, level: int) -> int:
        """Return the number of opened boards of a level."""
        return sum(map(len, self.opened[level]))

    def adapt_batches(self, seconds: float) -> None:
        """Set the number of batches for the next kernel call, after a call that took `seconds`."""
        self.batches = next_size(self.batches, seconds, 1, MAX_BATCHES)

    def level_of(self, key: int) -> Pausable[int]:
        """Return the level at which a board was opened.

        Raises:
            LookupError: the board has not been opened.
        """
        for level, lists in enumerate(self.opened):
            for portion in portions(lists):
                if any(key in keys for keys in portion):
                    return level
                yield
        raise LookupError("a board that was met was never opened")

    def learn(self, keys: Any, numbering: Numbering) -> Pausable[None]:
        """Compute new pagoda functions from a sample of the boards of a level, and use them from now on."""
        yield from self.learner.learn(keys, lambda key: int(board_of(key, numbering)))
        self.side = self.side._replace(pagoda_filter=self.learner.current)

    @property
    def is_done(self) -> bool:
        """Whether all reachable boards are opened and expanded."""
        return not any(map(len, self.deferred.values())) and not any(sum(map(len, f)) for f in self.fresh)

    def add_opened(self, level: int, keys: Any) -> None:
        """Store the keys of boards that were opened at a level."""
        self.opened[level].append(keys)
        self.fresh[level].append(keys)

    def open(self, limit: int, level: int) -> Pausable[int]:
        """Open the boards deferred at a level for limits up to `limit`. Return the number opened."""
        due = [key for key in self.deferred if key[0] <= limit and key[1] == level]
        opened = 0
        for portion in portions([keys for key in sorted(due) for keys in self.deferred.pop(key)]):
            for keys in portion:
                found = open_all(keys, self.side.flags)
                self.add_opened(level, found)
                opened += len(found)
            yield
        return opened


class LimitCounts:
    """Counts of one limit: nodes, pruned boards and start time; and meeting boards found too far apart."""

    def __init__(self, limit: int) -> None:
        self.rejected = NONE
        """Boards (keys) opened by both directions, with solutions of more moves than the limit."""
        self.limit, self.nodes, self.cut, self.began = limit, 0, 0, time.perf_counter()


def find_meeting(counts: LimitCounts, frontiers: list[AStarFrontier]) -> Pausable[int]:
    """Return a board (key) that both directions opened, on a solution within the limit, or -1.

    Levels that were deeper under a lower limit may also meet in longer solutions, which prove nothing.
    """
    both = yield from opened_by_both(frontiers[0].side.flags, frontiers[1].side.flags)
    keys = np.setdiff1d(both, counts.rejected)
    yield
    moves = np.zeros(len(keys), np.int64)
    for frontier in frontiers if len(keys) else ():
        levels = np.zeros(len(keys), np.int64)
        for level, lists in enumerate(frontier.opened):
            for portion in portions(lists):
                for found in portion:
                    note_level(found, level, keys, levels)
                yield
        moves += levels
    counts.rejected = np.union1d(counts.rejected, keys[moves > counts.limit])
    within = keys[moves <= counts.limit]
    return int(within[0]) if len(within) else -1


def sort_output(found: ExpansionOutput, frontier: AStarFrontier, level: int, counts: LimitCounts) -> None:
    """Move the boards of an expansion to the opened or deferred boards of `level`, and count them."""
    for beyond, count in enumerate(found.counts.tolist()):
        if not count:
            continue
        keys = found.keys[beyond, :count].copy()
        if beyond:
            frontier.deferred[counts.limit + beyond, level].append(keys)
            counts.cut += count
        else:
            frontier.add_opened(level, keys)
            counts.nodes += count
    found.counts[:] = 0
