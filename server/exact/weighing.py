"""Many pagoda functions tried on every board of a closure, four to a machine word (see `pagoda`).

A board that is too light for each end by one of that end's functions is dead, and so is all that can follow.
The slack of each function, what the board weighs more than the end, has 16 bits of a word of its own, moved
up so that the highest of them is 0 exactly where the slack is below nothing. A jump changes a word by an
amount that only depends on the jump, so it costs one addition for four functions.
"""

import threading
from typing import Any, NamedTuple

import numpy as np

from ..compiled import kernel
from ..search.jumps import JumpList, Shifts
from .pagoda import weights_that_prove

LANES, LANE_BITS = 4, 16
ENOUGH = sum(1 << LANE_BITS * lane + LANE_BITS - 1 for lane in range(LANES))
"""The bits that are set where a board is heavy enough."""
MODULUS = 1 << 64
CHUNK = 8
"""Holes looked up at a time."""
MOST_FUNCTIONS = 12
"""Functions kept for each end: three words."""


class Weighing(NamedTuple):
    """Functions as kernels read them."""

    bases: Any
    """uint64[words]: the word of the empty board."""
    chunks: Any
    """uint64[words, chunks, 256]: what the pegs in eight holes add to it."""
    changes: Any
    """uint64[lines, 2, words]: what a jump in a line adds, [1] for upwards."""
    first: Any
    """int64[ends + 1]: the words of an end are those from `first[end]` on."""


@kernel
def weigh(board: Any, weighing: Any, words: Any) -> None:
    """Write the words of a board into `words`."""
    for word in range(len(weighing.bases)):
        total = weighing.bases[word]
        for chunk in range(weighing.chunks.shape[1]):
            total += weighing.chunks[word, chunk, board >> np.uint64(CHUNK * chunk) & np.uint64(255)]
        words[word] = total


@kernel
def may_live(words: Any, line: Any, upwards: Any, weighing: Any) -> bool:
    """Whether a board, whose words are given, is heavy enough for some end after a jump in a line."""
    for end in range(len(weighing.first) - 1):
        enough = np.uint64(ENOUGH)
        for word in range(weighing.first[end], weighing.first[end + 1]):
            enough &= words[word] + weighing.changes[line, upwards, word]
        if enough == np.uint64(ENOUGH):
            return True
    return False


class Proofs:
    """The functions found so far for the ends of one goal; every one of them is a proof for ever."""

    def __init__(self, jumps: JumpList, holes: int, shifts: Shifts) -> None:
        """None yet."""
        self._jumps, self._holes, self._shifts = jumps, holes, shifts
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
                full = len(self._known(end)) >= MOST_FUNCTIONS
                weights = None if full else self._weights(state, end)
                if weights is None:
                    found = []  # it is not dead for all that is known
                    break
                found.append((end, weights))
            with self._lock:
                for end, weights in found:
                    self._found[end] = np.concatenate([self._known(end), [weights]])

    def weighing(self, ends: list[int]) -> Weighing:
        """All that is known of these ends, for kernels."""
        words: list[list[int]] = []
        first = [0]
        for end in ends:
            known = self._known(end).tolist()
            words += [self._word(known[n : n + LANES], end) for n in range(0, len(known), LANES)]
            first.append(len(words))
        return self._tables(words, first)

    def _weights(self, state: int, end: int) -> list[int] | None:
        return weights_that_prove(self._jumps, self._holes, state, end.bit_length() - 1)

    def _too_light(self, state: int, end: int) -> bool:
        pegs = [peg for peg in range(self._holes) if state >> peg & 1]
        known = self._known(end)
        return bool((known[:, pegs].sum(axis=1) < known[:, end.bit_length() - 1]).any())

    def _known(self, end: int) -> Any:
        return self._found.get(end, np.zeros((0, self._holes), np.int64))

    def _word(self, known: list[list[int]], end: int) -> list[int]:
        """What a peg in each hole adds to the word of a few functions; what the empty board has, last."""
        shifted = [(weights, LANE_BITS * lane) for lane, weights in enumerate(known)]
        holes = [sum(weights[hole] << lane for weights, lane in shifted) for hole in range(self._holes)]
        return [*holes, ENOUGH - holes[end.bit_length() - 1]]

    def _tables(self, words: list[list[int]], first: list[int]) -> Weighing:
        chunks = np.zeros((len(words), -(-self._holes // CHUNK), 1 << CHUNK), np.uint64)
        changes = np.zeros((len(self._shifts.lines), 2, len(words)), np.uint64)
        numbers = {int(line): number for number, line in enumerate(self._shifts.lines) if line}
        for number, word in enumerate(words):
            for hole in range(self._holes):
                table, half = chunks[number, hole // CHUNK], 1 << hole % CHUNK
                table[half : 2 * half] = table[:half] + np.uint64(word[hole] % MODULUS)
            for origin, over, target in self._jumps:
                change = (word[target] - word[origin] - word[over]) % MODULUS
                line = 1 << origin | 1 << over | 1 << target
                changes[numbers[line], int(origin < target), number] = change
        bases = np.array([word[-1] % MODULUS for word in words], np.uint64)
        return Weighing(bases, chunks, changes, np.array(first, np.int64))


def no_weighing(lines: int) -> Weighing:
    """One end, of which nothing is known."""
    nothing = np.zeros((0, 1, 1 << CHUNK), np.uint64)
    return Weighing(
        np.zeros(0, np.uint64), nothing, np.zeros((lines, 2, 0), np.uint64), np.zeros(2, np.int64)
    )
