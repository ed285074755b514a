"""Bloom filters of the problems played: built once on a machine, stored on disk, cached in memory.

A build lists all solvable boards of few pegs, level by level. A jump taken back is a jump of the complement.
The complements of the solvable boards are therefore the closure of the complements of the goals. The last
level is too large to list: its boards are only added to the filter.
"""

from collections.abc import Callable, Generator, Sequence
from typing import Any

import numpy as np

from hoppers.core.kernels import kernel
from hoppers.puzzles.pegs.closure.bloom_filter import BloomFilter, bits_of, empty_words, word_of
from hoppers.puzzles.pegs.closure.closure import list_successors, make_batch, pack_level, successor_level
from hoppers.puzzles.pegs.closure.hash_buckets import PackedLevel, board_at, hash_of, hashing_of
from hoppers.puzzles.pegs.jump_masks import JumpList, Shifts, shift_groups
from hoppers.puzzles.pegs.large_board import BigBoard
from hoppers.puzzles.pegs.pagoda import PagodaTables, no_pagodas
from hoppers.runtime.lru_cache import LRUCache
from hoppers.search.slicing import Pausable, map_progress, report_progress, slices, touch_pages
from hoppers.tablebase import table_files
from hoppers.tablebase.engine import Engine

BOARDS_PER_SLICE = 1 << 12  # per kernel call: a few milliseconds
FORMAT = 2  # of the files: another format or hash function needs another number, and files are built again
MAX_BYTES = 130_000_000  # two of the largest filters; they are mapped, so the system may drop their pages
MAX_LISTED = 16_000_000  # boards of the largest level that is listed: half a gigabyte during the build


@kernel
def add_complements(level: Any, bucket: int, start: int, stop: int, every: Any, words: Any) -> int:
    """Add the complements of boards `start` to `stop` to the filter. Return the last board's bucket.

    `bucket`: bucket of board `start`, or an earlier one. `every`: the full board.
    """
    for index in range(start, stop):
        while index >= level.starts[bucket + 1]:
            bucket += 1
        code = hash_of(every ^ board_at(bucket, index, level), level.hashing)
        words[word_of(code, words)] |= bits_of(code)
    return bucket


@kernel
def add_next_complements(
    level: Any,
    bucket: int,
    start: int,
    stop: int,
    codes: Any,
    every: Any,
    words: Any,
    shifts: Shifts,
    pagodas: PagodaTables,
) -> int:
    """Add the complements of all boards one jump from boards `start` to `stop` to the filter.

    Return the last board's bucket. `bucket`: bucket of board `start`, or an earlier one. `codes`: array for
    one batch of hashes. `every`: the full board. `pagodas`: functions without words.
    """
    whole = hash_of(every, level.hashing)
    while start < stop:
        bucket, start, end = list_successors(level, bucket, start, stop, codes, shifts, pagodas)
        for number in range(end):
            # The hash is linear: hash(every - board) = hash(every) - hash(board).
            code = whole - codes[number]
            words[word_of(code, words)] |= bits_of(code)
    return bucket


def build_bloom_filter(
    ends: Sequence[int], holes: int, shifts: Shifts, listed: int
) -> Generator[float, None, BloomFilter]:
    """Build the Bloom filter for the solved boards of a position class, in steps of a few milliseconds.

    Yield the progress, 0 to 1.

    `ends`: solved boards, one peg each. `listed`: approximate number of boards in the largest level that is
    listed.
    """
    every, hashing = (1 << holes) - 1, hashing_of(holes)
    first = np.array([every ^ end for end in ends], np.uint64)
    level = yield from report_progress(0.0, pack_level(first, hashing))
    no_limit = 1 << 62  # an incomplete level would prove solvable boards dead
    bloom, before, pagodas = BloomFilter({}, hashing), level.size, no_pagodas(len(shifts.lines))
    while level.size:
        pegs, expected = len(bloom.levels) + 1, level.size * level.size // before + 1
        done = min(level.size / (listed + 1), 0.9)
        bloom.levels[pegs] = yield from report_progress(
            done, _complement_words(level, every, level.size, None)
        )
        if expected > listed:
            bloom.levels[pegs + 1] = yield from report_progress(
                0.9, _complement_words(level, every, expected, shifts)
            )
            break
        before = level.size
        level = yield from report_progress(done, successor_level(level, shifts, pagodas, no_limit))
    return bloom


def _complement_words(level: PackedLevel, every: int, room: int, shifts: Shifts | None) -> Pausable[Any]:
    """Return the filter words of the complements of a level's boards.

    With `shifts`, the complements of all boards one jump from the level are added instead. `room`: expected
    number of boards.
    """
    words, bucket, codes = empty_words(room), 0, make_batch()
    yield from touch_pages(words)
    for start, stop in slices(level.size, BOARDS_PER_SLICE):
        if shifts is None:
            bucket = add_complements(level, bucket, start, stop, np.uint64(every), words)
        else:
            free = no_pagodas(len(shifts.lines))
            bucket = add_next_complements(
                level, bucket, start, stop, codes, np.uint64(every), words, shifts, free
            )
        yield
    words.flags.writeable = False
    return words


def name_of(board: BigBoard, ends: list[int]) -> str:
    """Return the file name of the Bloom filter of a board for the solved boards `ends`."""
    return f"bloom-{FORMAT}-{MAX_LISTED:x}-{board.name}-{sum(ends):x}"


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
        # Below 20 of 33, 23 of 37 or 25 of 41 pegs no filter pays off.
        return state.bit_count() < 0.6 * board.holes or self.get(board, ends) is not None

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
        """Load the Bloom filter for the solved boards `ends` into memory.

        If it is not on disk, build it first, in a worker process if any.
        """
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
