"""What glibc's allocator keeps for itself; other C libraries are left as they are.

It gives threads up to eight heaps for each core, and each of them grows to what its busiest moment wanted:
with a thread for each of a thousand players, a hundred megabytes that nobody uses.
"""

import ctypes
from contextlib import suppress

HEAPS = 2
"""Enough, for the interpreter's lock lets one thread allocate at a time."""
LARGE = 1 << 20
"""Bytes from which on what is freed goes back to the system at once. Left alone, glibc raises this to 32 MB,
and whoever takes and frees arrays of all sizes holds half as much again as it uses."""
M_ARENA_MAX, M_MMAP_THRESHOLD = -8, -3
"""Of <malloc.h>."""
NOT_GLIBC = (AttributeError, OSError, TypeError)


def use_few() -> None:
    """Let all threads that come later share a few heaps, and keep what is large out of them."""
    with suppress(*NOT_GLIBC):
        libc = ctypes.CDLL(None)
        libc.mallopt(M_ARENA_MAX, HEAPS)
        libc.mallopt(M_MMAP_THRESHOLD, LARGE)


def give_back() -> None:
    """Return to the system what is free."""
    with suppress(*NOT_GLIBC):
        ctypes.CDLL(None).malloc_trim(0)
