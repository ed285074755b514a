"""More searches than may take turns: they queue, their places are reported, and all make progress."""

import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, expect

from hoppers.jobs.search_job import Job
from hoppers.puzzles import PUZZLES
from hoppers.runtime import scheduler
from hoppers.runtime.scheduler import MAX_SHARING
from tests.browser.fixtures import press
from tests.browser.tabs import opened
from tests.conftest import Connect, Serve
from tests.support.processes import wait_for
from tests.support.scripted_searches import TIMEOUT_SECONDS, Script, Searches, endless, run, three_limits

pytestmark = pytest.mark.slow

LONG = ("fifteen-puzzle", "0c9dfbae37624851")
LONGER = ("english-33", PUZZLES["english-33"].start)


@pytest.fixture
def searches() -> Iterator[Searches]:
    searches = Searches(most=40)
    yield searches
    searches.close()


def places(script: Script) -> list[int]:
    return [fields["ahead"] for name, fields in script.sent if name == "queued"]


def wait_for_place(script: Script, place: int) -> None:
    until = time.monotonic() + TIMEOUT_SECONDS
    while places(script)[-1:] != [place]:
        assert time.monotonic() < until
        time.sleep(0.001)


def fill_places(searches: Searches) -> list[Script]:
    """Start MAX_SHARING searches, the most that take turns."""
    return [run(searches, Script(endless, player=str(number))) for number in range(MAX_SHARING)]


def test_a_waiting_search_reports_its_place_and_moves_up(searches: Searches) -> None:
    sharing = fill_places(searches)
    first = run(searches, Script(endless, player="first"))
    wait_for_place(first, 0)
    second = run(searches, Script(endless, player="second"))
    wait_for_place(second, 1)
    searches.stop("first", "t")
    wait_for_place(second, 0)
    before = second.turns
    searches.stop("0", "t")
    while second.turns == before:
        time.sleep(0.001)
    assert places(second) == [1, 0]
    assert [places(script) for script in sharing] == [[]] * MAX_SHARING


def test_a_new_search_gets_an_early_turn(searches: Searches) -> None:
    others = [run(searches, Script(endless, player=str(number))) for number in range(7)]
    assert others[-1].started.wait(TIMEOUT_SECONDS)
    with searches.scheduler._changed:  # no thread of the scheduler takes a task meanwhile
        new = run(searches, Script(three_limits, player="new"))
        first = searches.scheduler._first()
        assert first is not None and first.id == searches.sessions.find("new", "t")
    assert new.ended.wait(TIMEOUT_SECONDS)


def test_sending_places_delays_no_search(searches: Searches, monkeypatch: pytest.MonkeyPatch) -> None:
    fill_places(searches)
    slow = Script(endless, player="slow")
    telling, may_end = threading.Event(), threading.Event()

    def queued(ahead: int) -> None:
        telling.set()
        assert may_end.wait(TIMEOUT_SECONDS)

    monkeypatch.setattr(Job, "report_queued", lambda job, ahead: queued(ahead))
    run(searches, slow)
    assert telling.wait(TIMEOUT_SECONDS)
    with ThreadPoolExecutor(1) as executor:
        assert executor.submit(searches.runner.counts).result(TIMEOUT_SECONDS)["queued"] == 1
    may_end.set()


def test_a_short_search_never_waits(searches: Searches) -> None:
    fill_places(searches)
    wait_for_place(run(searches, Script(endless, player="waits")), 0)
    short = run(searches, Script(three_limits, player="short"))
    assert short.ended.wait(TIMEOUT_SECONDS)
    assert short.names == ["exhausted", "exhausted", "solved"]


def test_a_client_takes_a_place_from_the_one_with_most(searches: Searches) -> None:
    many = [run(searches, Script(endless, player=str(n), client="many")) for n in range(MAX_SHARING + 2)]
    wait_for_place(many[-1], 1)
    others = [run(searches, Script(endless, player=player, client="two")) for player in "ab"]
    newest = many[MAX_SHARING - 2 : MAX_SHARING]
    wait_for(lambda: sorted(places(script)[-1:] for script in newest) == [[2], [3]])
    assert [places(script) for script in others] == [[], []]


def test_first_search_of_a_client_begins_without_a_place(
    searches: Searches, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduler, "SHARE_SECONDS", 1e9)
    fill_places(searches)
    waits = run(searches, Script(endless, player="waits"))
    wait_for_place(waits, 0)
    assert waits.turns > 2 * 0.02 / 0.005
    turns = waits.turns
    time.sleep(0.2)
    assert waits.turns == turns


def test_all_searches_get_a_share_of_time(searches: Searches, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduler, "SHARE_SECONDS", 0.03)
    scripts = [run(searches, Script(endless, player=str(number))) for number in range(2 * MAX_SHARING)]
    while min(script.turns for script in scripts) < 100:
        time.sleep(0.01)
    assert max(script.turns for script in scripts) < 400


def test_waiting_searches_can_be_paused_and_stopped(searches: Searches) -> None:
    fill_places(searches)
    waits = run(searches, Script(endless, player="waits"))
    wait_for_place(waits, 0)
    searches.pause("waits", "t")
    behind = run(searches, Script(endless, player="behind"))
    wait_for_place(behind, 0)
    searches.resume("waits", "t")
    wait_for_place(waits, 1)
    searches.stop("waits", "t")
    assert waits.names[-1] == "stopped"
    assert waits.closed.wait(TIMEOUT_SECONDS)


def test_resuming_a_search_that_waits_keeps_its_place(searches: Searches) -> None:
    fill_places(searches)
    waiting = [run(searches, Script(endless, player=player)) for player in ("first", "second")]
    for place, script in enumerate(waiting):
        wait_for_place(script, place)
    with searches.scheduler._changed:  # no search is started or queued again meanwhile
        before = searches.scheduler._queued()
        searches.resume("first", "t")
        assert searches.scheduler._queued() == before


def test_a_client_receives_its_place(serve: Serve, connect: Connect) -> None:
    url = serve(SEARCH_THREADS=1)
    for _ in range(MAX_SHARING):
        connect(url).search("a", *LONG, method="deepening")
    client = connect(url)
    client.search("b", *LONG, method="deepening")
    assert client.receive_until("queued")[-1] == ("queued", {"ticket": "b", "ahead": 0})


def test_full_server_answers_hints_for_every_puzzle(serve: Serve, connect: Connect) -> None:
    url = serve(SEARCH_THREADS=1, SEARCHES=MAX_SHARING + 1)
    searching = [connect(url) for _ in range(MAX_SHARING + 1)]
    for client in searching:
        assert client.search("long", *LONGER, method="deepening")["ok"]
    assert searching[-1].receive_until("queued")[-1] == ("queued", {"ticket": "long", "ahead": 0})
    assert connect(url).search("one more", *LONGER, method="deepening")["error"]["code"] == "busy"
    for puzzle in filter(lambda puzzle: puzzle.gallery.featured, PUZZLES.values()):
        with urlopen(f"{url}/api/puzzles/{puzzle.id}/positions/{puzzle.start}/hint") as answer:
            hint = json.load(answer)
        assert (hint["verdict"] == "live") == bool(hint["move"])
        assert hint["proved"] == (hint["moves_left"] is not None)
    for client in searching:
        client.call("stop", {"ticket": "long"})
        assert client.receive_to_end()[-1][0] == "stopped"


@pytest.fixture
def lazy_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Delay each slice by 50 ms, and let queued searches move up only when another is stopped."""
    step = Job.step

    def rest_and_step(job: Job) -> None:
        time.sleep(0.05)
        step(job)

    monkeypatch.setattr(Job, "step", rest_and_step)
    monkeypatch.setattr(scheduler, "SHARE_SECONDS", 1e9)


@pytest.mark.browser
@pytest.mark.usefixtures("lazy_searches")
def test_page_shows_how_many_searches_are_ahead(serve: Serve, connect: Connect, browser: Browser) -> None:
    url = serve(SEARCH_THREADS=1)
    clients = [connect(url) for _ in range(MAX_SHARING + 1)]
    for client in clients:
        assert client.search("long", *LONGER, method="deepening")["ok"]
    clients[-1].receive_until("queued")
    with opened(browser, url) as page:
        page.goto(f"/puzzles/{LONGER[0]}?depth=study")
        page.get_by_label("Method").select_option("deepening")
        press(page, "Search")
        state = page.locator(".state")
        expect(state).to_have_text("queued: 1 search ahead")
        clients[-1].call("stop", {"ticket": "long"})
        expect(state).to_have_text("queued: next in line")
        clients[0].call("stop", {"ticket": "long"})
        expect(state).to_have_text("running")


@pytest.mark.browser
@pytest.mark.usefixtures("lazy_searches")
def test_race_shows_how_many_searches_are_ahead(serve: Serve, connect: Connect, browser: Browser) -> None:
    url = serve(SEARCH_THREADS=1)
    clients = [connect(url) for _ in range(MAX_SHARING)]
    for client in clients:
        assert client.search("long", *LONGER, method="deepening")["ok"]
    with opened(browser, url) as page:
        page.goto(f"/puzzles/{LONG[0]}/race?position={LONG[1]}&methods=deepening,manhattan")
        press(page, "Start the race")
        states = page.locator(".lane-state")
        expect(states).to_have_text(["queued: next in line", "queued: 1 search ahead"])
        clients[0].call("stop", {"ticket": "long"})
        expect(states).to_have_text(["running", "queued: next in line"])
        press(page, "Pause Manhattan distance (as printed)")
        expect(states).to_have_text(["running", "paused"])
        press(page, "Resume Manhattan distance (as printed)")
        expect(states).to_have_text(["running", "queued: next in line"])
        clients[1].call("stop", {"ticket": "long"})
        expect(states).to_have_text(["running", "running"])


def test_each_refusal_is_sent_at_once(serve: Serve, connect: Connect) -> None:
    url = serve(SEARCH_THREADS=1, SEARCHES=4)
    for _ in range(4):
        assert connect(url).search("long", *LONGER, method="deepening")["ok"]
    client = connect(url)
    for _ in range(21):
        assert client.search("one more", *LONGER)["error"]["code"] == "busy"
