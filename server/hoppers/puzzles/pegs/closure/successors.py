"""The boards one jump later, as hashes, a batch at a time.

They are listed first and looked up then, with hardly a branch, so that many look-ups are under way together.
"""

from typing import Any

import numpy as np

from hoppers.core.kernels import kernel
from hoppers.puzzles.pegs.bitboards.jump_masks import jumps_down, lowest_bit
from hoppers.puzzles.pegs.bitboards.pagoda_filter import may_live, weigh
from hoppers.puzzles.pegs.closure.hash_buckets import board_at, hash_of

MOST_JUMPS = 256
"""More than there are from any board."""
BATCH = 1024
"""Hashes listed before they are looked up, and hardly more."""


def room_for_batch() -> Any:
    """Where a batch is written."""
    return np.empty(BATCH + MOST_JUMPS, np.uint64)


@kernel
def list_next(
    rows: Any, bucket: int, start: int, stop: int, codes: Any, shifts: Any, weighing: Any
) -> tuple[int, int, int]:
    """Write the hashes of boards one jump from those with the numbers `start` to `stop` into `codes`.

    `bucket`: one that is not behind the first of them. What is too light is left out. Stops early when the
    batch is full. Returns the new bucket and start, and how many hashes there are.
    """
    words, end, most = np.empty(len(weighing.bases), np.uint64), 0, len(codes) - MOST_JUMPS
    while start < stop and end < most:
        while start >= rows.starts[bucket + 1]:
            bucket += 1
        board = board_at(bucket, start, rows)
        weigh(board, weighing, words)
        for slot in range(len(shifts.first) - 1):
            lows = jumps_down(board, slot, shifts)
            while lows != np.uint64(0):
                low = lowest_bit(lows)
                lows &= lows - np.uint64(1)
                line = np.uint64(64 * slot) + low
                codes[end] = hash_of(board ^ shifts.lines[line], rows.hashing)
                end += int(may_live(words, line, board >> low & np.uint64(1), weighing))
        start += 1
    return bucket, start, end
