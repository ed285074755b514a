"""Small and large screens, the first moments of a page, and what it weighs."""

import json
import re

import pytest
from playwright.sync_api import Browser, Page, Route, ViewportSize, expect

from server.puzzle import Puzzle
from server.puzzles import PUZZLES

from .browser_fixtures import (
    KINDS,
    PHONE,
    ask,
    browser,
    by_clicks,
    each_kind,
    hole,
    moves_of,
    open_game,
    opened,
    page,
    press,
    square,
    steps_of,
    verdict,
)

__all__ = ["browser", "page"]

pytestmark = pytest.mark.browser

LYING: ViewportSize = {"width": 740, "height": 360}
EASY_TARGET = 44
MOST_BYTES, MOST_REQUESTS = 150_000, 60
SLOW = {"offline": False, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 90_000}
"""A slow phone network: 150 ms there and back, 1.6 megabits a second."""
SLOWER_PROCESSOR = 4
RESULTS = f"puzzles/results/{square().id}"
GLOWING = """[...document.querySelectorAll('.spot')].filter((spot) => {
  const { content, display } = getComputedStyle(spot, '::after');
  return content !== 'none' && display !== 'none';
}).map((spot) => Number(spot.dataset.hole))"""
FIRST_PAINT = """() => new Promise((done) => {
  const first = (list) => list.getEntriesByName('first-contentful-paint').map((at) => done(at.startTime));
  new PerformanceObserver(first).observe({ type: 'paint', buffered: true });
})"""
SHIFTS = """() => new Promise((done) => {
  let sum = 0;
  new PerformanceObserver((list) => list.getEntries().forEach((entry) => (sum += entry.value)))
    .observe({ type: 'layout-shift', buffered: true });
  setTimeout(() => done(sum), 200);
})"""


def slow_phone(page: Page) -> None:
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", SLOW)
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER_PROCESSOR})


@each_kind
def test_board_and_rules_are_painted_before_any_script(
    browser: Browser, live_server: str, puzzle: Puzzle
) -> None:
    """On a slow phone. Only the script that picks light or dark may come: it must run before the paint."""
    held: list[Route] = []
    with opened(browser, live_server, viewport=PHONE, has_touch=True) as page:
        page.request.get(f"/puzzles/{puzzle.id}")
        slow_phone(page)
        page.route(re.compile(r"\.js$"), lambda route: held.append(route))
        page.route("**/theme.js", lambda route: route.continue_())
        page.goto(f"/puzzles/{puzzle.id}", wait_until="commit")
        print(f"first paint of {puzzle.id} after {page.evaluate(FIRST_PAINT):.0f} ms")
        pieces = sum(cell in puzzle.alphabet[1:] for cell in puzzle.start)
        expect(page.locator(".board [data-at]")).to_have_count(pieces)
        expect(page.locator(".board svg")).to_be_visible()
        expect(page.locator(".note")).to_have_text(puzzle.objective.en)
        assert page.locator("[data-movable]").count() == 0
        page.unroute(re.compile(r"\.js$"))
        for route in held:
            route.continue_()
        expect(page.locator("[data-movable]").first).to_be_attached()
        assert page.evaluate(SHIFTS) < 0.02


@pytest.mark.parametrize("path", ["/", f"/puzzles/{square().id}"])
def test_page_is_light_with_everything(page: Page, path: str) -> None:
    sizes: list[int] = []
    page.on("requestfinished", lambda request: sizes.append(request.sizes()["responseBodySize"]))
    page.goto(path, wait_until="networkidle")
    assert sum(sizes) < MOST_BYTES
    assert len(sizes) < MOST_REQUESTS


def test_phone_lying_down_has_the_board_on_the_left(browser: Browser, live_server: str) -> None:
    with opened(browser, live_server, viewport=LYING, has_touch=True) as page:
        for puzzle in KINDS.values():
            open_game(page, puzzle)
            names = (".board", ".status", ".controls", ".panel")
            boxes = [page.locator(name).bounding_box() for name in names]
            board, *rest = [box for box in boxes if box]
            assert len(rest) == 3
            assert board["y"] + board["height"] <= LYING["height"]
            assert all(box["x"] >= board["x"] + board["width"] for box in rest)
            assert all(box["y"] + box["height"] <= LYING["height"] + 1 for box in rest)
            for name in ("Undo", "Solution", "Search", "Stop"):
                expect(page.get_by_role("button", name=name, exact=True)).to_be_in_viewport(ratio=1)


def test_sheet_takes_room_from_the_board_and_gives_it_back(browser: Browser, live_server: str) -> None:
    with opened(browser, live_server, viewport=PHONE, has_touch=True) as page:
        open_game(page, square())
        board, panel = page.locator(".board"), page.locator(".panel")
        wide, low = board.bounding_box(), panel.bounding_box()
        press(page, "Solution")
        expect(page.locator(".player")).to_be_visible()
        narrow, high = board.bounding_box(), panel.bounding_box()
        assert wide and low and narrow and high
        assert narrow["width"] < wide["width"] and high["height"] > 1.5 * low["height"]
        assert high["height"] < 0.6 * PHONE["height"]
        expect(board).to_be_in_viewport(ratio=1)
        press(page, "Back to my game")
        assert board.bounding_box() == wide
        page.get_by_role("tab", name="Solver").tap()
        assert board.bounding_box() == narrow
        page.get_by_role("tab", name="Solver").tap()
        assert board.bounding_box() == wide


def test_board_of_many_holes_can_be_drawn_large(browser: Browser, live_server: str) -> None:
    puzzle = max((puzzle for puzzle in PUZZLES.values() if puzzle.chains), key=lambda puzzle: puzzle.holes)
    with opened(browser, live_server, viewport=PHONE, has_touch=True) as page:
        open_game(page, puzzle)
        press(page, "Larger board")
        page.reload()
        expect(page.get_by_role("button", name="Larger board")).to_have_attribute("aria-pressed", "true")
        box = hole(page, 0).bounding_box()
        assert box is not None and box["width"] >= EASY_TARGET
        step = page.request.get(f"/api/puzzles/{puzzle.id}/positions/{puzzle.start}").json()["steps"][0]
        hole(page, step["from"]).tap()
        hole(page, step["to"]).tap()
        expect(verdict(page)).to_contain_text("1 move")
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    with opened(browser, live_server) as page:
        open_game(page, puzzle)
        expect(page.get_by_role("button", name="Larger board")).to_be_hidden()


def faint(page: Page) -> list[str]:
    """Which parts of the page do not show."""
    parts = {
        "panel": ".panel",
        "keys": ".controls",
        "shelf": ".shelf",
        "board": ".board",
        "status": ".status",
    }
    return [
        name
        for name, at in parts.items()
        if page.locator(at).evaluate("(part) => getComputedStyle(part).opacity") == "0"
    ]


@pytest.mark.parametrize("way", ["step", "key", "pointer", "link"])
def test_first_visit_begins_with_the_board_and_the_rules(
    browser: Browser, live_server: str, way: str
) -> None:
    with opened(browser, live_server, reduced_motion="reduce") as page:
        if way == "link":
            open_game(page, square(), "?line=0-6")
            return expect(page.locator("html")).not_to_have_attribute("data-quiet", "")
        open_game(page, square())
        assert faint(page) == ["panel", "keys", "shelf"]
        {
            "step": lambda: by_clicks(page, 0, 6),
            "key": lambda: page.keyboard.press("Tab"),
            "pointer": lambda: page.locator("#search").hover(),
        }[way]()
        expect(page.locator("html")).not_to_have_attribute("data-quiet", "")
        assert faint(page) == []
    return None


@each_kind
def test_nothing_overlaps_on_a_small_desktop(page: Page, puzzle: Puzzle) -> None:
    """Whatever is offered under the board, the keys lie below it and above the edge."""
    open_game(page, puzzle)
    page.locator("#replay, #start-here, #ask-proof").evaluate_all(
        "(all) => all.forEach((one) => (one.hidden = false))"
    )
    status, keys = page.locator(".status").bounding_box(), page.locator(".controls").bounding_box()
    inside = page.locator(".status").evaluate("(part) => part.scrollHeight <= part.clientHeight + 1")
    assert status and keys and inside
    assert status["y"] + status["height"] <= keys["y"]
    assert keys["y"] + keys["height"] <= 800


def test_first_visit_shows_a_piece_that_can_move(page: Page) -> None:
    open_game(page, square())
    page.locator("[data-movable]").first.wait_for(state="attached")
    (number,) = page.evaluate(GLOWING)
    assert number in {step["from"] for step in ask(page, square())["steps"]}
    by_clicks(page, 0, 6)
    expect(verdict(page)).to_contain_text("1 move")
    assert page.evaluate(GLOWING) == []
    press(page, "Undo")
    expect(page.locator(".note")).to_have_text(square().objective.en)
    page.reload()
    expect(page.locator("[data-movable]").first).to_be_attached()
    assert page.evaluate(GLOWING) == []


@each_kind
def test_next_challenge_comes_after_solving(page: Page, puzzle: Puzzle) -> None:
    moves = moves_of(page, puzzle)
    page.goto(f"/puzzles/{puzzle.id}?line=" + ".".join("-".join(map(str, move)) for move in moves[:-1]))
    link = page.get_by_role("link", name="Next challenge")
    expect(page.locator("[data-movable]").first).to_be_attached()
    expect(link).to_be_hidden()
    for origin, target in steps_of(moves[-1:]):
        hole(page, origin).click()
        if puzzle.chains:
            hole(page, target).click()
    expect(verdict(page)).to_have_attribute("data-verdict", "solved")
    expect(link).to_be_focused()
    page.keyboard.press("Enter")
    expect(verdict(page)).to_contain_text("0 moves")
    main = page.locator("main")
    names = ("data-puzzle", "data-position", "data-goal")
    place = tuple(main.get_attribute(name) for name in names)
    assert place != (puzzle.id, puzzle.start, puzzle.goal)
    page.keyboard.press("n")
    expect(main).not_to_have_attribute("data-position", str(place[1]))


def test_challenges_grow_harder(page: Page) -> None:
    """The deck of the first board: problems and other starts that can be solved, by their fewest moves."""
    open_game(page, square())
    deck = page.evaluate("JSON.parse(document.querySelector('#data').text).deck")
    assert len(deck) >= 3
    assert [square().start, square().goal] in deck
    left = []
    for start, goal in deck:
        answer = page.request.get(f"/api/puzzles/{square().id}/positions/{start}?goal={goal}").json()
        left.append(answer["moves_left"])
    assert left == sorted(left)


def test_solved_challenge_does_not_come_next(page: Page) -> None:
    open_game(page, square())
    deck = page.evaluate("JSON.parse(document.querySelector('#data').text).deck")
    at = deck.index([square().start, square().goal])
    solved, expected = deck[(at + 1) % len(deck)], deck[(at + 2) % len(deck)]
    results = json.dumps({"|".join(solved): {"moves": 9, "best": 7}})
    page.evaluate("([key, text]) => localStorage.setItem(key, text)", [RESULTS, results])
    page.keyboard.press("n")
    expect(page.locator("main")).to_have_attribute("data-position", expected[0])
