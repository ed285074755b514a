"""Real Socket.IO client that collects its events, and a raw WebSocket client."""

import json
import queue
import socket
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import engineio
import socketio
import websocket

ReceivedEvent = tuple[str, dict[str, Any]]

FINAL = {"solved", "unsolvable", "stopped", "failed"}
TIMEOUT_SECONDS = 60  # seconds to wait for an event; the first search may have to be compiled


class EngineInOrder(engineio.Client):  # type: ignore[misc]
    """Engine.IO client with one thread for all messages; the library's thread per message loses the order."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.in_order = ThreadPoolExecutor(1)

    def _trigger_event(self, event: str, *args: Any, run_async: bool = False, **kwargs: Any) -> Any:
        if run_async:
            return self.in_order.submit(super()._trigger_event, event, *args)
        return super()._trigger_event(event, *args, **kwargs)


class ClientInOrder(socketio.Client):  # type: ignore[misc]
    """Socket.IO client on `EngineInOrder`."""

    def _engineio_client_class(self) -> type:
        return EngineInOrder


class Listener:
    """A client that is connected until `leave` and queues all its events."""

    def __init__(
        self,
        url: str,
        transport: str | None = "websocket",
        player: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        """Connect. `player`: secret by which the server recognises the player on another connection.

        `headers`: sent with every request.

        `transport`: None: as the library does by default, by polling and then an upgrade.
        """
        auth = None if player is None else {"player": player}
        self._events: queue.Queue[ReceivedEvent] = queue.Queue()
        self._client = ClientInOrder(reconnection=False, handle_sigint=False, request_timeout=TIMEOUT_SECONDS)
        self._client.on("*", lambda event, payload: self._events.put((event, payload)))
        self._client.on("disconnect", lambda reason: self._events.put(("disconnect", {"reason": reason})))
        self._client.connect(
            url, headers or {}, auth=auth, transports=transport, wait_timeout=TIMEOUT_SECONDS
        )
        self._socket = self._client.eio.ws

    def call(self, event: str, *payload: object) -> Any:
        """Send a message and return its acknowledgement."""
        return self._client.call(event, payload, timeout=TIMEOUT_SECONDS)

    def send(self, event: str, payload: object) -> None:
        """Send a message without waiting for its acknowledgement."""
        self._client.emit(event, payload)

    def search(self, ticket: str, puzzle: str, position: str, **more: object) -> Any:
        """Request a search and return the acknowledgement."""
        return self.call("search", {"ticket": ticket, "puzzle": puzzle, "position": position, **more})

    def receive(self) -> ReceivedEvent:
        """Wait for the next event and return it."""
        return self._events.get(timeout=TIMEOUT_SECONDS)

    def receive_until(self, *names: str) -> list[ReceivedEvent]:
        """Wait for an event with one of `names`; return all events up to it."""
        events = [self.receive()]
        while events[-1][0] not in names:
            events.append(self.receive())
        return events

    def receive_to_end(self) -> list[ReceivedEvent]:
        """Wait for the last event of a search; return all events up to it."""
        return self.receive_until(*FINAL)

    def receives_nothing_more(self) -> bool:
        """Return whether no event arrives before the acknowledgement of one more message."""
        self.call("stop", {"ticket": "nothing"})
        return self._events.empty()

    def cut(self) -> None:
        """Shut the socket down without a closing message."""
        self._socket.sock.shutdown(socket.SHUT_RDWR)

    def leave(self) -> None:
        """Disconnect."""
        if self._socket is not None:  # the socket's own `close` waits three seconds
            self._socket.close = partial(self._socket.close, timeout=0)
        elif self._client.eio.state == "connected":
            # While Engine.IO still sends something, it forgets to say that it closes. Then its last poll is
            # answered only by the server's ping, 25 seconds later; and `Client.disconnect` sends something.
            self._client.eio.queue.join()
            self._client.eio.disconnect()
        self._client.disconnect()
        if self._socket is not None:  # Engine.IO does not shut it down if the server has closed it
            self._socket.shutdown()
        self._client.eio.in_order.shutdown(wait=False)


def raw_client(url: str, player: str | None = None) -> websocket.WebSocket:
    """Return a raw connected WebSocket, which does not even answer the pings of Engine.IO."""
    address = url.replace("http", "ws", 1)
    socket = websocket.create_connection(
        f"{address}/socket.io/?EIO=4&transport=websocket", timeout=TIMEOUT_SECONDS
    )
    socket.send("40" if player is None else f"40{json.dumps({'player': player})}")
    return socket
