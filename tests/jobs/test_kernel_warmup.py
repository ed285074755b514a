"""Start-up of a server: every puzzle can be played, and no request compiles kernels."""

import os
import random
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flask import Flask
from werkzeug.test import TestResponse

from hoppers.analysis import verdicts
from hoppers.analysis.kernel_parts import load_searches, warm
from hoppers.core.events import Event, Exhausted
from hoppers.core.model import UNKNOWN
from hoppers.core.puzzle import Puzzle, Question
from hoppers.jobs.kernel_warmup import Warmup
from hoppers.jobs.runner import Runner
from hoppers.puzzles import flip_it
from hoppers.tablebase.engine import Engine
from hoppers.web.current import MAX_WAITING
from tests.conftest import MakeApp
from tests.support.cold_start import cold, put_warmup
from tests.support.engine import PUZZLES, one_of_each_kind
from tests.support.processes import finish_warmup, wait_for

pytestmark = pytest.mark.slow

FIRST_VISIT = """
from numba.core.dispatcher import Dispatcher

def refuse(self, signature):
    raise AssertionError(f"{self.py_func.__name__} is compiled")

Dispatcher.compile = refuse
from hoppers import create_app
from hoppers.analysis.atlas_results import known_result
from hoppers.jobs.kernel_warmup import Warmup
from hoppers.puzzles import PUZZLES

sizes = {puzzle.family: [] for puzzle in PUZZLES.values()}
for puzzle in PUZZLES.values():
    sizes[puzzle.family].append(puzzle.holes)
# Of a family of one puzzle in many sizes the least and the largest.
ends = {family: {*found} if len(found) < 20 else {min(found), max(found)} for family, found in sizes.items()}
chosen = [puzzle for puzzle in PUZZLES.values() if puzzle.holes in ends[puzzle.family]]
assert len(chosen) > 12 and sizes.keys() == {puzzle.family for puzzle in chosen}
Warmup.start = lambda self: self._engine.defer_kernels(PUZZLES)
Warmup.wait = lambda self, puzzle_id, seconds: False
client = create_app().test_client()
answers = 0

def get(address):
    global answers
    response = client.get(address)
    assert response.status_code == 200, (address, response.text)
    answers += 1
    return response

for puzzle in chosen:
    place = f"/api/puzzles/{puzzle.id}"
    here = get(f"{place}/positions/{puzzle.start}").get_json()
    assert here["warming"] == [0, len(PUZZLES)], here
    known = known_result(puzzle, puzzle.start, puzzle.goal)
    expected = {"moves_left": known.moves}
    if known.state != "proved":
        expected = {"moves_left": None, "bounds": {"least": known.least, "most": known.moves}}
    assert here.items() >= {"verdict": "live", **expected}.items(), here
    step = here["steps"][0]
    assert get(f"{place}/positions/{step['position']}").get_json()["steps"]
    get(f"{place}/line?line={step['from']}-{step['to']}")
    assert get(f"{place}/positions/{puzzle.start}/hint").get_json()["step"]  # from the atlas
    solution = get(f"{place}/positions/{puzzle.start}/solution").get_json()
    assert len(solution["moves"]) == known.moves, solution
    assert get(f"{place}/positions/{puzzle.start}/solutions").get_json()["count"] == known.count
    for page in ("", "/explore", "/inside", "/race", "/board.svg"):
        get(f"/puzzles/{puzzle.id}{page}")
    for name in puzzle.gallery.random_kinds:
        address = f"/puzzles/{puzzle.id}?deal={name}&seed=1"
        assert get(f"{place}/deals/{name}?seed=1").get_json()["position"] in get(address).text
for page in ("/", "/lessons", "/lessons/1", "/classics", "/api/puzzles"):
    get(page)
kinds = sum(len(puzzle.gallery.random_kinds) for puzzle in chosen)
assert kinds and answers == 11 * len(chosen) + 2 * kinds + 5, answers
"""


def test_nothing_is_compiled_inside_a_request(tmp_path: Path) -> None:
    environment = {**os.environ, "HOPPERS_CACHE": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", FIRST_VISIT], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("least", [2, 1])
@pytest.mark.parametrize("cells", [5, 8, 11, 16])
def test_hardest_random_rows_match_the_table(cells: int, least: int) -> None:
    parameters = flip_it.FlipParameters(cells, least)
    table, hardest = flip_it.row_table(parameters, flip_it.ANYWHERE), flip_it.hardest(parameters)
    farthest = len(table.distribution()) - 1
    numbers = np.flatnonzero(table.distances == farthest).tolist()
    assert [*hardest] == [flip_it.text_of(number, cells) for number in numbers]


@pytest.mark.parametrize("puzzle", one_of_each_kind().values(), ids=list(one_of_each_kind()))
def test_interpreted_rules_match_the_compiled_ones(puzzle: Puzzle) -> None:
    rng, goal = random.Random(3), puzzle.parse_goal(None)
    engine = Engine({puzzle.id: puzzle})
    engine.defer_kernels(engine.puzzles)
    interpreted = engine.puzzles[puzzle.id]
    assert puzzle.is_compiled and not interpreted.is_compiled
    position = puzzle.parse(puzzle.start)
    for _ in range(12):
        compiled = puzzle.steps(position), puzzle.is_solved(position, goal)
        assert (interpreted.steps(position), interpreted.is_solved(position, goal)) == compiled
        if not compiled[0]:
            break
        position = rng.choice(compiled[0]).after


@pytest.mark.usefixtures("no_numpy_tables")
def test_a_verdict_comes_as_soon_as_a_puzzle_is_warm(make_app: MakeApp) -> None:
    app = make_app()
    warmup = cold(app, PUZZLES["hoppers"], PUZZLES["flip-it-6"])
    place = "/api/puzzles/flip-it-6/positions"
    start = app.test_client().get(f"{place}/{PUZZLES['flip-it-6'].start}").get_json()
    assert (start["verdict"], start["moves_left"], start["warming"]) == ("live", 8, [0, 2])  # from the atlas
    address = f"{place}/_wbbbb"
    answer = app.test_client().get(address)
    assert (answer.get_json()["verdict"], answer.get_json()["warming"]) == ("unknown", [0, 2])
    assert answer.headers["Cache-Control"] == "no-store"
    sheet = app.test_client().get("/puzzles/flip-it-6/print?position=_wbbbb").text
    assert "the solution will appear automatically" in sheet and "http-equiv" in sheet
    steps = app.test_client().get("/puzzles/flip-it-6/explore").text
    assert "will appear automatically" in steps and "too many" not in steps and '"preparing": true' in steps
    finish_warmup(warmup)
    assert "will appear automatically" not in app.test_client().get("/puzzles/flip-it-6/explore").text
    answer = app.test_client().get(address)
    assert (answer.get_json()["verdict"], answer.get_json()["warming"]) == ("live", None)
    sheet = app.test_client().get("/puzzles/flip-it-6/print?position=_wbbbb").text
    assert "will appear automatically" not in sheet and "http-equiv" not in sheet and 'class="num"' in sheet


def test_small_boards_are_answered_before_anything_is_compiled(make_app: MakeApp) -> None:
    app = make_app()
    cold(app, PUZZLES["hoppers"], PUZZLES["flip-it-6"])
    client, place = app.test_client(), "/api/puzzles/hoppers/positions/.oo.ooooooooo"
    answer = client.get(place).get_json()
    assert (answer["verdict"], answer["moves_left"]) == ("live", 6)
    assert all(step["verdict"] in {"live", "dead"} for step in answer["steps"])
    solution = client.get(f"{place}/solution").get_json()
    assert len(solution["moves"]) == 6 and solution["proved"]
    assert client.get(f"{place}/hint").get_json()["move"] == solution["moves"][0]
    listed = client.get(f"{place}/solutions").get_json()
    assert (listed["count"], listed["unique_count"], listed["counting"]) == (18, 9, None)
    assert solution["moves"] in listed["solutions"] and len(listed["solutions"]) == 18
    line = "/api/puzzles/hoppers/number?line=0-6.9-3.2-0-6.11-1.10-0-2-6.8-4.12-2-6"
    assert client.get(line).get_json()["number"] == 1
    assert sum(client.get("/api/puzzles/hoppers/distribution").get_json()["counts"]) == 2344
    assert 'data-moves-left="6"' in client.get("/puzzles/hoppers?position=.oo.ooooooooo&depth=study").text


ANSWERS_WHILE_WARMING = {
    "/api/puzzles/flip-it-6/positions/_wbbbb": '"warming":[',
    "/puzzles/flip-it-6?position=_wbbbb": '"warming": [',
    "/puzzles/flip-it-6/explore?position=_wbbbb": '"preparing": true',
    "/puzzles/flip-it-6/print?position=_wbbbb": "http-equiv",
}


@pytest.mark.usefixtures("no_numpy_tables")
@pytest.mark.parametrize(("address", "sign"), ANSWERS_WHILE_WARMING.items())
def test_kernels_that_become_ready_within_a_request_let_it_repeat(
    address: str, sign: str, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = make_app()
    warmup, request_thread = cold(app, PUZZLES["flip-it-6"]), threading.get_ident()

    def becoming_ready(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            found = function(*arguments, **options)
            if threading.get_ident() == request_thread:  # the warm-up itself calls the function, too
                finish_warmup(warmup)
            return found

        return call

    for name in ("graded", "solution"):
        monkeypatch.setattr(verdicts, name, becoming_ready(getattr(verdicts, name)))
    assert sign in app.test_client().get(address).text
    assert warmup.is_ready("flip-it-6")
    assert sign not in app.test_client().get(address).text


@pytest.mark.usefixtures("no_numpy_tables")
@pytest.mark.parametrize("what", ["", "/hint", "/solution", "/solutions"])
def test_request_waits_briefly_for_the_warm_up(
    what: str, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, is_asked = make_app(), threading.Event()
    puzzle = PUZZLES["flip-it-6"]
    monkeypatch.setattr("hoppers.jobs.kernel_warmup.load_answers", lambda puzzle: is_asked.wait())
    monkeypatch.setattr("hoppers.web.api.positions.VERDICT_WAIT_SECONDS", 60)
    warmup = cold(app, puzzle)

    def wait(puzzle_id: str, seconds: float) -> bool:
        is_asked.set()
        return Warmup.wait(warmup, puzzle_id, seconds)

    monkeypatch.setattr(warmup, "wait", wait)
    warmup.start()
    answer = app.test_client().get(f"/api/puzzles/{puzzle.id}/positions/{puzzle.start}{what}").get_json()
    assert answer["moves_left"] == 8 and is_asked.is_set()


@pytest.mark.usefixtures("no_numpy_tables")
def test_number_of_requests_that_wait_for_kernels_is_limited(
    make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, waiting, release = make_app(), threading.Semaphore(0), threading.Event()
    warmup, address = cold(app, PUZZLES["flip-it-6"]), "/api/puzzles/flip-it-6/positions/_wbbbb"

    def wait(puzzle_id: str, seconds: float) -> bool:
        waiting.release()
        return release.wait(20) and False

    def get(path: str = address) -> TestResponse:
        return app.test_client().get(path)

    monkeypatch.setattr(warmup, "wait", wait)
    with ThreadPoolExecutor(MAX_WAITING) as pool:
        answers = [pool.submit(get) for _ in range(MAX_WAITING)]
        assert all(waiting.acquire(timeout=20) for _ in answers)
        assert get().get_json()["warming"] == [0, 1]
        assert get(f"{address}/trace?method=deepening").get_json()["error"]["code"] == "warming_up"
        assert not any(answer.done() for answer in answers) and not waiting.acquire(blocking=False)
        release.set()
    assert [answer.result().get_json()["warming"] for answer in answers] == [[0, 1]] * MAX_WAITING
    assert get().status_code == 200 and waiting.acquire(blocking=False)


def test_requested_puzzle_is_warmed_next(make_app: MakeApp, monkeypatch: pytest.MonkeyPatch) -> None:
    app, order = make_app(), list[str]()
    monkeypatch.setattr("hoppers.jobs.kernel_warmup.load_answers", lambda puzzle: order.append(puzzle.id))
    warmup = cold(app, *PUZZLES.values())
    app.test_client().get("/puzzles/triangle-21/board.svg")
    finish_warmup(warmup)
    assert order[0] == "triangle-21" and sorted(order) == sorted(PUZZLES)
    assert warmup.progress() == (len(PUZZLES), len(PUZZLES))


def test_loading_runs_each_method_until_it_visits_a_position() -> None:
    """Limits below a lower bound are ruled out without the kernel of the search."""

    def search(question: Question) -> Iterator[Event]:
        return (Exhausted(limit, 0 if limit < 21 else 7, 0, 0.0) for limit in range(1, 40))

    puzzle = PUZZLES["flip-it-5"]
    bounded = puzzle.solving.methods["deepening"]._replace(search=search)
    solving = puzzle.solving._replace(methods={"bounded": bounded})
    engine = Engine({puzzle.id: replace(puzzle, solving=solving)})
    assert len(list(load_searches(engine, puzzle.id))) == 23


def test_warmed_board_with_a_table_answers_its_start() -> None:
    puzzle = PUZZLES["english-33"]
    warm(puzzle)
    goal, start = puzzle.parse_goal(None), puzzle.parse(puzzle.start)
    assert puzzle.source(goal).moves_left(start) != UNKNOWN
    assert verdicts.find_verdict(puzzle, goal, start).moves_left == 18


class ManualLoads:
    """Stand-in for `load_searches`, whose loads wait until `release` is set."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.loaded, self.release = list[str](), threading.Event()
        patch.setattr("hoppers.jobs.kernel_warmup.load_searches", self._load)

    def _load(self, engine: Engine, puzzle_id: str) -> Iterator[None]:
        self.release.wait(60)
        self.loaded.append(puzzle_id)
        yield


def with_searches(app: Flask, *puzzles: Puzzle) -> Warmup:
    """Give an application the warm-up of `puzzles`, also of their searches."""
    warmup = Warmup(app.extensions["engine"])
    warmup._ids = [puzzle.id for puzzle in puzzles]
    put_warmup(app, warmup)
    return warmup


def test_ready_and_warming_include_searches(make_app: MakeApp, monkeypatch: pytest.MonkeyPatch) -> None:
    app, loads = make_app(), ManualLoads(monkeypatch)
    warmup = with_searches(app, PUZZLES["hoppers"])
    warmup.start()
    client, place = app.test_client(), "/api/puzzles/hoppers/positions/.ooooo.oo.ooo"
    wait_for(lambda: warmup.can_answer("hoppers"))
    here = client.get(place).get_json()
    assert (here["verdict"], here["warming"]) == ("live", [0, 1])
    assert client.get(f"{place}/hint").get_json()["verdict"] == "live"
    early = client.get("/readyz")
    assert early.status_code == 503 and "0 of 1 puzzles" in early.get_json()["error"]["message"]
    loads.release.set()
    wait_for(lambda: client.get("/readyz").status_code == 200)
    assert client.get(place).get_json()["warming"] is None and loads.loaded == ["hoppers"]


def test_puzzle_that_cannot_be_loaded_is_never_ready(
    make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load(puzzle: Puzzle) -> None:
        if puzzle.id == "diamond-13":
            raise ZeroDivisionError

    app = make_app()
    monkeypatch.setattr("hoppers.jobs.kernel_warmup.load_answers", load)
    warmup = cold(app, PUZZLES["hoppers"], PUZZLES["diamond-13"], PUZZLES["triangle-21"])
    warmup.start()
    wait_for(lambda: warmup.progress() == (2, 3) and warmup.failed() == ["diamond-13"])
    answer = app.test_client().get("/readyz")
    message = answer.get_json()["error"]["message"]
    assert (answer.status_code, message) == (
        503,
        "2 of 3 puzzles are ready. These cannot be loaded: diamond-13.",
    )
    assert not Warmup.wait(warmup, "diamond-13", 60) and Warmup.wait(warmup, "hoppers", 60)


def test_requested_puzzle_is_loaded_next_in_both_stages(
    make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, loads, answered = make_app(), ManualLoads(monkeypatch), list[str]()
    load = "hoppers.jobs.kernel_warmup.load_answers"
    monkeypatch.setattr(load, lambda puzzle: answered.append(puzzle.id))
    warmup = with_searches(app, *(PUZZLES[id] for id in ("hoppers", "diamond-13", "triangle-21")))
    app.test_client().get("/puzzles/triangle-21/board.svg")
    loads.release.set()
    warmup.start()
    wait_for(lambda: warmup.is_ready(""))
    assert answered == loads.loaded == ["triangle-21", "hoppers", "diamond-13"]


def test_no_searches_are_loaded_in_advance_under_high_load(
    make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Loading takes at least a hundred megabytes, which the server needs under high load."""
    app, loads = make_app(), ManualLoads(monkeypatch)
    monkeypatch.setattr(app.extensions["engine"], "is_busy", lambda: True)
    warmup = with_searches(app, PUZZLES["hoppers"])
    finish_warmup(warmup)
    assert warmup.is_ready("") and loads.loaded == []


def test_searches_wait_for_the_compiler_only(make_app: MakeApp, monkeypatch: pytest.MonkeyPatch) -> None:
    listeners = list[object]()
    monkeypatch.setattr(Warmup, "start", lambda warmup: listeners.extend(warmup.compiler.listeners))
    app = make_app(WARM_UP=True)
    owners = [getattr(one, "__self__", None) for one in listeners]
    runners = [owner for owner in owners if isinstance(owner, Runner)]
    assert [runner._is_compiled for runner in runners] == [app.extensions["warmup"].compiler.is_compiled]
