"""The sieves of the problems that are played: made once on a machine, kept on disk, the last ones at hand."""

import threading
import zlib
from collections import OrderedDict
from collections.abc import Callable, Generator
from functools import cache

import numpy as np

from hoppers.core.kernels import as_python
from hoppers.puzzles.pegs.bitboards.jump_masks import JumpList, shift_groups
from hoppers.puzzles.pegs.closure.bloom_build import sieve_of
from hoppers.puzzles.pegs.closure.bloom_filter import Sieve, bits_of, empty_words, word_of
from hoppers.puzzles.pegs.closure.hash_buckets import hash_of, hashing_of
from hoppers.puzzles.pegs.large_board import BigBoard
from hoppers.search.slicing import Pausable, map_progress
from hoppers.tablebase import table_files
from hoppers.tablebase.elsewhere import elsewhere, has_place

FORM = 1
"""Of the meaning of what is kept on disk; what has another one, or another hash, is made again."""
PROBED = 256
"""Boards whose bits tell one hash from another."""
MOST_BYTES = 130_000_000
"""Of those at hand: two of the largest. They are mapped, so the system may take their pages back."""
LISTED = 16_000_000
"""Boards of the largest level that is listed: half a gigabyte while it is made."""
SPARED_SHARE = 0.6
"""Share of pegs below which none is worth its making: 20 of 33, 23 of 37, 25 of 41."""


def name_of(board: BigBoard, ends: list[int]) -> str:
    """The name of the file."""
    return f"sieve-{FORM}-{probe(board.holes):08x}-{LISTED:x}-{board.name}-{sum(ends):x}"


@cache
def probe(holes: int) -> int:
    """What tells the hash in use from any other: read with another, a sieve would prove what is not so."""
    hashed, word, bits = as_python(hash_of), as_python(word_of), as_python(bits_of)
    hashing, words = hashing_of(holes), empty_words(PROBED)
    for number in range(1, PROBED + 1):
        code = hashed(np.uint64(number**5 % (1 << holes)), hashing)
        words[word(code, words)] |= bits(code)
    return zlib.crc32(words.tobytes())


class Sieves:
    """Those at hand, the least used ones dropped."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        """None yet."""
        self._most = most_bytes
        self._held: OrderedDict[str, Sieve] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, board: BigBoard, ends: list[int]) -> Sieve | None:
        """The sieve for the solved boards of a class, if it is at hand."""
        return self._at_hand(name_of(board, ends))

    def _at_hand(self, name: str) -> Sieve | None:
        with self._lock:
            if name in self._held:
                self._held.move_to_end(name)
            return self._held.get(name)

    def spares(self, board: BigBoard, ends: list[int], state: int) -> bool:
        """Whether none has to be made for a board."""
        return state.bit_count() < SPARED_SHARE * board.holes or self.get(board, ends) is not None

    def is_kept(self, board: BigBoard, ends: list[int]) -> bool:
        """Whether there is one on disk, which takes no memory that counts."""
        return table_files.is_kept(name_of(board, ends))

    def kept(self, name: str, holes: int) -> Pausable[Sieve | None]:
        """The one of a name, at hand or kept on disk."""
        sieve = self._at_hand(name)
        if sieve is None and table_files.is_kept(name):
            arrays = yield from table_files.load(name)
            sieve = None if arrays is None else self._hold(name, arrays, holes)
        return sieve

    def fetch(self, board: BigBoard, ends: list[int]) -> Generator[float, None, None]:
        """Have one at hand; where it is not on disk yet, the process beside this one makes it."""
        name, shape = name_of(board, ends), (board.jumps, board.holes, tuple(ends), LISTED)
        if self.get(board, ends) is not None:
            return
        steps = table_files.shared(name, _arrays(*shape))
        if has_place() and not table_files.is_kept(name):
            yield from elsewhere(make, name, *shape)
            steps = map_progress(steps, lambda _: 1.0)
        arrays = yield from steps
        self._hold(name, table_files.read_only(arrays), board.holes)

    def _hold(self, name: str, arrays: table_files.Arrays, holes: int) -> Sieve:
        sieve = Sieve({int(pegs): words for pegs, words in arrays.items()}, hashing_of(holes))
        with self._lock:
            self._held[name] = sieve
            while len(self._held) > 1 and sum(held.bytes for held in self._held.values()) > self._most:
                self._held.popitem(last=False)
        return sieve


def make(
    name: str, jumps: JumpList, holes: int, ends: tuple[int, ...], listed: int
) -> Generator[float, None, None]:
    """Have one on disk."""
    yield from table_files.shared(name, _arrays(jumps, holes, ends, listed))


def _arrays(
    jumps: JumpList, holes: int, ends: tuple[int, ...], listed: int
) -> Callable[[], Generator[float, None, table_files.Arrays]]:
    """What makes the arrays that are kept of one."""

    def build() -> Generator[float, None, table_files.Arrays]:
        sieve = yield from sieve_of(ends, holes, shift_groups(jumps), listed)
        return {str(pegs): words for pegs, words in sieve.levels.items()}

    return build


SIEVES = Sieves()
"""Of this process."""
