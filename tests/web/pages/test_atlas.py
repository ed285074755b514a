"""The pages of the atlas, without a browser."""

import itertools
import re
from html import unescape

import pytest
from flask.testing import FlaskClient

from hoppers.analysis.atlas_results import known_result
from hoppers.analysis.record_data import load_book
from hoppers.core.model import ANY_GOAL
from hoppers.core.puzzle import Puzzle
from hoppers.tablebase.atlas_data import load_atlas
from tests import naive
from tests.conftest import MakeApp
from tests.support.earlier_atlas import EARLIER
from tests.support.engine import PUZZLES
from tests.support.shorter_line import LATE, REST
from tests.translations import LANGUAGES

BOARDS = [*PUZZLES, *(board for board in load_book().boards if board not in PUZZLES)]
MOST_BYTES = 160_000


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_board_has_a_page(client: FlaskClient, language: str) -> None:
    contents = client.get(f"/atlas?lang={language}")
    assert contents.status_code == 200
    linked = set(re.findall(r'href="/atlas/([\w-]+)"', contents.text))
    assert linked == {*BOARDS}
    for board in linked:
        page = client.get(f"/atlas/{board}?lang={language}")
        assert page.status_code == 200 and len(page.text) < MOST_BYTES, board
        assert "<h1>" in page.text and (
            "durangobill" in page.text or "/puzzles/" in page.text or "flip" in board
        )


def test_atlas_is_two_links_from_the_front_page(client: FlaskClient) -> None:
    assert 'href="/about"' in client.get("/").text
    assert 'href="/atlas"' in client.get("/about").text


def test_map_of_a_13_hole_board_matches_the_naive_twin(client: FlaskClient) -> None:
    """Every pair of start and goal, not up to symmetry, with moves and link; counts of the fewest pairs."""
    game, page = naive.rules("hoppers"), unescape(client.get("/atlas/hoppers?lang=en").text)
    table = page.split('<table class="map">')[1].split("</table>")[0]
    cells = re.findall(r'<td class="[\w-]+">(.*?)</td>', table)
    assert len(cells) == 13 * 13
    for number, cell in enumerate(cells):
        start, goal = divmod(number, 13)
        text = "".join("." if hole == start else "o" for hole in range(13))
        shown = re.search(r"<b>(\d+)</b><small>([\d,]+)</small>", cell)
        if goal == 0:
            reached = naive.fewest_moves_to_goals(game, text, [str(hole) for hole in range(13)])
        fewest = reached.get(str(goal))
        assert (int(shown[1]) if shown else None) == fewest, (start, goal)
        if shown and number % 13 == 6:  # counting takes a while
            assert f"start={text}&goal={goal}" in cell
            assert int(shown[2]) == len(naive.solutions(game, text, str(goal), int(shown[1])))


def test_rows_are_sorted_and_selected_by_links(client: FlaskClient) -> None:
    def moves(query: str) -> list[str]:
        page = client.get(f"/atlas/triangle-15?lang=en{query}").text
        table = page.split('id="problems"')[1].split("<tbody>")[1].split("</tbody>")[0]
        return re.findall(r"<td>(?:<b>)?(?:<span[^>]*>)?([^<]+)", table)

    every = load_atlas().boards["triangle-15"]
    assert len(re.findall("<tr>", client.get("/atlas/triangle-15").text.split('id="problems"')[1])) >= len(
        every
    )
    page = client.get("/atlas/triangle-15?show=solvable&sort=moves&lang=en").text
    table = page.split('id="problems"')[1].split("<tbody>")[1].split("</tbody>")[0]
    shown = [int(number) for number in re.findall(r"<td><b>(\d+)</b></td>", table)]
    assert shown == sorted(shown, reverse=True)
    assert len(shown) == sum(entry.state == "proved" for entry in every.values())
    assert all(text == "no solution" for text in moves("&show=none"))
    complement = client.get("/atlas/triangle-15?show=complement&lang=en").text.split('id="problems"')[1]
    assert complement.count('class="quiet">complement<') == 3  # 0, 1 and 3 of its four kinds of holes
    for wrong in ("sort=size", "show=best", "page=0", "page=2", "page=x"):
        answer = client.get(f"/atlas/triangle-15?{wrong}")
        assert answer.status_code == 400 and wrong.split("=")[1] in unescape(answer.text)
    assert client.get("/atlas/chess").status_code == 404


def test_long_records_are_shown_in_pages(client: FlaskClient) -> None:
    record = load_book().boards["flip-it-22"].goals[ANY_GOAL]
    last = -(-record.unique // 96)
    page = client.get(f"/atlas/flip-it-22?page={last}").text
    rows = re.findall(r"<li>([-●○]{22})</li>", page.replace("\n", ""))
    assert len(rows) == record.unique % 96 and f'start="{(last - 1) * 96 + 1}"' in page
    playable = client.get("/atlas/flip-it-16?page=3").text
    assert playable.count("/puzzles/flip-it-16?start=") >= 96


def test_record_is_played_from_its_link(client: FlaskClient) -> None:
    page = unescape(client.get("/atlas/hoppers-red?lang=en").text)
    link = re.search(r'href="(/puzzles/hoppers-red\?start=[\w.]+&goal=any)"', page.split('id="records"')[1])
    assert link is not None
    assert client.get(link[1]).status_code == 200


def states_after(puzzle: Puzzle, start: str, moves: list[str]) -> int:
    jumps = [pair for move in moves for pair in itertools.pairwise(map(int, move.split("-")))]
    steps = puzzle.replay(puzzle.parse(start), jumps)
    return steps[-1].after.state if steps else puzzle.parse(start).state


@pytest.mark.usefixtures("unproved_problems")
def test_better_solution_of_a_visitor_is_replayed_and_shown(make_app: MakeApp) -> None:
    app = make_app()
    client, puzzle = app.test_client(), app.extensions["engine"].find("diamond-41")
    start, known = puzzle.starts["6"], EARLIER["diamond-41", "6-9"].line
    assert known is not None
    address = f"/api/puzzles/{puzzle.id}/line?goal=9&start={start}&line="

    def bounds() -> str:
        row = unescape(client.get("/atlas?lang=en").text).split("<td>6 → 9</td>")[1]
        return row[: row.index("</tr>")]

    assert "<td>22–27</td>" in bounds() and "Beat 27" in bounds()
    late, moves = puzzle.parse(LATE).state, known.split(".")
    ends = {states_after(puzzle, start, moves[:number]): moves[:number] for number in range(len(moves))}
    first = ends[late]
    better = ".".join([*first, REST])
    assert client.get(address + better[:-1] + "8").status_code == 400
    assert "<td>22–27</td>" in bounds()
    assert client.get(address + better).status_code == 200
    assert "<td>22–26</td>" in bounds() and "Beat 26" in bounds()
    assert client.get(address + known).status_code == 200
    assert "<td>22–26</td>" in bounds()


def test_open_problem_shows_the_bounds_of_the_engine(client: FlaskClient) -> None:
    page = unescape(client.get("/atlas?lang=en").text).split('id="open"')[1]
    for puzzle in PUZZLES.values():
        for name, entry in load_atlas().boards.get(puzzle.id, {}).items():
            if entry.proved or name.endswith(ANY_GOAL):
                continue
            vacancy, goal = name.split("-")
            start = "".join("." if hole == int(vacancy) else "o" for hole in range(puzzle.holes))
            known = known_result(puzzle, start, goal)
            assert (
                known is not None
                and f"{vacancy} → {goal}" in page
                and f"at least {known.lower_bound}" in page
            )


def test_figures_say_how_often_random_play_solves_them(client: FlaskClient) -> None:
    """The cross has 6.0 solve bits, so one game in 64."""
    assert "random play solves it once in 64 games" in client.get("/atlas/english-33?lang=en").text
