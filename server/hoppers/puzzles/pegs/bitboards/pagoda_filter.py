"""Many pagoda functions tried on every board of a closure, four to a machine word (see `pagoda`).

A board that is too light for each end by one of that end's functions is dead, and so is all that can follow.
The slack of each function, what the board weighs more than the end, has 16 bits of a word of its own, moved
up so that the highest of them is 0 exactly where the slack is below nothing. A jump changes a word by an
amount that only depends on the jump, so it costs one addition for four functions.
"""

import threading
from typing import Any, NamedTuple

import numpy as np

from hoppers.core.kernels import kernel
from hoppers.puzzles.pegs.bitboards.jump_masks import JumpList, Shifts
from hoppers.puzzles.pegs.bitboards.pagoda import weights_that_prove

LANES, LANE_BITS = 4, 16
SLACK_BITS = sum(1 << LANE_BITS * lane + LANE_BITS - 1 for lane in range(LANES))
"""The bits that are set where a board is heavy enough."""
LANE_NUMBERS = np.arange(LANES, dtype=np.uint64)[:, None]
CHUNK_BITS = 8
"""Holes looked up at a time."""
MAX_FUNCTIONS = 12
"""Functions kept for each end: three words."""


class PagodaTables(NamedTuple):
    """Functions as kernels read them."""

    bases: Any
    """uint64[words]: the word of the empty board."""
    chunks: Any
    """uint64[words, chunks, 256]: what the pegs in eight holes add to it."""
    changes: Any
    """uint64[lines, 2, words]: what a jump in a line adds, [1] for upwards."""
    lasts: Any
    """uint64[words]: ENOUGH where the words of an end are over, 0 elsewhere. No words: nothing is known."""


@kernel
def pagoda_words(board: Any, pagodas: Any, words: Any) -> None:
    """Write the words of a board into `words`."""
    for word in range(len(pagodas.bases)):
        total = pagodas.bases[word]
        for chunk in range(pagodas.chunks.shape[1]):
            total += pagodas.chunks[word, chunk, board >> np.uint64(CHUNK_BITS * chunk) & np.uint64(255)]
        words[word] = total


@kernel
def heavy_after_jump(words: Any, line: Any, upwards: Any, pagodas: Any) -> bool:
    """Whether a board, whose words are given, is heavy enough for some end after a jump in a line."""
    may, enough = len(pagodas.bases) == 0, np.uint64(SLACK_BITS)
    for word in range(len(pagodas.bases)):  # no branch, which would be as good as random
        enough &= words[word] + pagodas.changes[line, upwards, word]
        may |= enough & pagodas.lasts[word] == np.uint64(SLACK_BITS)
        enough |= pagodas.lasts[word]
    return may


class PagodaFilter(NamedTuple):
    """How the boards of one side of a search from both ends are weighed."""

    flip: Any
    """uint64: the holes turned over before a board is weighed."""
    tables: PagodaTables


@kernel
def is_too_light(board: Any, pagodas: Any) -> bool:
    """Whether a board is too light for every end."""
    may, enough = len(pagodas.bases) == 0, np.uint64(SLACK_BITS)
    for word in range(len(pagodas.bases)):
        total = pagodas.bases[word]
        for chunk in range(pagodas.chunks.shape[1]):
            total += pagodas.chunks[word, chunk, board >> np.uint64(CHUNK_BITS * chunk) & np.uint64(255)]
        enough &= total
        may |= enough & pagodas.lasts[word] == np.uint64(SLACK_BITS)
        enough |= pagodas.lasts[word]
    return not may


class PagodaSet:
    """The functions found so far for the ends of one goal; every one of them is a proof for ever."""

    def __init__(self, jumps: JumpList, holes: int, shifts: Shifts) -> None:
        """None yet."""
        self._jumps, self._holes, self._shifts = jumps, holes, shifts
        numbers = {int(line): number for number, line in enumerate(shifts.lines) if line}
        self._lines = [numbers[sum(1 << hole for hole in jump)] for jump in jumps]
        self._found: dict[int, Any] = {}
        """End -> the weights of its functions (int64[functions, holes])."""
        self._lock = threading.Lock()

    @property
    def functions(self) -> list[tuple[int, list[int]]]:
        """Ends and weights."""
        return [(end, weights) for end, known in self._found.items() for weights in known.tolist()]

    def proves_dead(self, state: int, ends: list[int]) -> bool:
        """Whether what is known proves that none of the ends (one peg each) can be reached."""
        return all(self._too_light(state, end) for end in ends)

    def learn(self, states: list[int], ends: list[int]) -> None:
        """Look for functions that prove boards dead which those known do not; there is room for a few."""
        for state in states:
            found: list[tuple[int, list[int]]] = []
            for end in ends:
                if self._too_light(state, end):
                    continue
                full = len(self._known(end)) >= MAX_FUNCTIONS
                weights = None if full else self._weights(state, end)
                if weights is None:
                    found = []  # it is not dead for all that is known
                    break
                found.append((end, weights))
            with self._lock:
                for end, weights in found:
                    self._found[end] = np.concatenate([self._known(end), [weights]])

    def tables(self, ends: list[int]) -> PagodaTables:
        """All that is known of these ends, for kernels: nothing if there is an end of which nothing is."""
        never = np.zeros((1, self._holes + 1), np.uint64)  # without an end, everything is too light
        words = [self._words(self._known(end), end) for end in ends] or [never]
        if not all(map(len, words)):
            return no_pagodas(len(self._shifts.lines))
        lasts = np.zeros(sum(map(len, words)), np.uint64)
        lasts[np.cumsum([*map(len, words)]) - 1] = SLACK_BITS
        return self._tables(np.concatenate(words), lasts)

    def _weights(self, state: int, end: int) -> list[int] | None:
        return weights_that_prove(self._jumps, self._holes, state, end)

    def _too_light(self, state: int, end: int) -> bool:
        pegs, last = ([hole for hole in range(self._holes) if board >> hole & 1] for board in (state, end))
        known = self._known(end)
        return bool((known[:, pegs].sum(axis=1) < known[:, last].sum(axis=1)).any())

    def _known(self, end: int) -> Any:
        return self._found.get(end, np.zeros((0, self._holes), np.int64))

    def _words(self, known: Any, end: int) -> Any:
        """What a peg in each hole adds to the words of the functions, and what the empty board has, last."""
        lanes = np.zeros((-(-len(known) // LANES) * LANES, self._holes), np.uint64)
        lanes[: len(known)] = known.astype(np.uint64)  # negative weights wrap around
        shifted = lanes.reshape(-1, LANES, self._holes) << np.uint64(LANE_BITS) * LANE_NUMBERS
        words = shifted.sum(axis=1, dtype=np.uint64)
        pegs = [hole for hole in range(self._holes) if end >> hole & 1]
        return np.column_stack([words, np.uint64(SLACK_BITS) - words[:, pegs].sum(axis=1, dtype=np.uint64)])

    def _tables(self, words: Any, lasts: Any) -> PagodaTables:
        chunks = np.zeros((len(words), -(-self._holes // CHUNK_BITS), 1 << CHUNK_BITS), np.uint64)
        for hole in range(self._holes):
            table, half = chunks[:, hole // CHUNK_BITS], 1 << hole % CHUNK_BITS
            table[:, half : 2 * half] = table[:, :half] + words[:, hole, None]
        changes = np.zeros((len(self._shifts.lines), 2, len(words)), np.uint64)
        origins, overs, targets = np.array(self._jumps).T
        change = words[:, targets] - words[:, origins] - words[:, overs]
        changes[self._lines, (origins < targets).astype(np.int64)] = change.T
        return PagodaTables(words[:, -1].copy(), chunks, changes, lasts)


def no_pagodas(lines: int) -> PagodaTables:
    """Nothing is known, so nothing is too light."""
    chunks, none = np.zeros((0, 1, 1 << CHUNK_BITS), np.uint64), np.zeros(0, np.uint64)
    return PagodaTables(none, chunks, np.zeros((lines, 2, 0), np.uint64), none)


def no_filter(lines: int) -> PagodaFilter:
    """Nothing is too light."""
    return PagodaFilter(np.uint64(0), no_pagodas(lines))
