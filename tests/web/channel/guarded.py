"""An application behind the limits of its connections, and how tests look into it."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

import pytest
import requests
import websocket
from flask import Flask

from hoppers.web.channel import connections
from tests.support.socket_client import TIMEOUT_SECONDS

ADDRESS = "socket.io/?EIO=4&transport=websocket"


class Guarded(NamedTuple):
    """An application that is served on a free port."""

    app: Flask
    url: str

    @property
    def engine(self) -> Any:
        """Engine.IO server, whose connections can be counted."""
        return self.app.extensions["socketio"].server.eio

    def emitter(self) -> Callable[[str, dict[str, Any], str], None]:
        """Return a function that sends events to clients."""
        extensions = self.app.extensions
        return connections.emitter(extensions["socketio"], extensions["loop"])

    def wait_for_the_loop(self) -> None:
        """Wait until the event loop has made all calls posted before."""
        reached = threading.Event()
        self.app.extensions["loop"].post(reached.set)
        assert reached.wait(TIMEOUT_SECONDS)

    @contextmanager
    def open(self, join: bool = True, **options: Any) -> Iterator[Any]:
        """Open a raw connection, which sends no automatic answers. `join`: whether it joins the channel."""
        url = f"{self.url.replace('http', 'ws', 1)}/{ADDRESS}"
        connection: Any = websocket.create_connection(url, timeout=TIMEOUT_SECONDS, **options)
        try:
            assert connection.recv().startswith("0{")
            if join:
                connection.send("40")
                assert connection.recv().startswith("40{")
            yield connection
        finally:
            connection.shutdown()


def limit(monkeypatch: pytest.MonkeyPatch, **limits: int) -> None:
    """Replace the given limits of connections until the test ends."""
    monkeypatch.setattr(connections, "LIMITS", connections.LIMITS._replace(**limits))


def client_of(guarded: Guarded) -> str:
    """Return the Socket.IO id of the only client."""
    (id,) = guarded.app.extensions["socketio"].server.manager.rooms["/"][None]
    return str(id)


class Poller:
    """A raw connection by long polling, which sends no automatic answers."""

    def __init__(self, url: str, join: bool = True, **headers: str) -> None:
        """Open a connection. `join`: whether it joins the channel. `headers`: sent with every request."""
        self._http, self._headers = requests.Session(), headers
        self.address = f"{url}/socket.io/?EIO=4&transport=polling"
        self.opening = self.get()
        if self.opening.ok:
            self.id: str = json.loads(self.opening.text[1:])["sid"]
            self.address += f"&sid={self.id}"
            if join:
                assert self.post("40").text == "OK"
                assert self.get().text.startswith("40{")

    def get(self) -> requests.Response:
        """Wait for packets, separated by U+001E."""
        return self._http.get(self.address, headers=self._headers, timeout=TIMEOUT_SECONDS)

    def post(self, *packets: str | bytes, method: str = "POST") -> requests.Response:
        """Send packets."""
        body = b"\x1e".join(packet.encode() if isinstance(packet, str) else packet for packet in packets)
        return self._http.request(
            method, self.address, data=body, headers=self._headers, timeout=TIMEOUT_SECONDS
        )

    def leave(self) -> None:
        """End the connection, if it is still open."""
        with suppress(requests.ConnectionError):  # the server may have ended
            self.post("1")
        self._http.close()

    def is_ended(self) -> bool:
        """Return whether the server has ended the connection; skip packets sent before."""
        while (answer := self.get()).ok:
            if "1" in answer.text.split("\x1e"):
                return True
        return answer.status_code == 400
