"""The builder: order of builds, builds at the same time, and effects of high load and failures."""

import threading
from collections.abc import Generator
from typing import Any

import pytest

from hoppers.runtime.builder import Builder
from hoppers.runtime.scheduler import Scheduler
from hoppers.tablebase.engine import Engine


def test_cancelling_drops_running_and_queued_builds() -> None:
    builder, started = Builder(Scheduler()), threading.Event()

    def steps() -> Generator[float, None, None]:
        while True:
            started.set()
            yield 0.5

    builder.submit("endless", steps)
    assert started.wait(60)
    builder.submit("second", steps)
    assert builder.progress("second") == 0.0
    builder.cancel_all()
    assert builder.join(60)
    assert builder.progress("endless") is None and builder.progress("second") is None


@pytest.mark.parametrize("is_ending", [True, False])
def test_build_that_fails_because_the_server_ends_is_not_logged(
    is_ending: bool, caplog: pytest.LogCaptureFixture
) -> None:
    builder, started, closed = Builder(Scheduler()), threading.Event(), threading.Event()

    def steps() -> Generator[float, None, None]:
        yield 0.0
        started.set()
        assert closed.wait(60)
        raise RuntimeError("a file is gone")

    builder.submit("remote", steps)
    assert started.wait(60)
    if is_ending:
        builder.cancel_all()
    closed.set()
    assert builder.join(60) and bool(caplog.records) != is_ending


def test_large_builds_are_refused_under_high_load() -> None:
    is_busy, built = [True], list[str]()
    builder = Builder(Scheduler(), lambda: not is_busy)

    def steps(name: str) -> Generator[float, None, None]:
        yield 0.0
        built.append(name)

    builder.submit("large", lambda: steps("large"), large=True)
    builder.submit("small", lambda: steps("small"))
    assert builder.progress("large") is None and builder.join(60) and built == ["small"]
    is_busy.clear()
    builder.submit("large", lambda: steps("large"), large=True)
    assert builder.join(60) and built == ["small", "large"]


def test_process_without_large_builds_refuses_them() -> None:
    builder, built = Engine({}, builds_large=False).builder, list[str]()

    def steps(name: str) -> Generator[float, None, None]:
        yield 0.0
        built.append(name)

    builder.submit("large", lambda: steps("large"), large=True)
    builder.submit("small", lambda: steps("small"))
    assert builder.join(60) and built == ["small"]


def test_high_load_ends_large_builds() -> None:
    is_busy, ended, started = list[bool](), list[str](), threading.Event()
    builder = Builder(Scheduler(), lambda: not is_busy)

    def large() -> Generator[float, None, None]:
        try:
            while True:
                yield 0.5
                started.set()
        finally:
            ended.append("large")

    builder.submit("large", large, large=True)
    assert started.wait(60) and not ended
    is_busy.append(True)
    assert builder.join(60) and ended == ["large"]


def test_small_builds_run_next_to_large_ones() -> None:
    """One small and one large build run at a time, the newest first and those of low priority last."""
    builder, steps = Builder(Scheduler(2)), list[str]()
    started, submitted = threading.Barrier(3), threading.Event()

    def build(name: str, count: int) -> Generator[float, None, None]:
        if name in ("large", "first"):
            started.wait(60)
        submitted.wait(60)
        for _ in range(count):
            steps.append(name)
            yield 0.5

    builder.submit("large", lambda: build("large", 5), large=True)
    builder.submit("first", lambda: build("first", 1))
    started.wait(60)
    builder.submit("second", lambda: build("second", 2), large=True)
    builder.submit("last", lambda: build("last", 1), low_priority=True)
    builder.submit("small", lambda: build("small", 1))
    builder.submit("quick", lambda: build("quick", 1))
    assert builder.progress("small") == 0.0
    submitted.set()
    assert builder.join(60)
    assert [step for step in steps if step not in ("large", "second")] == ["first", "quick", "small", "last"]
    assert [step for step in steps if step in ("large", "second")] == ["large"] * 5 + ["second"] * 2
    assert builder.progress("large") is None


def test_build_in_its_own_lane_waits_for_no_large_build() -> None:
    builder, listed = Builder(Scheduler()), threading.Event()

    def table() -> Generator[float, None, None]:
        while not listed.wait(0.01):
            yield 0.5

    def solutions() -> Generator[float, None, None]:
        yield 0.5
        listed.set()

    builder.submit("table", table, large=True)
    builder.submit("list", solutions, large=True, lane="solutions")
    assert listed.wait(60) and builder.join(60)


def test_builder_survives_a_failing_build() -> None:
    builder, built = Builder(Scheduler()), list[int]()

    def fail() -> Generator[float, None, Any]:
        yield 0.0
        raise MemoryError

    def succeed() -> Generator[float, None, None]:
        yield 0.1
        built.append(7)

    builder.submit("fails", fail)
    builder.submit("succeeds", succeed)
    assert builder.join(60)
    assert built == [7]


def test_low_priority_builds_run_last() -> None:
    builder, built = Builder(Scheduler()), list[str]()

    def build(name: str) -> Generator[float, None, None]:
        yield 0.0
        if name == "first":
            for other in ("second", "third"):
                submit(other)
            submit("fourth", low_priority=True)
        built.append(name)

    def submit(name: str, *, low_priority: bool = False) -> None:
        builder.submit(name, lambda: build(name), low_priority=low_priority)

    submit("first")
    assert builder.join(60)
    assert built == ["first", "third", "second", "fourth"]


def test_build_that_is_requested_again_runs_next() -> None:
    builder, built = Builder(Scheduler()), list[str]()

    def build(name: str) -> Generator[float, None, None]:
        yield 0.0
        if name == "first":
            for other in ("second", "third", "second"):
                submit(other)
        built.append(name)

    def submit(name: str) -> None:
        builder.submit(name, lambda: build(name))

    submit("first")
    assert builder.join(60)
    assert built == ["first", "second", "third"]
