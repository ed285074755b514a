"""The Socket.IO channel: searches come in, what they find goes out to the client that asked.

Every message is checked against its schema, counted against the client's allowance, and acknowledged.
"""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, TypeVar, cast

import msgspec
from flask import request
from flask_socketio import SocketIO, disconnect
from socketio.exceptions import ConnectionRefusedError

from hoppers.analysis.requests import quoted
from hoppers.core import schemas
from hoppers.core.errors import PuzzleError
from hoppers.jobs.messages import SearchRequest
from hoppers.jobs.service import SearchService
from hoppers.web.channel.token_bucket import Bucket
from hoppers.web.http import warmup
from hoppers.web.http.errors import Refused, fault_of

MOST_DEBT = 200
"""Messages beyond its allowance after which a client is disconnected."""

Text = Annotated[str, msgspec.Meta(max_length=2_000)]
"""What a text is refused for is told by what reads it; here only absurd lengths are."""
Name = Annotated[str, msgspec.Meta(max_length=100)]

MESSAGES = "'search', 'stop', 'pause', 'resume' and 'rejoin'"

LEFT = "client disconnect"
"""Why a connection ends whose client says so; from another that is lost its player may come back."""

CLIENT = "hoppers.client"
"""Where a connection's environment keeps its `Client`."""

Message = TypeVar("Message")
Acknowledgement = dict[str, Any]


@schemas.known
class SearchMessage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A client wants a search."""

    ticket: Name
    puzzle: Text
    position: Text
    goal: Text | None = None
    method: Text | None = None
    find: Literal["first", "all"] = "first"
    first_move: tuple[int, int] | None = None
    race: Name | None = None


@schemas.known
class TicketMessage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A client wants something of a search of its own: `stop`, `pause` or `resume`."""

    ticket: Name


@schemas.known
class RejoinMessage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A client is back and has the rows of its search up to a limit."""

    ticket: Name
    limit: int = 0


@schemas.known
class Introduction(msgspec.Struct, frozen=True):
    """What a client may say of itself when it connects: a secret by which it is known when it comes back."""

    player: Annotated[str, msgspec.Meta(min_length=16, max_length=100)] | None = None


class Client:
    """A connected client and the messages it may still send."""

    def __init__(self, id: str, address: str, rate: float, most: float, player: str | None = None) -> None:
        """`rate`: messages it earns a second. `most`: how many it can save up."""
        self.id, self.address = id, address
        self.owner = id if player is None else f"player {player}"
        """Whose searches it starts."""
        self._bucket = Bucket(rate, most)

    def spend(self) -> float:
        """Take one message from the allowance; returns what is left, below 0 if it was overdrawn."""
        return self._bucket.spend()


class Channel:
    """The clients of one application and what they may say."""

    def __init__(self, socketio: SocketIO, searches: SearchService, config: Mapping[str, Any]) -> None:
        """Nothing is heard before `listen`."""
        self._socketio, self._searches, self._config = socketio, searches, config
        self._clients: set[Client] = set()

    def listen(self) -> None:
        """Begin to hear what clients say."""
        hear = self._socketio.on_event
        hear("connect", self.welcome)
        hear("disconnect", self.farewell)
        hear("search", self.acknowledged(SearchMessage, self.search))
        hear("stop", self.acknowledged(TicketMessage, self.stop))
        hear("pause", self.acknowledged(TicketMessage, self.pause))
        hear("resume", self.acknowledged(TicketMessage, self.resume))
        hear("rejoin", self.acknowledged(RejoinMessage, self.rejoin))
        hear("*", self.refuse_unknown)
        self._socketio.on_error_default(refusal)

    def welcome(self, auth: object = None) -> bool:
        """Take a client in; False if it is in already, which no honest client asks for.

        Raises:
            ConnectionRefusedError: there are too many, from its address or in all, or its secret is none.
        """
        if CLIENT in request.environ:
            return False
        address = request.remote_addr or ""
        clients = list(self._clients)
        if len(clients) >= self._config["CONNECTIONS"]:
            raise ConnectionRefusedError(f"The server has {len(clients)} clients, its most.")
        if sum(client.address == address for client in clients) >= self._config["CONNECTIONS_PER_ADDRESS"]:
            raise ConnectionRefusedError(f"There are too many connections from {address}.")
        rate, most = self._config["MESSAGES_PER_SECOND"], self._config["MESSAGES_AT_ONCE"]
        request.environ[CLIENT] = client = Client(client_id(), address, rate, most, player_of(auth))
        self._clients.add(client)
        return True

    def farewell(self, reason: str = "") -> None:
        """Forget a client; its searches end, or are kept for a while if it may come back."""
        client = request.environ.pop(CLIENT, None)
        if client is not None:
            self._clients.discard(client)
            # Elsewhere, for the engine may find out that a client has gone while it is sent an event.
            self._socketio.start_background_task(self._leave, client, reason)
            disconnect()  # does nothing, unless this is a message of that name: take the client at its word

    def search(self, client: Client, message: SearchMessage) -> None:
        """Start the search that a client wants."""
        asked: dict[str, Any] = {
            "puzzle_id": message.puzzle,
            "position": message.position,
            "goal": message.goal,
            "method": message.method,
            "find_all": message.find == "all",
            "first_move": message.first_move,
        }
        with warmup.looking_at(message.puzzle):
            race = message.race or ""
            self._searches.start(SearchRequest(client.owner, client.id, message.ticket, race, asked))
        if client not in self._clients:  # it went away in the meantime
            self._leave(client, "")

    def rejoin(self, client: Client, message: RejoinMessage) -> None:
        """Go on with a search that was begun through a connection that is lost."""
        self._searches.rejoin(client.owner, message.ticket, message.limit, client.id)
        if client not in self._clients:
            self._leave(client, "")

    def _leave(self, client: Client, reason: str) -> None:
        self._searches.leave(client.id, returns=client.owner != client.id and reason != LEFT)

    def stop(self, client: Client, message: TicketMessage) -> None:
        """Stop a search; one that has ended by itself is what the client wanted, too."""
        self._searches.stop(client.owner, message.ticket)

    def pause(self, client: Client, message: TicketMessage) -> None:
        """Let a search stand aside; one that has ended stays so."""
        self._searches.pause(client.owner, message.ticket)

    def resume(self, client: Client, message: TicketMessage) -> None:
        """Let a paused search go on; one that runs or has ended is left alone."""
        self._searches.resume(client.owner, message.ticket)

    def acknowledged(
        self, shape: type[Message], handle: Callable[[Client, Message], None]
    ) -> Callable[..., Acknowledgement]:
        """The handler behind the check of allowance and shape; what it returns is the acknowledgement."""

        def hear(*arguments: object) -> Acknowledgement:
            client = self._paying_client()
            if len(arguments) != 1:
                raise PuzzleError(f"One message is expected, not {len(arguments)}")
            handle(client, _shaped(arguments[0], shape))
            return {"ok": True}

        return hear

    def refuse_unknown(self, event: object, *arguments: object) -> Acknowledgement:
        """Answer a message of a name that means nothing."""
        self._paying_client()
        raise PuzzleError(f"There is no message {quoted(str(event))}; there are {MESSAGES}")

    def _paying_client(self) -> Client:
        """The client that sent this message, after taking it from its allowance."""
        client = cast("Client | None", request.environ.get(CLIENT))
        if client is None:
            raise Refused("You are not connected.")
        left = client.spend()
        if left < -MOST_DEBT:
            disconnect()
        if left < 0:
            raise Refused(f"Too many messages: the most is {self._config['MESSAGES_PER_SECOND']} a second.")
        return client


def _shaped(payload: object, shape: type[Message]) -> Message:
    try:
        return msgspec.convert(payload, shape)
    except msgspec.ValidationError as error:
        raise PuzzleError(f"{error}: {quoted(repr(payload))}") from error


def player_of(auth: object) -> str | None:
    """The secret by which a client wants to be known, if any.

    Raises:
        ConnectionRefusedError: it is none.
    """
    try:
        return msgspec.convert(auth if isinstance(auth, dict) else {}, Introduction).player
    except msgspec.ValidationError as error:
        raise ConnectionRefusedError(f"{error}: {quoted(repr(auth))}") from error


def refusal(error: BaseException) -> Acknowledgement:
    """The acknowledgement of a message that could not be obeyed."""
    return {"ok": False, "error": fault_of(error).body}


def client_id() -> str:
    """The id under which Socket.IO knows the client of this message."""
    return cast(str, request.sid)  # type: ignore[attr-defined]
