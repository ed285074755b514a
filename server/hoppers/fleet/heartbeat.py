"""Heartbeats of workers and servers: interval, expiry, and the state of a worker as one server sees it.

Redis deletes a heartbeat after `MISSED_BEATS` intervals, so no clocks of different machines are compared.
A server that checks every `CHECK_SECONDS` notices a loss at the latest with the `MAX_CHECKS`th check after
the last new heartbeat.
"""

import math
from typing import NamedTuple

BEAT_SECONDS = 0.5  # between two heartbeats
MISSED_BEATS = 6  # missed in a row by a lost worker
EXPIRY_MILLISECONDS = round(1000 * MISSED_BEATS * BEAT_SECONDS)
CHECK_SECONDS = 0.5  # between two checks of one server, at least
MAX_CHECKS = math.ceil(EXPIRY_MILLISECONDS / 1000 / CHECK_SECONDS)


class Heartbeat(NamedTuple):
    """State of a worker's heartbeat, as one server sees it."""

    beat: str | None
    """Number of the last heartbeat; None: the worker is lost."""
    checks: int
    """Number of checks since the last new heartbeat."""


def after_check(before: Heartbeat | None, beat: str | None) -> Heartbeat:
    """Return the state after one more check, which has read the heartbeat `beat`; None: there was none."""
    if beat is not None and (before is None or before.beat != beat):
        return Heartbeat(beat, 0)
    return Heartbeat(beat, 1 if before is None else before.checks + 1)
