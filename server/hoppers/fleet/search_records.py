"""What Redis knows of a search: who asked for what, who runs it, and every row it has told.

    hoppers:search:<id>   the order, its holder and its server, its worker ("" while it waits), the wishes
    hoppers:told:<id>     all events but progress, in order
    hoppers:tickets:<owner>   the owner's tickets and the ids behind them
    hoppers:open          the ids that have not ended, in the order in which they were asked for
    hoppers:alive:<name>  there while that worker or server lives

A row is written down and sent to its player in one step, and only by the worker that the record names: one
that was taken for dead and is not says nothing. Every key expires.
"""

import json
import threading
from typing import Any, NamedTuple, cast

from redis import Redis
from redis.backoff import NoBackoff
from redis.retry import Retry
from socketio import RedisManager

from hoppers.fleet.delivered_events import FINAL, SEARCH
from hoppers.fleet.event_subscription import CHANNEL
from hoppers.fleet.heartbeat import ALIVE_MILLISECONDS
from hoppers.fleet.lua_scripts import CLAIM, STOP, TELL, WISH
from hoppers.jobs.search_job import Emit, Told
from hoppers.jobs.service import Order

PREFIX = "hoppers"
LOOK = f"{PREFIX}:look"
"""The channel on which ids are told that somebody wishes something of; if it is to stop, why follows."""
OPEN, COUNTER = f"{PREFIX}:open", f"{PREFIX}:counter"
KEPT_SECONDS = 3_600
"""For which a record is kept that nobody touches."""


class NotMine(Exception):
    """Another worker has taken the search over, or it has ended."""


class Record(NamedTuple):
    """One search, as Redis has it."""

    id: str
    order: Order
    server: str
    """The one that the holder is connected to."""
    worker: str
    wishes: dict[str, str]
    """`stop`: the reason; `asked`, `away`: why it is to stand aside; `replay`: the limit to tell from."""
    ended: bool
    tries: int
    """How many workers have begun it."""

    @property
    def is_aside(self) -> bool:
        """Whether it is to stand aside."""
        return "asked" in self.wishes or "away" in self.wishes


class Mail(RedisManager):  # type: ignore[misc]
    """Puts an event into the form in which Socket.IO's processes pass events on, without sending it."""

    def __init__(self) -> None:
        super().__init__(write_only=True)
        self._mine = threading.local()

    def _publish(self, data: Any) -> None:
        self._mine.written = json.dumps({**data, SEARCH: self._mine.search})

    def written(self, id: str, name: str, fields: dict[str, Any], to: str) -> str:
        """The message that makes whichever server holds the connection send an event of a search."""
        self._mine.search = id
        self.emit(name, fields, namespace="/", room=to)
        return cast(str, self._mine.written)


class Records:
    """The searches of a fleet."""

    def __init__(self, url: str, rejoin_seconds: float) -> None:
        """Nothing is connected before the first question."""
        self.redis: Any = Redis.from_url(
            url,
            decode_responses=True,
            socket_timeout=2,
            socket_connect_timeout=1,
            retry=Retry(NoBackoff(), 1),
        )
        self._mail, self._kept = Mail(), max(1, round(rejoin_seconds))
        self._beats = 0
        self._tell, self._claim, self._stop, self._wish = map(
            self.redis.register_script, (TELL, CLAIM, STOP, WISH)
        )

    def create(self, id: str, order: Order, server: str) -> None:
        """Write down a new search; nobody runs it yet."""
        fields = {"order": json.dumps(order), "holder": order.holder, "server": server, "worker": ""}
        with self.redis.pipeline() as pipe:
            pipe.hset(_search(id), mapping=fields)
            pipe.expire(_search(id), KEPT_SECONDS)
            pipe.hset(_tickets(order.owner), order.ticket, id)
            pipe.expire(_tickets(order.owner), KEPT_SECONDS)
            pipe.incr(COUNTER)
            number = pipe.execute()[-1]
        self.redis.zadd(OPEN, {id: number})
        self.redis.expire(OPEN, KEPT_SECONDS)
        self.redis.expire(COUNTER, KEPT_SECONDS)

    def find(self, owner: str, ticket: str) -> Record | None:
        """The owner's search of this ticket, ended or not."""
        id = self.redis.hget(_tickets(owner), ticket)
        return self.read(id) if id else None

    def of(self, owner: str) -> list[Record]:
        """The owner's searches that have not ended."""
        found = [self.read(id) for id in self.redis.hvals(_tickets(owner))]
        return [record for record in found if record is not None and not record.ended]

    def open(self) -> list[str]:
        """The ids of all searches that have not ended, the oldest first."""
        return cast(list[str], self.redis.zrange(OPEN, 0, -1))

    def read(self, id: str) -> Record | None:
        """A search, if it is known."""
        return _record(id, self.redis.hgetall(_search(id)))

    def attend(self, id: str) -> Record | None:
        """A search for its worker, who tells what is missed: no other will."""
        with self.redis.pipeline() as pipe:
            pipe.hgetall(_search(id))
            pipe.hdel(_search(id), "replay")
            fields = pipe.execute()[0]
        return _record(id, fields)

    def told(self, id: str) -> list[Told]:
        """All that it has told."""
        return [(name, fields) for name, fields in map(json.loads, self.redis.lrange(_told(id), 0, -1))]

    def wish(self, id: str, **wishes: str) -> None:
        """Let the worker know; '' takes a wish back."""
        word = f"{id} {wishes['stop']}" if "stop" in wishes else id
        fields = [text for wish in wishes.items() for text in wish]
        self._wish(keys=[_search(id)], args=[LOOK, word, *fields])

    def stop(self, owner: str, ticket: str, reason: str) -> str | None:
        """Let the worker know, in one step; returns the id of a search that none has begun."""
        args = [ticket, _search(""), reason, LOOK]
        return cast(str | None, self._stop(keys=[_tickets(owner)], args=args))

    def claim(self, id: str, worker: str, before: str = "") -> bool:
        """Make a worker the one who runs the search, if until now that is `before`."""
        return bool(self._claim(keys=[_search(id)], args=[before, worker]))

    def count_try(self, id: str) -> int:
        """Note that another worker begins it; returns how many that makes."""
        return int(self.redis.hincrby(_search(id), "tries", 1))

    def place(self, id: str, place: int) -> bool:
        """Note the place of a search in the queue; returns whether that is news."""
        before = self.redis.hget(_search(id), "place")
        self.redis.hset(_search(id), "place", place)
        return bool(before != str(place))

    def lose_place(self, id: str) -> None:
        """It was in no queue any more; whichever place it gets now is news."""
        self.redis.hdel(_search(id), "place")

    def tell(self, id: str, worker: str, name: str, fields: dict[str, Any], *, to: str, ends: bool) -> None:
        """Write an event down and send it, in one step.

        Raises:
            NotMine: the worker has no say in this search any more.
        """
        row = "" if name in ("progress", "queued") else json.dumps([name, fields])
        message = self._mail.written(id, name, fields, to)
        seconds = self._kept if ends else KEPT_SECONDS
        keys = [_search(id), _told(id), OPEN]
        if not self._tell(keys=keys, args=[worker, row, CHANNEL, message, seconds, id if ends else ""]):
            raise NotMine(id)

    def emitter(self, id: str, worker: str, holder: str) -> Emit:
        """How a worker tells the holder of a search."""
        return lambda name, fields: self.tell(id, worker, name, fields, to=holder, ends=name in FINAL)

    def send(self, id: str, name: str, fields: dict[str, Any], *, to: str) -> None:
        """Send an event of a search that is not written down, or not now."""
        self.redis.publish(CHANNEL, self._mail.written(id, name, fields, to))

    def live(self, name: str) -> None:
        """A sign of life of this worker or server, another each time."""
        self._beats += 1
        self.redis.set(_alive(name), self._beats, px=ALIVE_MILLISECONDS)

    def sign(self, name: str) -> str | None:
        """The last sign of life, if there was one lately."""
        return cast(str | None, self.redis.get(_alive(name)))

    def is_alive(self, name: str) -> bool:
        """Whether there was one lately."""
        return bool(self.redis.exists(_alive(name)))

    def die(self, name: str) -> None:
        """No more signs will come: others take over at once."""
        self.redis.delete(_alive(name))

    def keep(self, ids: list[str]) -> None:
        """Put off the day on which these expire."""
        for id in ids:
            for key in (_search(id), _told(id), OPEN, COUNTER):
                self.redis.expire(key, KEPT_SECONDS)

    def forget(self, id: str) -> None:
        """Let go of a search that has expired or that its player has given up."""
        with self.redis.pipeline() as pipe:
            pipe.zrem(OPEN, id)
            pipe.delete(_search(id), _told(id))
            pipe.execute()


def _record(id: str, fields: dict[str, str]) -> Record | None:
    if "order" not in fields:
        return None
    order = Order(*json.loads(fields["order"]))._replace(holder=fields["holder"])
    wishes = {name: fields[name] for name in ("stop", "asked", "away", "replay") if fields.get(name)}
    tries = int(fields.get("tries", 0))
    return Record(id, order, fields.get("server", ""), fields["worker"], wishes, "ended" in fields, tries)


def _search(id: str) -> str:
    return f"{PREFIX}:search:{id}"


def _told(id: str) -> str:
    return f"{PREFIX}:told:{id}"


def _tickets(owner: str) -> str:
    return f"{PREFIX}:tickets:{owner}"


def _alive(name: str) -> str:
    return f"{PREFIX}:alive:{name}"
