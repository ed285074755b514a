"""Sessions in Redis, for the servers and workers of a fleet.

    hoppers:session:<id>              request, counters ruled out before, starts
    hoppers:state:<id>                its state (see `jobs.sessions.State`)
    hoppers:events:<id>               stream of its events except progress and queue places
    hoppers:progress:<id>             stream with the last progress or queue place
    hoppers:ticket:<player>:<ticket>  id of the player's last session with this ticket
    hoppers:open                      ids of the sessions that are not over, by time of arrival

Every key of a session expires unless a server renews it. Players and tickets are in the keys and records
as digests only: who can read them cannot act for a player.
"""

import functools
import hashlib
import json
import logging
import re
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Concatenate, ParamSpec, TypeVar, cast
from urllib.parse import parse_qsl, urlsplit

from redis import ConnectionPool, Redis
from redis.backoff import ExponentialBackoff, NoBackoff
from redis.exceptions import ConnectionError, RedisError, TimeoutError
from redis.retry import Retry

from hoppers.core.errors import Busy, quoted
from hoppers.core.events import (
    FINAL,
    Event,
    Exhausted,
    Failed,
    Found,
    Progress,
    Solved,
    Stopped,
    Unsolvable,
    fields_of,
)
from hoppers.fleet.breaker import Breaker
from hoppers.jobs.sessions import Queued, SearchRequest, Session, SessionEvent, State, Totals, proved_by

log = logging.getLogger(__name__)

OPEN = "hoppers:open"
EVENTS = {
    kind.__name__.lower(): kind
    for kind in (Progress, Found, Exhausted, Solved, Unsolvable, Stopped, Failed, Queued)
}
MAX_EVENTS = 2_000  # of one session, about
COUNT_BITS = 20  # for the events of one session that come in the same millisecond

OPTIONS = {"db": "[0-9]{1,9}", "username": ".+", "password": ".+", "client_name": "[!-~]+"}
"""Options that an address may have in its query, with the patterns of their values."""
OPTIONS_OF_TLS = {
    "ssl_ca_certs": ".+",
    "ssl_certfile": ".+",
    "ssl_keyfile": ".+",
    "ssl_cert_reqs": "none|optional|required",
    "ssl_check_hostname": "true|false",
}
"""More options, of an address that begins with rediss."""

FOR_PLAYERS: dict[str, Any] = {"socket_timeout": 1, "retry": Retry(NoBackoff(), 1)}
FOR_WORKERS: dict[str, Any] = {
    "socket_timeout": 2,
    "retry": Retry(ExponentialBackoff(cap=0.5, base=0.05), 3),
    "retry_on_error": [ConnectionError, TimeoutError],
}
"""Options of connections. A player is refused rather than kept waiting; a worker would lose its search."""

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def reached(
    method: Callable[Concatenate[Any, Parameters], Result],
) -> Callable[Concatenate[Any, Parameters], Result]:
    """Return `method` behind the breaker of its sessions, with errors of Redis turned into Busy."""

    @functools.wraps(method)
    def call(self: Any, /, *arguments: Parameters.args, **named: Parameters.kwargs) -> Result:
        try:
            request = functools.partial(method, self, *arguments, **named)
            return self._breaker.call(request) if self._breaker else request()
        except RedisError as error:
            log.debug("Redis does not answer: %s", error)
            sentence = "The machines that search cannot be reached at the moment; please try again soon."
            raise Busy(sentence, "unreachable") from error

    return call


def check_address(url: str) -> None:
    """Raise a ValueError with the reason if `url` is not the address of a Redis. Nothing is connected."""
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise ValueError("its host is neither a name nor an IP address") from error
    try:
        _ = parts.port
    except ValueError as error:
        raise ValueError("its port is not a number from 0 to 65535") from error
    options = OPTIONS | (OPTIONS_OF_TLS if parts.scheme == "rediss" else {})
    for name, value in parse_qsl(parts.query, keep_blank_values=True):
        if name not in options:
            raise ValueError(f"{quoted(name)} is not one of its options, which are {', '.join(options)}")
        if not re.fullmatch(options[name], value):
            raise ValueError(f"its option {name} has a value that is not permitted")
    try:
        ConnectionPool.from_url(url).make_connection()
    except (TypeError, ValueError, RedisError) as error:
        raise ValueError("the library for Redis does not take it") from error


class RedisSessions:
    """The sessions of a fleet. Every method raises Busy if Redis fails. See `Sessions` for the methods."""

    def __init__(self, url: str, expiry_seconds: float, breaker: Breaker | None = None) -> None:
        """`url`: address of Redis. `expiry_seconds`: time until a session that is not renewed expires.

        `breaker`: of a server, whose players do not wait for Redis. None: of a worker, which tries again.
        """
        self._breaker = breaker
        options = FOR_PLAYERS if breaker else FOR_WORKERS
        self._redis: Any = Redis.from_url(url, decode_responses=True, socket_connect_timeout=1, **options)
        self._expiry = max(1, round(expiry_seconds))
        self._progress: dict[str, str] = {}
        """Place in the stream of progress of each session after which `follow` continues."""

    @reached
    def check(self) -> None:
        """Write a key."""
        self._redis.set("hoppers:check", "written", ex=self._expiry)

    @reached
    def create(self, id: str, session: Session) -> None:
        seconds, microseconds = self._redis.time()
        since = seconds + microseconds / 1e6
        fields = {"request": json.dumps(session.request), "proved": json.dumps(session.proved), "starts": 0}
        with self._redis.pipeline() as pipe:
            pipe.delete(*_keys(id))
            pipe.hset(_key("session", id), mapping=fields)
            pipe.set(_key("state", id), session.state)
            pipe.set(_ticket_key(*session.request.key), id, ex=self._expiry)
            for key in (OPEN, *_owner_keys(session.request)):
                pipe.zadd(key, {id: since})
            self._renew(pipe, id, session.request)
            pipe.execute()

    @reached
    def find(self, player: str, ticket: str) -> str | None:
        return cast(str | None, self._redis.get(_ticket_key(player, ticket)))

    @reached
    def read(self, id: str) -> Session | None:
        return self._read([id])[0]

    @reached
    def open(self) -> dict[str, Session]:
        return self._open_in(OPEN)

    @reached
    def open_beside(self, request: SearchRequest) -> dict[str, Session]:
        return self._open_in(*_owner_keys(request))

    @reached
    def states(self, ids: Collection[str], seconds: float) -> dict[str, State | None]:
        """Wait for `seconds`; return the states of sessions, None for those that are gone."""
        time.sleep(seconds)
        return dict(zip(ids, self._redis.mget(_key("state", id) for id in ids), strict=True))

    @reached
    def set_state(self, id: str, state: State) -> State | None:
        """Set the state; return the state before.

        If the session is over, its old state is written back, so for a moment others may see the new one.
        """
        before = self._redis.set(_key("state", id), state, xx=True, get=True, keepttl=True)
        if before == "over":
            self._redis.set(_key("state", id), before, xx=True, keepttl=True)
        return cast(State | None, before)

    @reached
    def begin(self, id: str) -> Session | None:
        session = self._read([id])[0]
        if session is None or session.state in ("parked", "over"):
            return None
        starts = self._redis.hincrby(_key("session", id), "starts", 1)
        return replace(session, proved=proved_by(self.events(id), session.proved), starts=starts)

    @reached
    def give_back(self, id: str) -> None:
        """Take back a start that `begin` counted, because the worker ends the search in good order."""
        if self._redis.exists(_key("session", id)):
            self._redis.hincrby(_key("session", id), "starts", -1)

    @reached
    def connect(self, id: str, connection: str) -> Session | None:
        session = self._read([id])[0]
        if session is None:
            return None
        request = session.request._replace(connection=connection)
        self._redis.hset(_key("session", id), "request", json.dumps(request))
        self._redis.expire(_key("session", id), self._expiry)
        return self._read([id])[0]

    @reached
    def renew(self, ids: Iterable[str]) -> list[str]:
        wanted = list(ids)
        if not wanted:
            return []
        requests = [self._redis.hget(_key("session", id), "request") for id in wanted]
        with self._redis.pipeline() as pipe:
            for id, request in zip(wanted, requests, strict=True):
                if request is not None:
                    self._renew(pipe, id, _request(request))
            pipe.execute()
        return [id for id, request in zip(wanted, requests, strict=True) if request is None]

    @reached
    def delete(self, id: str) -> None:
        with self._redis.pipeline() as pipe:
            pipe.zrem(OPEN, id)
            pipe.delete(*_keys(id))
            pipe.execute()

    @reached
    def append(self, id: str, event: Event | Queued, totals: Totals) -> bool:
        """Append an event; return whether the session still wants events.

        An event may be stored after the final one, if two workers run the search: readers ignore it.
        """
        is_progress, is_final = isinstance(event, Progress | Queued), isinstance(event, FINAL)
        key = _key("progress" if is_progress else "events", id)
        fields = json.dumps([type(event).__name__.lower(), fields_of(event), totals])
        with self._redis.pipeline() as pipe:
            pipe.get(_key("state", id))
            pipe.xadd(
                key, {"event": fields}, maxlen=1 if is_progress else MAX_EVENTS, approximate=not is_progress
            )
            pipe.expire(key, self._expiry)
            if is_final:
                pipe.set(_key("state", id), "over", xx=True, keepttl=True)
                pipe.zrem(OPEN, id)
            state = pipe.execute()[0]
        return state not in (None, "over") and not is_final

    @reached
    def events(self, id: str) -> Sequence[SessionEvent]:
        events: list[SessionEvent] = []
        for number, entry in self._redis.xrange(_key("events", id)):
            events.append(_event(id, entry, _number(number)))
            if isinstance(events[-1].event, FINAL):
                break
        return events

    def missed(self, id: str, number: int) -> Sequence[SessionEvent]:
        """Return nothing: `follow` finds the events."""
        return ()

    @reached
    def follow(self, numbers: Mapping[str, int], seconds: float) -> Sequence[SessionEvent]:
        """Wait, at most `seconds`, for events after those with the given numbers, and return them.

        Of progress and queue places only the last is new. Only one thread calls this.
        """
        if not numbers:
            self._progress.clear()
            return ()
        self._progress = {id: self._progress.get(id, "0") for id in numbers}
        places = {_key("events", id): _place(number) for id, number in numbers.items()}
        places |= {_key("progress", id): place for id, place in self._progress.items()}
        found = list[SessionEvent]()
        for key, entries in self._redis.xread(places, block=round(1000 * seconds), count=500):
            _, kind, id = key.split(":", 2)
            for place, entry in entries:
                if kind == "progress":
                    self._progress[id] = place
                found.append(_event(id, entry, _number(place) if kind == "events" else 0))
        return found

    def _read(self, ids: Sequence[str]) -> list[Session | None]:
        with self._redis.pipeline(transaction=False) as pipe:
            for id in ids:
                pipe.hgetall(_key("session", id))
                pipe.get(_key("state", id))
            found = pipe.execute()
        return [_session(record, state) for record, state in zip(found[::2], found[1::2], strict=True)]

    def _open_in(self, *lists: str) -> dict[str, Session]:
        """Return the sessions in lists that are not over, in order of arrival; remove others from these."""
        arrivals = {id: at for key in lists for id, at in self._redis.zrange(key, 0, -1, withscores=True)}
        ids = sorted(arrivals, key=lambda id: arrivals[id])
        found = dict(zip(ids, self._read(ids), strict=True))
        sessions = {id: session for id, session in found.items() if session and session.state != "over"}
        if gone := found.keys() - sessions.keys():
            for key in lists:
                self._redis.zrem(key, *gone)
        return sessions

    def _renew(self, pipe: Any, id: str, request: SearchRequest) -> None:
        for key in (*_keys(id), OPEN, *_owner_keys(request), _ticket_key(*request.key)):
            pipe.expire(key, self._expiry)


def _session(record: Mapping[str, str], state: State | None) -> Session | None:
    if state is None or "proved" not in record:
        return None
    proved = Totals(*json.loads(record["proved"]))
    return Session(_request(record["request"]), proved, int(record["starts"]), state)


def _request(text: str) -> SearchRequest:
    return SearchRequest(*json.loads(text))


def _event(id: str, entry: Mapping[str, str], number: int) -> SessionEvent:
    name, fields, totals = json.loads(entry["event"])
    return SessionEvent(id, EVENTS[name](**fields), Totals(*totals), number)


def _number(place: str) -> int:
    """Return a place in a stream, milliseconds and a count, as one number."""
    milliseconds, count = map(int, place.split("-"))
    return milliseconds << COUNT_BITS | count


def _place(number: int) -> str:
    """Return the place in a stream that has a number."""
    return f"{number >> COUNT_BITS}-{number & (1 << COUNT_BITS) - 1}"


def _key(kind: str, id: str) -> str:
    return f"hoppers:{kind}:{id}"


def _keys(id: str) -> list[str]:
    return [_key(kind, id) for kind in ("session", "state", "events", "progress")]


def _ticket_key(player: str, ticket: str) -> str:
    return _key("ticket", _digest(player, ticket))


def _owner_keys(request: SearchRequest) -> list[str]:
    """Return the keys of the lists of open sessions of a player and of a client."""
    return [
        _key("open-of", _digest(*owner)) for owner in (("player", request.player), ("client", request.client))
    ]


def _digest(*texts: str) -> str:
    return hashlib.sha256(json.dumps(texts).encode()).hexdigest()[:32]
