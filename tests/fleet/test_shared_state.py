"""What a fleet shares through Redis besides searches: rates, proved answers; and what becomes of orphans."""

import json
import threading
import time
from collections.abc import Iterator
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

from hoppers.core.model import group_moves
from hoppers.core.puzzle import Question
from hoppers.fleet import optional_redis
from hoppers.fleet import worker as fleet_worker
from hoppers.fleet.answer_store import RedisStore
from hoppers.fleet.delivered_events import Ledger, Message
from hoppers.fleet.found_solutions import WAYS, Ways
from hoppers.fleet.heartbeat import ROUND_SECONDS
from hoppers.fleet.search_records import KEPT_SECONDS, LOOK, Records
from hoppers.fleet.worker import Worker
from hoppers.jobs.messages import SearchLimits, SearchRequest
from hoppers.jobs.scheduler import Scheduler
from hoppers.jobs.search_job import SentEvent
from hoppers.puzzles import find
from hoppers.puzzles.pegs.beam.search import land_of
from hoppers.puzzles.pegs.hint_search import find_way
from hoppers.tablebase.builder import finish
from tests.conftest import MakeApp
from tests.processes import Queue, wait_for

HINT = "/api/puzzles/hoppers/positions/oooooo.oooooo/hint"


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What the clock shows to whoever asks Redis: it stands still."""
    shown = [1000.0]
    monkeypatch.setattr(optional_redis, "time", SimpleNamespace(monotonic=lambda: shown[0]))
    return shown


@pytest.fixture(scope="module")
def queue() -> Iterator[Queue]:
    queue = Queue()
    yield queue
    queue.kill()


def statuses(apps: list[Any], times: int) -> list[int]:
    return [app.test_client().get(HINT).status_code for _ in range(times) for app in apps]


def test_servers_count_requests_together_and_alone_while_redis_is_away(
    queue: Queue, make_app: MakeApp, clock: list[float]
) -> None:
    apps = [make_app(QUEUE_URL=queue.url, API_RATE="6 per hour") for _ in range(2)]
    assert statuses(apps, 5) == [200] * 6 + [429] * 4
    queue.kill()
    assert statuses(apps[:1], 8) == [200] * 6 + [429] * 2
    queue.start()
    queue.wait()
    clock[0] += optional_redis.PAUSE_SECONDS
    assert statuses(apps, 4) == [200] * 6 + [429] * 2


def test_answers_are_found_by_all_and_bounded(queue: Queue) -> None:
    one, other = RedisStore(queue.url, 1_000), RedisStore(queue.url, 1_000)
    one.put("name", b"\x00value")
    assert other.get("name") == b"\x00value"
    for number in range(50):
        one.put(f"answer {number}", bytes(90))
        assert other.get("name") == b"\x00value"
    kept = [number for number in range(50) if one.get(f"answer {number}")]
    assert kept == list(range(40, 50))
    one.put("name", bytes(900))
    assert [other.get("name"), other.get("answer 49")] == [bytes(900), None]


def test_a_store_that_is_away_costs_nothing_and_comes_back(queue: Queue, clock: list[float]) -> None:
    store = RedisStore(queue.url, 1_000)
    store.put("name", b"value")
    queue.kill()
    assert store.get("name") is None
    queue.start()
    queue.wait()
    store.put("name", b"again")
    assert store.get("name") is None
    clock[0] += optional_redis.PAUSE_SECONDS
    store.put("name", b"again")
    assert store.get("name") == b"again"


@pytest.fixture
def records(queue: Queue) -> Records:
    return Records(queue.url, 60)


@pytest.fixture
def scheduler() -> Iterator[Scheduler]:
    scheduler = Scheduler(threads=1)
    yield scheduler
    scheduler.close()


@pytest.fixture
def worker(records: Records, scheduler: Scheduler, monkeypatch: pytest.MonkeyPatch) -> Iterator[Worker]:
    """A worker that hears words and, after its first look around, nothing else."""
    monkeypatch.setattr(fleet_worker, "BEAT_SECONDS", 600.0)
    worker = Worker(records, scheduler, SearchLimits(300, 10**12), celery=None, grace_seconds=1)
    worker.live()
    wait_for(lambda: records.redis.pubsub_numsub(LOOK)[0][1])
    yield worker
    worker.leave()


def begin(id: str, records: Records) -> None:
    """Write a search of "player p" down, whose ticket is its id."""
    asked = {"puzzle_id": "fifteen-puzzle", "position": "0c9dfbae37624851", "method": "deepening"}
    records.create(id, SearchRequest("player p", "connection", id, "", asked), "server")


def has_told(records: Records, id: str, event: str) -> bool:
    return event in [name for name, _ in records.told(id)]


def test_a_word_stops_a_search_wherever_it_runs(records: Records, worker: Worker) -> None:
    records.live("server")
    for id in ("taken", "mine"):
        begin(id, records)
        threading.Thread(target=worker.search, args=(id,), daemon=True).start()
        wait_for(partial(has_told, records, id, "exhausted"))
    assert records.claim("taken", "another worker", before=worker.name)
    assert records.stop("player p", "taken", "asked") is None
    assert records.stop("player p", "mine", "asked") is None
    wait_for(partial(has_told, records, "mine", "stopped"))
    assert not has_told(records, "taken", "stopped")
    assert records.stop("player p", "mine", "asked") is None


def test_a_search_that_nobody_has_begun_is_named_to_whoever_stops_it(records: Records) -> None:
    begin("waits", records)
    assert records.stop("player p", "waits", "asked") == "waits"
    assert records.stop("player p", "unknown", "asked") is None
    assert records.stop("nobody", "waits", "asked") is None


def test_a_search_ends_whose_server_is_lost_and_whose_player_stays_away(
    records: Records, scheduler: Scheduler
) -> None:
    worker = Worker(records, scheduler, SearchLimits(300, 10**12), celery=None, grace_seconds=1)
    asked = {"puzzle_id": "fifteen-puzzle", "position": "0c9dfbae37624851"}
    order = SearchRequest("player p", "connection", "a", "", asked)
    records.live("server")
    records.create("id", order, "server")
    for run in (worker.live, lambda: worker.search("id")):
        threading.Thread(target=run, daemon=True).start()
    wait_for(lambda: scheduler.counts()["running"] == 1)
    records.die("server")
    wait_for(lambda: scheduler.counts()["paused"] == 1)
    records.live("server")
    wait_for(lambda: scheduler.counts()["running"] == 1)
    records.die("server")
    wait_for(lambda: records.read("id") is None)
    assert scheduler.counts() == {"running": 0, "queued": 0, "paused": 0}
    assert "id" not in records.open()
    worker.leave()


def test_what_a_search_finds_is_written_down_for_all_servers(records: Records, worker: Worker) -> None:
    records.redis.delete(WAYS)
    records.live("server")
    asked = {"puzzle_id": "french-37", "position": "." + 36 * "o", "goal": "36", "method": "best"}
    records.create("way", SearchRequest("player p", "connection", "way", "", asked), "server")
    threading.Thread(target=worker.search, args=("way",), daemon=True).start()
    wait_for(lambda: records.redis.xlen(WAYS))
    records.stop("player p", "way", "asked")
    found = next(fields for name, fields in records.told("way") if name == "found")
    _, way = records.redis.xrange(WAYS)[0]
    assert (json.loads(way["asked"]), json.loads(way["moves"])) == (asked, found["moves"])
    assert 0 < records.redis.ttl(WAYS) <= KEPT_SECONDS


def test_a_server_learns_ways_that_lead_to_the_end_and_no_others(
    queue: Queue, records: Records, make_app: MakeApp
) -> None:
    puzzle, goal = find("french-37"), 0
    start = puzzle.parse(36 * "o" + ".")
    steps = finish(find_way(Question(puzzle, goal, start), land_of(puzzle.board.jumps, puzzle.holes))) or []
    moves = group_moves(steps)
    ways = Ways(records.redis)
    asked = {"puzzle_id": puzzle.id, "position": puzzle.format(start), "goal": str(goal)}
    spoilt: list[Any] = [[[0, 36]], moves[:-1], "nonsense", [[1, "x"]]]
    for wrong in spoilt:
        ways.write(asked, wrong)
    ways.write({"puzzle_id": "none"}, moves)
    another = next([s.origin, s.target] for s in puzzle.steps(start) if [s.origin, s.target] != moves[0][:2])
    ways.write({**asked, "first_move": another}, moves)
    question = Question(puzzle, goal, start)
    assert puzzle.recall(question) is None
    make_app(QUEUE_URL=queue.url)
    make_app(QUEUE_URL=queue.url)
    time.sleep(3 * ROUND_SECONDS)
    assert puzzle.recall(question) is None
    assert puzzle.recall(question._replace(first=puzzle.step(start, *another))) is None
    ways.write(asked, moves)
    wait_for(lambda: puzzle.recall(question))
    assert group_moves(puzzle.recall(question) or []) == moves


def message(id: str, name: str, limit: int, room: str = "connection") -> Message:
    return {"search": id, "event": name, "data": [{"limit": limit}], "room": room}


def test_a_ledger_passes_every_row_on_once() -> None:
    ledger = Ledger()
    ledger.begin("a", "connection")
    told: list[SentEvent] = [("exhausted", {"limit": limit}) for limit in range(4)]
    assert [ledger.is_news(message("a", "exhausted", limit)) for limit in (0, 1, 1, 0)] == [
        True,
        True,
        False,
        False,
    ]
    assert [row["data"] for row in ledger.missed(lambda id: told)] == [[{"limit": 2}], [{"limit": 3}]]
    assert ledger.is_news(message("a", "progress", 2))
    assert all(ledger.is_news(row) for row in ledger.missed(lambda id: told))
    assert not ledger.is_news(message("a", "exhausted", 3))
    assert ledger.is_news(message("a", "exhausted", 3, room="another"))
    assert not ledger.is_over("a")
    assert [ledger.is_news(message("a", "solved", 4)) for _ in range(2)] == [True, False]
    assert ledger.is_over("a")
    assert list(ledger.missed(lambda id: told)) == []
    ledger.begin("a", "new", 2)
    assert [row["room"] for row in ledger.missed(lambda id: told)] == ["new"]
    ledger.forget("a")
    assert ledger.is_news(message("a", "exhausted", 0))
