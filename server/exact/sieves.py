"""The sieves of the problems that are played: made once on a machine, kept on disk, the last ones at hand."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Generator

from ..elsewhere import elsewhere, has_place
from ..search.jumps import JumpList, shift_groups
from ..search.slices import Pauses
from . import store
from .big_board import BigBoard
from .buckets import hashing_of
from .sieve import Sieve
from .sieving import sieve_of

FORM = 1
"""Of what is kept on disk; what has another one is made again."""
MOST_BYTES = 130_000_000
"""Of those at hand: two of the largest. They are mapped, so the system may take their pages back."""
LISTED = 16_000_000
"""Boards of the largest level that is listed: half a gigabyte while it is made."""
SPARED_SHARE = 0.6
"""Share of pegs below which none is worth its making: 20 of 33, 23 of 37, 25 of 41."""


def name_of(board: BigBoard, ends: list[int]) -> str:
    """The name of the file."""
    return f"sieve-{FORM}-{LISTED:x}-{board.name}-{sum(ends):x}"


class Sieves:
    """Those at hand, the least used ones dropped."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        """None yet."""
        self._most = most_bytes
        self._held: OrderedDict[str, Sieve] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, board: BigBoard, ends: list[int]) -> Sieve | None:
        """The sieve for the solved boards of a class, if it is at hand."""
        name = name_of(board, ends)
        with self._lock:
            if name in self._held:
                self._held.move_to_end(name)
            return self._held.get(name)

    def spares(self, board: BigBoard, ends: list[int], state: int) -> bool:
        """Whether none has to be made for a board."""
        return state.bit_count() < SPARED_SHARE * board.holes or self.get(board, ends) is not None

    def kept(self, board: BigBoard, ends: list[int]) -> Pauses[Sieve | None]:
        """The same, or the one that is kept on disk."""
        sieve, name = self.get(board, ends), name_of(board, ends)
        if sieve is None and store.is_kept(name):
            arrays = yield from store.load(name)
            sieve = None if arrays is None else self._hold(name, arrays, board.holes)
        return sieve

    def fetch(self, board: BigBoard, ends: list[int]) -> Generator[float, None, None]:
        """Have one at hand; where it is not on disk yet, the process beside this one makes it."""
        name, shape = name_of(board, ends), (board.jumps, board.holes, tuple(ends), LISTED)
        if self.get(board, ends) is not None:
            return
        if has_place() and not store.is_kept(name):
            yield from elsewhere(make, name, *shape)
        arrays = yield from store.shared(name, _arrays(*shape))
        self._hold(name, store.read_only(arrays), board.holes)

    def _hold(self, name: str, arrays: store.Arrays, holes: int) -> Sieve:
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
    yield from store.shared(name, _arrays(jumps, holes, ends, listed))


def _arrays(
    jumps: JumpList, holes: int, ends: tuple[int, ...], listed: int
) -> Callable[[], Generator[float, None, store.Arrays]]:
    """What makes the arrays that are kept of one."""

    def build() -> Generator[float, None, store.Arrays]:
        sieve = yield from sieve_of(ends, holes, shift_groups(jumps), listed)
        return {str(pegs): words for pegs, words in sieve.levels.items()}

    return build


SIEVES = Sieves()
"""Of this process."""
