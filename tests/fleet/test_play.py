"""Two servers and two workers together: events, games in browsers, shared proved answers."""

from contextlib import ExitStack

import pytest
from playwright.sync_api import Browser, expect

from hoppers.puzzles import PUZZLES
from hoppers.puzzles.sliding.pattern_source import PatternSource
from hoppers.tablebase.engine import Engine
from hoppers.web.app import answer_store
from hoppers.web.settings import Settings
from tests.browser.fixtures import LONG_GAME, by_clicks, press, verdict
from tests.browser.tabs import expect_faults, opened
from tests.fleet.fixtures import HOPPERS, LONG, Fleet, Player
from tests.support.engine import find
from tests.support.processes import wait_for
from tests.support.socket_client import Listener

pytestmark = pytest.mark.slow

CAPACITY = 8  # searches that a worker with one thread runs at a time
SHUFFLED = "5103648b29a7defc"
COSTLY = "1de968ca20537f4b"  # a position whose proof takes 208,970 nodes, enough to be saved


def test_fleet_emits_the_events_of_a_single_process(fleet: Fleet) -> None:
    client = Listener(fleet.servers[1].url)
    assert client.search("one", *HOPPERS, method="deepening", find="all", first_move=[0, 6]) == {"ok": True}
    events = [(name, fields) for name, fields in client.receive_to_end() if name != "queued"]
    rows = {fields["limit"]: fields["nodes"] for name, fields in events if name != "progress"}
    assert [rows[limit] for limit in range(2, 8)] == [18, 110, 638, 3010, 11520, 29554]
    name, solved = events[-1]
    assert (name, solved["limit"], solved["count"], solved["ticket"]) == ("solved", 7, 18, "one")
    assert client.search("two", "hoppers", "oo")["error"]["code"] == "invalid_position"
    client.leave()


def test_both_workers_run_searches(fleet: Fleet) -> None:
    with ExitStack() as stack:
        for number in range(CAPACITY + 1):
            client = Listener(fleet.servers[number % 2].url)
            stack.callback(client.leave)
            assert client.search("a", *LONG, method="deepening") == {"ok": True}
        wait_for(lambda: sum(fleet.searching()) == CAPACITY + 1 and min(fleet.searching()) >= 1)
    wait_for(lambda: sum(fleet.searching()) == 0)


@pytest.mark.browser
def test_two_pages_play_through_two_servers(fleet: Fleet, browser: Browser) -> None:
    with opened(browser, fleet.servers[0].url) as one, opened(browser, fleet.servers[1].url) as two:
        before = fleet.solved()
        for page in (one, two):
            page.goto("/puzzles/hoppers?depth=study")
            page.get_by_label("Method").select_option("deepening")
            press(page, "Search")
        for page in (one, two):
            expect(page.locator('[data-limit="7"]')).to_have_attribute("data-state", "solved")
            press(page, "Hint")
            expect(page.locator('[data-hint="from"]')).to_have_count(1)
            by_clicks(page, 0, 6)
            expect(verdict(page)).to_have_attribute("data-moves-left", "6")
    wait_for(lambda: sum(fleet.solved()) == sum(before) + 2)


@pytest.mark.browser
def test_page_works_while_its_server_is_down(fleet: Fleet, browser: Browser) -> None:
    server = fleet.servers[1]
    with opened(browser, server.url) as page:
        expect_faults(page, "WebSocket", "Failed to load resource")
        page.goto(LONG_GAME)
        page.get_by_label("Method").select_option("deepening")
        press(page, "Search")
        expect(page.locator('[data-limit="5"][data-state="exhausted"]')).to_be_visible(timeout=60_000)
        server.kill()
        expect(page.locator(".banner")).to_contain_text("You can keep playing")
        server.start()
        server.wait()
        expect(page.locator(".banner")).to_be_hidden(timeout=60_000)
        expect(page.locator("#solver .say")).not_to_contain_text("is repeating it")
        press(page, "Stop")
        expect(page.locator("#solver .say")).to_contain_text("Stopped.")
        limits = page.locator("[data-limit]").evaluate_all("(rows) => rows.map((row) => +row.dataset.limit)")
        assert limits == list(range(1, len(limits) + 1))


def test_answers_proved_by_a_worker_are_shared(fleet: Fleet, player: Player) -> None:
    puzzle = find("fifteen-puzzle")
    position = puzzle.parse(COSTLY)
    assert player.client.search("a", puzzle.id, COSTLY, fresh=True) == {"ok": True}
    name, solved = player.client.receive_to_end()[-1]
    answers = answer_store(Settings(queue_url=fleet.queue.url, answers_bytes=1_000_000))
    source = PatternSource(Engine(PUZZLES, answers=answers).find("fifteen-puzzle"))
    assert name == "solved"
    wait_for(lambda: source.known_answer(position).left >= 0)  # the answer is saved after the event is sent
    answer = source.known_answer(position)
    assert answer[:2] == (solved["limit"], "kept")
    line = puzzle.replay(position, answer.jumps)
    assert len(line) == solved["limit"] == len(solved["moves"])
    assert line[-1].after.state == puzzle.parse(puzzle.goal).state


@pytest.mark.browser
def test_page_works_while_redis_is_down(fleet: Fleet, browser: Browser) -> None:
    with opened(browser, fleet.servers[0].url) as page:
        page.goto(LONG_GAME)
        page.get_by_label("Method").select_option("deepening")
        press(page, "Search")
        expect(page.locator('[data-limit="5"][data-state="exhausted"]')).to_be_visible()
        fleet.queue.kill()
        press(page, "Hint")
        expect(page.locator('[data-hint="from"]')).to_have_count(1)
        stranger = Listener(fleet.servers[0].url)
        assert stranger.search("a", *HOPPERS)["error"]["code"] == "unreachable"
        fleet.queue.start()
        fleet.queue.wait()
        wait_for(lambda: stranger.search("b", *HOPPERS)["ok"])
        stranger.leave()
        last = page.locator("[data-limit]").count()
        expect(page.locator(f'[data-limit="{last + 2}"]')).to_be_visible(timeout=60_000)
        press(page, "Stop")
        expect(page.locator("#solver .say")).to_contain_text("Stopped.")
        limits = page.locator("[data-limit]").evaluate_all("(rows) => rows.map((row) => +row.dataset.limit)")
        assert limits == list(range(1, len(limits) + 1))
