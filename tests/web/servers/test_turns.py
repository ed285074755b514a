"""Turns of clients: order of service, most items of one client at once, and bounds of what may wait."""

import threading

import pytest

from hoppers.web.servers import turns as turns_module
from hoppers.web.servers.turns import ALONE_SECONDS, Full, Turns
from tests.support.clients import named


class Clock:
    """Clock that stands still until a test changes `now`."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Clock that turns read."""
    found = Clock()
    monkeypatch.setattr(turns_module, "time", found)
    return found


class Line:
    """Turns of clients that are called by a name."""

    def __init__(self, *limits: int) -> None:
        self._turns: Turns[int] = Turns(*limits)
        self.close = self._turns.close

    def add(self, client: str, item: int) -> None:
        self._turns.add(named(client), item)

    def take(self) -> tuple[str, int] | None:
        turn = self._turns.take()
        return turn and (str(turn[0]), turn[1])

    def end(self, client: str) -> None:
        self._turns.end(named(client))


def turns(running: int = 9, waiting: int = 99, in_all: int = 999) -> Line:
    return Line(running, waiting, in_all)


def served(line: Line, count: int) -> list[tuple[str, int] | None]:
    """Take and end the next items, as one thread does."""
    found = list[tuple[str, int] | None]()
    for _ in range(count):
        turn = line.take()
        assert turn is not None
        line.end(turn[0])
        found.append(turn)
    return found


def test_a_client_with_many_items_takes_turns_with_the_others() -> None:
    line = turns()
    for number in range(50):
        line.add("many", number)
    line.add("a", 0)
    line.add("b", 0)
    line.add("b", 1)
    order = ["many 0", "a 0", "b 0", "many 1", "b 1", "many 2", "many 3"]
    assert [f"{client} {number}" for client, number in filter(None, served(line, 7))] == order


def test_a_client_that_comes_back_waits_for_those_before_it() -> None:
    line = turns()
    for client in ("a", "a", "b"):
        line.add(client, 0)
    assert served(line, 1) == [("a", 0)]
    line.add("c", 0)
    line.add("a", 1)
    assert served(line, 4) == [("b", 0), ("a", 0), ("c", 0), ("a", 1)]


def test_a_client_that_is_alone_leaves_a_thread_for_others(clock: Clock) -> None:
    line = turns(running=2)
    for number in range(5):
        line.add("many", number)
    assert line.take() == ("many", 0)
    clock.now += ALONE_SECONDS
    assert line.take() == ("many", 1)
    line.add("other", 7)
    assert line.take() == ("other", 7)  # `take` would wait for ever for another item of `many`


def test_clients_that_are_not_alone_have_one_item_each(clock: Clock) -> None:
    line = turns(running=2)
    for client in ("a", "b", "a", "a", "b", "c"):
        line.add(client, 0)
    assert [line.take(), line.take(), line.take()] == [("a", 0), ("b", 0), ("c", 0)]
    clock.now += ALONE_SECONDS / 2
    line.end("b")
    assert line.take() == ("b", 0)  # not a second item of `a`, although `a` waits longer
    line.end("a")
    assert line.take() == ("a", 0)
    line.end("b")
    line.end("c")
    clock.now += ALONE_SECONDS
    assert line.take() == ("a", 0)


def test_a_waiting_thread_gets_the_item_that_becomes_free() -> None:
    line, found = turns(running=1), list[object]()
    line.add("a", 1)
    line.add("a", 2)
    assert line.take() == ("a", 1)
    thread = threading.Thread(target=lambda: found.append(line.take()))
    thread.start()
    line.end("a")
    thread.join(60)
    assert found == [("a", 2)]


def test_more_than_may_wait_is_refused_for_one_client_only() -> None:
    line = turns(waiting=2, in_all=5)
    for client in ("a", "a", "b", "b"):
        line.add(client, 0)
    for client in ("a", "b"):
        with pytest.raises(Full, match="try again"):
            line.add(client, 0)
    line.add("c", 0)
    with pytest.raises(Full):  # five wait
        line.add("d", 0)
    line.take()
    line.add("d", 0)


def test_closed_turns_drop_what_waits_and_release_threads() -> None:
    line = turns()
    line.add("a", 0)
    line.close()
    assert line.take() is None
