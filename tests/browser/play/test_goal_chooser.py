"""The goal chooser by touch and keys, and the bounds of problems without a proof."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, Route, expect

from hoppers import puzzles
from hoppers.analysis.atlas_results import known_result
from hoppers.core.errors import PuzzleError
from hoppers.core.model import Position, Step
from hoppers.core.puzzle import Puzzle
from hoppers.tablebase.atlas_data import KnownResult
from hoppers.tablebase.engine import Engine
from tests.browser.fixtures import (
    PHONE,
    ask,
    by_clicks,
    faults,
    line_of,
    middle,
    open_game,
    press,
    published_puzzle,
)
from tests.browser.tabs import OpenTab, expect_faults
from tests.support.engine import PUZZLES

pytestmark = pytest.mark.browser

SMALLEST_TARGET = 24
LARGEST = max(
    (puzzle for puzzle in PUZZLES.values() if puzzle.rules.multi_step_moves), key=lambda puzzle: puzzle.holes
)


def known_line(position: Position, puzzle: Puzzle = LARGEST) -> list[Step]:
    """Return the best known solution from a position on a line of the atlas, or an empty list."""
    goal = puzzle.parse_goal(None)
    return puzzle.engine.bounds.line(puzzle, goal, position)


def test_goals_are_pressed_by_touch_and_show_known_results(open_tab: OpenTab) -> None:
    with open_tab(viewport=PHONE, has_touch=True, color_scheme="dark") as page:
        open_game(page, LARGEST, "?lang=ja")
        page.locator(".aim").tap()
        chosen = page.locator(".chosen")
        for number in (0, 5, LARGEST.holes - 1):
            goal = page.locator(f'#picker [data-place="{number}"]')
            goal.evaluate("(place) => place.scrollIntoView({ block: 'center' })")
            box = goal.bounding_box()
            assert box is not None and box["width"] >= SMALLEST_TARGET
            page.touchscreen.tap(*middle(goal))
            expect(page.locator(f'#picker input[value="{number}"]')).to_be_checked()
            expect(chosen).to_contain_text(f"{number}番の穴：")
        expect(page.get_by_role("button", name="この設定で始める")).to_be_in_viewport(ratio=1)
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


BETWEEN = "can be solved in {least} to {moves} more moves"
AT_LEAST = "at least {least} more moves"
FIRST_HINT = "Press Hint again to see where it goes. This reaches the goal, but is not proved"


def test_open_problem_shows_its_bounds_after_every_move(unproved_page: Page) -> None:
    """The status line states both bounds, and hints name the next step of the best known solution."""
    puzzle = Engine(puzzles.PUZZLES).find(LARGEST.id)
    known = known_result(puzzle, puzzle.start, puzzle.goal)
    assert known and known.state == "found" and known.moves
    open_game(unproved_page, puzzle)
    follow_and_leave_the_line(unproved_page, puzzle, known)


def follow_and_leave_the_line(page: Page, puzzle: Puzzle, known: KnownResult) -> None:
    """Make two moves of the known solution, then others, and check the bounds that the page shows."""
    assert known.moves is not None
    more, note = page.locator('[role="status"] .more'), page.locator('[role="status"] .note')
    expect(more).to_contain_text(BETWEEN.format(moves=known.moves, least=known.least))
    position = puzzle.parse(puzzle.start)
    for made in (1, 2):
        step = known_line(position, puzzle)[0]
        page.locator("#hint").click()
        expect(note).to_contain_text(FIRST_HINT)
        page.locator("#hint").click()
        expect(page.locator(f'[data-hole="{step.target}"]')).to_have_attribute("data-hint", "to")
        by_clicks(page, step.origin, step.target)
        expect(more).to_contain_text(BETWEEN.format(moves=known.moves - made, least=known.least - made))
        position = puzzle.step(position, step.origin, step.target).after
    off = next(
        s for s in puzzle.steps(position) if not known_line(s.after, puzzle) and s.cost and is_open(s.after)
    )
    by_clicks(page, off.origin, off.target)
    expect(more).to_contain_text(AT_LEAST.format(least=known.least - 3))
    step = next(s for s in puzzle.steps(off.after) if s.cost and is_open(s.after))
    holes = {"from": step.origin, "to": step.target}
    hint = {
        "verdict": "live",
        "moves_left": None,
        "bounds": {"least": 2, "most": 99},
        "move": [*holes.values()],
        "step": holes,
        "proved": False,
    }
    page.route("**/hint?*", lambda route: route.fulfill(json=hint))
    page.locator("#hint").click()
    expect(note).to_contain_text(FIRST_HINT)
    by_clicks(page, step.origin, step.target)
    expect(more).to_contain_text(BETWEEN.format(moves=98, least=known.least - 4))


def is_open(position: Position) -> bool:
    """Return whether no position class and no pagoda function prove a position of the largest board dead."""
    return LARGEST.rules.obstruction(position, LARGEST.parse_goal(LARGEST.goal)) is None


def with_swapped_jumps(steps: list[Step]) -> tuple[list[Step], int]:
    """Return the line with two neighbouring jumps swapped so that it takes more moves, and its moves."""
    for at in range(len(steps) - 1):
        order = [*steps[:at], steps[at + 1], steps[at], *steps[at + 2 :]]
        try:
            played = list(replayed_steps(order))
        except PuzzleError:
            continue
        if sum(step.cost for step in played) > sum(step.cost for step in steps):
            return played, sum(step.cost for step in played)
    raise AssertionError("there is none")


def replayed_steps(order: list[Step]) -> Iterator[Step]:
    """Yield the steps of a line played from the start; raise PuzzleError at an illegal one."""
    position = LARGEST.parse(LARGEST.start)
    for step in order:
        yield (made := LARGEST.step(position, step.origin, step.target))
        position = made.after


def test_more_moves_than_best_known_are_reported(unproved_page: Page) -> None:
    puzzle = Engine(puzzles.PUZZLES).find(LARGEST.id)
    known = known_result(puzzle, puzzle.start, puzzle.goal)
    line = known_line(puzzle.parse(puzzle.start), puzzle)
    longer, made = with_swapped_jumps(line)
    more = unproved_page.locator('[role="status"] .more')
    for steps, expected in (
        (longer, f"in {made} moves; best known is {known and known.moves}"),
        (line, "not proved shortest"),
    ):
        open_game(unproved_page, LARGEST, "?line=" + line_of([[step.origin, step.target] for step in steps]))
        expect(more).to_contain_text(expected)


def test_another_start_loads_its_own_goals(page: Page) -> None:
    open_game(page, published_puzzle())
    page.locator(".aim").click()
    page.locator("#picker select").select_option(value=published_puzzle().starts["1"])
    expect(page.locator(".chosen")).to_have_text(re.compile("Hole 6: No solution"))
    expect(page.locator("[data-vacant]")).to_have_attribute("data-place", "1")
    goal = page.get_by_role("radio", name="Hole 11: 10 moves, proved to be the fewest")
    goal.check()
    expect(page.locator(".chosen")).to_contain_text("240 shortest solutions · easy")
    page.get_by_role("button", name="Set up").click()
    expect(page.locator("main")).to_have_attribute("data-goal", "11")
    expect(page.locator("main")).to_have_attribute("data-position", published_puzzle().starts["1"])


def test_goals_are_one_tab_stop(page: Page) -> None:
    open_game(page, published_puzzle())
    page.locator(".aim").press("Enter")
    page.locator("#picker select").focus()
    page.keyboard.press("Tab")
    expect(page.locator('#picker input[value="6"]')).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(page.locator('#picker input[value="7"]')).to_be_checked()
    expect(page.locator(".chosen")).to_contain_text("Hole 7: ")
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Set up")).to_be_focused()


def test_goals_of_another_start_are_removed_without_a_server(page: Page) -> None:
    open_game(page, published_puzzle())
    page.locator(".aim").click()
    page.route("**/goals?*", lambda route: route.fulfill(status=503))
    expect_faults(page, "503")
    page.locator("#picker select").select_option(value=published_puzzle().starts["1"])
    expect(page.locator(".finish").first).to_have_text("")
    expect(page.locator(".chosen")).to_have_text("")


def test_a_goal_chosen_while_goals_load_stays_chosen(page: Page) -> None:
    open_game(page, published_puzzle())
    waiting: list[Route] = []
    page.route("**/goals?*", lambda route: route.continue_() if waiting else waiting.append(route))
    page.get_by_role("button", name="Goal: in hole 6").click()
    with page.expect_request("**/goals?*"):
        page.locator("select[name=start]").select_option(value=published_puzzle().starts["0"])
    page.locator("input[name=goal][value=any]").check()
    with page.expect_response("**/goals?*goal=any*"):
        waiting[0].continue_()
    expect(page.locator("input[name=goal][value=any]")).to_be_checked()


def test_new_game_offers_the_problems_of_a_board(page: Page) -> None:
    puzzle = next(puzzle for puzzle in PUZZLES.values() if len(puzzle.gallery.problems) == 7)
    open_game(page, puzzle)
    press(page, "New")
    assert faults(page, "#setup") == []
    page.locator("#setup .pars").get_by_role("link", name="4 → 4").click()
    expect(page.locator("main")).to_have_attribute("data-goal", "4")


def test_help_has_a_practice_board(page: Page) -> None:
    """The practice board begins two moves before the goal."""
    puzzle = published_puzzle()
    open_game(page, puzzle)
    page.keyboard.press("?")
    practice = page.frame_locator("#practice")
    practice.get_by_role("button", name="Hint", exact=True).click()
    expect(practice.get_by_role("status").first).to_contain_text("Hint: ")
    position = practice.locator("hoppers-board").get_attribute("position")
    assert ask(page, puzzle, position=position)["moves_left"] == 2
    expect(page.locator("main")).to_have_attribute("data-position", puzzle.start)
