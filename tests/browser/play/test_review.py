"""The end of a game, against a naive solver: result, shared text, review, what comes again, kinds."""

import datetime
import itertools
import json
import math
import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from hoppers.analysis import verdicts
from hoppers.analysis.card_data import Card, load_cards
from tests.browser.fixtures import PHONE, by_clicks, by_drag, faults, hole, play, steps_of
from tests.browser.tabs import OpenTab, opened
from tests.naive import Rules, fewest_moves, rules, solutions
from tests.support.engine import PUZZLES
from tests.translations import LANGUAGES

pytestmark = pytest.mark.browser

DECK = "hoppers"
GRANTS = {"permissions": ["clipboard-read", "clipboard-write"]}
SIGNS = {"best": "🟢", "costs": "⚪", "lost": "❌", "late": "⬛"}
Jump = tuple[int, int]


def cards() -> list[Card]:
    """Return the cards of the first deck."""
    return load_cards().decks[DECK].cards


def after(game: Rules, text: str, jump: Jump) -> tuple[str, int]:
    """Return the position after a jump, and the cost of the jump."""
    (found,) = [(next, cost) for a, b, next, cost in game.steps(text) if (a, b) == jump]
    return found


def grade(card: Card, text: str, jump: Jump) -> tuple[str, int | None]:
    """Return what a jump costs, by the naive solver."""
    game = rules(card.puzzle)
    next, cost = after(game, text, jump)
    left, rest = (fewest_moves(game, position, card.goal) for position in (text, next))
    if left is None or rest is None:
        return ("late" if left is None else "lost"), None
    extra = cost + rest - left
    return ("costs" if extra else "best"), extra


def positions_along(card: Card, jumps: list[Jump]) -> list[str]:
    """Return the positions before each jump."""
    game = rules(card.puzzle)
    found = [card.position]
    for jump in jumps:
        found.append(after(game, found[-1], jump)[0])
    return found[:-1]


def first_steps(card: Card, kind: str) -> list[Jump]:
    """Return the first jumps of a card that have a grade."""
    game = rules(card.puzzle)
    jumps = [(a, b) for a, b, _, _ in game.steps(card.position)]
    return [jump for jump in jumps if grade(card, card.position, jump)[0] == kind]


def card_with_trap() -> tuple[int, Card, Jump]:
    """Return the first card with a losing first jump: its number, the card, and the jump."""
    found = ((number, card, first_steps(card, "lost")) for number, card in enumerate(cards(), 1))
    number, card, lost = next(entry for entry in found if entry[2])
    return number, card, lost[0]


def lost_line(card: Card, lost: Jump) -> tuple[list[Jump], int, str]:
    """Return jumps that begin with a losing one until none is left, their moves, and the last position."""
    game, jumps = rules(card.puzzle), [lost]
    text, moves = after(game, card.position, lost)
    while steps := game.steps(text):
        a, b, text, cost = steps[0]
        jumps.append((a, b))
        moves += cost
    return jumps, moves, text


def open_card(page: Page, number: int, query: str = "") -> None:
    """Open a card and wait for its scripts."""
    page.goto(f"/decks/{DECK}/{number}{query}")
    expect(page.locator("[data-movable]").first).to_be_attached()


def shared_text(page: Page) -> list[str]:
    """Return the lines that `Share result` copies."""
    page.locator("#share-result").click()
    expect(page.locator("#result .copy-note")).not_to_be_empty()
    text: str = page.evaluate("navigator.clipboard.readText()")
    return text.split("\n")


def stored(page: Page, key: str) -> Any:
    """Return a stored value."""
    return json.loads(page.evaluate("(key) => localStorage[`puzzles/${key}`] ?? 'null'", key))


def test_solved_card_is_told_without_the_slips_of_earlier_tries(browser: Browser, live_server: str) -> None:
    number, card, lost = card_with_trap()
    with opened(browser, live_server, **GRANTS) as page:
        open_card(page, number)
        by_clicks(page, *lost)
        page.locator("#undo").click()
        play(page, steps_of(card.solution))
        expect(page.locator("#result")).to_be_visible()
        expect(page.locator("#result .tries svg")).to_have_count(card.moves)
        expect(page.locator("#result-title")).to_be_focused()
        expect(page.locator("#result-title")).to_have_text(f"{card.moves} moves, the fewest possible")
        expect(page.locator("#result-title")).to_have_accessible_description(re.compile("Without any help"))
        expect(page.locator("#result .legend li")).to_have_text(["part of a shortest solution"])
        text = shared_text(page)
        assert text[0].startswith("Hoppers · ")
        assert text[1:] == [
            f"⭐ {card.moves} moves, the fewest · 2 tries",
            SIGNS["best"] * card.moves,
            f"{live_server}/decks/{DECK}/{number}#s-{card.moves}-2-{'b' * card.moves}",
        ]
        assert not re.search(r"\d[–-]\d", "".join(text[:3]))
        picture = page.request.get(page.locator("#result").get_attribute("data-picture") or "")
        assert picture.headers["content-type"] == "image/png"
        page.locator("#close-result").click()
        page.locator("#undo").click()
        page.keyboard.press("r")
        expect(page.locator("#result")).to_be_visible()


def test_sheet_of_the_end_leaves_board_and_page_free(browser: Browser, live_server: str) -> None:
    """The board has the room that is left, the page below is not covered, and sharing moves nothing."""
    number, card, lost = card_with_trap()
    with opened(browser, live_server, viewport=PHONE, has_touch=True, **GRANTS) as page:
        open_card(page, number)
        whole = page.locator(".board").bounding_box()
        play(page, lost_line(card, lost)[0])
        expect(page.locator("#result-again")).to_be_in_viewport(ratio=1)
        board = page.locator(".board").bounding_box()
        assert whole and board and board["width"] > 0.7 * whole["width"]
        page.locator("#where-lost").click()
        expect(page.locator(".ways .first:visible")).to_have_count(1)
        page.locator("#result-again").click()
        play(page, steps_of(card.solution))
        key = page.locator("#share-result")
        expect(key).to_be_in_viewport(ratio=1)
        before = key.bounding_box()
        assert shared_text(page)
        expect(key).to_have_text("The result is in the clipboard.")
        assert key.bounding_box() == before
        page.locator(".neighbours a").last.click(timeout=2000)  # with nothing on it
        page.wait_for_url("**/40")


def test_loss_is_shared_and_comes_again(browser: Browser, live_server: str) -> None:
    number, card, lost = card_with_trap()
    jumps, moves, text = lost_line(card, lost)
    with opened(browser, live_server, viewport=PHONE, has_touch=True, **GRANTS) as page:
        page.clock.set_fixed_time(datetime.datetime(2026, 10, 24, 12))
        open_card(page, number)
        play(page, jumps)
        expect(page.locator("#result-title")).to_contain_text("No jumps left")
        expect(page.locator("#result .tries")).to_be_hidden()
        page.locator("#where-lost").click()
        expect(page.locator("#result .sub")).to_have_text("Lost in move 1")
        expect(page.locator("#result .tries svg")).to_have_count(moves)
        expect(page.locator("#result-next")).to_be_hidden()
        expect(page.locator("#to-review")).to_be_in_viewport(ratio=1)
        told = shared_text(page)
        pegs = text.count("o") + text.count("r")
        assert told[1] == f"❌ {pegs} peg{'s' if pegs > 1 else ''} left · 1 try"
        assert told[2] == SIGNS["lost"] + SIGNS["late"] * (moves - 1)
        entries = stored(page, "again")
        assert {(entry["card"], entry["due"]) for entry in entries} == {
            (f"{DECK}/{number}", "2026-10-25"),
            ("", "2026-10-25"),
        }
        page.goto(f"/stream/{card.puzzle}")
        expect(page.locator("#outcome")).to_contain_text("A skip counts as not solved")
        page.clock.set_fixed_time(datetime.datetime(2026, 10, 25, 12))  # the clocks change in between
        page.goto("/stream/eight-puzzle")
        other = page.locator("#other-mistakes")
        expect(other).to_have_text("2 mistakes on other boards")
        assert f"/decks/{DECK}/{number}?" in (other.get_attribute("href") or "")
        page.evaluate(f"localStorage.removeItem('puzzles/dealt/{card.puzzle}')")  # it would go on first
        page.goto(f"/stream/{card.puzzle}")
        expect(other).to_be_hidden()
        expect(page.locator("main")).to_have_attribute("data-position", card.position)
        expect(page.locator("#outcome")).to_contain_text("You missed this one before")
        assert page.locator("#deal").inner_text() == "Skip"
        expect(page.locator("[data-movable]").first).to_be_attached()
        play(page, steps_of(card.solution))
        expect(page.locator("#outcome")).to_contain_text("Right")
        assert stored(page, f"stream/{card.puzzle}") is None, "a known position says nothing of the strength"
        assert {(entry["due"], entry["passed"]) for entry in stored(page, "again")} == {("2026-10-28", 1)}
        page.locator("#result-next").click()
        expect(page.locator("#outcome")).to_contain_text("A skip counts as not solved")


def naive_bits(card: Card, jumps: list[Jump], tried: dict[str, set[Jump]]) -> tuple[float, float]:
    """Return skill and luck of a line by counting: all choices of as many different steps as were tried."""
    skill = luck = 0.0
    for text, jump in zip(positions_along(card, jumps), jumps, strict=True):
        own = grade(card, text, jump)
        legal = [(a, b) for a, b, _, _ in rules(card.puzzle).steps(text)]
        good = {
            other
            for other in legal
            if own[0] == "lost"
            or (grade(card, text, other)[1] or 0, grade(card, text, other)[0] == "lost")
            <= (own[1] or 0, False)
        }
        choices = list(itertools.combinations(legal, len(tried.get(text, set()) | {jump})))
        chance = sum(bool(good & set(choice)) for choice in choices) / len(choices)
        skill += -math.log2(chance)
        luck += -math.log2(len(good) / len(legal)) + math.log2(chance)
    return skill, luck


def test_review_agrees_with_a_naive_solver(page: Page) -> None:
    number, card, lost = card_with_trap()
    jumps = steps_of(card.solution)
    open_card(page, number)
    by_clicks(page, *lost)
    page.locator("#undo").click()
    play(page, jumps)
    expect(page.locator("#result .signs svg")).to_have_count(card.moves)
    page.locator("#to-review").click()
    skill, luck = naive_bits(card, jumps, {card.position: {lost}})
    for name, bits in (("skill", skill), ("luck", luck)):
        shown = f"{bits:.1f}".removesuffix(".0")
        unit = "bit" if shown == "1" else "bits"
        expect(page.locator(f'[data-bits="{name}"]')).to_have_text(f"{shown} {unit}")
    costs = page.locator(".findings .chip .plus").all_inner_texts()
    assert costs == ["best, lost here, taken back", *["best"] * (card.moves - 1)]
    page.locator("#try").click()
    by_clicks(page, *lost)
    expect(page.locator(".findings [role=status]")).to_contain_text("cannot be solved any more")
    expect(page.locator("main")).to_have_attribute("data-position", card.position)
    expect(page.locator("#play-on")).to_be_hidden()
    good = first_steps(card, "best")[-1]  # not the one that was played, if there are several
    by_clicks(page, *good)
    expect(page.locator(".findings [role=status]")).to_contain_text("Right")
    expect(page.locator(".lead")).to_contain_text("You have now found everything you missed")
    expect(page.locator("#done")).to_be_focused()
    page.set_viewport_size(PHONE)
    page.evaluate("scrollTo(0, 0)")
    expect(page.locator("#play-on")).to_be_in_viewport(ratio=1)
    page.locator("#play-on").click()
    then = after(rules(card.puzzle), card.position, good)[0]
    expect(page.locator("main")).to_have_attribute("data-position", then)
    page.wait_for_url(f"**/decks/{DECK}/{number}")
    expect(page.locator(".slots .full")).to_have_count(1)
    for step in solutions(rules(card.puzzle), then, card.goal, card.moves)[0]:
        by_clicks(page, *step)
    expect(page.locator("#result-next")).to_be_visible()


def test_calm_mode_holds_in_the_review(page: Page) -> None:
    """Nothing is dragged, and a setting that is changed on the page holds at once."""
    card = cards()[0]
    lost = next(jump for at in positions_along(card, steps_of(card.solution)) for jump in traps(card, at))
    at = next(at for at in positions_along(card, steps_of(card.solution)) if lost in traps(card, at))
    page.goto(f"/puzzles/{card.puzzle}/review?start={at}&goal={card.goal}&line={lost[0]}-{lost[1]}")
    page.locator("#try").click()
    page.locator('[data-setting="calm"]').evaluate("(box) => box.click()")
    by_drag(page, *lost)
    expect(page.locator(".findings [role=status]")).not_to_contain_text("cannot be solved")
    hole(page, lost[0]).click()
    expect(hole(page, lost[0])).to_have_accessible_name(re.compile("selected"))


def test_play_goes_on_after_the_moves_before(page: Page) -> None:
    """A place in the middle of a game that was found is played on with the moves that led there."""
    card, at, place, lost = next(
        (card, at, place, traps(card, place)[0])
        for card in cards()
        for at, place in enumerate(positions_along(card, steps_of(card.solution)))
        if at and traps(card, place)
    )
    jumps = steps_of(card.solution)
    line = ".".join(f"{a}-{b}" for a, b in [*jumps[:at], lost])
    page.goto(f"/puzzles/{card.puzzle}/review?start={card.position}&goal={card.goal}&line={line}")
    page.locator("#try").click()
    expect(page.locator("main")).to_have_attribute("data-position", place)
    by_clicks(page, *jumps[at])
    page.locator("#play-on").click()
    then = after(rules(card.puzzle), place, jumps[at])[0]
    expect(page.locator("main")).to_have_attribute("data-position", then)
    page.locator("#restart").click()
    expect(page.locator("main")).to_have_attribute("data-position", card.position)


def traps(card: Card, text: str) -> list[Jump]:
    """Return the jumps after which the card cannot be solved from a position."""
    steps = [(a, b) for a, b, _, _ in rules(card.puzzle).steps(text)]
    return [step for step in steps if grade(card, text, step)[0] == "lost"]


def test_costly_move_is_a_place_and_every_cost_is_exact(page: Page) -> None:
    card = next(card for card in cards() if first_steps(card, "costs"))
    jump = first_steps(card, "costs")[0]
    extra = grade(card, card.position, jump)[1]
    game = rules(card.puzzle)
    jumps, text = [jump], after(game, card.position, jump)[0]
    while (left := fewest_moves(game, text, card.goal)) or not game.solved(text, card.goal):
        a, b, text = next(
            (a, b, then)
            for a, b, then, cost in game.steps(text)
            if (rest := fewest_moves(game, then, card.goal)) is not None and cost + rest == left
        )
        jumps.append((a, b))
    line = ".".join(f"{a}-{b}" for a, b in jumps)
    page.goto(f"/puzzles/{card.puzzle}/review?start={card.position}&goal={card.goal}&line={line}")
    expect(page.locator(".findings .chip").first).to_contain_text(f"{extra} move too many")
    expect(page.locator(".lead")).to_contain_text(f"The fewest is {card.moves}.")
    expect(page.locator(".lead")).to_contain_text("One position to try again")
    mistake = page.locator(".mistake")
    expect(mistake).to_have_count(1)
    expect(mistake).to_contain_text(f"You: {jump[0]}–{jump[1]}")
    expect(mistake.get_by_text("Better")).to_be_hidden()
    for picture in mistake.locator("img").all():
        assert page.request.get(picture.get_attribute("src") or "").status == 200
    expect(page.locator(".stairs")).to_be_hidden()
    page.locator(".figures summary").click()
    expect(page.locator(".stairs svg")).to_be_visible()
    labels = page.locator(".stairs text.v").all_text_contents()
    assert labels == [f"+{extra}"]
    page.locator("#show").click()
    expect(page.locator('[data-hint="to"]')).to_be_attached()
    expect(page.locator("#try")).to_be_hidden()
    better = re.findall(r"Better: (\d+)–(\d+)", mistake.inner_text())
    assert tuple(map(int, better[0])) in first_steps(card, "best")


def test_shared_review_tells_the_same_when_opened_again(page: Page) -> None:
    """What the reader has tried and seen is no part of a game that somebody else has played."""
    _, card, lost = card_with_trap()
    line = ".".join("-".join(map(str, move)) for move in card.solution)
    address = f"/puzzles/{card.puzzle}/review?start={card.position}&goal={card.goal}&line={line}"
    skill, _ = naive_bits(card, steps_of(card.solution), {})

    def check() -> None:
        page.goto(address)
        expect(page.locator('[data-bits="skill"]')).to_have_text(
            re.compile(rf"^{skill:.1f}".removesuffix(".0"))
        )
        expect(page.locator(".about-bits")).to_contain_text(
            "It is not known whether you used help in this game."
        )
        assert set(page.locator(".findings .chip .plus").all_inner_texts()) == {"best"}

    check()
    check()
    page.goto(f"/puzzles/{card.puzzle}?position={card.position}&goal={card.goal}")
    expect(page.locator("[data-movable]").first).to_be_attached()
    by_clicks(page, *lost)
    page.locator("#undo").click()
    page.locator("#hint").click()
    expect(page.locator('[data-hint="from"]')).to_have_count(1)
    check()


def test_kinds_of_solutions_are_collected(page: Page) -> None:
    number, card = next((n, card) for n, card in enumerate(cards(), 1) if card.solutions > 1)
    address = f"/api/puzzles/{card.puzzle}/positions/{card.position}/solutions?goal={card.goal}&unique="
    kinds, every = (page.request.get(address + flag).json()["solutions"] for flag in "10")
    assert len(kinds) == card.solutions
    texts: list[str] = []
    open_card(page, number)
    for moves in (kinds[0], kinds[-1], every[0]):
        if texts:
            page.locator("#play-again").click()
        play(page, steps_of(moves))
        expect(page.locator("#result .kinds")).to_be_visible()
        texts.append(page.locator("#result .kinds").inner_text())
    wanted = [f"You found {found} of {card.solutions} shortest solutions" for found in (1, 2, 2)]
    assert all(part in text for part, text in zip(wanted, texts, strict=True)), texts


def test_kind_is_shown_as_soon_as_the_server_counted(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    """The count of a long list of solutions is a stand-in here: it ends when the test says so."""
    answers = [verdicts.SolutionNumber(counting=0.4)]
    monkeypatch.setattr(verdicts, "solution_number", lambda *question: answers[-1])
    puzzle = PUZZLES["english-33"]
    place = f"/api/puzzles/{puzzle.id}/positions/{puzzle.start}/solution?goal={puzzle.goal}"
    *moves, last = page.request.get(place).json()["moves"]
    line = ".".join("-".join(map(str, move)) for move in [*moves, last[:-1]] if len(move) > 1)
    page.goto(f"/puzzles/{puzzle.id}?line={line}")
    expect(page.locator("[data-movable]").first).to_be_attached()
    with page.expect_response("**/number?*") as early:
        by_clicks(page, *last[-2:])
    expect(page.locator("#result")).to_be_visible()
    assert early.value.headers["cache-control"] == "no-store"
    page.wait_for_event("response", lambda each: "/number?" in each.url)  # it is asked again
    expect(page.locator("#result .kinds")).to_be_hidden()
    answers.append(verdicts.SolutionNumber(7, 5, 3584))
    expect(page.locator("#result .kinds")).to_contain_text("1 of 3,584 shortest solutions")
    stored = page.evaluate("Object.values({ ...localStorage }).join(' ')")
    assert re.search(r'"of":3584,"kinds":\[5\]', stored), stored


def test_bounds_are_called_bounds(page: Page) -> None:
    def answer_with_bounds(route: Route) -> None:
        found = route.fetch().json()
        for part in (found, *found["steps"]):
            part |= {"verdict": "live", "moves_left": None, "bounds": {"least": 2, "most": 9}}
        route.fulfill(json=found)

    page.route("**/positions/**", answer_with_bounds)
    page.goto("/puzzles/hoppers/review?line=0-6.9-3")
    expect(page.locator(".lead")).to_contain_text("not proved")
    assert page.locator(".findings .chip .plus").all_inner_texts() == ["not proved"] * 2
    expect(page.locator(".bits")).to_be_hidden()
    expect(page.locator(".stairs")).to_be_hidden()


@pytest.mark.parametrize("language", LANGUAGES)
def test_result_review_and_deck_are_accessible(open_tab: OpenTab, language: str) -> None:
    number, card, lost = card_with_trap()
    with open_tab(viewport=PHONE, has_touch=True) as page:
        open_card(page, number, f"?lang={language}")
        by_clicks(page, *lost)
        page.locator("#undo").click()
        play(page, steps_of(card.solution))
        expect(page.locator("#result .signs svg")).to_have_count(card.moves)
        assert faults(page) == []
        page.goto(page.locator("#to-review").get_attribute("href") or "")
        expect(page.locator(".findings .chip")).to_have_count(card.moves)
        assert faults(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_opened_link_has_nothing_over_the_board(page: Page) -> None:
    card = cards()[0]
    line = ".".join("-".join(map(str, move)) for move in card.solution)
    page.goto(f"/puzzles/{card.puzzle}?start={card.position}&goal={card.goal}&line={line}")
    expect(page.locator("[data-sent]")).to_have_count(0)
    expect(page.locator('[data-verdict="solved"]')).to_be_attached()
    expect(page.locator("#result")).to_be_hidden()
    expect(hole(page, 0)).to_be_visible()
