"""Records of all searches in Redis: request, connection, worker, pending commands and all sent rows.

    hoppers:search:<id>       request, connection, server, worker ("" while the search waits), commands
    hoppers:events:<id>       all events except progress, in order
    hoppers:tickets:<player>  tickets of a player and the ids of their searches
    hoppers:open              ids of the searches that have not ended, in order of arrival
    hoppers:alive:<name>      heartbeat of a worker or server

A row is stored and published in one step, and only by the worker that the record names. So a worker that is
mistakenly considered lost sends no further event. Every key expires.
"""

import json
from typing import Any, NamedTuple, cast

from redis import Redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from hoppers.fleet.pubsub import CHANNEL, FINAL, Message
from hoppers.jobs.messages import SearchRequest
from hoppers.jobs.search_job import Emit, SentEvent

PREFIX = "hoppers"
COMMANDS = f"{PREFIX}:commands"
"""Channel that carries the id of every search with a new command; for a stop, its reason follows the id."""
OPEN, COUNTER = f"{PREFIX}:open", f"{PREFIX}:counter"
EXPIRY_SECONDS = 3_600  # counted from the last change of a record
BEAT_SECONDS = 0.5  # between two heartbeats of a worker or server
HEARTBEAT_EXPIRY_MILLISECONDS = 3_000  # six missed heartbeats

# Lua scripts: each runs in Redis as one atomic step and takes one round trip.

EMIT = """
if redis.call('hget', KEYS[1], 'worker') ~= ARGV[1] or redis.call('hexists', KEYS[1], 'ended') == 1 then
  return 0
end
if ARGV[2] ~= '' then redis.call('rpush', KEYS[2], ARGV[2]) redis.call('expire', KEYS[2], ARGV[5]) end
if ARGV[6] ~= '' then
  redis.call('hset', KEYS[1], 'ended', '1')
  redis.call('expire', KEYS[1], ARGV[5])
  redis.call('zrem', KEYS[3], ARGV[6])
end
redis.call('publish', ARGV[3], ARGV[4])
return 1
"""
"""Keys: record, events, open. Arguments: worker, row, channel, message, seconds to expiry, id if it ends."""

CLAIM = """
if redis.call('hget', KEYS[1], 'worker') ~= ARGV[1] or redis.call('hexists', KEYS[1], 'ended') == 1 then
  return 0
end
redis.call('hset', KEYS[1], 'worker', ARGV[2])
return 1
"""
"""Key: record. Arguments: the worker before, the new worker."""

COMMAND = """
local connection = redis.call('hget', KEYS[1], 'connection')
if connection and (ARGV[3] == '' or ARGV[3] == connection) then
  redis.call('hset', KEYS[1], unpack(ARGV, 4))
  redis.call('publish', ARGV[1], ARGV[2])
end
"""
"""Key: record. Arguments: channel, message, connection or '', commands as names and values."""

STOP = """
local id = redis.call('hget', KEYS[1], ARGV[1])
if not id then return false end
local search = ARGV[2] .. id
local worker = redis.call('hget', search, 'worker')
if not worker or redis.call('hexists', search, 'ended') == 1 then return false end
redis.call('hset', search, 'stop', ARGV[3])
redis.call('publish', ARGV[4], id .. ' ' .. ARGV[3])
return worker == '' and id
"""
"""Key: tickets of a player. Arguments: ticket, prefix of record keys, reason, channel."""


class NotClaimed(Exception):
    """Error for an event of a search that has ended or that another worker has taken over."""


class SearchRecord(NamedTuple):
    """Record of one search."""

    id: str
    request: SearchRequest
    server: str
    """Server that the player's connection belongs to."""
    worker: str
    commands: dict[str, str]
    """`stop`: the reason; `paused`, `away`: pause; `replay`: send rows after this limit again."""
    ended: bool
    attempts: int
    """Number of workers that have started the search."""

    @property
    def is_paused(self) -> bool:
        """True if the search is paused by its player, or because its player is disconnected."""
        return "paused" in self.commands or "away" in self.commands


class SearchRecords:
    """The records of all searches of a fleet."""

    def __init__(self, url: str, rejoin_seconds: float) -> None:
        """Connect on first use. `rejoin_seconds`: time for which the events of ended searches are stored."""
        self.redis: Any = Redis.from_url(
            url,
            decode_responses=True,
            socket_timeout=2,
            socket_connect_timeout=1,
            retry=Retry(NoBackoff(), 1),
        )
        self._ended_expiry = max(1, round(rejoin_seconds))
        self._beats = 0
        self._emit, self._claim, self._stop, self._command = map(
            self.redis.register_script, (EMIT, CLAIM, STOP, COMMAND)
        )

    def create(self, id: str, request: SearchRequest, server: str) -> None:
        """Store a new search that no worker runs yet."""
        fields = {
            "request": json.dumps(request),
            "connection": request.connection,
            "server": server,
            "worker": "",
        }
        with self.redis.pipeline() as pipe:
            pipe.hset(_key("search", id), mapping=fields)
            pipe.expire(_key("search", id), EXPIRY_SECONDS)
            pipe.hset(_key("tickets", request.player), request.ticket, id)
            pipe.expire(_key("tickets", request.player), EXPIRY_SECONDS)
            pipe.incr(COUNTER)
            number = pipe.execute()[-1]
        self.redis.zadd(OPEN, {id: number})
        self.redis.expire(OPEN, EXPIRY_SECONDS)
        self.redis.expire(COUNTER, EXPIRY_SECONDS)

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
        return cast(list[str], self.redis.zrange(OPEN, 0, -1))

    def read(self, id: str) -> SearchRecord | None:
        """Return the record of a search; None if it does not exist or has expired."""
        return _record(id, self.redis.hgetall(_key("search", id)))

    def read_for_worker(self, id: str) -> SearchRecord | None:
        """Return the record of a search, or None.

        Remove the command `replay` from the stored record, so that only one worker executes it.
        """
        with self.redis.pipeline() as pipe:
            pipe.hgetall(_key("search", id))
            pipe.hdel(_key("search", id), "replay")
            fields = pipe.execute()[0]
        return _record(id, fields)

    def sent_events(self, id: str) -> list[SentEvent]:
        """Return all stored events of a search, in the order in which they were sent."""
        return [
            (name, fields) for name, fields in map(json.loads, self.redis.lrange(_key("events", id), 0, -1))
        ]

    def command(self, id: str, *, expected_connection: str = "", **commands: str) -> None:
        """Store commands for a search and notify its worker; the value '' withdraws a command.

        `expected_connection`: if given, do nothing unless the events of the search go to this connection.
        """
        message = f"{id} {commands['stop']}" if "stop" in commands else id
        fields = [text for command in commands.items() for text in command]
        self._command(keys=[_key("search", id)], args=[COMMANDS, message, expected_connection, *fields])

    def stop(self, player: str, ticket: str, reason: str) -> str | None:
        """Store and publish the command `stop`. Return the id if the search waits for a worker, else None."""
        args = [ticket, _key("search", ""), reason, COMMANDS]
        return cast(str | None, self._stop(keys=[_key("tickets", player)], args=args))

    def claim(self, id: str, worker: str, before: str = "") -> bool:
        """Assign a search from the worker `before` ('': none) to `worker`.

        Return False, without a change, if another worker has the search or the search has ended.
        """
        return bool(self._claim(keys=[_key("search", id)], args=[before, worker]))

    def count_attempt(self, id: str) -> int:
        """Count one more worker that starts a search; return the number of such workers so far."""
        return int(self.redis.hincrby(_key("search", id), "attempts", 1))

    def set_queue_place(self, id: str, place: int) -> bool:
        """Store the place of a search in the queue; return whether the place has changed."""
        before = self.redis.hget(_key("search", id), "place")
        self.redis.hset(_key("search", id), "place", place)
        return bool(before != str(place))

    def clear_queue_place(self, id: str) -> None:
        """Remove the place of a search in the queue, so that its next place counts as changed."""
        self.redis.hdel(_key("search", id), "place")

    def emitter(self, id: str, worker: str, connection: str) -> Emit:
        """Return a function by which `worker` sends the events of a search to `connection`.

        The function stores and publishes an event in one step; progress and queue places are not stored. It
        raises NotClaimed if the search is assigned to another worker or has ended.
        """

        def emit(name: str, fields: dict[str, Any]) -> None:
            row = "" if name in ("progress", "queued") else json.dumps([name, fields])
            message, ends = json.dumps(Message(id, connection, name, fields)), name in FINAL
            seconds = self._ended_expiry if ends else EXPIRY_SECONDS
            keys = [_key("search", id), _key("events", id), OPEN]
            if not self._emit(keys=keys, args=[worker, row, CHANNEL, message, seconds, id if ends else ""]):
                raise NotClaimed(id)

        return emit

    def publish(self, id: str, name: str, fields: dict[str, Any], *, to: str) -> None:
        """Publish an event of a search without storing it."""
        self.redis.publish(CHANNEL, json.dumps(Message(id, to, name, fields)))

    def send_heartbeat(self, name: str) -> None:
        """Store a new heartbeat of the worker or server `name`."""
        self._beats += 1
        self.redis.set(_key("alive", name), self._beats, px=HEARTBEAT_EXPIRY_MILLISECONDS)

    def heartbeat(self, name: str) -> str | None:
        """Return the last heartbeat of a worker or server, or None if it has expired."""
        return cast(str | None, self.redis.get(_key("alive", name)))

    def delete_heartbeat(self, name: str) -> None:
        """Delete the heartbeat of a worker that ends, so that its searches move to other workers at once."""
        self.redis.delete(_key("alive", name))

    def extend_expiry(self, ids: list[str]) -> None:
        """Restart the expiry of the records of the searches `ids`."""
        for id in ids:
            for key in (_key("search", id), _key("events", id), OPEN, COUNTER):
                self.redis.expire(key, EXPIRY_SECONDS)

    def delete(self, id: str) -> None:
        """Delete the record and the events of a search, which has expired or was abandoned by its player."""
        with self.redis.pipeline() as pipe:
            pipe.zrem(OPEN, id)
            pipe.delete(_key("search", id), _key("events", id))
            pipe.execute()


def _record(id: str, fields: dict[str, str]) -> SearchRecord | None:
    if "request" not in fields:
        return None
    request = SearchRequest(*json.loads(fields["request"]))._replace(connection=fields["connection"])
    commands = {name: fields[name] for name in ("stop", "paused", "away", "replay") if fields.get(name)}
    attempts = int(fields.get("attempts", 0))
    server, is_ended = fields.get("server", ""), "ended" in fields
    return SearchRecord(id, request, server, fields["worker"], commands, is_ended, attempts)


def _key(kind: str, name: str) -> str:
    return f"{PREFIX}:{kind}:{name}"
