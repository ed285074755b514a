"""Garbage collection of a server: rare once everything is loaded, and only while few play."""

import gc
import weakref

from hoppers.jobs.kernel_warmup import Warmup
from hoppers.web.servers.garbage_collection import collect_unless, freeze_after_warmup


def test_what_is_loaded_is_frozen_after_the_warm_up() -> None:
    before, usual = gc.get_freeze_count(), gc.get_threshold()
    try:
        freeze_after_warmup(Warmup([]))
        assert gc.get_freeze_count() > before
        young, some, most = gc.get_threshold()
        assert young * some * most >= 10 * 700 * 10 * 10  # new objects before all others are looked at
    finally:
        gc.unfreeze()
        gc.set_threshold(*usual)


def test_garbage_is_collected_while_few_play() -> None:
    class Table:
        def __init__(self) -> None:
            self.itself = self

    gc.disable()
    try:
        gone = weakref.ref(Table())
        collect_unless(lambda: True)
        assert gone() is not None
        collect_unless(lambda: False)
        assert gone() is None
    finally:
        gc.enable()
