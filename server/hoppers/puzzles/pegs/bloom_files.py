"""Bloom filters of the problems played: built once on a machine, stored on disk, cached in memory."""

import zlib
from collections.abc import Callable, Generator
from functools import cache

import numpy as np

from hoppers.core.kernels import as_python
from hoppers.puzzles.pegs.bitboards.jump_masks import JumpList, shift_groups
from hoppers.puzzles.pegs.closure.bloom_build import build_bloom_filter
from hoppers.puzzles.pegs.closure.bloom_filter import BloomFilter, bits_of, empty_words, word_of
from hoppers.puzzles.pegs.closure.hash_buckets import hash_of, hashing_of
from hoppers.puzzles.pegs.large_board import BigBoard
from hoppers.runtime.lru_cache import LRUCache
from hoppers.search.slicing import Pausable, map_progress
from hoppers.tablebase import table_files
from hoppers.tablebase.engine import Engine

FORMAT = 1  # of the files; those of another format or hash function are built again
PROBED_BOARDS = 256  # boards whose bits identify the hash function
MAX_BYTES = 130_000_000  # in memory: two of the largest; they are mapped, so the system may drop their pages
MAX_LISTED = 16_000_000  # boards of the largest level that is listed: half a gigabyte during the build
NEEDLESS_SHARE = 0.6  # share of pegs below which no filter pays off: 20 of 33, 23 of 37, 25 of 41


def name_of(board: BigBoard, ends: list[int]) -> str:
    """Return the file name of the Bloom filter of a board for the solved boards `ends`."""
    return f"bloom-{FORMAT}-{hash_identity(board.holes):08x}-{MAX_LISTED:x}-{board.name}-{sum(ends):x}"


@cache
def hash_identity(holes: int) -> int:
    """Return a checksum that identifies the hash function. With another function a filter would be wrong."""
    hashed, word, bits = as_python(hash_of), as_python(word_of), as_python(bits_of)
    hashing, words = hashing_of(holes), empty_words(PROBED_BOARDS)
    for number in range(1, PROBED_BOARDS + 1):
        code = hashed(np.uint64(number**5 % (1 << holes)), hashing)
        words[word(code, words)] |= bits(code)
    return zlib.crc32(words.tobytes())


class BloomFilters:
    """Bloom filters of an engine, of which up to `max_bytes` are in memory."""

    def __init__(self, engine: Engine, max_bytes: int = MAX_BYTES) -> None:
        self._engine = engine
        self._filters: LRUCache[str, BloomFilter] = LRUCache(
            max_bytes, lambda bloom: bloom.bytes, keeps_newest=True
        )

    def get(self, board: BigBoard, ends: list[int]) -> BloomFilter | None:
        """Return the filter for the solved boards `ends` if it is in memory, otherwise None."""
        return self._filters.get(name_of(board, ends))

    def is_needless(self, board: BigBoard, ends: list[int], state: int) -> bool:
        """Return whether no filter has to be built: `state` has few pegs, or the filter is in memory."""
        return state.bit_count() < NEEDLESS_SHARE * board.holes or self.get(board, ends) is not None

    def is_stored(self, board: BigBoard, ends: list[int]) -> bool:
        """Return whether the filter for the solved boards `ends` is on disk, from where it can be mapped."""
        return table_files.is_stored(name_of(board, ends))

    def load(self, name: str, holes: int) -> Pausable[BloomFilter | None]:
        """Return the filter called `name` from memory or disk, or None if it is in neither."""
        bloom = self._filters.get(name)
        if bloom is None and table_files.is_stored(name):
            arrays = yield from table_files.load(name)
            bloom = None if arrays is None else self._put(name, arrays, holes)
        return bloom

    def fetch(self, board: BigBoard, ends: list[int]) -> Generator[float, None, None]:
        """Load a filter into memory. If it is not on disk, build it first, in a worker process if any."""
        name, shape = name_of(board, ends), (board.jumps, board.holes, tuple(ends), MAX_LISTED)
        if self.get(board, ends) is not None:
            return
        steps = table_files.shared(name, _arrays(*shape))
        if self._engine.builds_remotely and not table_files.is_stored(name):
            yield from self._engine.run(build_file, name, *shape)
            steps = map_progress(steps, lambda _: 1.0)
        arrays = yield from steps
        self._put(name, table_files.read_only(arrays), board.holes)

    def _put(self, name: str, arrays: table_files.Arrays, holes: int) -> BloomFilter:
        bloom = BloomFilter({int(pegs): words for pegs, words in arrays.items()}, hashing_of(holes))
        self._filters.put(name, bloom)
        return bloom


def build_file(
    engine: Engine, name: str, jumps: JumpList, holes: int, ends: tuple[int, ...], max_listed: int
) -> Generator[float, None, None]:
    """Build a Bloom filter and store it on disk under `name`."""
    yield from table_files.shared(name, _arrays(jumps, holes, ends, max_listed))


def _arrays(
    jumps: JumpList, holes: int, ends: tuple[int, ...], max_listed: int
) -> Callable[[], Generator[float, None, table_files.Arrays]]:
    """Return a function that builds the arrays of a Bloom filter: number of pegs as text -> words."""

    def build() -> Generator[float, None, table_files.Arrays]:
        bloom = yield from build_bloom_filter(ends, holes, shift_groups(jumps), max_listed)
        return {str(pegs): words for pegs, words in bloom.levels.items()}

    return build
