"""The lessons and the published results: their data, and their pages in a real browser."""

import re
from html import unescape
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from msgspec.structs import replace
from playwright.sync_api import Locator, Page, expect

from hoppers.analysis import published_results, verdicts
from hoppers.core.events import Exhausted, Solved, Unsolvable
from hoppers.core.puzzle import Question
from hoppers.puzzles import PUZZLES
from hoppers.runtime import LESSONS
from hoppers.tablebase.engine import Engine
from hoppers.tablebase.table_method import learn
from hoppers.web.pages import lessons
from hoppers.web.pages.lessons import all_lessons
from tests.browser.fixtures import press
from tests.conftest import Connect
from tests.support.engine import find


def test_lessons_have_both_languages_and_valid_positions() -> None:
    assert len(all_lessons()) == len(list(LESSONS.glob("*.json"))) == 6
    for lesson in all_lessons():
        for text in [lesson.title, *lesson.text, lesson.question.text]:
            assert set(text) == {"en", "ja"} and all(text.values())
        for look in lesson.looks:
            position = find(look.puzzle).parse(look.position)
            assert find(look.puzzle).rules.obstruction(position, int(look.goal)) in ("class", "pagoda")
        question = lesson.question
        puzzle = find(question.puzzle)
        verdict = verdicts.verdict_of(
            puzzle, puzzle.parse_goal(question.goal), puzzle.parse(question.position)
        )
        assert verdict.verdict == verdicts.LIVE
        if question.unsolvable:
            assert puzzle.rules.obstruction(puzzle.parse(question.unsolvable), 0) == "parity"
        experiment = lesson.experiment
        for method in experiment.methods:
            shown = find(experiment.puzzle).method(method)
            assert experiment.kind == "race" or shown.trace is not None


def test_misprinted_bound_is_not_listed(client: FlaskClient) -> None:
    for puzzle in client.get("/api/puzzles").get_json()["puzzles"]:
        assert "corners-misprint" not in puzzle["methods"]
    found = {path.name for path in Path("server").rglob("*.json") if "misprint" in path.read_text()}
    assert found == {"3.json"}


def test_misprinted_bound_finds_one_move_too_many(connect: Connect) -> None:
    client = connect()
    client.search("wrong", "hoppers", "oooooo.oooooo", method="corners-misprint")
    *rows, (name, end) = client.receive_to_end()
    assert (name, end["limit"], len(end["moves"])) == ("solved", 8, 7)
    assert end["proved"] is False
    assert all(fields["proved"] is False for name, fields in rows if name == "exhausted")


@pytest.mark.parametrize("find_all", [False, True])
def test_nothing_is_learnt_from_the_misprinted_bound(find_all: bool) -> None:
    puzzle = Engine(PUZZLES).find("french-37")
    position = puzzle.parse(puzzle.start)
    before = puzzle.engine.bounds.of(puzzle, 19, position)
    for event in (
        Exhausted(before.least + 5, 1, 0, 0.0, proved=False),
        Solved(99, 1, 0.0, [[5, 7]], None, 1, proved=False),
        Unsolvable("exhausted", 1, 0.0, proved=False),
    ):
        learn(Question(puzzle, 19, position, find_all), event)
    assert puzzle.engine.bounds.of(puzzle, 19, position) == before


def test_every_other_method_proves_what_it_says() -> None:
    methods = {
        name: method.is_admissible
        for puzzle in PUZZLES.values()
        for name, method in {**puzzle.solving.methods, **puzzle.solving.hidden_methods}.items()
    }
    assert [name for name, is_admissible in methods.items() if not is_admissible] == ["corners-misprint"]


def test_only_an_existing_lesson_is_linked_from_the_game(client: FlaskClient) -> None:
    linked = client.get("/puzzles/hoppers?lesson=3")
    assert linked.status_code == 200 and 'href="/lessons/3"' in linked.text
    for wrong in ("9999", "0", "7", "abc", ""):
        page = client.get(f"/puzzles/hoppers?position=.oo.ooooooooo&lesson={wrong}")
        assert page.status_code == 400 and 'href="/lessons/' not in page.text
        assert f"There is no lesson '{wrong}'; lessons are 1 to 6" in unescape(page.text)
        assert 'data-position=".oo.ooooooooo"' in page.text


@pytest.mark.parametrize("number", range(1, 7))
def test_question_of_a_lesson_leads_to_a_solvable_position(client: FlaskClient, number: int) -> None:
    choices = client.get(f"/lessons/{number}").text.split('class="choices')[1].partition("</p>")[0]
    address = unescape(choices.rpartition('class="key first" href="')[2].partition('"')[0])
    assert 'data-verdict="live"' in client.get(address).text


def test_pictures_of_choices_have_all_shapes(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """The choice is between two peg positions; the lessons themselves have only one between tiles."""
    first = all_lessons()[0]
    question = replace(first.question, puzzle="hoppers", goal="6", position="oooooo.oooooo")
    choice = replace(question, unsolvable="o....o.......")
    monkeypatch.setattr(lessons, "all_lessons", lambda: (replace(first, question=choice),))
    text = client.get("/lessons/1").text
    assert 'href="#peg-s"' in text
    assert set(re.findall('href="#([^"]+)"', text)) <= set(re.findall(' id="([^"]+)"', text))


@pytest.mark.browser
@pytest.mark.parametrize("number", [1, 3])
def test_lesson_runs_its_experiment_and_links_its_question(page: Page, number: int) -> None:
    """Lesson 1 traces a search, lesson 3 has a race; a test of all lessons checks their data."""
    page.goto(f"/lessons/{number}")
    if all_lessons()[number - 1].experiment.kind == "race":
        press(page, "Start the race")
        expect(page.get_by_role("button", name="Start the race")).to_be_enabled(timeout=150_000)
    else:
        press(page, "To the end of the limit")
        expect(page.locator("main")).not_to_have_attribute("data-event", "0")
    if number == 3:
        expect(page.get_by_role("status")).to_contain_text("They disagree", timeout=60_000)
    page.locator(".choices a").last.click()
    expect(page.get_by_role("status").first).to_have_attribute("data-verdict", "live")


@pytest.fixture
def quick_and_longest_results(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reduce the published results to five quick ones and the longest; another test module runs all."""
    known = published_results.all_results()
    longest = max(result.seconds for result in known)
    quick = [result for result in known if result.seconds == 0]
    chosen = (*quick[:5], *(result for result in known if result.seconds == longest))
    assert len(chosen) == 6
    monkeypatch.setattr(published_results, "all_results", lambda: chosen)


@pytest.mark.browser
@pytest.mark.usefixtures("quick_and_longest_results")
def test_published_results_run_stop_resume_and_skip(page: Page) -> None:
    """Long searches run last; the longest is stopped, resumed and skipped here."""
    page.goto("/classics")
    expect(page.get_by_role("status")).to_contain_text("Takes about 2 minutes")
    press(page, "Run all 6")
    longest = page.locator('tr[data-state="running"]').filter(has_text="2,545,908,730")
    expect(longest.locator('[data-out="mark"]')).to_have_text("limit 10", timeout=120_000)
    expect(page.locator(".run-now")).to_contain_text("5 of 6 done. Triangle 21, Plain deepening: limit 1")
    press(page, "Stop")
    expect(page.get_by_role("status")).to_contain_text("Stopped: 5 of 6 done, 5 agree.")
    nodes = settled_nodes(page, longest)
    press(page, "Go on")
    expect(longest.locator('[data-out="nodes"]')).not_to_have_text(f"{nodes:,}")
    assert nodes_of(longest) > nodes
    press(page, "Skip this one")
    expect(page.get_by_role("status")).to_have_text("5 of 5 agree. 1 is left out.")
    expect(page.locator('[data-state="agrees"]')).to_have_count(5)
    expect(page.get_by_role("button", name="Run the one left")).to_be_enabled()
    page.reload()
    expect(page.get_by_role("status")).to_have_text("Kept in this browser: 5 of 6, 5 agree.")
    expect(page.locator('[data-state="agrees"]')).to_have_count(5)
    page.evaluate(CHANGE_VERSION)
    page.reload()
    expect(page.locator('[data-state="agrees"]')).to_have_count(4)
    expect(page.locator('[data-state="old"] [data-out="mark"]')).to_contain_text("another version")
    expect(page.get_by_role("status")).to_contain_text("1 is of another version")


CHANGE_VERSION = """() => {
  const kept = JSON.parse(localStorage.getItem("puzzles/classics"));
  Object.values(kept)[0].engine = "older";
  localStorage.setItem("puzzles/classics", JSON.stringify(kept));
}"""


def settled_nodes(page: Page, row: Locator) -> int:
    """Return the nodes of `row` once they stop changing; events sent before the stop may still arrive."""
    before = -1
    for _ in range(100):
        if (now := nodes_of(row)) == before:
            return now
        before = now
        page.wait_for_timeout(300)
    raise AssertionError("the number of nodes keeps changing")


def nodes_of(row: Locator) -> int:
    return int(row.locator('[data-out="nodes"]').inner_text().replace(",", ""))
