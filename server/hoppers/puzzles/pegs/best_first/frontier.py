"""What a best-first search keeps of its two ends: boards by level, opened or put aside; where they meet."""

import time
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np

from hoppers.puzzles.pegs.best_first.kernels import Found, Side
from hoppers.puzzles.pegs.best_first.open_flags import common, note_level, open_all
from hoppers.puzzles.pegs.bitboards.class_keys import Numbering, board_of
from hoppers.puzzles.pegs.bitboards.pagoda_sides import Scales
from hoppers.search.slicing import Pausable, next_size

NONE = np.empty(0, np.uint32)
Lists = list[Any]
"""Arrays of keys (uint32), one after another."""
PORTION = 1 << 15
"""Boards looked through at a time: a millisecond or two."""
MOST_BATCHES = 1 << 7
"""Expanded in one call."""


def portions(lists: Lists) -> Iterator[Lists]:
    """The arrays, some of them at a time."""
    portion, boards = [], 0
    for keys in lists:
        portion.append(keys)
        boards += len(keys)
        if boards >= PORTION:
            yield portion
            portion, boards = [], 0
    yield portion


class Wave:
    """One end: its boards by level, opened or put aside."""

    def __init__(self, side: Side, back: Any, scales: Scales) -> None:
        """Nothing is opened. `back`: how pegs go the other way."""
        self.side, self.back, self.scales = side, back, scales
        self.opened: list[Lists] = [[]]
        """Level -> boards opened."""
        self.fresh: list[Lists] = [[]]
        """Level -> those of them that are not expanded yet."""
        self.aside: defaultdict[tuple[int, int], Lists] = defaultdict(list)
        """(total, level) -> boards put aside; those opened in the meantime are still among them."""
        self.batches = 1
        """Expanded in one call: few at first, when each board touches a new page of memory."""

    @property
    def deepest(self) -> int:
        """The highest level there is."""
        return len(self.opened) - 1

    def size(self, level: int) -> int:
        """How many boards of a level are opened."""
        return sum(map(len, self.opened[level]))

    def hasten(self, seconds: float) -> None:
        """Take more batches at a time after a short call, fewer after a long one."""
        self.batches = next_size(self.batches, seconds, 1, MOST_BATCHES)

    def level_of(self, key: int) -> Pausable[int]:
        """The level at which a board was opened; there must be one."""
        for level, lists in enumerate(self.opened):
            for portion in portions(lists):
                if any(key in keys for keys in portion):
                    return level
                yield
        raise LookupError("a board that was met was never opened")

    def learn(self, keys: Any, numbering: Numbering) -> Pausable[None]:
        """Look for new proofs on some of the boards of a level."""
        yield from self.scales.learn(keys, lambda key: int(board_of(key, numbering)))
        self.side = self.side._replace(scale=self.scales.scale)

    @property
    def is_done(self) -> bool:
        """Whether it has opened and expanded all the boards it can reach."""
        return not any(map(len, self.aside.values())) and not any(sum(map(len, f)) for f in self.fresh)

    def keep(self, level: int, keys: Any) -> None:
        """Note boards that were opened."""
        self.opened[level].append(keys)
        self.fresh[level].append(keys)

    def open(self, limit: int, level: int) -> Pausable[int]:
        """Open what was put aside at a level for limits up to this one; returns how many boards that are."""
        due = [key for key in self.aside if key[0] <= limit and key[1] == level]
        opened = 0
        for portion in portions([keys for key in sorted(due) for keys in self.aside.pop(key)]):
            for keys in portion:
                found = open_all(keys, self.side.marks)
                self.keep(level, found)
                opened += len(found)
            yield
        return opened


class Tally:
    """The counts of one limit."""

    def __init__(self, limit: int) -> None:
        """Nothing yet."""
        self.rejected = NONE
        """Boards of both sides whose solutions are longer."""
        self.limit, self.nodes, self.cut, self.began = limit, 0, 0, time.perf_counter()


def meeting(tally: Tally, waves: list[Wave]) -> Pausable[int]:
    """A board on a solution within the limit, or -1.

    Levels that were deeper under a lower limit may meet in longer solutions, too, which prove nothing.
    """
    both = yield from common(waves[0].side.marks, waves[1].side.marks)
    keys = np.setdiff1d(both, tally.rejected)
    yield
    moves = np.zeros(len(keys), np.int64)
    for wave in waves if len(keys) else ():
        levels = np.zeros(len(keys), np.int64)
        for level, lists in enumerate(wave.opened):
            for portion in portions(lists):
                for found in portion:
                    note_level(found, level, keys, levels)
                yield
        moves += levels
    tally.rejected = np.union1d(tally.rejected, keys[moves > tally.limit])
    within = keys[moves <= tally.limit]
    return int(within[0]) if len(within) else -1


def take(found: Found, wave: Wave, level: int, tally: Tally) -> None:
    """Sort what was found into opened boards and those put aside."""
    for beyond, count in enumerate(found.counts.tolist()):
        if not count:
            continue
        keys = found.keys[beyond, :count].copy()
        if beyond:
            wave.aside[tally.limit + beyond, level].append(keys)
            tally.cut += count
        else:
            wave.keep(level, keys)
            tally.nodes += count
    found.counts[:] = 0
