"""State shared through Redis: rate limits, proved answers, found solutions, and search records."""

import json
import threading
import time
from collections.abc import Iterator
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
from redis.exceptions import RedisError

from hoppers.core.model import group_moves
from hoppers.core.puzzle import Question
from hoppers.fleet import optional_state, search_records
from hoppers.fleet import worker as fleet_worker
from hoppers.fleet.optional_state import RedisStore
from hoppers.fleet.search_records import COMMANDS, EXPIRY_SECONDS, OPEN, SOLUTIONS, SearchRecords
from hoppers.fleet.service import CHECK_SECONDS
from hoppers.fleet.watchdog import Watchdog
from hoppers.fleet.worker import Worker
from hoppers.jobs import worker_main
from hoppers.jobs.messages import SearchRequest
from hoppers.jobs.service import MAX_LOST_WORKERS
from hoppers.puzzles.pegs.beam_search import BEAMS
from hoppers.puzzles.pegs.unproved_solutions import first_solution
from hoppers.tablebase.builder import finish
from tests.conftest import MakeApp
from tests.jobs.workers import CONFIG
from tests.puzzles.pegs.test_unproved_solutions import off_the_lines
from tests.support.engine import ENGINE, find
from tests.support.processes import TIMEOUT_SECONDS, Queue, wait_for

HINT = "/api/puzzles/hoppers/positions/oooooo.oooooo/hint"


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """One-element list with the time that the Redis client reads; only tests change it."""
    now = [1000.0]
    monkeypatch.setattr(optional_state, "time", SimpleNamespace(monotonic=lambda: now[0]))
    return now


@pytest.fixture(scope="module")
def queue() -> Iterator[Queue]:
    queue = Queue()
    yield queue
    queue.kill()


def statuses(apps: list[Any], times: int) -> list[int]:
    return [app.test_client().get(HINT).status_code for _ in range(times) for app in apps]


def test_servers_share_rate_limits_while_redis_is_reachable(
    queue: Queue, make_app: MakeApp, clock: list[float]
) -> None:
    apps = [make_app(QUEUE_URL=queue.url, API_RATE="6 per hour") for _ in range(2)]
    assert statuses(apps, 5) == [200] * 6 + [429] * 4
    queue.kill()
    assert statuses(apps[:1], 8) == [200] * 6 + [429] * 2
    queue.start()
    queue.wait()
    clock[0] += optional_state.PAUSE_SECONDS
    assert statuses(apps, 4) == [200] * 6 + [429] * 2


def test_stored_answers_are_shared_and_bounded(queue: Queue) -> None:
    one, other = RedisStore(queue.url, 1_000), RedisStore(queue.url, 1_000)
    one.put("name", b"\x00value")
    assert other.get("name") == b"\x00value"
    for number in range(50):
        one.put(f"answer {number}", bytes(90))
        assert other.get("name") == b"\x00value"
    stored = [number for number in range(50) if one.get(f"answer {number}")]
    assert stored == list(range(40, 50))
    one.put("name", bytes(900))
    assert [other.get("name"), other.get("answer 49")] == [bytes(900), None]


def test_unreachable_store_is_skipped_and_used_again(queue: Queue, clock: list[float]) -> None:
    store = RedisStore(queue.url, 1_000)
    store.put("name", b"value")
    queue.kill()
    assert store.get("name") is None
    queue.start()
    queue.wait()
    store.put("name", b"again")
    assert store.get("name") is None
    clock[0] += optional_state.PAUSE_SECONDS
    store.put("name", b"again")
    assert store.get("name") == b"again"


@pytest.fixture
def records(queue: Queue, monkeypatch: pytest.MonkeyPatch) -> SearchRecords:
    """Records of a fleet in an emptied Redis: a worker would take searches of other tests.

    Heartbeats expire after ten minutes, because each test sends only one.
    """
    monkeypatch.setattr(search_records, "HEARTBEAT_EXPIRY_MILLISECONDS", 600_000)
    records = SearchRecords(queue.url, 60)
    records.redis.flushall()
    return records


@pytest.fixture
def worker(records: SearchRecords, monkeypatch: pytest.MonkeyPatch) -> Iterator[Worker]:
    """A worker that acts on messages only: its periodic check runs once."""
    monkeypatch.setattr(fleet_worker, "BEAT_SECONDS", 600.0)
    worker = Worker(ENGINE, CONFIG, records, grace_seconds=1)
    before = subscribers(records)  # workers of earlier tests, which wait for a message
    worker.start()
    wait_for(lambda: subscribers(records) > before)
    yield worker
    worker.leave()


def subscribers(records: SearchRecords) -> int:
    """Return the number of workers that are subscribed to commands."""
    return int(records.redis.pubsub_numsub(COMMANDS)[0][1])


def create(id: str, records: SearchRecords) -> None:
    """Create a search of "player p" whose ticket is its id."""
    query = {"puzzle_id": "fifteen-puzzle", "position": "0c9dfbae37624851", "method": "deepening"}
    records.create(id, SearchRequest("player p", "connection", id, "", query), "server")


def has_sent(records: SearchRecords, id: str, event: str) -> bool:
    return event in [name for name, _ in records.sent_events(id)]


def test_stop_message_ends_only_searches_of_this_worker(records: SearchRecords, worker: Worker) -> None:
    records.send_heartbeat("server")
    for id in ("taken", "mine"):
        create(id, records)
        wait_for(partial(has_sent, records, id, "exhausted"))
    assert records.claim("taken", "another worker", before=worker.name)
    for id in ("taken", "mine"):
        records.command(id, stop="asked")
    wait_for(partial(has_sent, records, "mine", "stopped"))
    assert not has_sent(records, "taken", "stopped")


def test_search_of_another_worker_is_not_handed_back(records: SearchRecords, worker: Worker) -> None:
    records.send_heartbeat("server")
    create("mine", records)
    wait_for(partial(has_sent, records, "mine", "exhausted"))
    record, handle = records.read("mine"), worker._handles["mine"]
    assert record is not None and records.claim("mine", "another worker", before=worker.name)
    handle.leave(60)
    worker._hand_back(record, handle)
    after = records.read("mine")
    assert after is not None and after.worker == "another worker"


def test_late_loss_of_an_old_connection_changes_nothing(records: SearchRecords) -> None:
    """A server may notice a lost connection after its player has returned through another server."""
    create("a", records)
    records.command("a", connection="new", server="other", away="", replay="3")
    for lost in ({"away": "1"}, {"stop": "query"}):
        records.command("a", expected_connection="connection", **lost)
        record = records.read("a")
        assert record is not None and record.commands == {"replay": "3"}
    records.command("a", expected_connection="new", away="1")
    record = records.read("a")
    assert record is not None and record.commands == {"replay": "3", "away": "1"}


def test_search_ends_if_server_and_player_are_gone(records: SearchRecords) -> None:
    worker = Worker(ENGINE, CONFIG, records, grace_seconds=1)
    query = {"puzzle_id": "fifteen-puzzle", "position": "0c9dfbae37624851", "fresh": True}
    request = SearchRequest("player p", "connection", "a", "", query)
    records.send_heartbeat("server")
    records.create("id", request, "server")
    worker.start()
    wait_for(lambda: worker.counts()["running"] == 1)
    records.delete_heartbeat("server")
    wait_for(lambda: worker.counts()["paused"] == 1)
    records.send_heartbeat("server")
    wait_for(lambda: worker.counts()["running"] == 1)
    records.delete_heartbeat("server")
    wait_for(lambda: records.read("id") is None)
    assert worker.counts() == {"running": 0, "queued": 0, "paused": 0}
    assert "id" not in records.open()
    worker.leave()


def test_heartbeats_extend_every_key_of_an_open_search(records: SearchRecords) -> None:
    records.send_heartbeat("server")
    create("a", records)
    worker = Worker(ENGINE, CONFIG, records, grace_seconds=1)
    worker.start()
    wait_for(partial(has_sent, records, "a", "exhausted"))
    keys = [OPEN, *(f"hoppers:{name}" for name in ("search:a", "events:a", "tickets:player p"))]
    for key in keys:
        assert records.redis.expire(key, 90)
    wait_for(lambda: all(records.redis.ttl(key) > 90 for key in keys))
    worker.leave()


def run_briefly(records: SearchRecords) -> None:
    """Run a worker until it has begun the search "a" or let it fail."""
    worker = Worker(ENGINE, CONFIG, records, grace_seconds=1)
    worker.start()
    wait_for(lambda: worker.counts()["running"] or has_sent(records, "a", "failed"))
    worker.leave()


def test_orderly_ends_of_workers_fail_no_search(records: SearchRecords) -> None:
    records.send_heartbeat("server")
    create("a", records)
    for _ in range(MAX_LOST_WORKERS + 1):
        run_briefly(records)
        Watchdog(records).check()
    assert not has_sent(records, "a", "failed")


def test_search_fails_after_four_lost_workers(records: SearchRecords) -> None:
    records.send_heartbeat("server")
    create("a", records)
    for _ in range(MAX_LOST_WORKERS):
        assert records.take("lost") == "a"
        assert not has_sent(records, "a", "failed")
        Watchdog(records).check()
    run_briefly(records)
    assert has_sent(records, "a", "failed")


def test_search_that_could_not_be_started_waits_again(
    records: SearchRecords, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Redis fails twice: after the search is assigned to the worker, and when the worker hands it back."""
    failed = list[str]()

    def fail_once(name: str) -> None:
        method = getattr(SearchRecords, name)

        def call(*arguments: Any, **named: Any) -> Any:
            if name not in failed:
                failed.append(name)
                raise RedisError("the connection is lost")
            return method(*arguments, **named)

        monkeypatch.setattr(SearchRecords, name, call)

    monkeypatch.setattr(search_records, "RETRY_SECONDS", 0.01)
    for name in ("sent_events", "claim"):
        fail_once(name)
    records.send_heartbeat("server")
    create("a", records)
    worker = Worker(ENGINE, CONFIG, records, grace_seconds=1)
    worker.start()
    wait_for(lambda: worker.counts()["running"])
    record = records.read("a")
    assert record is not None and (record.worker, record.lost_workers) == (worker.name, 1)
    assert failed == ["sent_events", "claim"]
    worker.leave()


def test_search_that_no_worker_can_start_fails(
    records: SearchRecords, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server of another version may accept a query that this worker does not know."""
    monkeypatch.setattr(search_records, "RETRY_SECONDS", 0.01)
    records.send_heartbeat("server")
    records.create("new", SearchRequest("p", "connection", "t", "", {"puzzle_id": "unheard-of"}), "server")
    create("a", records)
    worker = Worker(ENGINE, CONFIG, records, grace_seconds=1)
    worker.start()
    wait_for(partial(has_sent, records, "a", "exhausted"))
    ((name, fields),) = records.sent_events("new")
    assert (name, fields["ticket"], fields["error"]["code"]) == ("failed", "t", "worker_lost")
    assert records.open() == ["a"]
    worker.leave()


def test_worker_releases_memory_when_a_search_has_ended(
    records: SearchRecords, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    released = threading.Event()
    monkeypatch.setattr(worker_main, "release_memory", released.set)
    request.getfixturevalue("worker")
    records.send_heartbeat("server")
    create("search", records)
    wait_for(partial(has_sent, records, "search", "exhausted"))
    assert not released.is_set()
    records.command("search", stop="asked")
    assert released.wait(TIMEOUT_SECONDS)


def test_found_solutions_are_written_to_the_stream(records: SearchRecords, worker: Worker) -> None:
    records.redis.delete(SOLUTIONS)
    records.send_heartbeat("server")
    query = {"puzzle_id": "french-37", "position": "." + 36 * "o", "goal": "36", "fresh": True}
    records.create("way", SearchRequest("player p", "connection", "way", "", query), "server")
    wait_for(lambda: records.redis.xlen(SOLUTIONS))
    records.command("way", stop="asked")
    found = next(fields for name, fields in records.sent_events("way") if name == "found")
    _, entry = records.redis.xrange(SOLUTIONS)[0]
    assert (json.loads(entry["query"]), json.loads(entry["moves"])) == (query, found["moves"])
    assert 0 < records.redis.ttl(SOLUTIONS) <= EXPIRY_SECONDS


def test_servers_use_only_solutions_that_reach_the_goal(
    queue: Queue, records: SearchRecords, make_app: MakeApp
) -> None:
    puzzle, goal = find("english-33"), 1
    start = off_the_lines(puzzle, "1")
    steps = finish(first_solution(ENGINE, Question(puzzle, goal, start), BEAMS))
    moves = group_moves(steps)
    query = {"puzzle_id": puzzle.id, "position": puzzle.format(start), "goal": str(goal)}
    invalid: list[Any] = [[[0, 36]], moves[:-1], "nonsense", [[1, "x"]]]
    for wrong in invalid:
        records.store_solution(query, wrong)
    records.store_solution({"puzzle_id": "none"}, moves)
    another = next([s.origin, s.target] for s in puzzle.steps(start) if [s.origin, s.target] != moves[0][:2])
    records.store_solution({**query, "first_move": another}, moves)
    apps = [make_app(QUEUE_URL=queue.url) for _ in range(2)]
    questions = [Question(app.extensions["engine"].find(puzzle.id), goal, start) for app in apps]
    time.sleep(3 * CHECK_SECONDS)
    first = puzzle.step(start, *another)
    for question in questions:
        assert not known_line(question) and not known_line(question._replace(first=first))
    records.store_solution(query, moves)
    for question in questions:
        wait_for(partial(known_line, question))
        assert known_line(question) == moves


def known_line(question: Question) -> list[list[int]]:
    """Return the moves of the best solution that the engine of a question knows from its root."""
    bounds = question.puzzle.engine.bounds
    return group_moves(bounds.line(question.puzzle, question.goal, question.root))
