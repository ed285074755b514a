"""What glibc's allocator keeps for itself; other C libraries are left as they are.

It gives threads up to eight heaps for each core, and each of them grows to what its busiest moment wanted:
with a thread for each of a thousand players, a hundred megabytes that nobody uses.
"""

import ctypes
from contextlib import suppress

HEAPS = 2
"""Enough, for the interpreter's lock lets one thread allocate at a time."""
M_ARENA_MAX = -8
"""Of <malloc.h>."""
NOT_GLIBC = (AttributeError, OSError, TypeError)


def use_few() -> None:
    """Let all threads that come later share a few heaps."""
    with suppress(*NOT_GLIBC):
        ctypes.CDLL(None).mallopt(M_ARENA_MAX, HEAPS)


def give_back() -> None:
    """Return to the system what is free."""
    with suppress(*NOT_GLIBC):
        ctypes.CDLL(None).malloc_trim(0)
