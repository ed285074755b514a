"""Garbage collection of a server: rare under high load, because a full collection stops every thread."""

import time
from collections.abc import Callable

from hoppers.jobs.kernel_warmup import Warmup
from hoppers.runtime import process_tuning

QUIET_SECONDS = 60.0  # between two full collections while load is low
POLL_SECONDS = 1.0


def collect_in_background(warmup: Warmup, is_busy: Callable[[], bool]) -> None:
    """Wait for the warm-up and exempt all loaded objects from collection; then collect while load is low.

    This never returns, so it runs in a separate thread.
    """
    while not warmup.is_ready(""):
        time.sleep(POLL_SECONDS)
    process_tuning.freeze_loaded_objects()
    while True:
        time.sleep(QUIET_SECONDS)
        if not is_busy():
            process_tuning.collect_garbage()
