"""The workshop: what is built in which order, what beside what, and what becomes of it."""

import threading
import time
from collections.abc import Generator
from functools import partial
from typing import Any

import pytest

from hoppers.tablebase.builder import Builder, BuildRequest


def test_workshop_shows_progress_and_stops() -> None:
    workshop, begun = Builder(), threading.Event()

    def work() -> Generator[float, None, None]:
        while True:
            begun.set()
            yield 0.5

    workshop.ask(BuildRequest("endless", work))
    workshop.ask(BuildRequest("second", work))
    assert begun.wait(60)
    assert workshop.progress("second") == 0.0
    workshop.stop()
    assert workshop.wait(60)
    assert workshop.progress("endless") is None and workshop.progress("second") is None


def test_nothing_heavy_is_begun_in_a_crowd() -> None:
    workshop, crowd, built = Builder(), [1], []

    def work(name: str) -> Generator[float, None, None]:
        yield 0.0
        built.append(name)

    workshop.is_crowded = lambda: bool(crowd)
    workshop.ask(BuildRequest("heavy", lambda: work("heavy"), heavy=True))
    workshop.ask(BuildRequest("light", lambda: work("light")))
    assert workshop.progress("heavy") is None and workshop.wait(60) and built == ["light"]
    crowd.clear()
    workshop.ask(BuildRequest("heavy", lambda: work("heavy"), heavy=True))
    assert workshop.wait(60) and built == ["light", "heavy"]


def test_nothing_heavy_is_built_where_somebody_else_has_it_built() -> None:
    workshop, built = Builder(), list[str]()
    workshop.grants_heavy = False

    def work(name: str) -> Generator[float, None, None]:
        yield 0.0
        built.append(name)

    def around() -> Generator[float, None, None]:
        yield from workshop.unless_crowded(work("within"))
        built.append("around")

    workshop.ask(BuildRequest("heavy", lambda: work("heavy"), heavy=True))
    workshop.ask(BuildRequest("light", around))
    assert workshop.wait(60) and built == ["around"]


@pytest.mark.parametrize("inner", [False, True])
def test_what_is_heavy_is_given_up_when_a_crowd_comes(inner: bool) -> None:
    """Whether it is a build of its own or a part of one, which then goes on without it."""
    workshop, ended = Builder(), list[str]()
    begun = threading.Event()

    def heavy() -> Generator[float, None, None]:
        try:
            while True:
                yield 0.5
                begun.set()
        finally:
            ended.append("heavy")

    def around() -> Generator[float, None, None]:
        yield from workshop.unless_crowded(heavy())
        ended.append("around")

    workshop.ask(BuildRequest("light", around) if inner else BuildRequest("heavy", heavy, heavy=True))
    assert begun.wait(60) and not ended
    workshop.is_crowded = lambda: True
    assert workshop.wait(60) and ended == (["heavy", "around"] if inner else ["heavy"])


def test_a_light_wish_goes_beside_a_heavy_one() -> None:
    """They take turns; what is heavy within the light one waits for the end of the other."""
    workshop, steps, begun, asked = Builder(), list[str](), threading.Event(), threading.Event()

    def work(name: str, count: int) -> Generator[float, None, None]:
        begun.set()
        asked.wait(60)
        for _ in range(count):
            steps.append(name)
            yield 0.5

    def light() -> Generator[float, None, None]:
        yield from work("light", 1)
        yield from workshop.unless_crowded(work("within", 1))

    workshop.ask(BuildRequest("heavy", lambda: work("heavy", 5), heavy=True))
    assert begun.wait(60)
    workshop.ask(BuildRequest("second", lambda: work("second", 2), heavy=True))
    workshop.ask(BuildRequest("light", light), later=True)
    workshop.ask(BuildRequest("quick", lambda: work("quick", 1)))
    assert workshop.progress("light") == 0.0
    asked.set()
    assert workshop.wait(60)
    first = ["heavy", "heavy", "quick", "heavy", "heavy", "light", "heavy"]
    assert steps == [*first, "within", "second", "second"]
    assert workshop.progress("heavy") is None


def test_workshop_survives_a_build_that_fails() -> None:
    workshop = Builder()
    kept: list[int] = []

    def fail() -> Generator[float, None, Any]:
        yield 0.0
        raise MemoryError

    def work() -> Generator[float, None, None]:
        yield 0.1
        kept.append(7)

    workshop.ask(BuildRequest("fails", fail))
    workshop.ask(BuildRequest("works", work))
    assert workshop.wait(60)
    assert kept == [7]


@pytest.mark.parametrize("beside", [True, False])
def test_what_is_heavy_within_a_light_wish_holds_no_other_light_one_up(beside: bool) -> None:
    """Neither while it waits for something heavy to end nor while it goes on itself."""
    workshop, ended, begun, quick = Builder(), list[str](), threading.Event(), threading.Event()

    def lasting(name: str) -> Generator[float, None, None]:
        until = time.monotonic() + 5
        while not quick.is_set() and time.monotonic() < until:
            yield 0.5
        ended.append(name)

    def around() -> Generator[float, None, None]:
        begun.set()
        yield from workshop.unless_crowded(lasting("within"))

    def short() -> Generator[float, None, None]:
        yield 0.5
        ended.append("short")
        quick.set()

    if beside:
        workshop.ask(BuildRequest("heavy", lambda: lasting("heavy"), heavy=True))
    workshop.ask(BuildRequest("light", around))
    assert begun.wait(60)
    workshop.ask(BuildRequest("short", short))
    assert workshop.wait(60)
    assert ended == ["short", *(["heavy"] if beside else []), "within"]


def test_heavy_parts_go_on_one_after_the_other_even_if_one_fails() -> None:
    workshop, under_way, most, ended = Builder(), list[str](), list[int](), list[str]()

    def part(name: str) -> Generator[float, None, None]:
        under_way.append(name)
        try:
            for number in range(5):
                most.append(len(under_way))
                yield number / 5
            if name == "fails":
                raise MemoryError
        finally:
            under_way.remove(name)
            ended.append(name)

    def first() -> Generator[float, None, None]:
        for name in ("a", "fails", "b", "c"):
            workshop.ask(BuildRequest(name, partial(workshop.unless_crowded, part(name))))
        yield from part("first")

    workshop.ask(BuildRequest("first", first, heavy=True))
    assert workshop.wait(60)
    assert set(most) == {1} and len(most) == 25
    assert ended[0] == "first" and sorted(ended[1:]) == ["a", "b", "c", "fails"]
