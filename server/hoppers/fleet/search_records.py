"""Records of all searches in Redis: request, connection, worker, commands and events.

    hoppers:search:<id>       request, connection, server, worker ("" while the search waits), commands,
                              lost workers, place in the queue, and whether the search has ended
    hoppers:events:<id>       all events except progress and queue places, in order
    hoppers:tickets:<player>  tickets of a player and the ids of their searches
    hoppers:open              ids of the searches that have not ended, in order of arrival
    hoppers:inbox:<server>    stream of the latest events for connections of a server
    hoppers:solutions         stream of the latest unproved solutions, for the hints of all servers
    hoppers:alive:<name>      heartbeat of a worker or server

An event of a worker is stored and sent in one step, and only if the record still names that worker. So a
worker that is mistakenly considered lost sends no further event. A server continues its inbox after the last
event it has read, so a short outage of its connection to Redis loses no event, as long as no more than
`INBOX_EVENTS` were missed. Every key expires.
"""

import json
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple, cast

from redis import ConnectionPool, Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from hoppers.jobs.messages import SearchRequest
from hoppers.jobs.search_job import FINAL, Emit, SentEvent

log = logging.getLogger(__name__)

PREFIX = "hoppers"
COMMANDS = f"{PREFIX}:commands"
"""Channel that carries the id of every search that waits for a worker or has a new command; for a stop, its
reason follows the id."""
OPEN = f"{PREFIX}:open"
SOLUTIONS = f"{PREFIX}:solutions"
FINAL_NAMES = {kind.__name__.lower() for kind in FINAL}
EXPIRY_SECONDS = 3_600  # from the creation of a record or the last heartbeat of its worker
BEAT_SECONDS = 0.5  # between two heartbeats of a worker
RETRY_SECONDS = 0.5  # between a failure of a thread and its next call
HEARTBEAT_EXPIRY_MILLISECONDS = 3_000  # six missed heartbeats
INBOX_EVENTS = 10_000  # in one inbox; with 64 searches, fifteen seconds of progress

# Lua scripts: each runs in Redis as one atomic step and takes one round trip.

EMIT = f"""
if ARGV[3] ~= '' and redis.call('lindex', KEYS[3], -1) == ARGV[3] then return 1 end  -- a second attempt
if redis.call('hget', KEYS[2], 'worker') ~= ARGV[2] or redis.call('hexists', KEYS[2], 'ended') == 1 then
  return 0
end
if ARGV[3] ~= '' then redis.call('rpush', KEYS[3], ARGV[3]) redis.call('expire', KEYS[3], ARGV[4]) end
if ARGV[5] ~= '' then
  redis.call('hset', KEYS[2], 'ended', '1')
  redis.call('expire', KEYS[2], ARGV[4])
  redis.call('lrem', KEYS[4], 1, ARGV[5])
end
redis.call('xadd', KEYS[1], 'maxlen', '~', {INBOX_EVENTS}, '*', 'message', ARGV[1])
redis.call('expire', KEYS[1], {EXPIRY_SECONDS})
return 1
"""
"""Script of `SearchRecords.emitter`. Keys: inbox, record, events, open. Arguments: message, worker, event
to store or '', seconds to expiry, id of the search if the event is final or else ''."""

TAKE = """
for _, id in ipairs(redis.call('lrange', KEYS[1], 0, -1)) do
  if redis.call('hget', ARGV[1] .. id, 'worker') == '' then
    redis.call('hset', ARGV[1] .. id, 'worker', ARGV[2])
    return id
  end
end
"""
"""Script of `SearchRecords.take`. Key: open. Arguments: prefix of record keys, worker."""

CLAIM = """
if redis.call('hget', KEYS[1], 'worker') ~= ARGV[1] or redis.call('hexists', KEYS[1], 'ended') == 1 then
  return 0
end
redis.call('hset', KEYS[1], 'worker', ARGV[2])
if ARGV[2] == '' then
  redis.call('hdel', KEYS[1], 'place')
  redis.call('hincrby', KEYS[1], 'lost_workers', ARGV[5])
  redis.call('publish', ARGV[3], ARGV[4])
end
return 1
"""
"""Script of `SearchRecords.claim`. Key: record. Arguments: old worker, new worker, and, if the new worker
is '', channel and message to publish, and 1 if the old worker is lost or else 0."""

COMMAND = """
local connection = redis.call('hget', KEYS[1], 'connection')
if connection and (ARGV[3] == '' or ARGV[3] == connection) then
  redis.call('hset', KEYS[1], unpack(ARGV, 4))
  redis.call('publish', ARGV[1], ARGV[2])
end
"""
"""Script of `SearchRecords.command`. Key: record. Arguments: channel, message, expected connection or '',
commands as names and values."""


class SearchRecord(NamedTuple):
    """Record of one search. Its `request` has the player's present connection."""

    id: str
    request: SearchRequest
    server: str
    """Server that the player's connection belongs to."""
    worker: str
    """Worker, or server that ends the search, to which the search is assigned; '' while it waits."""
    commands: dict[str, str]
    """`stop`: the reason; `paused`, `away`: pause; `replay`: send events after this limit again."""
    ended: bool
    lost_workers: int
    """Number of workers that were lost while they ran the search."""
    place: str
    """Number of searches ahead in the queue, as last sent to the player; '' if none was sent."""

    @property
    def is_paused(self) -> bool:
        """Whether the search is paused by its player, or because its player is disconnected."""
        return "paused" in self.commands or "away" in self.commands


def check_address(url: str) -> None:
    """Raise a ValueError if `url` is not the address of a Redis. Nothing is connected."""
    try:
        ConnectionPool.from_url(url).make_connection()
    except (TypeError, RedisError) as error:  # of an option in its query
        raise ValueError(str(error)) from error


class SearchRecords:
    """The records of all searches of a fleet. All access raises a RedisError if Redis does not answer."""

    def __init__(self, url: str, rejoin_seconds: float) -> None:
        """Connect on first use. `rejoin_seconds`: time for which the data of an ended search is stored."""
        self.redis: Any = Redis.from_url(
            url,
            decode_responses=True,
            socket_timeout=2,
            socket_connect_timeout=1,
            retry=Retry(NoBackoff(), 1),
        )
        self._ended_expiry = max(1, round(rejoin_seconds))
        self._beats = 0
        self._emit, self._take, self._claim, self._command = map(
            self.redis.register_script, (EMIT, TAKE, CLAIM, COMMAND)
        )

    def create(self, id: str, request: SearchRequest, server: str) -> None:
        """Store a new search that no worker runs yet, and notify the workers."""
        fields = {"request": json.dumps(request), "connection": request.connection, "server": server}
        with self.redis.pipeline() as pipe:
            pipe.hset(_key("search", id), mapping={**fields, "worker": ""})
            pipe.expire(_key("search", id), EXPIRY_SECONDS)
            pipe.hset(_key("tickets", request.player), request.ticket, id)
            pipe.expire(_key("tickets", request.player), EXPIRY_SECONDS)
            pipe.rpush(OPEN, id)
            pipe.expire(OPEN, EXPIRY_SECONDS)
            pipe.publish(COMMANDS, id)
            pipe.execute()

    def find(self, player: str, ticket: str) -> SearchRecord | None:
        """Return the search of `player` with this ticket, ended or not; None if there is none."""
        id = self.redis.hget(_key("tickets", player), ticket)
        return self.read(id) if id else None

    def of(self, player: str) -> list[SearchRecord]:
        """Return the searches of `player` that have not ended."""
        found = [self.read(id) for id in self.redis.hvals(_key("tickets", player))]
        return [record for record in found if record is not None and not record.ended]

    def open(self) -> list[str]:
        """Return the ids of all searches that have not ended, oldest first."""
        return cast(list[str], self.redis.lrange(OPEN, 0, -1))

    def read(self, id: str) -> SearchRecord | None:
        """Return the record of a search; None if it does not exist or has expired."""
        return _record(id, self.redis.hgetall(_key("search", id)))

    def read_for_worker(self, id: str) -> SearchRecord | None:
        """Return the record of a search (None: see `read`), and withdraw the command `replay`.

        Only the returned record still has the command, so at most one worker executes it.
        """
        with self.redis.pipeline() as pipe:
            pipe.hgetall(_key("search", id))
            pipe.hdel(_key("search", id), "replay")
            fields = pipe.execute()[0]
        return _record(id, fields)

    def sent_events(self, id: str) -> list[SentEvent]:
        """Return all stored events of a search, in the order in which they were sent."""
        stored = self.redis.lrange(_key("events", id), 0, -1)
        return [(name, fields) for name, fields in map(json.loads, stored)]

    def command(self, id: str, *, expected_connection: str = "", **commands: str) -> None:
        """Store commands for a search and notify its worker; the value '' withdraws a command.

        `commands` may also contain a new `connection` and `server`. An expired search is ignored.
        `expected_connection`: if given, do nothing unless the events of the search go to this connection.
        """
        message = f"{id} {commands['stop']}" if "stop" in commands else id
        fields = [text for command in commands.items() for text in command]
        self._command(keys=[_key("search", id)], args=[COMMANDS, message, expected_connection, *fields])

    def take(self, worker: str) -> str | None:
        """Assign the oldest waiting search to `worker`; return its id, or None if no search waits."""
        return cast(str | None, self._take(keys=[OPEN], args=[_key("search", ""), worker]))

    def claim(self, id: str, worker: str, before: str = "", *, is_lost: bool = False) -> bool:
        """Assign a search of the worker `before` ('': it waits) to `worker` ('': make it wait again).

        `is_lost`: count `before` as lost, if `worker` is ''. Return True, or False without a change if the
        search has ended or is not assigned to `before`.
        """
        args = before, worker, COMMANDS, id, "1" if is_lost else "0"
        return bool(self._claim(keys=[_key("search", id)], args=args))

    def emitter(self, record: SearchRecord, worker: str) -> Emit:
        """Return a function by which `worker` sends the events of a search to its connection.

        The function stores and sends an event in one step; progress and queue places are not stored. It does
        nothing and returns False if the search is not assigned to `worker` or has ended. It also appends each
        unproved solution to the stream of solutions; a failure of that is ignored.
        """
        id = record.id
        keys = [_key("inbox", record.server), _key("search", id), _key("events", id), OPEN]

        def emit(name: str, fields: dict[str, Any]) -> bool:
            stored = "" if name in ("progress", "queued") else json.dumps([name, fields])
            ends = name in FINAL_NAMES
            seconds = self._ended_expiry if ends else EXPIRY_SECONDS
            message = _message(record, name, fields)
            if not self._emit(keys=keys, args=[message, worker, stored, seconds, id if ends else ""]):
                return False
            if name == "found":
                with suppress(RedisError):  # hints work without the solution
                    self.store_solution(record.request.query, fields["moves"])
            return True

        return emit

    def store_solution(self, query: dict[str, Any], moves: list[list[int]]) -> None:
        """Append an unproved solution to the stream, which holds about 500.

        `query`: query of the search that found it (see `SearchRequest`).
        """
        self._append(SOLUTIONS, {"query": json.dumps(query), "moves": json.dumps(moves)}, 500)

    def read_solutions(self, last: str) -> list[tuple[str, dict[str, str]]]:
        """Return number and fields (`query` and `moves`, as JSON) of up to ten solutions after number `last`.

        The number "0" is before all solutions.
        """
        found = self.redis.xread({SOLUTIONS: last}, count=10)
        return cast(list[tuple[str, dict[str, str]]], found[0][1] if found else [])

    def send(self, record: SearchRecord, name: str, fields: dict[str, Any]) -> None:
        """Send an event to the connection of a search without storing it."""
        self._append(_key("inbox", record.server), {"message": _message(record, name, fields)}, INBOX_EVENTS)

    def set_place(self, record: SearchRecord, place: int) -> None:
        """Store the place of a waiting search (the number of searches ahead), and send it to the player."""
        self.redis.hset(_key("search", record.id), "place", place)
        self.send(record, "queued", {"ticket": record.request.ticket, "ahead": place})

    def read_inbox(self, server: str, last: str) -> Iterator[tuple[str, str]]:
        """Yield number and text of up to 100 events that follow event `last` in a server's inbox.

        The number "0" is before all events. Wait up to a second for the first event. A text is a JSON list:
        search id, connection, name, fields.
        """
        for _, entries in self.redis.xread({_key("inbox", server): last}, count=100, block=1_000):
            yield from ((number, entry["message"]) for number, entry in entries)

    def send_heartbeat(self, name: str) -> None:
        """Store a new heartbeat of the worker or server `name`."""
        self._beats += 1
        self.redis.set(_key("alive", name), self._beats, px=HEARTBEAT_EXPIRY_MILLISECONDS)

    def heartbeat(self, name: str) -> str | None:
        """Return the last heartbeat of a worker or server, or None if it has expired."""
        return cast(str | None, self.redis.get(_key("alive", name)))

    def delete_heartbeat(self, name: str) -> None:
        """Delete the heartbeat of a worker that ends, so that searches it still has are handed over."""
        self.redis.delete(_key("alive", name))

    def extend_expiry(self, players: dict[str, str]) -> None:
        """Restart the expiry of all keys of open searches. `players`: the player of each search, by id."""
        for id, player in players.items():
            for key in (_key("search", id), _key("events", id), _key("tickets", player), OPEN):
                self.redis.expire(key, EXPIRY_SECONDS)

    def delete(self, id: str) -> None:
        """Delete the record and the events of a search, and remove its id from the list `OPEN`."""
        with self.redis.pipeline() as pipe:
            pipe.lrem(OPEN, 1, id)
            pipe.delete(_key("search", id), _key("events", id))
            pipe.execute()

    def _append(self, stream: str, entry: dict[str, str], most: int) -> None:
        """Append an entry to a stream, which keeps about `most` entries, and restart its expiry."""
        with self.redis.pipeline() as pipe:  # one transaction: the stream always has an expiry
            pipe.xadd(stream, entry, maxlen=most, approximate=True)
            pipe.expire(stream, EXPIRY_SECONDS)
            pipe.execute()


def start_thread(name: str, act: Callable[[], None], ended: threading.Event) -> None:
    """Start a thread that calls `act` in a loop until `ended` is set.

    The loop has no pause, so `act` must wait for its next work. After a failure, which is logged, the thread
    waits for `RETRY_SECONDS`.
    """

    def repeat() -> None:
        while not ended.is_set():
            try:
                act()
            except RedisError as error:
                log.warning("Redis does not respond (%s); trying again", error)
                ended.wait(RETRY_SECONDS)
            except Exception:
                log.exception("the thread %s failed and continues", name)
                ended.wait(RETRY_SECONDS)

    threading.Thread(target=repeat, name=name, daemon=True).start()


def _record(id: str, fields: dict[str, str]) -> SearchRecord | None:
    if "request" not in fields:
        return None
    request = SearchRequest(*json.loads(fields["request"]))._replace(connection=fields["connection"])
    commands = {name: fields[name] for name in ("stop", "paused", "away", "replay") if fields.get(name)}
    lost_workers, place = int(fields.get("lost_workers", 0)), fields.get("place", "")
    server, worker, is_ended = fields["server"], fields["worker"], "ended" in fields
    return SearchRecord(id, request, server, worker, commands, is_ended, lost_workers, place)


def _message(record: SearchRecord, name: str, fields: dict[str, Any]) -> str:
    return json.dumps([record.id, record.request.connection, name, fields])


def _key(kind: str, name: str) -> str:
    return f"{PREFIX}:{kind}:{name}"
