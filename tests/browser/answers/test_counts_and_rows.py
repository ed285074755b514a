"""Numbers of solutions on the page equal the atlas; rows of searches equal the nodes of the engine."""

import re
from typing import NamedTuple

import pytest
from playwright.sync_api import Page, expect

from hoppers.analysis.atlas_results import known_result
from hoppers.core.events import Exhausted, Solved
from hoppers.core.puzzle import Question
from hoppers.puzzles.sliding import pattern_databases
from tests import naive
from tests.browser.answers.naive_player import Game
from tests.browser.fixtures import press
from tests.support.engine import find

pytestmark = pytest.mark.browser

COUNTED = [
    Game("hoppers", "oooooo.oooooo", "6", 7),
    Game("triangle-21", "oooooo.oooooooooooooo", "6", 12),
    Game("english-33", "oooooooooooooooo.oooooooooooooooo", "16", 18),
    Game("eight-puzzle", "867254301", "123456780", 31),
    Game("flip-it-8", "b_wwwbbb", "any", 8),
]
"""Problems with a number of shortest solutions in the atlas."""
WITH_MANY = Game("english-33", "oooo.oooooooooooooooooooooooooooo", "4", 19)
"""A problem with 96,758 shortest solutions, all found by a search."""
IN_MID_GAME = Game("hoppers", "oo..oo..ooooo", "6", 5)
"""A position without an atlas result, so its solutions are counted by the search."""
SEARCHED_ALL = [("best", COUNTED[0]), ("best", COUNTED[3]), ("best", IN_MID_GAME), ("deepening", COUNTED[4])]
"""Methods, and problems whose solutions they count; tests/web/test_solution_counts.py has English 33."""


class Search(NamedTuple):
    """A search that a test starts on the page."""

    puzzle: str
    position: str
    goal: str
    method: str
    nodes: int
    """Nodes of all limits together, recorded so that engine and page cannot both be wrong unnoticed."""

    def __str__(self) -> str:
        return f"{self.puzzle} {self.method}"


SEARCHES = [
    Search("hoppers", "oooooo.oooooo", "6", "corners", 7_784),
    Search("triangle-21", "oooooo.oooooooooooooo", "6", "classes", 4_856_844),
    Search("eight-puzzle", "867254301", "123456780", "manhattan", 78_851),
    Search("fifteen-puzzle", "e80921f3cd645b7a", "123456789abcdef0", "best", 1_496),
    Search("flip-it-8", "b_wwwbbb", "any", "deepening", 52_516),
]
"""Searches of every family; tests/browser/search/test_panel.py has plain iterative deepening on pegs."""


def open_problem(page: Page, puzzle: str, position: str, goal: str) -> None:
    """Open a problem, with its position as the start of the game."""
    page.goto(f"/puzzles/{puzzle}?position={position}&goal={goal}&lang=en&depth=study")


def in_atlas(game: Game) -> tuple[int, int]:
    """Return the number of shortest solutions in the atlas, in all and up to symmetry."""
    known = known_result(find(game.puzzle), game.position, game.goal)
    assert known is not None and known.count is not None and known.unique is not None
    assert known.moves == game.fewest
    return known.count, known.unique


def naive_count(game: Game) -> int:
    """Return the number of shortest solutions by exhaustive search."""
    assert game.fewest is not None
    return len(naive.solutions(game.rules, game.position, game.goal, game.fewest))


def number(value: int) -> re.Pattern[str]:
    """Return the pattern of a number in a sentence of the page."""
    return re.compile(r"\bone\b" if value == 1 else rf"(?<![\d,]){value:,}(?!,?\d)")


@pytest.mark.parametrize("game", [*COUNTED, pytest.param(WITH_MANY, marks=pytest.mark.minutes)], ids=str)
def test_all_solutions_are_as_many_as_in_the_atlas(page: Page, game: Game) -> None:
    count, unique = in_atlas(game)
    open_problem(page, game.puzzle, game.position, game.goal)
    page.locator("#tab-all").click()
    message = page.locator("#all .say")
    expect(message).to_have_text(number(count))
    if unique != count:
        expect(message).to_have_text(number(unique))


@pytest.mark.parametrize(("method", "game"), SEARCHED_ALL, ids=str)
def test_search_counts_all_solutions_each_time(page: Page, method: str, game: Game) -> None:
    """The second search may use the proof of the first."""
    count = naive_count(game) if game is IN_MID_GAME else in_atlas(game)[0]
    for _ in range(2):
        open_problem(page, game.puzzle, game.position, game.goal)
        page.get_by_label("Method").select_option(method)
        page.get_by_label("count all shortest solutions").check()
        press(page, "Search")
        solved = page.locator('[data-state="solved"]:not([data-known])')
        expect(solved).to_have_attribute("data-limit", str(game.fewest))
        expect(page.locator("#solver .say")).to_have_text(number(count))


@pytest.mark.parametrize("search", SEARCHES, ids=str)
def test_rows_have_the_nodes_of_the_engine(page: Page, search: Search) -> None:
    open_problem(page, search.puzzle, search.position, search.goal)
    page.get_by_label("Method").select_option(search.method)
    press(page, "Search")
    expect(page.locator('[data-state="solved"]:not([data-known])')).to_be_visible()
    nodes = rows(page)
    assert nodes == nodes_in_this_process(search)
    assert sum(nodes.values()) == search.nodes


def rows(page: Page) -> dict[int, int]:
    """Return the nodes of each row of the search on the page, by limit."""
    found: list[list[int]] = page.locator("[data-limit]").evaluate_all(
        "(rows) => rows.map(({ dataset }) => [Number(dataset.limit), Number(dataset.nodes)])"
    )
    return {limit: nodes for limit, nodes in found}


def nodes_in_this_process(search: Search) -> dict[int, int]:
    """Run a search without a server; return the nodes of each limit."""
    pattern_databases.load(find("fifteen-puzzle").board)
    puzzle = find(search.puzzle)
    question = Question(puzzle, puzzle.parse_goal(search.goal), puzzle.parse(search.position))
    events = puzzle.method(search.method).search(question)
    return {event.limit: event.nodes for event in events if isinstance(event, Exhausted | Solved)}
