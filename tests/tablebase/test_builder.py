"""The builder: order of builds, which run at the same time, and what high load and failures do to them."""

import threading
import time
from collections.abc import Generator
from functools import partial
from typing import Any

import pytest

from hoppers.runtime.load import Load
from hoppers.tablebase.builder import Builder, BuildRequest


def test_cancelling_drops_running_and_queued_builds() -> None:
    builder, started = Builder(Load()), threading.Event()

    def steps() -> Generator[float, None, None]:
        while True:
            started.set()
            yield 0.5

    builder.submit(BuildRequest("endless", steps))
    builder.submit(BuildRequest("second", steps))
    assert started.wait(60)
    assert builder.progress("second") == 0.0
    builder.cancel_all()
    assert builder.join(60)
    assert builder.progress("endless") is None and builder.progress("second") is None


@pytest.mark.parametrize("is_ending", [True, False])
def test_build_that_fails_because_the_server_ends_is_not_logged(
    is_ending: bool, caplog: pytest.LogCaptureFixture
) -> None:
    builder, started, closed = Builder(Load()), threading.Event(), threading.Event()

    def steps() -> Generator[float, None, None]:
        yield 0.0
        started.set()
        assert closed.wait(60)
        raise RuntimeError("the worker process has ended")

    builder.submit(BuildRequest("remote", steps))
    assert started.wait(60)
    if is_ending:
        builder.cancel_all()
    closed.set()
    assert builder.join(60) and bool(caplog.records) != is_ending


def test_large_builds_are_refused_under_high_load() -> None:
    load, built = Load(is_busy=lambda: True), list[str]()
    builder = Builder(load)

    def steps(name: str) -> Generator[float, None, None]:
        yield 0.0
        built.append(name)

    builder.submit(BuildRequest("large", lambda: steps("large"), large=True))
    builder.submit(BuildRequest("small", lambda: steps("small")))
    assert builder.progress("large") is None and builder.join(60) and built == ["small"]
    load.is_busy = lambda: False
    builder.submit(BuildRequest("large", lambda: steps("large"), large=True))
    assert builder.join(60) and built == ["small", "large"]


def test_process_without_large_builds_skips_large_parts() -> None:
    builder, built = Builder(Load(builds_large=False)), list[str]()

    def steps(name: str) -> Generator[float, None, None]:
        yield 0.0
        built.append(name)

    def outer() -> Generator[float, None, None]:
        yield from builder.large_part(steps("part"))
        built.append("outer")

    builder.submit(BuildRequest("large", lambda: steps("large"), large=True))
    builder.submit(BuildRequest("small", outer))
    assert builder.join(60) and built == ["outer"]


@pytest.mark.parametrize("is_part", [False, True])
def test_high_load_ends_large_builds_and_parts(is_part: bool) -> None:
    """A build whose large part is dropped continues without that part."""
    load, ended, started = Load(), list[str](), threading.Event()
    builder = Builder(load)

    def large() -> Generator[float, None, None]:
        try:
            while True:
                yield 0.5
                started.set()
        finally:
            ended.append("large")

    def outer() -> Generator[float, None, None]:
        yield from builder.large_part(large())
        ended.append("outer")

    builder.submit(BuildRequest("small", outer) if is_part else BuildRequest("large", large, large=True))
    assert started.wait(60) and not ended
    load.is_busy = lambda: True
    assert builder.join(60) and ended == (["large", "outer"] if is_part else ["large"])


def test_small_build_takes_turns_with_a_large_one() -> None:
    """A large part of the small build waits until the large build ends."""
    builder, steps = Builder(Load()), list[str]()
    started, submitted = threading.Event(), threading.Event()

    def build(name: str, count: int) -> Generator[float, None, None]:
        started.set()
        submitted.wait(60)
        for _ in range(count):
            steps.append(name)
            yield 0.5

    def small() -> Generator[float, None, None]:
        yield from build("small", 1)
        yield from builder.large_part(build("part", 1))

    builder.submit(BuildRequest("large", lambda: build("large", 5), large=True))
    assert started.wait(60)
    builder.submit(BuildRequest("second", lambda: build("second", 2), large=True))
    builder.submit(BuildRequest("small", small), low_priority=True)
    builder.submit(BuildRequest("quick", lambda: build("quick", 1)))
    assert builder.progress("small") == 0.0
    submitted.set()
    assert builder.join(60)
    first = ["large", "large", "quick", "large", "large", "small", "large"]
    assert steps == [*first, "part", "second", "second"]
    assert builder.progress("large") is None


def test_builder_survives_a_failing_build() -> None:
    builder, built = Builder(Load()), list[int]()

    def fail() -> Generator[float, None, Any]:
        yield 0.0
        raise MemoryError

    def succeed() -> Generator[float, None, None]:
        yield 0.1
        built.append(7)

    builder.submit(BuildRequest("fails", fail))
    builder.submit(BuildRequest("succeeds", succeed))
    assert builder.join(60)
    assert built == [7]


@pytest.mark.parametrize("has_large_build", [True, False])
def test_large_part_does_not_delay_small_builds(has_large_build: bool) -> None:
    """Neither while the part waits for a large build to end nor while the part runs."""
    builder, ended = Builder(Load()), list[str]()
    started, is_short_done = threading.Event(), threading.Event()

    def long(name: str) -> Generator[float, None, None]:
        until = time.monotonic() + 5
        while not is_short_done.is_set() and time.monotonic() < until:
            yield 0.5
        ended.append(name)

    def outer() -> Generator[float, None, None]:
        started.set()
        yield from builder.large_part(long("part"))

    def short() -> Generator[float, None, None]:
        yield 0.5
        ended.append("short")
        is_short_done.set()

    if has_large_build:
        builder.submit(BuildRequest("large", lambda: long("large"), large=True))
    builder.submit(BuildRequest("small", outer))
    assert started.wait(60)
    builder.submit(BuildRequest("short", short))
    assert builder.join(60)
    assert ended == ["short", *(["large"] if has_large_build else []), "part"]


def test_large_parts_run_one_at_a_time_even_after_failures() -> None:
    builder, running, running_counts, ended = Builder(Load()), list[str](), list[int](), list[str]()

    def part(name: str) -> Generator[float, None, None]:
        running.append(name)
        try:
            for number in range(5):
                running_counts.append(len(running))
                yield number / 5
            if name == "fails":
                raise MemoryError
        finally:
            running.remove(name)
            ended.append(name)

    def first() -> Generator[float, None, None]:
        for name in ("a", "fails", "b", "c"):
            builder.submit(BuildRequest(name, partial(builder.large_part, part(name))))
        yield from part("first")

    builder.submit(BuildRequest("first", first, large=True))
    assert builder.join(60)
    assert set(running_counts) == {1} and len(running_counts) == 25
    assert ended[0] == "first" and sorted(ended[1:]) == ["a", "b", "c", "fails"]


def test_low_priority_builds_run_last() -> None:
    builder, built = Builder(Load()), list[str]()

    def build(name: str) -> Generator[float, None, None]:
        yield 0.0
        if name == "first":
            for other in ("second", "third"):
                builder.submit(request(other))
            builder.submit(request("fourth"), low_priority=True)
        built.append(name)

    def request(name: str) -> BuildRequest:
        return BuildRequest(name, lambda: build(name))

    builder.submit(request("first"))
    assert builder.join(60)
    assert built == ["first", "third", "second", "fourth"]
