"""Decoders of the messages and requests that clients send, built while the program is loaded.

msgspec builds the decoder of a class when it first meets the class. If two threads meet a class at the same
moment, the process ends with a segmentation fault; two simultaneous messages did this to a server that had
just started. One thread therefore builds all decoders at import time.
"""

from typing import TypeVar

import msgspec

PREBUILT: set[type] = set()
"""Classes whose decoders have been built."""

Schema = TypeVar("Schema", bound=type[msgspec.Struct])


def prebuild_decoder(schema: Schema) -> Schema:
    """Build the decoder of `schema` at import time, and return the class (class decorator)."""
    msgspec.json.Decoder(schema)
    PREBUILT.add(schema)
    return schema
