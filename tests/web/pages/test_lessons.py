"""The lessons and the published results: their data, and their pages in a real browser."""

import re
from html import unescape
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from playwright.sync_api import Locator, Page, expect

from hoppers.analysis import published_results, verdicts
from hoppers.core.events import Exhausted, Solved, Unsolvable
from hoppers.core.puzzle import Question
from hoppers.puzzles import PUZZLES
from hoppers.puzzles.pegs.pagoda import simplest_weights
from hoppers.runtime import LESSONS
from hoppers.tablebase.best_method import learn
from hoppers.tablebase.engine import Engine
from hoppers.web.pages.lessons import Lesson, all_lessons
from tests.browser.fixtures import press
from tests.conftest import Connect
from tests.support.engine import find
from tests.translations import TRANSLATED, Message, translations

ACTIVITIES = ["play", "refute", "limits", "limits", "fault", "methods", "methods", "weights", "methods"]
HOPPERS = "/api/puzzles/hoppers/positions/oooooo.oooooo"
SHOWN = {
    "play": {"costs", "replay"},
    "refute": {"watch"},
    "limits": {"watch", "scale", "keep"},
    "fault": {"watch", "place"},
    "methods": {"bound", "own", "watch"},
    "weights": {"fill", "table"},
}
"""Activity -> what the buttons in its text can show; the scripts of the activities act on these names."""


def test_list_asks_what_each_lesson_answers(client: FlaskClient) -> None:
    page = unescape(client.get("/lessons?lang=en").text)
    assert [lesson.question in page for lesson in all_lessons()] == [True] * len(ACTIVITIES)
    assert [lesson.task in page for lesson in all_lessons()] == [False] * len(ACTIVITIES)


def test_lessons_have_texts_and_valid_positions() -> None:
    assert len(all_lessons()) == len(list(LESSONS.glob("*.json"))) == len(ACTIVITIES)
    assert [kind_of(lesson) for lesson in all_lessons()] == ACTIVITIES
    for lesson in all_lessons():
        assert all([lesson.title, lesson.question, *lesson.text, lesson.task, lesson.takeaway])
        puzzle = find(lesson.puzzle)
        goal, position = puzzle.parse_goal(lesson.goal), puzzle.parse(lesson.position)
        expected = "dead" if kind_of(lesson) == "weights" else "live"
        assert verdicts.verdict_of(puzzle, goal, position).verdict == expected
        for method in getattr(lesson.activity, "methods", []):
            assert puzzle.method(method)


def test_dead_position_can_be_played_on_and_needs_small_weights() -> None:
    (lesson,) = (lesson for lesson in all_lessons() if kind_of(lesson) == "weights")
    puzzle = find(lesson.puzzle)
    position = puzzle.parse(lesson.position)
    assert len(puzzle.legal_steps(position)) >= 3
    weights = simplest_weights(puzzle.board.jumps, puzzle.holes, position.state, 1 << int(lesson.goal))
    assert weights is not None and {*weights} <= {0, 1, 2, 3, -1}


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_paragraph_drives_the_figure_in_all_languages_alike(language: str) -> None:
    translated = translations(language)
    for lesson in all_lessons():
        drives = [shown_by(text) for text in [*lesson.text, lesson.takeaway]]
        texts = [translated[Message(text)][0] for text in [*lesson.text, lesson.takeaway]]
        assert drives == [shown_by(text) for text in texts]
        names = {name for paragraph in drives for name, _ in paragraph}
        assert names and names <= SHOWN[kind_of(lesson)]


def shown_by(text: str) -> list[tuple[str, str]]:
    """Return what the buttons in a text show: pairs of name and value."""
    return re.findall(r"\]\((\w+)=([^)]*)\)", text)


def test_no_lesson_stores_an_answer() -> None:
    """The figures that readers guess come from the engine, so no file of a lesson or script has them."""
    files = [*LESSONS.glob("*.json"), *Path("static/lessons").rglob("*.js")]
    text = "".join(path.read_text(encoding="utf-8").replace(",", "") for path in files)
    for figure in (
        "441",
        "2553",
        "12041",
        "46081",
        "118217",
        "633",
        "5129",
        "30537",
        "36359",
        "75208",
        "1496",
    ):
        assert not re.search(rf"(?<!\d){figure}(?!\d)", text)


@pytest.mark.parametrize(
    ("method", "nodes"),
    [
        ("deepening", [17, 73, 441, 2_553, 12_041, 46_081, 118_217]),
        ("corners", [1, 1, 1, 57, 633, 5_129, 30_537]),
        ("corners-misprint", [1, 1, 1, 17, 113, 1_289, 12_233, 61_553]),
    ],
)
def test_engine_gives_the_figures_of_lessons_3_to_5(method: str, nodes: list[int]) -> None:
    """The last two methods have 36,359 and 75,208 nodes in all."""
    puzzle = find("hoppers")
    question = Question(puzzle, puzzle.parse_goal("6"), puzzle.parse("oooooo.oooooo"), True)
    events = [*puzzle.method(method).search(question)]
    assert [event.nodes for event in events if isinstance(event, Exhausted | Solved)] == nodes


def test_bound_by_a_right_and_a_wrong_method(client: FlaskClient) -> None:
    """In this position a peg in a corner is active, and two others are to be counted."""
    right = client.get(f"{HOPPERS}/bound?method=corners").get_json()
    assert right == {"method": "corners", "bound": 4, "marks": [[1, hole] for hole in (0, 2, 10, 12)]}
    active = "/api/puzzles/hoppers/positions/o..ooo.oo.ooo:0/bound?method="
    counts = [client.get(active + method).get_json() for method in ("corners", "corners-misprint")]
    assert [count["bound"] for count in counts] == [2, 3]
    assert "proved" not in counts[0] and counts[1]["proved"] is False
    assert client.get(f"{HOPPERS}/bound").get_json()["bound"] == 0
    refused = client.get(f"{HOPPERS}/bound?method=nothing")
    assert refused.status_code == 400 and refused.get_json()["error"]["code"] == "invalid_method"


@pytest.mark.parametrize(
    ("method", "line"),
    [("deepening", "if g > limit"), ("merson", "f = g + h(position)"), ("memory", "table[position]")],
)
def test_every_watched_method_has_its_pseudo_code(client: FlaskClient, method: str, line: str) -> None:
    page = client.get(f"/puzzles/hoppers/inside?method={method}").text
    assert line in page.replace("\\u003e", ">").replace("\\u003c", "<") and '<ol class="code"' in page


def test_lesson_6_knows_the_nodes_of_its_stopped_search() -> None:
    """The published nodes are those of one first jump, from limit 2 on; the other one is its mirror image."""
    totals = [getattr(lesson.activity, "all_nodes", None) for lesson in all_lessons()]
    [published] = [
        result
        for result in published_results.all_results()
        if (result.puzzle, result.method, result.total is not None) == ("triangle-21", "deepening", True)
    ]
    assert published.first_limit == 2 and published.total and published.moves
    puzzle = find("triangle-21")
    start = puzzle.parse(puzzle.start)
    first, mirrored = puzzle.steps(start)
    question = Question(puzzle, puzzle.parse_goal(None), start, True, first=first)
    nodes = next(e.nodes for e in puzzle.method("deepening").search(question) if isinstance(e, Exhausted))
    assert nodes == 1 + len(puzzle.steps(mirrored.after))
    assert totals[5] == published.moves + 2 * (nodes + published.total)


def test_seed_gives_everyone_the_same_solvable_position(client: FlaskClient) -> None:
    pages = [client.get(f"/lessons/3?seed={seed}").text for seed in (7, 7, 8)]
    positions = [unescape(re.findall('data-position="([^"]+)"', page)[0]) for page in pages]
    assert positions[0] == positions[1] and len({*positions, "oooooo.oooooo"}) == 3
    for position in positions:
        answer = client.get(f"/api/puzzles/hoppers/positions/{position}").get_json()
        assert position.count("o") == 10 and answer["verdict"] == "live"


def test_link_of_a_lesson_carries_a_position(client: FlaskClient) -> None:
    page = client.get("/lessons/4?position=.ooooo.oo.ooo&goal=any")
    assert page.status_code == 200
    assert 'data-position=".ooooo.oo.ooo" data-goal="any"' in page.text
    for wrong, reason in {
        "position=oo": "has 13 holes",
        "seed=x": "seed=x",
        "seed=-1": "seed=-1",
        "goal=99": "99",
        "colour=red": "colour=red",
    }.items():
        refused = client.get(f"/lessons/4?{wrong}")
        assert refused.status_code == 400 and 'role="alert"' in refused.text
        assert reason in unescape(refused.text) and 'data-position="oooooo.oooooo"' in refused.text


def test_lesson_5_credits_the_warning_and_names_the_board(
    client: FlaskClient,
) -> None:
    for language, board in {"en": "modified triangle", "ja": "変形三角盤"}.items():
        text = client.get(f"/lessons/5?lang={language}").text
        assert "Hiroi" in text and 'href="http://www.nct9.ne.jp/m_hiroi/"' in text and board in text


def kind_of(lesson: Lesson) -> str:
    return str(lesson.activity.__struct_config__.tag)


def test_misprinted_bound_is_not_listed(client: FlaskClient) -> None:
    for puzzle in client.get("/api/puzzles").get_json()["puzzles"]:
        assert "corners-misprint" not in puzzle["methods"]
    found = {path.name for path in Path("server").rglob("*.json") if "misprint" in path.read_text()}
    assert found == {"5.json"}


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
    for wrong in ("9999", "0", "10", "abc", ""):
        page = client.get(f"/puzzles/hoppers?position=.oo.ooooooooo&lesson={wrong}")
        assert page.status_code == 400 and 'href="/lessons/' not in page.text
        assert f"There is no lesson '{wrong}'; lessons are 1 to 9" in unescape(page.text)
        assert 'data-position=".oo.ooooooooo"' in page.text


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
    page.goto("/classics?lang=en")  # a page with a query is not kept for other tests
    expect(page.get_by_role("status")).to_contain_text("Takes about 2 minutes")
    press(page, "Run all 6")
    longest = page.locator('tr[data-state="running"]').filter(has_text="2,545,908,730")
    expect(longest.locator('[data-out="mark"]')).to_have_text("limit 10", timeout=120_000)
    expect(page.locator(".run-now")).to_contain_text(
        "5 of 6 done. Modified triangle 21, Plain iterative deepening: limit 1"
    )
    press(page, "Stop")
    expect(page.get_by_role("status")).to_contain_text("Stopped: 5 of 6 done, 5 agree.")
    nodes = settled_nodes(page, longest)
    press(page, "Continue")
    expect(longest.locator('[data-out="nodes"]')).not_to_have_text(f"{nodes:,}")
    assert nodes_of(longest) > nodes
    press(page, "Skip this one")
    expect(page.get_by_role("status")).to_have_text("5 of 5 agree. 1 was skipped.")
    expect(page.locator('[data-state="agrees"]')).to_have_count(5)
    expect(page.get_by_role("button", name="Run the one left")).to_be_enabled()
    page.reload()
    expect(page.get_by_role("status")).to_have_text("Kept in this browser: 5 of 6, 5 agree.")
    expect(page.locator('[data-state="agrees"]')).to_have_count(5)
    page.evaluate(CHANGE_VERSION)
    page.reload()
    expect(page.locator('[data-state="agrees"]')).to_have_count(4)
    expect(page.locator('[data-state="old"] [data-out="mark"]')).to_contain_text("another version")
    expect(page.get_by_role("status")).to_contain_text("1 result is from another version")


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


@pytest.mark.parametrize("number", [0, 99])
def test_missing_lesson_is_refused_with_its_number(client: FlaskClient, number: int) -> None:
    answer = client.get(f"/lessons/{number}")
    assert answer.status_code == 404
    assert f"There is no lesson {str(number)!r}; lessons are 1 to 9" in unescape(answer.text)
