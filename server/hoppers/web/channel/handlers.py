"""Handlers of the Socket.IO messages by which clients start and control searches.

Every message is counted against the client's rate limit, checked against its schema, and acknowledged.
Handlers run in the event loop; calls of the search service run in real threads, because they may block.
"""

import hashlib
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Annotated, Literal, TypeVar, cast

import msgspec
from flask import Flask, request
from flask_socketio import SocketIO, disconnect
from socketio.exceptions import ConnectionRefusedError

from hoppers.core.errors import PuzzleError, quoted
from hoppers.core.model import prebuild_decoder
from hoppers.jobs.service import SearchService
from hoppers.jobs.sessions import SearchRequest
from hoppers.runtime.clients import ClientAddress, ClientCounts
from hoppers.runtime.token_bucket import TokenBucket
from hoppers.web.channel.connections import CONNECTION, Connection
from hoppers.web.current import warmup
from hoppers.web.http.errors import fault_of
from hoppers.web.http.schemas import ShortText, read_record
from hoppers.web.servers.event_loop import MESSAGES, EventLoop
from hoppers.web.servers.faults import Fault
from hoppers.web.settings import Settings

MAX_TICKETS = 100  # that are remembered of a client
MAX_EXCESS = 200  # messages beyond its rate limit after which a client is disconnected

Name = Annotated[str, msgspec.Meta(max_length=100)]

Message = TypeVar("Message", bound=msgspec.Struct)
Acknowledgement = dict[str, object]


@prebuild_decoder
class SearchMessage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Message `search`: start a search named `ticket`. Searches under one `race` run side by side.

    A search without a race replaces the player's other searches. The other fields correspond to arguments of
    `analysis.requests.parse_search`; None means the default.
    """

    ticket: Name
    puzzle: ShortText
    position: ShortText
    goal: ShortText | None = None
    method: ShortText | None = None
    find: Literal["first", "all"] = "first"
    first_move: tuple[int, int] | None = None
    fresh: bool = False
    race: Name | None = None


@prebuild_decoder
class TicketMessage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Message `stop`, `pause` or `resume`, for a search of the client's player."""

    ticket: Name


@prebuild_decoder
class RejoinMessage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Message `rejoin`: continue a search after a lost connection.

    `limit`: highest move limit whose event `exhausted` the client has; -1: none. Later events are sent again.
    """

    ticket: Name
    limit: int = -1


@prebuild_decoder
class Introduction(msgspec.Struct, frozen=True):
    """Optional data of a connecting client. `player`: a secret that identifies the player again."""

    player: Annotated[str, msgspec.Meta(min_length=16, max_length=100)] | None = None


class Client:
    """A connected client, with the rate limit of its messages."""

    def __init__(self, id: str, address: ClientAddress, player: str | None, settings: Settings) -> None:
        """`player`: the player's secret; None: the client counts as a player of its own."""
        self.id, self.address = id, address
        # Owner of the client's searches. A digest, because the store of sessions may be read by others.
        self.player = id if player is None else hashlib.sha256(player.encode()).hexdigest()
        at_once, rate = settings.messages_at_once, settings.messages_per_second
        self.messages = TokenBucket(at_once, rate, floor=-MAX_EXCESS - 1)
        self.tickets = deque[str](maxlen=MAX_TICKETS)
        """The latest tickets of searches that it has started or rejoined, ended or not."""


class Channel:
    """The clients of one application and the handlers of their messages."""

    def __init__(self, socketio: SocketIO, app: Flask) -> None:
        """`app`: has the extensions `settings`, `searches` and `loop`."""
        self._socketio = socketio
        self._settings: Settings = app.extensions["settings"]
        self._searches: SearchService = app.extensions["searches"]
        self._loop: EventLoop = app.extensions["loop"]
        self._clients: set[Client] = set()

    def register(self) -> None:
        """Register the handlers of all Socket.IO messages."""
        on = self._socketio.on_event
        on("connect", self.connect)
        on("disconnect", self.disconnected)
        on("search", self.acknowledged(SearchMessage, self.search))
        searches = self._searches
        controls = {"stop": searches.stop, "pause": searches.pause, "resume": searches.resume}
        for name, control in controls.items():
            on(name, self.acknowledged(TicketMessage, partial(self._control, control)))
        on("rejoin", self.acknowledged(RejoinMessage, self.rejoin))
        on("*", self.refuse_unknown)
        self._socketio.on_error_default(refusal)

    def connect(self, auth: object = None) -> bool:
        """Admit a client; return False if its connection has joined already.

        Raise a ConnectionRefusedError if there are too many clients, in all or from its address, or if
        `player_of` refuses `auth`.
        """
        connection = connection_of_message()
        if connection.client is not None:
            return False
        address, clients, settings = connection.address, self._clients, self._settings
        if len(clients) >= settings.connections:
            raise ConnectionRefusedError(f"The server has reached its limit of {len(clients)} clients.")
        here = ClientCounts(client.address for client in clients)
        if full := here.full_level(address, settings.connections_per_address):
            raise ConnectionRefusedError(f"There are too many connections from {full}.")
        id: str = request.sid  # type: ignore[attr-defined]  # Flask-SocketIO adds it
        connection.client = Client(id, address, player_of(auth), settings)
        self._clients.add(connection.client)
        return True

    def disconnected(self, reason: str = "") -> None:
        """Remove a client; end its searches, or pause them for a while if the player may reconnect."""
        connection = connection_of_message()
        client, connection.client = connection.client, None
        if client is not None:
            self._clients.discard(client)
            self._loop.start(self._leave, client, reason)
            disconnect()  # has an effect only if a client has sent a message named `disconnect`

    def search(self, client: Client, message: SearchMessage) -> None:
        """Start a search for the client's player, and move its puzzle to the front of the warm-up.

        Raise Busy or a PuzzleError, as `SearchService.start` does.
        """
        fields: dict[str, object] = {
            "puzzle_id": message.puzzle,
            "position": message.position,
            "goal": message.goal,
            "method": message.method,
            "find_all": message.find == "all",
            "first_move": message.first_move,
            "fresh": message.fresh,
        }
        warmup().prioritise(message.puzzle)
        race = message.race or ""
        ticket, address = message.ticket, str(client.address)
        self._searches.start(SearchRequest(client.player, client.id, ticket, race, fields, address))
        client.tickets.append(ticket)
        if client not in self._clients:  # the client has disconnected meanwhile
            self._leave(client, "")

    def rejoin(self, client: Client, message: RejoinMessage) -> None:
        """Continue a search that has lost its connection, and send its events to this client.

        Raise a PuzzleError if the search is not known, or Busy if a fleet runs it and cannot be reached.
        """
        self._searches.rejoin(client.player, message.ticket, message.limit, client.id)
        client.tickets.append(message.ticket)
        if client not in self._clients:
            self._leave(client, "")

    def _leave(self, client: Client, reason: str) -> None:
        may_return = reason != "client disconnect"  # the reason of a client that leaves on purpose
        self._searches.leave(client.id, returns=may_return and client.player != client.id)

    def _control(self, control: Callable[[str, str], None], client: Client, message: TicketMessage) -> None:
        """Stop, pause or resume a search with `control`; a search that has ended already is ignored.

        Raise a PuzzleError if the player has no such search, or Busy if a fleet runs the searches and cannot
        be reached.
        """
        try:
            control(client.player, message.ticket)
        except PuzzleError:  # ended searches are soon forgotten
            if message.ticket not in client.tickets:
                raise

    def acknowledged(
        self, shape: type[Message], handle: Callable[[Client, Message], None]
    ) -> Callable[..., Acknowledgement]:
        """Return a handler that checks the rate limit, checks a message against `shape` and calls `handle`.

        `handle` runs in a real thread. The handler returns the acknowledgement, or raises an error, for which
        `refusal` returns the acknowledgement.
        """

        def handler(*arguments: object) -> Acknowledgement:
            client = self._counted_client()
            if len(arguments) != 1:
                raise PuzzleError(f"One message is expected, not {len(arguments)}")
            message = read_record(arguments[0], shape)
            self._loop.run(client.address, handle, client, message, queue=MESSAGES)
            return {"ok": True}

        return handler

    def refuse_unknown(self, event: object, *arguments: object) -> Acknowledgement:
        """Count a message with an unknown name, and refuse it with a PuzzleError."""
        self._counted_client()
        known = "'search', 'stop', 'pause', 'resume' and 'rejoin'"
        raise PuzzleError(f"Unknown message {quoted(str(event))}; known messages: {known}")

    def _counted_client(self) -> Client:
        """Count a message; return its client. Disconnect a client more than `MAX_EXCESS` beyond its limit.

        Raise a Fault (429) if the connection has no client, or the client exceeds its rate limit.
        """
        client: Client | None = connection_of_message().client
        if client is None:
            raise Fault(429, "too_many_requests", "You are not connected.")
        left = client.messages.spend()
        if left < -MAX_EXCESS:
            disconnect()
        if left < 0:
            most = self._settings.messages_per_second
            raise Fault(429, "too_many_requests", f"Too many messages: the most is {most:g} a second.")
        return client


def player_of(auth: object) -> str | None:
    """Return the player's secret in `auth`; None if it has none or is not a dict.

    Raise a ConnectionRefusedError if the secret is not a text of the allowed length.
    """
    try:
        return read_record(auth if isinstance(auth, dict) else {}, Introduction).player
    except PuzzleError as error:
        raise ConnectionRefusedError(str(error)) from error


def refusal(error: BaseException) -> Acknowledgement:
    """Return the acknowledgement of a message that failed with `error`."""
    return {"ok": False, "error": fault_of(error).body}


def connection_of_message() -> Connection:
    """Return the connection over which the current message arrived."""
    return cast(Connection, request.environ[CONNECTION])
