"""Long work divided into slices of a few milliseconds, between which the caller may pause or stop it.

A kernel or library call that could take longer processes part of the work per call, measured in boards, words
or bytes. A generator yields between the calls.
"""

import lzma
from collections.abc import Callable, Generator
from typing import Any, TypeVar, cast

from hoppers.core.model import Progressing

Result = TypeVar("Result")
Value = TypeVar("Value")
Mapped = TypeVar("Mapped")
Pausable = Generator[None, None, Result]  # work that yields between slices and returns its result
LARGE_PAGE = 1 << 21  # bytes that the operating system may map and clear at a time


def slices(length: int, size: int) -> list[tuple[int, int]]:
    """Return (start, stop) of slices of at most `size` items that together cover `length` items."""
    return [(start, min(start + size, length)) for start in range(0, length, size)]


def map_progress(
    steps: Generator[Value, None, Result], function: Callable[[Value], Mapped]
) -> Generator[Mapped, None, Result]:
    """Run `steps`, yield `function(value)` for each value yielded, and return the result of `steps`."""
    while True:
        try:
            value = next(steps)
        except StopIteration as end:
            return cast(Result, end.value)
        yield function(value)


def report_progress(progress: float, steps: Pausable[Result]) -> Progressing[Result]:
    """Run `steps`, yield the constant `progress` between slices, and return the result of `steps`."""
    return map_progress(steps, lambda _: progress)


def touch_pages(zeros: Any) -> Pausable[None]:
    """Touch each large page of a new array of zeros, one per slice.

    The system clears a page when it is first touched. A later call with a hundred boards could otherwise
    touch many pages and take much longer than a slice.
    """
    for start, _ in slices(len(zeros), LARGE_PAGE // zeros.itemsize):
        zeros[start] = 0
        yield


def copy_in_slices(numbers: Any, into: Any) -> Pausable[None]:
    """Copy `numbers` to `into`, an array of equal length and any dtype, in slices."""
    for start, stop in slices(len(numbers), 1 << 18):
        into[start:stop] = numbers[start:stop]
        yield


def decompress_in_slices(packed: bytes) -> Pausable[bytes]:
    """Return the decompressed content of `packed` (xz), half a megabyte per slice.

    Raises:
        lzma.LZMAError: the content is damaged or incomplete.
    """
    reader, parts = lzma.LZMADecompressor(), []
    while not reader.eof:
        parts.append(reader.decompress(packed, 1 << 19))
        packed = b""
        if reader.needs_input:
            raise lzma.LZMAError("the end is missing")
        yield
    return b"".join(parts)
