"""Loading memory ahead of its use: what kernels call, and what they are in plain Python."""

from typing import Any


def prefetch(array: Any, row: Any) -> None:
    """Start loading the first element of `array[row]` into the CPU cache, for a later access.

    This plain function does nothing; kernels call the one in `compilation.py`.
    """
