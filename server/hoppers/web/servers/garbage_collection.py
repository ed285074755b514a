"""Garbage collection of a server: rarely while many play, for each full collection stops every thread."""

import gc
import sys
import time
from collections.abc import Callable

from hoppers.jobs.kernel_warmup import Warmup
from hoppers.runtime import process_tuning

SWITCH_SECONDS = 0.0005
"""After which a thread must let others have the interpreter. With Python's own five milliseconds the event
loop waits as long for each thread that computes, and messages took twice as long under load."""
THRESHOLDS = 2_000, 20, 20
"""New objects, young and middle collections between two of the next kind. With Python's own 700, 10 and 10
every thread stood still each five to twenty seconds for the tenth of a second that a full collection takes
under load. Now that is some minutes. Collecting five times as rarely kept 25 MB of garbage."""
QUIET_SECONDS = 60.0  # between two full collections while few play
POLL_SECONDS = 1.0


def tune_process() -> None:
    """Set up the interpreter and the allocator for a server."""
    sys.setswitchinterval(SWITCH_SECONDS)
    process_tuning.use_few()


def collect_in_background(warmup: Warmup, is_crowded: Callable[[], bool]) -> None:
    """Collect garbage while few play, until the process ends."""
    freeze_after_warmup(warmup)
    while True:
        time.sleep(QUIET_SECONDS)
        collect_unless(is_crowded)


def collect_unless(is_crowded: Callable[[], bool]) -> None:
    """Free what is garbage in cycles, tables of boards among it, unless many would have to wait for it."""
    if not is_crowded():
        gc.collect()
        process_tuning.give_back()


def freeze_after_warmup(warmup: Warmup) -> None:
    """Once everything is loaded, exclude it from collections, make these rare, and return spare memory.

    Each full collection of what was loaded would stop every thread for a tenth of a second.
    """
    while not warmup.is_ready(""):
        time.sleep(POLL_SECONDS)
    gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
    process_tuning.give_back()
