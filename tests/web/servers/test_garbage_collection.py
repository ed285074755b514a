"""Garbage collection of a server: rare once everything is loaded, and only while load is low."""

import gc
import weakref
from collections.abc import Iterator
from typing import Any

import pytest

from hoppers.cli.serve import collect_garbage_in_background
from hoppers.jobs.kernel_warmup import Warmup
from hoppers.runtime import process_tuning
from hoppers.tablebase.engine import Engine
from tests.conftest import running_app
from tests.support.engine import PUZZLES
from tests.support.processes import wait_for

PAGES = ("/", *(f"/puzzles/hoppers{page}" for page in ("", "/explore", "/print", "/inside", "/board.svg")))
POSITION = "/api/puzzles/hoppers/positions/oooooo.oooooo"
ADDRESSES = (*PAGES, POSITION, f"{POSITION}/hint", f"{POSITION}/trace", "/api/puzzles/hoppers/distribution")


def references_to_closed_application() -> list[weakref.ref[Any]]:
    """Return references to an application that has answered and is closed, and to its engine."""
    with running_app() as app:
        client = app.test_client()
        assert [client.get(address).status_code for address in ADDRESSES] == [200] * len(ADDRESSES)
        return [weakref.ref(app), weakref.ref(app.extensions["engine"])]


@pytest.mark.usefixtures("restored_collector")
def test_closed_application_is_freed_with_its_engine() -> None:
    references = references_to_closed_application()
    gc.unfreeze()

    def is_freed() -> bool:
        gc.collect()
        return [reference() for reference in references] == [None, None]

    wait_for(is_freed)  # a thread that is ending may still hold the application for a moment


class Ended(Exception):
    """Raised by a test to end the loop of the background thread."""


@pytest.fixture
def restored_collector() -> Iterator[None]:
    """Restore the settings of the collector after a test."""
    usual = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*usual)


@pytest.mark.usefixtures("restored_collector")
def test_loaded_objects_are_frozen_after_the_warm_up(monkeypatch: pytest.MonkeyPatch) -> None:
    def sleep(seconds: float) -> None:
        raise Ended

    monkeypatch.setattr("hoppers.cli.serve.time.sleep", sleep)
    before, usual = gc.get_freeze_count(), gc.get_threshold()
    with pytest.raises(Ended):
        collect_garbage_in_background(Warmup(Engine(PUZZLES)), lambda: False)
    assert (gc.get_freeze_count(), gc.get_threshold()) == (before, usual)
    with pytest.raises(Ended):
        collect_garbage_in_background(Warmup(Engine({})), lambda: False)
    assert gc.get_freeze_count() > before
    young, some, most = gc.get_threshold()
    assert young * some * most >= 10 * 700 * 10 * 10  # new objects between two full collections
    assert young * (some + 2) <= 5_000  # objects examined by most collections


class Cycle:
    """An object that only the collector frees."""

    def __init__(self) -> None:
        self.itself = self


@pytest.mark.usefixtures("restored_collector")
def test_garbage_is_collected_while_load_is_low(monkeypatch: pytest.MonkeyPatch) -> None:
    """The collector of the interpreter is off; the background thread alone collects.

    One cycle is garbage from the start, the other one only after a collection that it survives.
    """
    monkeypatch.setattr(process_tuning, "freeze_loaded_objects", lambda: None)
    is_busy, alive, used = iter([True, False, False]), list[tuple[bool, bool]](), [Cycle()]
    gc.disable()
    try:
        cycles = weakref.ref(Cycle()), weakref.ref(used[0])

        def sleep(seconds: float) -> None:
            alive.append((cycles[0]() is not None, cycles[1]() is not None))
            if len(alive) == 3:
                used.clear()
            if len(alive) == 4:
                raise Ended

        monkeypatch.setattr("hoppers.cli.serve.time.sleep", sleep)
        with pytest.raises(Ended):
            collect_garbage_in_background(Warmup(Engine({})), lambda: next(is_busy))
        assert alive == [(True, True), (True, True), (False, True), (False, False)]
    finally:
        gc.enable()
