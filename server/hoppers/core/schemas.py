"""Shapes of what comes from outside, worked out as the program is loaded, by one thread.

msgspec does that when it first meets a class, and a second thread that meets it meanwhile ends the whole
process with a segmentation fault: two messages at once did so to a server that had just started.
"""

from typing import TypeVar

import msgspec

KNOWN: set[type] = set()
"""All that are worked out."""

Shape = TypeVar("Shape", bound=type[msgspec.Struct])


def known(shape: Shape) -> Shape:
    """Work a class out as soon as it is there: it stands above the class."""
    msgspec.json.Decoder(shape)
    KNOWN.add(shape)
    return shape
