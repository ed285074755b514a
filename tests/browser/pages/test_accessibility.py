"""Accessibility of every state of the page, and small details of these states."""

import pytest
from flask.testing import FlaskClient
from playwright.sync_api import Page, expect

from hoppers.core.puzzle import Puzzle
from tests.browser.fixtures import (
    KINDS,
    PHONE,
    PUBLISHED,
    by_clicks,
    each_kind,
    faults,
    faults_of_dark_colours,
    line_of,
    open_game,
    press,
    published_puzzle,
    steps_of,
    tab,
    verdict,
)
from tests.browser.tabs import OpenTab, expect_faults
from tests.support.engine import PUZZLES

pytestmark = pytest.mark.browser

GAME = f"/puzzles/{published_puzzle().id}"
SOLVED = GAME + f"?line={line_of(PUBLISHED)}"
STATES: dict[str, tuple[str, list[str]]] = {
    "solved": (SOLVED, []),
    "dead": (GAME + "?position=o...........o&goal=any&depth=study", ["#tab-moves"]),
    "refused": (GAME + "?position=oo", []),
    "hint": (GAME + "?line=0-6.9-3", ["#hint", "#hint"]),
    "all": (SOLVED + "&depth=study", ["#tab-all"]),
    "printed": (GAME + "/print", []),
    "framed": (SOLVED + "&embed=1", []),
    **{puzzle.family: (f"/puzzles/{puzzle.id}", []) for puzzle in [*KINDS.values()][1:]},
}
OWN_PARTS = {"all": "#all", "dead": ".panel", "hint": ".play-area"}
OWN_PARTS |= {puzzle.family: ".play-area" for puzzle in KINDS.values()}
"""State -> the part of the page whose colours alone are checked; other tests check everything else."""
RECORDED_SOUND = """async () => {
  const samples = (await window.audio.startRendering()).getChannelData(0);
  const loud = [...samples.keys()].filter((at) => Math.abs(samples[at]) > 0.003);
  const peak = samples.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return { peak, seconds: (loud.at(-1) ?? 0) / 44100, first: Math.abs(samples[0]), tones: window.tones };
}"""
QUIET = """
  window.tones = 0;
  window.AudioContext = class extends OfflineAudioContext {
    constructor() { super(1, 44100, 44100); window.audio = this; }
  };
  window.OscillatorNode = class extends OscillatorNode {
    constructor(...how) { super(...how); window.tones += 1; }
  };
  let noise = 1;
  Math.random = () => (noise = (noise * 16807) % 2147483647) / 2147483647;
  window.felt = [];
  navigator.vibrate = (pattern) => window.felt.push(pattern.length);
"""
"""Script that records sounds, and repeats the noise of a knock, whose peak is otherwise another each time."""


def test_axe_finds_nothing_in_any_state(open_tab: OpenTab) -> None:
    """The dark theme differs only in its colours."""
    with open_tab(viewport=PHONE) as page:
        expect_faults(page, "400")
        for name, (path, presses) in STATES.items():
            page.goto(f"{path}{'&' if '?' in path else '?'}lang=ja")
            for selector in presses:
                page.locator(selector).click()
            if name not in OWN_PARTS:
                assert faults(page) == [], name
            assert faults_of_dark_colours(page, OWN_PARTS.get(name, "main")) == [], name


def test_list_marks_the_move_that_lost(page: Page) -> None:
    position, fatal = published_puzzle().start, None
    line = []
    while fatal is None:
        answer = page.request.get(f"/api/puzzles/{published_puzzle().id}/positions/{position}").json()
        fatal = next((step for step in answer["steps"] if step["verdict"] == "dead"), None)
        step = fatal or answer["steps"][0]
        line.append(f"{step['from']}-{step['to']}")
        position = step["position"]
    open_game(page, published_puzzle(), "?line=" + ".".join(line))
    tab(page, "Moves").click()
    chips = page.locator(".own .chips")
    expect(chips.locator(".chip.fatal")).to_have_text(f"{len(line)} {line[-1].replace('-', '–')}")
    expect(chips.locator(".here").last).to_have_text("lost here")
    press(page, "Go back")
    expect(verdict(page)).to_have_attribute("data-verdict", "live")


@pytest.mark.own_tab
def test_sounds_are_soft_short_and_off_by_default(page: Page) -> None:
    page.add_init_script(QUIET)
    open_game(page, published_puzzle(), f"?line={line_of(PUBLISHED[:-1])}")
    (first, second) = steps_of(PUBLISHED[-1:])
    by_clicks(page, *first)
    expect(verdict(page)).to_contain_text("still the same move")
    assert page.evaluate("window.tones") == 0
    press(page, "Settings")
    with page.expect_response(lambda response: response.request.resource_type == "script") as module:
        page.get_by_label("sound and vibration").check()
    page.evaluate("(address) => import(address).then(() => 0)", module.value.url)  # silent until it has run
    page.keyboard.press("Escape")
    by_clicks(page, *second)
    expect(verdict(page)).to_have_attribute("data-verdict", "solved")
    sound = page.evaluate(RECORDED_SOUND)
    assert sound["tones"] == 6  # two knocks of three resonances
    assert page.evaluate("window.felt") == [3]
    assert 0.02 < sound["peak"] < 0.3
    assert sound["seconds"] < 0.5
    assert sound["first"] < 0.01


def test_dialogs_close_by_a_button(page: Page) -> None:
    open_game(page, published_puzzle())
    for name in ("Settings", "Share", "Help"):
        press(page, name)
        press(page, "Close")
        expect(page.locator(f"#{name.lower()}")).to_be_hidden()


def test_pictures_of_solutions_follow_the_theme(open_tab: OpenTab) -> None:
    with open_tab(color_scheme="dark") as page:
        open_game(page, published_puzzle(), SOLVED.removeprefix(GAME))
        tab(page, "Solutions").click()
        address = page.locator(".way img").first.get_attribute("src")
        assert "theme=dark" in str(address)


@each_kind
def test_every_printed_problem_can_be_solved(client: FlaskClient, puzzle: Puzzle) -> None:
    sheet = client.get(f"/puzzles/{puzzle.id}/print").text
    assert "no solution known" not in sheet.partition('class="answers"')[2]


def test_printed_problems_become_harder(page: Page) -> None:
    triangle = next(puzzle for puzzle in PUZZLES.values() if len(puzzle.gallery.problems) > 3)
    page.goto(f"/puzzles/{triangle.id}/print")
    texts = page.locator(".problems-on-paper p:first-of-type").all_inner_texts()
    moves = [int(text.split(" · ")[-1].split()[0]) for text in texts]
    assert len(moves) > 3 and moves == sorted(moves)


def test_note_explains_that_a_move_may_continue(page: Page) -> None:
    open_game(page, published_puzzle(), "?line=0-6.9-3.2-0")
    note = page.locator(".note")
    expect(note).to_have_text("Go on with this peg: it is still the same move. Another peg starts a new one.")
    page.locator('[data-hole="10"]').click()
    expect(note).to_be_empty()
    page.locator('[data-hole="0"]').click()
    expect(note).to_have_text("Go on with this peg: it is still the same move. Another peg starts a new one.")


def test_end_of_a_search_is_not_shown_for_another_method(page: Page) -> None:
    open_game(page, published_puzzle())
    press(page, "Search")
    expect(page.locator(".state")).to_have_text("done")
    page.get_by_label("Method").select_option("corners")
    expect(page.locator(".state")).to_have_text("ready")


def test_folded_move_list_follows_the_game(open_tab: OpenTab) -> None:
    with open_tab(viewport=PHONE) as page:
        open_game(page, published_puzzle(), "?line=0-6.9-3.2-0-6.11-1.10-0-2-6")
        moves = tab(page, "Moves")
        moves.click()
        moves.click()
        by_clicks(page, 8, 4)
        expect(page.locator(".own [aria-current]")).to_be_in_viewport(ratio=0.9)


def test_game_link_appears_after_opening_another_position(page: Page) -> None:
    open_game(page, published_puzzle())
    by_clicks(page, 0, 6)
    expect(verdict(page)).to_contain_text("1 move, 11 pegs")
    open_game(page, published_puzzle(), "?position=.oo.oooo.oo.o&goal=6")
    page.get_by_role("link", name="Continue after move 1").click()
    expect(verdict(page)).to_contain_text("1 move, 11 pegs")
    expect(page.locator("#continue")).to_be_hidden()
