"""The lessons in a real browser: guesses, the searches of the engine, and the end of each activity."""

import itertools
import re

import pytest
from playwright.sync_api import Locator, Page, expect

from hoppers.web.pages.lessons import all_lessons
from tests.browser.fixtures import PHONE, assert_accessible_at_both_sizes

SENTENCE = ".verdict-line"
AFTER_AN_EVENT = 1500
"""Milliseconds in which a figure that plays shows two events."""


IS_CUT = "(all) => all.filter((part) => part.scrollWidth > part.clientWidth).map((part) => part.innerText)"
CROSSED = """() => {
  const boxes = [...document.querySelectorAll('.lesson-bars text, .lesson-bars .bar-guess')]
    .map((part) => [part, part.getBoundingClientRect()]);
  return boxes.flatMap(([text, own]) => text.nodeName !== 'text' ? [] : boxes
    .filter(([part, box]) => part !== text && box.left < own.right && own.left < box.right &&
      box.top < own.bottom - 1 && own.top + 1 < box.bottom && text.textContent.includes(','))
    .map(() => text.textContent));
}"""
"""Script that returns the numbers over the bars that another number or the frame of a guess crosses."""


def guess(page: Page, text: str) -> None:
    page.locator(".bet input").fill(text)
    page.get_by_role("button", name="Guess").click()


def sentence(page: Page) -> Locator:
    return page.locator(SENTENCE)


def expect_done(page: Page, result: str) -> str:
    """Expect the end of a lesson with a result; return its code."""
    expect(page.locator(".lesson-end")).to_be_visible(timeout=60_000)
    expect(page.locator(".result-words")).to_have_text(result)
    return page.locator(".result-code").inner_text()


@pytest.mark.browser
@pytest.mark.parametrize("number", range(1, len(all_lessons()) + 1))
def test_lesson_begins_with_a_sentence_and_its_buttons(page: Page, number: int) -> None:
    """The same visit shows that the lesson, with all buttons enabled, is accessible and fits a phone."""
    page.goto(f"/lessons/{number}")
    expect(sentence(page)).not_to_contain_text("One moment", timeout=60_000)
    expect(sentence(page)).not_to_be_empty()
    for button in page.locator("[data-show]").all():
        expect(button).to_be_enabled()
    expect(page.locator(".lesson-end")).to_be_hidden()
    assert_accessible_at_both_sizes(page)
    assert page.locator(".code").evaluate_all(IS_CUT) == []


@pytest.mark.browser
def test_lesson_3_shows_each_number_after_the_guess(page: Page) -> None:
    page.goto("/lessons/3")
    for limit, text, said in ((3, "441", "Exactly right"), (4, "４６０", "too low")):
        expect(page.locator(".bet-question")).to_contain_text(f"limit {limit}", timeout=60_000)
        guess(page, text)
        expect(sentence(page)).to_contain_text(said)
        expect(sentence(page)).to_contain_text(f"Limit {limit}:")
    expect(sentence(page)).to_contain_text("118,217 nodes to its end, all solutions counted", timeout=60_000)
    expect(sentence(page)).to_contain_text("The first solution is node 9,439.")
    expect(page.locator(".tree-note")).to_have_text("Limit 7: node 1 of 9,439.")
    code = expect_done(page, "1 of 2 guesses right.")
    expect(page.locator(".lesson-end h2")).to_be_focused()
    page.locator("[data-value=linear]").first.click()
    expect(sentence(page)).to_contain_text("66%")
    page.goto("/lessons")
    expect(page.locator('[data-lesson="3"] .lesson-tick')).to_contain_text("1 of 2")
    page.get_by_label("Result code").fill(code.lower())
    page.get_by_role("button", name="Check the code").click()
    expect(page.locator(".code-meaning")).to_have_text("Lesson 3: 1 of 2 guesses right.")
    page.get_by_label("Result code").fill("ABCD-EFGH")
    page.get_by_role("button", name="Check the code").click()
    expect(page.locator(".code-meaning")).to_contain_text("“ABCD-EFGH” is not a result code")


@pytest.mark.browser
def test_a_guess_that_is_no_number_is_asked_again(page: Page) -> None:
    page.goto("/lessons/3")
    expect(page.locator(".bet")).to_be_visible(timeout=60_000)
    guess(page, "many")
    expect(sentence(page)).to_contain_text("“many” is not a whole number")
    expect(page.locator(".bet")).to_be_visible()


@pytest.mark.browser
def test_lesson_4_compares_with_the_search_without_a_bound(page: Page) -> None:
    page.goto("/lessons/4")
    expect(page.locator(".bet-question")).to_contain_text("limit 4", timeout=60_000)
    page.locator('[data-value="4,corners"]').click()
    expect(page.locator(".tree-note")).to_have_text(re.compile(r"^Limit 4: node \d+\.$"))
    guess(page, "60")
    expect(sentence(page)).to_contain_text("57 nodes")
    expect(sentence(page)).to_contain_text("Without the bound there are 2,553, 44.8 times as many")
    expect(page.locator(".tree-note")).to_contain_text("of 57.")


@pytest.mark.browser
def test_code_lights_up_beside_the_search(page: Page) -> None:
    page.goto("/lessons/4")
    expect(page.locator(".bet")).to_be_visible(timeout=60_000)
    page.locator('[data-value="3,deepening"]').click()
    page.get_by_role("button", name="Pause").click()
    seen = set()
    for _ in range(12):
        seen.add(page.locator(".code [aria-current]").inner_text().strip())
        page.get_by_role("button", name="Forward").click()
        page.wait_for_timeout(30)
    assert {"search(position, g):", "if g > limit: prune"} <= seen
    page.locator('[data-value="3,corners"]').click()
    expect(page.locator(".code [aria-current]")).to_contain_text("if f > limit: prune")


@pytest.mark.browser
def test_breadth_first_shows_what_it_keeps(page: Page) -> None:
    page.goto("/lessons/3")
    expect(page.locator(".bet")).to_be_visible(timeout=60_000)
    page.locator('[data-show="keep"]').click()
    expect(sentence(page)).to_contain_text("Level 2 has 12 positions. Kept so far: 16", timeout=20_000)
    expect(page.locator(".code [aria-current]")).to_contain_text(re.compile("level = new|for moves in"))
    guess(page, "400")
    expect(sentence(page)).to_contain_text("441 nodes")


@pytest.mark.browser
def test_lesson_5_ends_where_the_bound_fails(page: Page) -> None:
    page.goto("/lessons/5")
    here = page.get_by_role("button", name="Here the bound says too much")
    expect(sentence(page)).to_contain_text("moves left (proved): 7", timeout=60_000)
    here.click()
    expect(sentence(page)).to_contain_text("Not here: the bound says h = 4; the moves really left are 7")
    page.get_by_role("button", name="Nowhere on this line").click()
    expect(sentence(page)).to_contain_text("There is a position on this line")
    slider = page.locator("#lesson-place")
    for place in range(int(slider.get_attribute("max") or 0), 0, -1):
        slider.fill(str(place))
        here.click()
        expect(sentence(page)).to_contain_text(re.compile("Not here|Here: h"), timeout=60_000)
        if "Here: h" in sentence(page).inner_text():
            break
    expect(sentence(page)).to_contain_text(
        "the search answers 8 moves (75,208 nodes), with the right one 7 (36,359 nodes); the table proves 7"
    )
    expect(page.locator(".code [aria-current]")).to_contain_text("if f > limit: prune")
    expect_done(page, "Done.")
    page.goto("/lessons")
    expect(page.locator('[data-lesson="5"] .lesson-tick')).to_have_text("✓ Done.")


@pytest.mark.browser
def test_lesson_6_shows_regions_only_after_the_own_choice(page: Page) -> None:
    """The search that is stopped is said to take what its known nodes take, not what its growth suggests."""
    page.goto("/lessons/6")
    expect(page.locator(".lesson-bars")).to_contain_text(re.compile(r"> [\d,]+"), timeout=60_000)
    page.locator('[data-value="merson"]').click()
    expect(sentence(page)).to_contain_text("First find your own")
    for hole in (0, 1, 12, 18, 19, 20, 3, 5, 14, 15):  # the corners, and two regions of two holes
        page.locator(f'[data-hole="{hole}"]').click()
    expect(sentence(page)).to_contain_text("It has 8 parts and proves at least 8 moves", timeout=60_000)
    page.locator('[data-value="merson"]').click()
    expect(sentence(page)).to_contain_text("Merson regions: at least 10 moves")
    for method, answer in (("Corner bound", "57155874"), ("Merson regions", "1")):
        expect(page.locator(".bet-question")).to_contain_text(method, timeout=90_000)
        guess(page, answer)
    expect(page.locator(".bet")).to_be_hidden(timeout=90_000)
    expect(sentence(page)).to_contain_text("All its limits together have 5,091,817,482 nodes")


@pytest.mark.browser
def test_lesson_2_is_done_by_keyboard(page: Page) -> None:
    page.goto("/lessons/2")
    expect(page.locator(".bet")).to_be_visible(timeout=60_000)
    page.locator(".bet input").fill("23")
    page.keyboard.press("Enter")
    expect(sentence(page)).to_contain_text("4 jumps are left to try")
    expect(page.locator("[data-hole='0']")).to_be_focused()  # the guess leads on to the board,
    expect(page.locator("[data-hole][tabindex='0']")).to_have_count(1)  # which is a single tab stop
    page.locator("[data-hole='8']").press("Enter")
    expect(sentence(page)).to_have_text("Hole 8: nothing is left to try there.")
    for _ in range(40):
        if page.locator(".lesson-end").is_visible():
            break
        before = page.locator(".tree-note").inner_text()
        page.locator("[data-hole][aria-label*='can move']").first.press("Enter")
        page.locator("[data-hole][aria-label*='can go here']").first.press(" ")
        expect(page.locator(".tree-note")).not_to_have_text(before)
    expect(sentence(page)).to_contain_text("Exactly right")
    expect(sentence(page)).to_contain_text("with 23 nodes")
    expect_done(page, "1 of 1 guesses right.")
    page.locator("[data-show=watch]").nth(1).click()
    expect(page.locator(".tree-note")).to_have_text("Limit 2: node 1 of 23.")


@pytest.mark.browser
def test_lesson_1_counts_moves_not_jumps(page: Page) -> None:
    page.goto("/lessons/1")
    expect(page.locator(".bet")).to_be_visible(timeout=60_000)
    guess(page, "6")
    expect(sentence(page)).to_contain_text("too high. 3 moves are enough")
    solution = page.request.get("/api/puzzles/hoppers/positions/oo.o.oooo..../solution?goal=6").json()
    for move in solution["moves"]:
        for origin, target in itertools.pairwise(move):
            page.locator(f'[data-hole="{origin}"]').click()
            page.locator(f'[data-hole="{target}"]').click()
            expect(page.locator(f'[data-hole="{target}"]')).to_have_attribute(
                "aria-label", re.compile("^peg")
            )
    expect(sentence(page)).to_contain_text("Solved in the fewest moves")
    expect_done(page, "0 of 1 guesses right.")


@pytest.mark.browser
def test_lesson_8_accepts_only_a_proof(page: Page) -> None:
    page.goto("/lessons/8")
    check = page.get_by_role("button", name="This is a proof")
    page.locator("[data-value=goal]").click()
    check.click()
    expect(sentence(page)).to_contain_text("3 jumps raise the sum")
    for hole in (1, 3, 5, 7, 9, 11, 12, 12, 12, 12):  # from 0 to 1, and in hole 12 on to -1
        page.locator(f'[data-hole="{hole}"]').press("Enter")
    expect(page.locator("[data-hole='12']")).to_have_accessible_name("peg in hole 12, number minus 1")
    expect(sentence(page)).to_contain_text("No jump raises the sum. Pegs 0, goal 1")
    check.click()
    expect(sentence(page)).to_contain_text("Proved impossible")
    expect_done(page, "Done.")
    page.locator("[data-show=table]").click()
    expect(sentence(page)).to_contain_text("can be solved")


@pytest.mark.browser
def test_lesson_7_extrapolates_what_it_does_not_run(page: Page) -> None:
    """The form is there at once and stays, so that a guess typed early is not lost."""
    page.goto("/lessons/7")
    expect(page.locator(".bet-question")).to_contain_text("Manhattan")
    expect(sentence(page)).to_contain_text("Plain iterative deepening … You can guess in the meantime.")
    methods = [("Manhattan", "1000000"), ("Linear conflict", "100"), ("Pattern databases", "1496")]
    for method, answer in methods:
        expect(page.locator(".bet-question")).to_contain_text(method, timeout=90_000)
        guess(page, answer)
    expect(page.locator(".bet")).to_be_hidden(timeout=90_000)
    expect(page.locator("[data-hole='0']")).to_be_focused()
    expect(sentence(page)).to_contain_text(re.compile(r"1,496 nodes up to limit 48, in [\d<.]+ m?s"))
    page.set_viewport_size(PHONE)
    assert page.evaluate(CROSSED) == []
    expect(sentence(page)).to_contain_text("That is an estimate, not a measurement.")
    expect(sentence(page)).to_contain_text("until your own choice proves at least 18 moves")
    for cell in (0, 1, 3, 6, 8, 9):  # the tiles 14, 8, 9, 15, 12 and 13
        page.locator(f'[data-hole="{cell}"]').click()
    expect(sentence(page)).to_contain_text("at least 21 moves of these", timeout=60_000)
    expect_done(page, "2 of 3 guesses right.")


@pytest.mark.browser
def test_lesson_9_meets_in_the_middle(page: Page) -> None:
    page.goto("/lessons/9")
    question = page.locator(".bet-question")
    expect(question).to_contain_text("Positions in all by “Bidirectional breadth-first”?", timeout=90_000)
    expect(sentence(page)).to_contain_text("Breadth-first: 181,439 positions up to level 31")
    page.locator("[data-value='2']").click()
    expect(sentence(page)).to_contain_text("Level 2 grows from the", timeout=60_000)
    expect(page.locator(".tree-note")).to_have_text(re.compile(r"^Level 2: position \d+\.$"))  # no total yet
    guess(page, "20000")
    expect(sentence(page)).to_contain_text("Near enough: right.", timeout=90_000)
    page.wait_for_timeout(AFTER_AN_EVENT)  # the figure shows no further event in its place
    expect(sentence(page)).to_contain_text("20,218 positions up to level 31, in ")
    expect_done(page, "1 of 1 guesses right.")
    page.locator("[data-value='31']").click()
    expect(page.locator(".tree-note")).to_contain_text("of 4,485.", timeout=60_000)
