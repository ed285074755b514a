"""The stores of sessions, in memory and in Redis, behave alike."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing

import pytest
from redis import Redis

from hoppers.core.errors import Busy
from hoppers.core.events import Event, Exhausted, Found, Progress, Solved
from hoppers.fleet.breaker import Breaker
from hoppers.fleet.followers import places
from hoppers.fleet.sessions import RedisSessions
from hoppers.jobs.memory_sessions import MemorySessions
from hoppers.jobs.sessions import Queued, SearchRequest, Session, SessionEvent, Sessions, Totals
from tests.support.network_proxy import Proxy
from tests.support.processes import Queue

REQUEST = SearchRequest("player", "connection", "ticket", "", {"puzzle_id": "hoppers"})
SESSION = Session(REQUEST, Totals())
SOLVED = Solved(3, 10, 0.0, [[0, 6]], None, 10)
EVENTS: list[tuple[Event, Totals]] = [
    (Found(5, 0.1, [[0, 6]]), Totals()),
    (Exhausted(1, 10, 0, 0.5), Totals(1, 10, 0, 0.5)),
    (Exhausted(2, 20, 3, 0.5), Totals(2, 30, 0, 1.0)),
]


@pytest.fixture(scope="module")
def redis() -> Iterator[Queue]:
    queue = Queue()
    yield queue
    queue.kill()


@pytest.fixture(params=["memory", "redis"])
def sessions(request: pytest.FixtureRequest) -> Sessions:
    if request.param == "memory":
        return MemorySessions(60)
    return new_redis_sessions(request.getfixturevalue("redis"), 60)


def new_redis_sessions(redis: Queue, expiry_seconds: float) -> RedisSessions:
    sessions = RedisSessions(redis.url, expiry_seconds)
    with closing(Redis.from_url(redis.admin_url)) as admin:
        admin.flushall()
    return sessions


def filled(sessions: Sessions, id: str = "a") -> None:
    sessions.create(id, SESSION)
    for event, totals in EVENTS:
        assert sessions.append(id, event, totals)


def test_a_session_is_found_by_player_and_ticket(sessions: Sessions) -> None:
    assert sessions.find("player", "ticket") is None and sessions.read("a") is None
    sessions.create("a", SESSION)
    sessions.create("b", SESSION)
    assert sessions.find("player", "ticket") == "b"
    assert sessions.find("player", "other") is None and sessions.find("other", "ticket") is None
    assert list(sessions.open()) == ["a", "b"]
    assert sessions.read("a") == SESSION
    sessions.delete("a")
    assert sessions.read("a") is None and list(sessions.open()) == ["b"]


def test_open_sessions_are_listed_by_player_and_client(sessions: Sessions) -> None:
    """Also those of a player whose address has changed, in order of arrival, and none twice."""
    owners = {"a": ("p", "net"), "b": ("q", "far"), "c": ("p", "far"), "d": ("q", "net"), "e": ("q", "net")}
    asks = {id: REQUEST._replace(player=player, client=client) for id, (player, client) in owners.items()}
    for id, request in asks.items():
        sessions.create(id, Session(request, Totals()))
    assert list(sessions.open_beside(asks["a"])) == ["a", "c", "d", "e"]
    assert list(sessions.open_beside(asks["b"])) == ["b", "c", "d", "e"]
    assert list(sessions.open_beside(REQUEST)) == []
    sessions.set_state("d", "over")
    sessions.append("e", SOLVED, Totals())
    sessions.delete("c")
    assert list(sessions.open_beside(asks["a"])) == ["a"] and list(sessions.open()) == ["a", "b"]
    assert sessions.open_beside(asks["a"])["a"] == sessions.read("a")


def test_a_start_in_a_fleet_reads_no_session_of_others(redis: Queue) -> None:
    sessions = new_redis_sessions(redis, 60)
    for number in range(50):
        other = REQUEST._replace(player=f"player {number}", client=f"client {number}")
        sessions.create(str(number), Session(other, Totals()))
    with closing(Redis.from_url(redis.admin_url)) as admin:
        admin.config_resetstat()
        assert list(sessions.open_beside(REQUEST._replace(player="player 7", client="client 9"))) == [
            "7",
            "9",
        ]
        assert admin.info("commandstats")["cmdstat_hgetall"]["calls"] == 2


def test_half_open_connections_delay_callers_and_refuse_none(redis: Queue) -> None:
    """As a firewall leaves them that forgets idle connections."""
    new_redis_sessions(redis, 60).create("a", SESSION)
    with ExitStack() as stack:
        proxy, pool = Proxy(redis.port), stack.enter_context(ThreadPoolExecutor(8))
        stack.callback(proxy.end)
        url = redis.url.replace(f":{redis.port}/", f":{proxy.url.rpartition(':')[2]}/")
        sessions = RedisSessions(url, 60, Breaker())
        tickets = ["ticket"] * 40
        assert list(pool.map(sessions.find, ["player"] * 40, tickets)) == ["a"] * 40
        proxy.silence()
        began = time.monotonic()
        assert list(pool.map(sessions.find, ["player"] * 40, tickets)) == ["a"] * 40
        assert time.monotonic() - began < 8, "one timeout of a second for each connection, all at once"


def test_events_are_numbered_and_told_once() -> None:
    sessions, told = MemorySessions(60), list[SessionEvent]()
    sessions.on_event = told.append
    filled(sessions)
    stored = sessions.events("a")
    assert [(sent.event, sent.totals) for sent in stored] == EVENTS and told == stored
    assert sessions.missed("a", stored[1].number) == stored[2:]
    assert not sessions.missed("a", stored[2].number) and not sessions.missed("gone", 0)
    sessions.append("a", Progress(3, 1, 0.1), Totals(2, 30, 1, 1.1))
    assert [sent.number for sent in told] == [1, 2, 3, 0] and sessions.events("a") == stored


def test_events_in_redis_are_read_behind_a_number(redis: Queue) -> None:
    sessions = new_redis_sessions(redis, 60)
    filled(sessions)
    stored = sessions.events("a")
    assert [(sent.event, sent.totals) for sent in stored] == EVENTS
    assert sessions.follow({"a": 0}, 0.01) == stored
    assert [sent.event for sent in sessions.follow({"a": stored[1].number}, 0.01)] == [EVENTS[2][0]]
    assert sessions.follow({"a": stored[2].number}, 0.01) == []
    assert sessions.follow({"gone": 0}, 0.01) == []


def test_only_the_last_progress_is_in_redis(redis: Queue) -> None:
    sessions = new_redis_sessions(redis, 60)
    filled(sessions)
    for event in (Progress(3, 1, 0.1), Queued(1), Progress(3, 2, 0.2)):
        assert sessions.append("a", event, Totals(2, 30, 2, 1.2))
    behind = {"a": sessions.events("a")[-1].number}
    found = sessions.follow(behind, 0.01)
    assert [(sent.event, sent.number) for sent in found] == [(Progress(3, 2, 0.2), 0)]
    assert sessions.follow(behind, 0.01) == []
    assert not sessions.follow({}, 0.01) and sessions.follow(behind, 0.01) == found


def test_a_reader_of_redis_waits_for_the_next_event(redis: Queue) -> None:
    sessions = new_redis_sessions(redis, 60)
    sessions.create("a", SESSION)
    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(sessions.follow, {"a": 0}, 30)
        time.sleep(0.05)
        sessions.append("a", EVENTS[0][0], Totals())
        assert [sent.event for sent in reading.result(20)] == [EVENTS[0][0]]


def test_searches_that_no_worker_has_begun_have_places(redis: Queue) -> None:
    sessions = new_redis_sessions(redis, 60)
    for id in "abcd":
        sessions.create(id, SESSION)
    sessions.begin("a")
    sessions.set_state("b", "paused")
    assert [(sent.session, sent.event) for sent in places(sessions)] == [("c", Queued(0)), ("d", Queued(1))]


def test_a_final_event_ends_a_session(sessions: Sessions) -> None:
    filled(sessions)
    assert not sessions.append("a", SOLVED, Totals(2, 30))
    assert not sessions.append("a", Exhausted(3, 1, 0, 0.0), Totals(3))
    assert sessions.events("a")[-1].event == SOLVED
    assert sessions.open() == {} and sessions.begin("a") is None
    assert sessions.set_state("a", "run") == "over"
    session = sessions.read("a")
    assert session is not None and session.state == "over"
    assert not sessions.append("gone", SOLVED, Totals())


def test_a_worker_begins_above_the_rows(sessions: Sessions) -> None:
    filled(sessions)
    for starts in (1, 2):
        session = sessions.begin("a")
        assert session is not None
        assert (session.starts, session.proved) == (starts, Totals(2, 30, 0, 1.0))
    if isinstance(sessions, RedisSessions):
        sessions.give_back("a")
        session = sessions.read("a")
        assert session is not None and session.starts == 1
    sessions.set_state("a", "parked")
    assert sessions.begin("a") is None and sessions.begin("gone") is None


def test_a_change_of_state_is_told() -> None:
    sessions, told = MemorySessions(60), list[str]()
    sessions.on_change = told.append
    for id in "abc":
        sessions.create(id, SESSION)
    assert sessions.set_state("a", "paused") == "run" and sessions.set_state("a", "run") == "paused"
    assert sessions.set_state("gone", "run") is None
    sessions.delete("b")
    sessions.append("c", SOLVED, Totals())
    assert told == ["a", "a", "b", "c"]


def test_changed_states_are_read_from_redis(redis: Queue) -> None:
    sessions = new_redis_sessions(redis, 60)
    sessions.create("a", SESSION)
    assert sessions.states(["a", "gone"], 0.01) == {"a": "run", "gone": None}
    assert sessions.set_state("a", "paused") == "run"
    assert sessions.states(["a"], 0.01) == {"a": "paused"}
    assert sessions.set_state("a", "run") == "paused" and sessions.set_state("gone", "run") is None
    sessions.delete("a")
    assert sessions.states(["a"], 0.01) == {"a": None}


def test_a_player_may_return_over_another_connection(sessions: Sessions) -> None:
    sessions.create("a", SESSION)
    session = sessions.connect("a", "new")
    assert session is not None and session.request == REQUEST._replace(connection="new")
    assert sessions.read("a") == session
    assert sessions.connect("gone", "new") is None


@pytest.mark.parametrize("kind", ["memory", "redis"])
def test_a_session_that_is_not_renewed_expires(kind: str, redis: Queue) -> None:
    sessions: Sessions = MemorySessions(1) if kind == "memory" else new_redis_sessions(redis, 1)
    for id in ("kept", "left"):
        sessions.create(id, SESSION)
    until = time.monotonic() + 1.6
    while time.monotonic() < until:
        assert sessions.renew(["kept"]) == []
        time.sleep(0.1)
    assert list(sessions.open()) == ["kept"] and sessions.read("left") is None
    assert sessions.renew(["kept", "left"]) == ["left"]


def test_a_reader_of_redis_can_write_no_event(redis: Queue) -> None:
    filled(new_redis_sessions(redis, 60))
    reader = RedisSessions(redis.reader_url, 60)
    assert len(reader.events("a")) == len(EVENTS)
    with pytest.raises(Busy):
        reader.append("a", SOLVED, Totals())
