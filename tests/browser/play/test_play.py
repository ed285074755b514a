"""Playing in a browser: every kind of input on every kind of board, undo and redo."""

import re

import pytest
from playwright.sync_api import Page, Route, expect

from hoppers.core.puzzle import Puzzle
from tests.browser.fixtures import (
    KINDS,
    NO_TIMERS,
    PUBLISHED,
    ask,
    by_clicks,
    by_drag,
    each_kind,
    hole,
    line_of,
    middle,
    moves_of,
    open_game,
    open_near_the_end,
    play,
    press,
    published_puzzle,
    steps_of,
    steps_to_dead_end,
    verdict,
)

pytestmark = [pytest.mark.browser, pytest.mark.motion]

SINGLE_STEPS = [puzzle for puzzle in KINDS.values() if not puzzle.rules.multi_step_moves]


def cells(page: Page) -> str:
    """Return the contents of all holes, one letter each, from the buttons of the board."""
    found: str = page.evaluate(
        "[...document.querySelectorAll('[data-hole]')].map((s) => s.dataset.cell).join('')"
    )
    return found


def test_published_solution_is_optimal(page: Page) -> None:
    """Every second step is dragged; test_panels.py plays by keys."""
    open_game(page, published_puzzle())
    for number, (origin, target) in enumerate(steps_of(PUBLISHED)):
        (by_drag if number % 2 else by_clicks)(page, origin, target)
        expect(hole(page, target)).to_have_attribute("data-cell", "o")
    expect(verdict(page)).to_have_attribute("data-verdict", "solved")
    expect(verdict(page)).to_contain_text("7 moves, 1 peg, best possible 7")
    expect(verdict(page)).to_contain_text("Solved")
    page.goto("/")
    expect(page.locator("[data-puzzle]").first).to_contain_text("fewest moves, with help")


@pytest.mark.parametrize("puzzle", SINGLE_STEPS, ids=lambda puzzle: puzzle.id)
def test_pieces_with_a_single_step_are_moved_by_a_click(page: Page, puzzle: Puzzle) -> None:
    for origin, _ in open_near_the_end(page, puzzle):
        hole(page, origin).click()
    expect(verdict(page)).to_have_attribute("data-verdict", "solved")
    expect(verdict(page)).to_contain_text("Solved")
    expect(verdict(page)).to_have_attribute("data-moves-left", "0")


@each_kind
def test_board_shows_the_position(page: Page, puzzle: Puzzle) -> None:
    """Pressing piece and target, or dragging the piece, is one step."""
    open_game(page, puzzle)
    main = page.locator("main")
    expect(main).to_have_attribute("data-position", puzzle.start)
    expect(main).to_have_attribute("data-goal", puzzle.goal)
    assert cells(page) == puzzle.start
    origin, target = steps_of(moves_of(page, puzzle))[0]
    for make_step in (by_clicks, by_drag):
        make_step(page, origin, target)
        expect(verdict(page)).to_contain_text("1 move")
        assert cells(page) == (main.get_attribute("data-position") or "").split(":")[0]
        assert cells(page)[target] == puzzle.start[origin]
        press(page, "Undo")
        expect(main).to_have_attribute("data-position", puzzle.start)
    assert_illegal_press_is_explained(page, puzzle)


RUNS = """() => {
  const { animate } = Element.prototype;
  window.runs = [];
  Element.prototype.animate = function (frames, options) {
    window.runs.push([frames.length, options.duration, options.delay ?? 0]);
    return animate.call(this, frames, options);
  };
}"""
"""Script that records in `runs` the frames, duration and delay (ms) of every animation."""


def test_chain_keeps_its_peg_and_undo_takes_one_jump(page: Page) -> None:
    open_game(page, published_puzzle(), "?line=0-6.9-3")
    hole(page, 2).click()
    expect(hole(page, 2)).to_have_accessible_name("peg in hole 2, selected")
    page.locator(".board").click(position={"x": 12, "y": 200})
    expect(hole(page, 2)).to_have_accessible_name("peg in hole 2, can move")
    by_clicks(page, 2, 0)
    expect(page.locator("main")).to_have_attribute("data-position", re.compile(":0$"))
    expect(hole(page, 0)).to_have_accessible_name("peg in hole 0, selected")
    expect(verdict(page)).to_contain_text("it is still the same move")
    hole(page, 6).click()
    expect(verdict(page)).to_contain_text("3 moves, 8 pegs, best possible 7")
    press(page, "Undo")
    expect(verdict(page)).to_contain_text("3 moves, 9 pegs")
    page.get_by_role("button", name="Undo").click(modifiers=["Shift"])
    expect(verdict(page)).to_contain_text("2 moves, 10 pegs")
    page.evaluate(RUNS)
    press(page, "Redo")
    expect(verdict(page)).to_contain_text("3 moves, 8 pegs")
    assert sorted(page.evaluate("window.runs")) == [[2, 80, 40], [2, 80, 160], [5, 240, 0]]
    press(page, "Restart")
    expect(page.locator("main")).to_have_attribute("data-position", published_puzzle().start)
    page.go_back()
    expect(verdict(page)).to_contain_text("3 moves, 8 pegs")


def test_quick_presses_wait_for_a_slow_server(page: Page) -> None:
    """All holes of a solution are pressed at once, and every answer takes 50 milliseconds more."""
    open_game(page, published_puzzle())
    holes = [hole for move in moves_of(page, published_puzzle()) for hole in move]

    def answer_late(route: Route) -> None:
        page.wait_for_timeout(50)
        route.continue_()

    page.route("**/api/**", answer_late)
    page.evaluate(
        "(holes) => holes.forEach((hole) => document.querySelector(`[data-hole='${hole}']`).click())", holes
    )
    expect(verdict(page)).to_contain_text("Solved")
    page.unroute_all(behavior="ignoreErrors")  # requests after the last step may still be delayed


CARRIED_ON_TOP = """([x, y]) => {
  const carried = document.querySelector('.carried');
  carried.style.pointerEvents = 'auto';
  const isOnTop = document.elementFromPoint(x, y)?.closest('.carried') === carried;
  carried.style.pointerEvents = '';
  return isOnTop;
}"""
"""Script that returns whether the carried piece is the uppermost thing at a point of the window."""


@pytest.mark.parametrize("puzzle", KINDS.values(), ids=lambda puzzle: puzzle.id)
def test_nothing_covers_a_dragged_piece(page: Page, puzzle: Puzzle) -> None:
    """Neither the list of puzzles, the plaque, the panel nor the header."""
    open_game(page, puzzle)
    expect(page.locator("[data-movable]").first).to_be_attached()
    origin = int(page.locator("[data-movable]").first.get_attribute("data-hole") or -1)
    page.mouse.move(*middle(hole(page, origin)))
    page.mouse.down()
    for selector in ("#puzzle-list", ".status", ".panel", ".top"):
        place = middle(page.locator(selector).first)
        page.mouse.move(*place, steps=3)
        assert page.evaluate(CARRIED_ON_TOP, place), selector
    page.mouse.up()
    expect(page.locator(".carried")).to_have_count(0)
    expect(page.locator("main")).to_have_attribute("data-position", puzzle.start)


def test_drag_has_the_signs_of_a_tap(page: Page) -> None:
    """Ring, targets, a ghost in the hole; all of it goes with the pointer."""
    open_game(page, published_puzzle())
    expect(hole(page, 0)).to_have_accessible_name("peg in hole 0, can move")
    start, target = middle(hole(page, 0)), middle(hole(page, 6))
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(target[0] - 80, target[1], steps=3)
    expect(page.locator('.carried [href="#m-active"]')).to_have_count(1)
    expect(page.locator(".piece.ghost")).to_have_attribute("data-at", "0")
    expect(page.locator('.marks [href="#m-active"]')).to_be_hidden()
    expect(page.locator(".marks [data-target-of]")).to_have_count(1)
    expect(page.locator(".near")).to_have_count(0)
    page.mouse.move(*target, steps=3)
    expect(page.locator(".near")).to_have_attribute("data-target-of", "6")
    page.mouse.move(*start, steps=3)
    page.mouse.up()
    expect(page.locator(":is(.carried, .ghost, .near, [data-target-of])")).to_have_count(0)
    expect(verdict(page)).to_contain_text("0 moves")
    by_drag(page, 0, 8)
    expect(page.locator(".note")).to_contain_text("This is not a jump")
    by_drag(page, 0, 6)
    expect(verdict(page)).to_contain_text("1 move,")


def test_last_move_is_a_tint_and_a_run_a_ribbon(page: Page) -> None:
    open_game(page, published_puzzle(), "?line=0-6.9-3")
    tints, ribbons = page.locator('.played [href="#m-last"]'), page.locator(".played .m-run")
    expect(tints).to_have_count(2)
    expect(ribbons).to_have_count(0)
    by_clicks(page, 2, 0)
    expect(ribbons).to_have_count(1)  # the move may go on
    expect(page.locator(".marks [data-target-of]")).to_have_count(2)  # one jump, and the run that it begins
    expect(hole(page, 6)).to_have_accessible_name("empty hole 6, can go here, continues the same move")
    expect(hole(page, 2)).to_have_accessible_name("empty hole 2, chain: 2 jumps, continues the same move")
    other = page.locator("[data-movable]:not([data-hole='0'])").first
    expect(other).to_have_accessible_name(re.compile(r"can move, a new move$"))
    other.click()
    expect(hole(page, 0)).to_have_accessible_name(re.compile(r"can move, continues the same move$"))
    hole(page, 0).click()
    hole(page, 6).click()
    expect(ribbons).to_have_count(1)
    assert tints.evaluate_all("(all) => all.map((one) => one.getAttribute('x'))") == ["282.8", "141.4"]
    press(page, "Undo")
    press(page, "Undo")
    expect(ribbons).to_have_count(0)


def test_hover_tells_where_a_peg_may_go(page: Page) -> None:
    open_game(page, published_puzzle())
    hole(page, 0).hover()
    expect(page.locator('.preview [href="#m-target"]')).to_have_count(1)
    hole(page, 1).hover()
    expect(page.locator('.preview [href="#m-target"]')).to_have_count(0)


def test_second_press_before_the_hint_arrives_draws_the_arrow(page: Page) -> None:
    held: list[Route] = []
    page.route("**/hint?*", lambda route: held.append(route))
    open_game(page, published_puzzle())
    page.evaluate(NO_TIMERS)  # presses after a note about waiting would not count
    with page.expect_request("**/hint?*"):
        press(page, "Hint")
    press(page, "Hint")
    for route in held:
        route.continue_()
    expect(page.locator('[data-hint="from"]')).to_have_count(1)
    expect(page.locator('[data-hint="to"]')).to_have_count(1)
    assert len(held) == 1


def test_solution_pressed_before_the_hint_arrives_is_shown(page: Page) -> None:
    held: list[Route] = []
    page.route("**/hint?*", lambda route: held.append(route))
    open_game(page, published_puzzle())
    with page.expect_request("**/hint?*"):
        press(page, "Hint")
    press(page, "Solution")
    expect(page.locator("main")).not_to_have_attribute("data-position", published_puzzle().start)
    for route in held:
        route.continue_()
    expect(page.get_by_role("button", name="Hint", exact=True)).to_be_disabled()
    expect(page.locator("[data-hint]")).to_have_count(0)


def test_missing_hint_blocks_nothing(page: Page) -> None:
    held: list[Route] = []
    page.route("**/hint?*", lambda route: held.append(route))
    open_game(page, published_puzzle())
    with page.expect_request("**/hint?*"):
        press(page, "Hint")
    by_clicks(page, 0, 6)
    expect(verdict(page)).to_contain_text("1 move")
    for route in held:
        route.continue_()
    by_clicks(page, 9, 3)
    expect(verdict(page)).to_contain_text("2 moves")
    expect(page.locator("[data-hint]")).to_have_count(0)


def is_pushed(puzzle: Puzzle, number: int) -> bool:
    """Return whether a tile moves together with a tile next to the gap: it is in the gap's row or column."""
    if "tile" not in puzzle.gallery.pieces:
        return False
    (x, y), (gap_x, gap_y) = (puzzle.board.points[at] for at in (number, puzzle.start.index("0")))
    return (x == gap_x) != (y == gap_y)


def assert_illegal_press_is_explained(page: Page, puzzle: Puzzle) -> None:
    """Press a hole without a legal step, and check the note."""
    legal = {step["from"] for step in ask(page, puzzle)["steps"]}
    numbers = (number for number in range(puzzle.holes) if number not in legal)
    stuck = next(number for number in numbers if not is_pushed(puzzle, number))
    hole(page, stuck).click()
    is_tile = "tile" in puzzle.gallery.pieces
    stays = " move. Press or swipe a tile" if is_tile else f" move. {puzzle.texts.objective}"
    stays = " jump: it needs a neighbouring peg" if puzzle.rules.multi_step_moves else stays
    empty = "This hole is empty. Choose a peg first." if puzzle.rules.multi_step_moves else "This is the gap"
    text = {puzzle.rules.alphabet[0]: empty}.get(puzzle.start[stuck], f"cannot{stays}")
    expect(page.locator(".note")).to_contain_text(text)
    expect(page.locator("main")).to_have_attribute("data-position", puzzle.start)


@each_kind
def test_hint_is_shown_in_two_stages_and_stays(page: Page, puzzle: Puzzle) -> None:
    open_game(page, puzzle)
    step = ask(page, puzzle, "/hint")["step"]
    press(page, "Hint")
    expect(hole(page, step["from"])).to_have_attribute("data-hint", "from")
    expect(page.locator('[data-hint="to"]')).to_have_count(0)
    tile = puzzle.start[step["from"]] if puzzle.gallery.frame == "tray" else ""
    is_peg = puzzle.rules.multi_step_moves  # the ring and the arrow say the rest
    piece = f"tile {tile}" if tile else "circled peg" if is_peg else f"(hole {step['from']})"
    expect(verdict(page)).to_contain_text(re.compile(f"Hint: move .*{re.escape(piece)}\\."))
    press(page, "Hint")
    expect(hole(page, step["to"])).to_have_attribute("data-hint", "to")
    expect(page.locator(".m-arrow")).to_have_count(1)
    expect(page.locator(".marks [data-target-of]")).to_have_count(0)  # the arrow stands alone
    text = (
        f"Hint: slide {piece} into the gap."
        if tile
        else "Hint: jump as the arrow shows."
        if is_peg
        else f"Hint: {step['from']}–{step['to']}, as the arrow shows."
    )
    expect(verdict(page)).to_contain_text(text)
    page.keyboard.press("m")
    expect(verdict(page)).not_to_contain_text(text)
    press(page, "Hint")  # shows the note again
    expect(verdict(page)).to_contain_text(text)
    expect(page.get_by_role("img", name=str(puzzle.texts.title))).to_have_count(
        0
    )  # the buttons already describe the contents
    by_clicks(page, step["from"], step["to"])
    expect(page.locator("[data-hint]")).to_have_count(0)


def test_dead_end_offers_the_way_back(page: Page) -> None:
    open_game(page, published_puzzle())
    for position, step in steps_to_dead_end(page, published_puzzle()):
        before = position
        play(page, [step])
    expect(verdict(page)).to_have_attribute("data-verdict", "dead")
    expect(verdict(page)).to_have_attribute("data-moves-left", "")
    expect(verdict(page)).to_contain_text("go back 1 move")
    press(page, "Hint")
    expect(page.locator(".note")).to_contain_text("Go back first")
    press(page, "Go back")
    expect(verdict(page)).to_have_attribute("data-verdict", "live")
    expect(page.locator("main")).to_have_attribute("data-position", before)


def test_verdict_that_comes_after_the_next_move_counts(page: Page) -> None:
    """On a slow server, verdicts arrive when the player has gone on. The way back depends on them."""
    held: list[Route] = []
    open_game(page, published_puzzle())
    line = list(steps_to_dead_end(page, published_puzzle()))
    page.route(re.compile(r"/positions/[^/]*$(?<!verdicts=0)"), lambda route: held.append(route))
    play(page, [step for _, step in line])
    expect(verdict(page)).to_contain_text(f"{len(line)} move")
    while held:
        held.pop().continue_()
    expect(verdict(page)).to_have_attribute("data-verdict", "dead")
    expect(verdict(page)).to_contain_text("go back 1 move")
    press(page, "Go back")
    expect(page.locator("main")).to_have_attribute("data-position", line[-1][0])


def test_link_with_a_line_offers_replay_and_new_start(page: Page) -> None:
    open_game(page, published_puzzle(), "?line=0-6.9-3.2-0-6")
    press(page, "Replay the moves")
    expect(page.get_by_role("heading", name="The moves so far")).to_be_visible()
    expect(verdict(page)).to_contain_text("3 moves, 8 pegs")
    expect(page.locator(".scrub")).to_have_value("4")
    press(page, "Back to my game")
    press(page, "Start from here")
    expect(verdict(page)).to_contain_text("0 moves, 8 pegs, best possible 4")
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()
    page.go_back()
    expect(verdict(page)).to_contain_text("3 moves, 8 pegs")


def test_play_does_not_wait_for_verdicts(page: Page) -> None:
    """The server sends the legal steps first, and their verdicts later."""
    held: list[Route] = []
    slow = re.compile(r"/positions/[^/]*$(?<!verdicts=0)")
    open_game(page, published_puzzle(), f"?line={line_of(PUBLISHED[:-2])}")
    page.route(slow, lambda route: held.append(route))
    page.route("**/hint?*", lambda route: held.append(route))
    press(page, "Hint")
    expect(page.locator(".note")).to_contain_text("Asking the server")
    play(page, steps_of(PUBLISHED[-2:]))
    expect(verdict(page)).to_have_attribute("data-verdict", "solved")
    assert held
