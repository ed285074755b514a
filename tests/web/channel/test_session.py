"""WebSockets of the channel: one thread for a client, packets in order, pings, and who comes from polling."""

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from typing import Any

import pytest
import requests
import websocket

from hoppers.web.channel.outbox import Outbox
from tests.conftest import MakeApp, serving
from tests.socket_client import PATIENCE

Open = Callable[[str], Any]


@pytest.fixture
def url(make_app: MakeApp) -> Iterator[str]:
    with serving(make_app(PING_SECONDS=0.5)) as url:
        yield url


@pytest.fixture
def opened() -> Iterator[Open]:
    """Connections that answer nothing by themselves, until the end of the test."""
    with ExitStack() as stack:

        def connect(address: str) -> Any:
            connection: Any = websocket.create_connection(address, timeout=PATIENCE)
            return stack.enter_context(closing(connection))

        yield connect


def address(url: str, transport: str = "websocket", more: str = "") -> str:
    return f"{url}/socket.io/?EIO=4&transport={transport}{more}"


def test_clients_need_a_thread_each_and_all_are_pinged(url: str, opened: Open) -> None:
    before = set(threading.enumerate())
    clients = [opened(address(url.replace("http", "ws", 1))) for _ in range(10)]
    for client in clients:
        assert client.recv().startswith("0{")
        client.send("40")
        assert client.recv().startswith("40{")
    for _ in range(2):
        for client in clients:
            assert client.recv() == "2"
            client.send("3")
    assert len(set(threading.enumerate()) - before) < 2 * len(clients)


def test_one_who_polls_goes_over_to_a_websocket(url: str, opened: Open) -> None:
    opening = requests.get(address(url, "polling")).text
    id = opening.partition('"sid":"')[2].partition('"')[0]
    client = opened(address(url.replace("http", "ws", 1), more=f"&sid={id}"))
    client.send("2probe")
    assert client.recv() == "3probe"
    client.send("5")
    client.send("40")
    said = [client.recv(), client.recv()]
    assert said[0] == "6"  # meant for a poll, had there been one
    assert said[1].startswith("40{")


def test_one_who_does_not_go_over_is_let_go(url: str, opened: Open) -> None:
    opening = requests.get(address(url, "polling")).text
    id = opening.partition('"sid":"')[2].partition('"')[0]
    client = opened(address(url.replace("http", "ws", 1), more=f"&sid={id}"))
    client.send("2nonsense")
    with pytest.raises((websocket.WebSocketException, OSError)):
        client.recv()


class Packet:
    """A packet of the library, as far as the outbox is concerned."""

    def __init__(self, data: str) -> None:
        self.data = data

    def encode(self) -> str:
        return self.data


class Narrow:
    """A line that is clogged after every packet, until it is flushed."""

    def __init__(self, breaks_at: str = "") -> None:
        self.said: list[str] = []
        self._clogged, self._breaks_at = False, breaks_at

    def send(self, message: str | bytes) -> None:
        assert not self._clogged
        if message == self._breaks_at:
            raise OSError
        self.said.append(str(message))
        self._clogged = True

    def is_clogged(self) -> bool:
        return self._clogged

    def flush(self) -> None:
        self._clogged = False

    def close(self) -> None:
        self.said.append("goodbye")

    def end(self) -> None:
        self.said.append("ended")


def test_packets_go_out_in_order_whoever_puts_them_in() -> None:
    line, outbox = Narrow(), Outbox(lambda outbox: None)
    outbox.put(Packet("before"))
    outbox.flow_into(line)

    def put(name: str) -> None:
        for number in range(9):
            outbox.put(Packet(f"{name}{number}"))

    putting = [threading.Thread(target=put, args=(name,)) for name in "abc"]
    for thread in putting:
        thread.start()
    for thread in putting:
        thread.join()
    outbox.join()
    assert line.said[0] == "before"
    for name in "abc":
        assert [said for said in line.said if said[0] == name and said != "before"] == [
            f"{name}{n}" for n in range(9)
        ]
    outbox.put(None)
    outbox.put(Packet("too late"))
    outbox.join()
    assert line.said[-1] == "goodbye"


def test_nothing_waits_for_a_line_that_is_broken() -> None:
    line, outbox = Narrow(breaks_at="b"), Outbox(lambda outbox: None)
    outbox.flow_into(line)
    for data in "abc":
        outbox.put(Packet(data))
    outbox.join()
    assert line.said == ["a", "ended"]
    assert not outbox.qsize()


def test_whoever_puts_in_a_packet_that_cannot_be_sent_hears_nothing_of_it() -> None:
    class Unfit(Packet):
        def encode(self) -> str:
            raise ValueError("no text")

    line, outbox = Narrow(), Outbox(lambda outbox: None)
    outbox.flow_into(line)
    outbox.put(Unfit("a"))
    outbox.put(Packet("b"))
    outbox.join()
    assert line.said == ["ended"]
