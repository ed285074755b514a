"""The search panel in a browser: rows, proofs, pause and stop, and a server without tables."""

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import Browser, Page, expect

from hoppers import puzzles
from hoppers.analysis import verdicts
from hoppers.core.events import Event, Solved
from hoppers.core.model import UNKNOWN, KnownAnswer, Source
from hoppers.core.puzzle import Puzzle, Question
from tests.browser.fixtures import PHONE, assert_rows_add_up, hole, open_game, press, verdict
from tests.browser.tabs import OpenTab, expect_faults, opened
from tests.conftest import running_app, serving
from tests.support.engine import PUZZLES
from tests.support.search_panel import LIMITS, endless_puzzle

pytestmark = pytest.mark.browser

LESSON_NODES = ["17", "73", "441", "2553", "12041", "46081"]
"""Nodes of limits 1 to 6 by iterative deepening on the first puzzle (tests/puzzles/test_known_answers.py)."""

SAVES_DATA = "Object.defineProperty(navigator, 'connection', { value: { saveData: true } })"
"""Script for a browser that is asked to save data, so that pages load no tables."""


def first_puzzle() -> Puzzle:
    """Return the first puzzle of the gallery."""
    return next(iter(PUZZLES.values()))


def search(page: Page) -> None:
    """Start a search with the selected method."""
    page.get_by_role("button", name="Search", exact=True).click()


def deeper(page: Page, rows: int) -> None:
    """Search one more limit, and wait until there are `rows` rows and the search is paused."""
    press(page, "Next limit")
    expect(page.locator("[data-limit]")).to_have_count(rows)
    expect(page.locator(".state")).to_contain_text("paused")


def test_rows_arrive_in_order_and_stay(page: Page) -> None:
    """Two limits are searched one at a time, although each takes less than a frame, then the rest."""
    page.goto(f"/puzzles/{first_puzzle().id}?depth=study")
    rows, state = page.locator("[data-limit]"), page.locator(".state")
    expect(state).to_have_text("ready")
    for limit in (1, 2):
        deeper(page, limit)
        assert rows.evaluate_all("(rows) => rows.map((row) => row.dataset.nodes)") == LESSON_NODES[:limit]
    press(page, "Resume the search")
    last = page.locator('[data-limit="7"]')
    expect(last).to_have_attribute("data-state", "solved")
    assert rows.evaluate_all("(rows) => rows.map((row) => row.dataset.limit)") == list("1234567")
    exhausted = page.locator('[data-state="exhausted"]')
    assert exhausted.evaluate_all("(rows) => rows.map((row) => row.dataset.nodes)") == LESSON_NODES
    expect(page.locator("#solver .say")).to_contain_text("7 moves, and no fewer")
    expect(state).to_have_text("done")
    speed = page.locator("th.speed")
    expect(speed).to_be_hidden()
    page.set_viewport_size({"width": 1760, "height": 900})
    expect(speed).to_be_visible()
    press(page, "Next limit")
    expect(page.locator("#solver .say")).to_contain_text("Already proved: there is nothing deeper to search")
    expect(rows).to_have_count(7)
    for name in ("Stop", "Pause the search"):
        expect(page.get_by_role("button", name=name, exact=True)).to_be_disabled()


def test_first_row_is_shown_before_the_last(page: Page) -> None:
    """Rows that arrive within a millisecond are shown one after another."""
    page.goto(f"/puzzles/{first_puzzle().id}")
    page.evaluate("""() => {
      window.seen = [];
      const count = () => window.seen.push(document.querySelectorAll('[data-limit]').length);
      const rows = document.querySelector('.limits tbody:not(.known, .summary)');
      new MutationObserver(count).observe(rows, { childList: true });
    }""")
    search(page)
    expect(page.locator('[data-state="solved"]')).to_be_visible()
    seen = page.evaluate("() => window.seen")
    assert set(range(1, 8)) <= set(seen)


@pytest.mark.parametrize(("puzzle", "moves"), [("english-33", 18), ("fifteen-puzzle", 48)])
def test_search_runs_below_a_known_answer(page: Page, puzzle: str, moves: int) -> None:
    """The answer comes at once, in one row; the search from nothing below it begins without another press."""
    open_game(page, PUZZLES[puzzle])
    again = page.get_by_role("button", name="Search without known results", exact=True)
    known, rows = page.locator("[data-limit][data-known]"), page.locator("[data-limit]:not([data-known])")
    expect(again).to_be_hidden()
    search(page)
    expect(known).to_have_attribute("data-known", re.compile("table|atlas|kept"))
    assert known.evaluate("(row) => [row.dataset.limit, row.dataset.state, row.dataset.nodes]") == [
        str(moves),
        "solved",
        "0",
    ]
    expect(page.get_by_role("button", name="Show these moves")).to_be_visible()
    expect(rows.first).to_be_attached(timeout=150_000)
    expect(page.locator("#known")).to_have_text(f"{moves} moves")
    solved = page.locator('[data-state="solved"]:not([data-known])')
    expect(solved).to_have_attribute("data-limit", str(moves), timeout=150_000)
    expect(again).to_be_hidden()
    expect(page.locator("#known")).to_be_hidden()
    expect(page.locator("#solver .say")).to_contain_text("every smaller limit is ruled out")
    expect(known).to_have_count(1)
    nodes = rows.evaluate_all("(rows) => rows.map((row) => Number(row.dataset.nodes))")
    assert len(nodes) >= 4 and sum(nodes) > 0
    expect(page.locator("#total")).to_have_text(f"{sum(nodes):,}")


def test_one_deeper_goes_on_below_a_known_answer(page: Page) -> None:
    page.goto("/puzzles/diamond-41?depth=study")
    page.get_by_role("button", name="Next limit").click()
    expect(page.locator("[data-known]")).to_have_attribute("data-limit", "26")
    expect(page.locator("#solver .say")).to_contain_text("Paused before limit 2.", timeout=150_000)
    press(page, "Next limit")
    expect(page.locator("#solver .say")).to_contain_text("Paused before limit 3.")
    press(page, "Stop")
    told = re.compile(
        r"^Stopped\. Proved by this search: no solution in (\d+) moves or fewer\. Known: 26 moves\.$"
    )
    expect(page.locator("#solver .say")).to_have_text(told)
    found = told.match(page.locator("#solver .say").inner_text())  # the server may be ahead of the page
    assert found is not None
    expect(page.locator("#proved")).to_have_text(f"at least {int(found[1]) + 1}")
    expect(page.locator("#known")).to_have_text("26 moves")
    press(page, "Next limit")
    expect(page.locator("#solver .say")).to_contain_text(
        f"Paused before limit {int(found[1]) + 2}.", timeout=150_000
    )
    expect(page.locator("[data-known]")).to_have_count(1)


SCALE = """() => {
  const head = document.querySelector('.limits .scale').getBoundingClientRect();
  const labels = [...document.querySelectorAll('.sc-text')].map((label) => label.getBoundingClientRect());
  const bar = document.querySelector('.limits .bar svg').getBoundingClientRect();
  const isWhole = ({ left, right }) => head.left <= left && right <= head.right;
  return [bar.width, labels.length, labels.every(isWhole)];
}"""
"""Script that returns the width of the bars, the number of labels, and whether none is cut."""


def test_bars_are_wide_and_no_label_is_cut(page: Page) -> None:
    page.goto(f"/puzzles/{first_puzzle().id}")
    search(page)
    expect(page.locator('[data-state="solved"]')).to_be_attached()
    for width in (340, 360, 390, 430, 768, 1024, 1280, 1500, 1920):
        page.set_viewport_size({"width": width, "height": 800})
        bar, labels, is_whole = page.evaluate(SCALE)
        assert bar >= 96 and labels >= 2 and is_whole, width
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, width


def test_limits_ruled_out_at_once_are_folded(page: Page) -> None:
    page.goto("/puzzles/english-33")
    search(page)
    summary = page.locator(".summary tr")
    expect(summary).to_contain_text("ruled out at once", timeout=150_000)
    first = page.locator('[data-limit="1"]:not([data-known])')
    folded = first.bounding_box()
    assert folded is not None and folded["height"] < 4
    summary.get_by_role("button", name="show").press("Enter")
    expect(summary).to_have_count(0)
    opened = first.bounding_box()
    assert opened is not None and opened["height"] > 20


def test_solved_position_starts_no_search(page: Page) -> None:
    page.goto(f"/puzzles/{first_puzzle().id}?position=......o......")
    expect(verdict(page)).to_have_attribute("data-verdict", "solved")
    search(page)
    expect(page.locator("#solver .say")).to_have_text("Already solved: there is nothing to search.")
    expect(page.locator("[data-limit]")).to_have_count(0)


def test_found_solution_can_be_shown(page: Page) -> None:
    page.goto(f"/puzzles/{first_puzzle().id}?line=0-6")
    elsewhere = page.locator(".elsewhere")
    search(page)
    expect(page.locator('[data-state="solved"]')).to_be_visible()
    press(page, "Undo")
    expect(elsewhere).to_contain_text("This search was for another position")
    press(page, "Back to that position")
    expect(verdict(page)).to_contain_text("1 move, 11 pegs")
    expect(elsewhere).to_be_hidden()
    page.get_by_role("button", name="Show these moves").click()
    page.get_by_role("button", name="Last", exact=True).click()
    expect(verdict(page)).to_contain_text("7 moves, 1 peg")
    expect(elsewhere).to_be_hidden()
    page.locator('[data-player="back"]').click()
    search(page)  # a position of the solution that plays
    page.get_by_role("button", name="Last", exact=True).click()
    expect(elsewhere).to_be_hidden()
    page.get_by_role("button", name="Back to my game").click()
    expect(verdict(page)).to_contain_text("1 move, 11 pegs")


def test_unproved_solution_is_labelled_and_can_be_played(unproved_page: Page) -> None:
    """The page shows the solution found, the proved lower bound next to it, and no "fewest"."""
    page = unproved_page
    largest = max(PUZZLES.values(), key=lambda puzzle: puzzle.holes * puzzle.rules.multi_step_moves)
    page.goto(f"/puzzles/{largest.id}?depth=study")
    page.get_by_label("Method").select_option("best")
    search(page)
    expect(page.locator(".found-note")).to_contain_text("Best known: ", timeout=150_000)
    expect(page.locator('[data-limit="12"][data-state="exhausted"]')).to_be_visible(timeout=150_000)
    expect(page.locator(".found-note")).to_contain_text(re.compile(r"Proved: at least (1[3-9]|2)"))
    page.get_by_role("button", name="Stop", exact=True).click()
    assert_rows_add_up(page)
    page.get_by_role("button", name="Show these moves").click()
    expect(page.locator(".player h2")).to_contain_text("not proved shortest")
    page.get_by_role("button", name="Last", exact=True).click()
    expect(verdict(page)).to_contain_text("1 peg")
    expect(verdict(page)).not_to_contain_text("fewest")
    page.get_by_role("button", name="Back to my game").click()
    expect(verdict(page)).to_contain_text(f"{largest.holes - 1} pegs")


def test_pause_and_stop_keep_proved_rows(page: Page) -> None:
    """One more limit may follow, after a pause and after a stop."""
    long = endless_puzzle()
    open_game(page, long)
    page.get_by_label("Method").select_option("deepening")
    search(page)
    expect(page.locator('[data-limit="6"][data-state="exhausted"]')).to_be_visible()
    page.locator("#pause").press("Enter")  # by a key: new rows move the table under a pointer
    expect(page.locator(".state")).to_contain_text("paused")
    expect(page.get_by_role("button", name="Resume the search", exact=True)).to_be_focused()
    expect(page.locator('[data-state="searching"]', has_text="searching")).to_have_count(0)
    proved = page.locator('[data-state="exhausted"]')
    steps = page.request.get(f"/api/puzzles/{long.id}/positions/{long.start}").json()["steps"]
    hole(page, steps[0]["from"]).click()
    expect(verdict(page)).to_contain_text("1 move")
    press(page, "Undo")
    held = proved.count()
    press(page, "Next limit")
    expect(proved).to_have_count(held + 1)
    expect(page.locator(".state")).to_contain_text("paused")
    press(page, "Stop")
    expect(page.locator("#solver .say")).to_contain_text("Stopped.")
    stopped = proved.count()
    said = page.locator("#solver .say").inner_text()
    assert said.startswith(f"Stopped. Proved by this search: no solution in {stopped} moves or fewer.")
    known = verdict(page).get_attribute("data-moves-left") or verdict(page).get_attribute("data-least")
    is_higher = int(known or 0) > stopped + 1
    assert ("Known: " in said) == is_higher
    assert not is_higher or re.search(rf"Known: (at least )?{known} moves\.", said)
    expect(page.locator('[data-state="searching"]')).to_have_count(0)
    expect(page.locator("#proved")).to_have_text(f"at least {stopped + 1}")
    assert_rows_add_up(page)
    deeper(page, stopped + 1)
    expect(page.locator("#solver .say")).to_contain_text(f"Paused before limit {stopped + 2}.")
    expect(page.get_by_role("button", name="Next limit", exact=True)).to_be_in_viewport(ratio=1)
    assert proved.evaluate_all(LIMITS) == [*range(1, stopped + 2)]


def test_search_and_server_are_named_for_what_each_has_proved(page: Page) -> None:
    """One limit of a search proves less than the table, which knows the fewest moves."""
    page.goto("/puzzles/triangle-21?depth=study")
    expect(verdict(page)).to_have_attribute("data-moves-left", "12")
    page.get_by_label("Method").select_option("deepening")
    for limit in (1, 2, 3):
        deeper(page, limit)
    expect(page.locator("#solver .say")).to_have_text(
        "Proved: no solution in 3 moves or fewer. Paused before limit 4."
    )
    expect(page.locator("#proved")).to_have_text("at least 4")
    press(page, "Stop")
    expect(page.locator("#solver .say")).to_contain_text("Stopped.")
    ruled_out = page.locator('[data-state="exhausted"]').count()  # some rows may have been on their way
    expect(page.locator("#solver .say")).to_have_text(
        f"Stopped. Proved by this search: no solution in {ruled_out} moves or fewer. Known: 12 moves."
    )
    expect(page.locator("#proved")).to_have_text(f"at least {ruled_out + 1}")


def test_unsolvable_position_is_reported_as_proved(page: Page) -> None:
    page.goto(f"/puzzles/{first_puzzle().id}?position=o...........o&goal=any&depth=study")
    expect(verdict(page)).to_have_attribute("data-verdict", "dead")
    search(page)
    expect(page.locator("#solver .say")).to_contain_text("Proved unsolvable")
    expect(page.locator("#proved")).to_have_text("no solution")


def test_failed_client_is_said_and_loaded_by_the_next_press(page: Page) -> None:
    """The page loads the client of the channel for its first search, and only then."""
    client = re.compile(r"/vendor/")
    expect_faults(page, "ERR_FAILED")
    page.goto(f"/puzzles/{first_puzzle().id}?depth=study&position=o...........o&goal=any")
    expect(verdict(page)).to_have_attribute("data-verdict", "dead")
    page.route(client, lambda route: route.abort())
    search(page)
    expect(page.locator("#solver .say")).to_contain_text("searching needs the server")
    page.unroute(client)
    search(page)
    expect(page.locator("#solver .say")).to_contain_text("Proved unsolvable")


def test_unknown_verdict_changes_when_its_table_is_ready(
    browser: Browser, slow_preparation: list[float]
) -> None:
    with running_app() as app, serving(app) as url, opened(browser, url) as page:
        page.goto(f"/puzzles/{first_puzzle().id}?depth=study")
        expect(page.locator(".machine")).to_contain_text("40% done")
        expect(page.locator("#ask-proof")).to_be_hidden()
        slow_preparation.clear()
        expect(verdict(page)).to_have_attribute("data-verdict", "live")
        expect(page.locator(".machine")).to_be_empty()


@pytest.fixture
def slow_preparation(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Progress of a computation that the server reports until a test empties this list."""
    progress, known = [0.4], verdicts.find_verdict
    unknown = verdicts.UNDECIDED
    monkeypatch.setattr(
        verdicts, "find_verdict", lambda *arguments: unknown if progress else known(*arguments)
    )
    monkeypatch.setattr(Source, "progress", lambda source, position: progress[0] if progress else None)
    return progress


def test_requested_proof_is_run_and_stored(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the server is not working on the position, the page offers a proof and uses its result."""
    puzzle, learnt = first_puzzle(), list[int]()
    look_up, events = vars(verdicts)["_find"], puzzle.solving.methods["best"].search

    def search(question: Question) -> Iterator[Event]:
        for event in events(question):
            learnt.extend([1] * isinstance(event, Solved))
            yield event

    unknown = verdicts.UNDECIDED, KnownAnswer(UNKNOWN)
    best = puzzle.solving.methods["best"]._replace(search=search, may_look_up=lambda question: False)
    monkeypatch.setattr(verdicts, "_find", lambda *asked: look_up(*asked) if learnt else unknown)
    methods = {**puzzle.solving.methods, "best": best}
    monkeypatch.setitem(
        puzzles.PUZZLES, puzzle.id, replace(puzzle, solving=puzzle.solving._replace(methods=methods))
    )
    with running_app() as app, serving(app) as url, opened(browser, url) as page:
        page.add_init_script(SAVES_DATA)  # without a table of its own, the page depends on the server
        page.goto(f"/puzzles/{puzzle.id}?position=oo..oo.oooo.o&depth=study")  # on no line of the atlas
        expect(verdict(page)).to_have_attribute("data-verdict", "unknown")
        page.get_by_role("button", name="Prove the fewest moves").click()
        expect(page.locator('[data-limit="5"]')).to_have_attribute("data-state", "solved")
        expect(verdict(page)).to_have_attribute("data-verdict", "live")
        expect(page.get_by_role("button", name="Prove the fewest moves")).to_be_hidden()


@pytest.mark.browser
def test_ruled_out_limits_are_in_sight_on_a_phone(open_tab: OpenTab) -> None:
    """One row per limit, without a scroll; rules and verdict make room, and heads do not run together."""
    with open_tab(viewport=PHONE, has_touch=True) as page:
        page.goto("/puzzles/hoppers?depth=study")
        page.locator("#tab-solver").click()
        page.locator("#method").select_option("deepening")
        page.get_by_role("button", name="Search", exact=True).click()
        expect(page.locator('.limits [data-state="solved"]')).to_be_visible(timeout=30_000)
        for limit in range(1, 8):
            expect(page.locator(f'.limits tr[data-limit="{limit}"]')).to_be_in_viewport(ratio=1)
        expect(page.locator(".verdict")).to_be_hidden()
        heads = page.locator(".limits thead th:not(.scale):visible").evaluate_all(
            "(all) => all.map((head) => [head.scrollWidth - head.clientWidth, head.innerText])"
        )
        assert [name for wide, name in heads if wide > 0] == []


HOLD_FILM = """(() => {
  const [now, said] = [performance.now.bind(performance), '2 moves are not enough: ruled out at once.'];
  let held = null;
  performance.now = () => held ?? now();
  new MutationObserver(() => {
    if (document.querySelector('#solver .say')?.textContent.trim() === said) held ??= now();
  }).observe(document, { subtree: true, childList: true, characterData: true });
})()"""
"""Script that stops the time of a page when its film rules out two moves, so that the sentence stays."""


@pytest.mark.motion
@pytest.mark.own_tab
def test_proof_is_a_film_that_any_key_ends(page: Page) -> None:
    """Its first rows come one after another, with nothing else in sight; the rest comes with a key."""
    page.add_init_script(HOLD_FILM)
    page.goto(f"/puzzles/{first_puzzle().id}?depth=study&search&card=hoppers/1")
    rows, others = page.locator("[data-limit]"), page.locator("#method, #pause, #total, #in-sentences")
    expect(page.locator("#solver .say")).to_have_text("2 moves are not enough: ruled out at once.")
    assert rows.count() < 5
    expect(page.locator(".replay")).to_contain_text("The search is done; this replays it")
    assert not others.evaluate_all("(parts) => parts.some((part) => part.checkVisibility())")
    page.keyboard.press("x")
    expect(page.locator("#solver .say")).to_have_text(
        "7 moves, and no fewer: every smaller limit is ruled out."
    )
    assert rows.evaluate_all("(rows) => rows.map((row) => row.dataset.limit)") == list("1234567")
    expect(page.locator(".replay")).to_be_hidden()
    assert others.evaluate_all("(parts) => parts.every((part) => part.checkVisibility())")
