"""The book of records and the figures agree with the naive twin and with the tables."""

import lzma
import math
from functools import cache
from pathlib import Path

import pytest

from hoppers.analysis.card_data import load_cards
from hoppers.analysis.record_data import DATA, LISTED, LISTS, load_book, positions_of
from hoppers.core.model import ANY_GOAL
from hoppers.puzzles.pegs.large_tables.solvable_positions import goal_holes
from tests import ROOT, naive
from tests.support.checked_solutions import replay
from tests.support.engine import ENGINE, find
from tests.translations import source_messages
from tools.atlas import figures, publish_book, records
from tools.atlas.results import Effort, read
from tools.atlas.symmetric_texts import goals_up_to_symmetry

FOLDER = ROOT / "docs" / "atlas"
BOOK = load_book()
SMALL_PEGS = ["hoppers", "hoppers-red"]
SHORT_ROWS = [f"flip-it-{cells}{rule}" for cells in range(5, 9) for rule in ("", "-slide")]
LONGER_ROWS = [pytest.param(name, marks=pytest.mark.minutes) for name in ("flip-it-9", "flip-it-9-slide")]


def hardest_pegs(puzzle_id: str, goal: str) -> tuple[int, set[str]]:
    """Return the most moves and the positions that need as many, by trying all lines from every position."""
    game = naive.rules(puzzle_id)
    assert isinstance(game, naive.Pegs)

    @cache
    def fewest(text: str) -> float:
        if game.solved(text, goal):
            return 0
        return min((cost + fewest(after) for _, _, after, cost in game.steps(text)), default=float("inf"))

    moves = {text: left for text in all_pegs(game) if (left := fewest(text)) < float("inf")}
    most = int(max(moves.values()))
    return most, {text for text, left in moves.items() if left == most}


def all_pegs(game: naive.Pegs) -> list[str]:
    holes = len(game.places)
    boards = [f"{bits:0{holes}b}".replace("0", ".").replace("1", "o") for bits in range(1, 1 << holes)]
    if game.last == "o":
        return boards
    return [b[:hole] + "r" + b[hole + 1 :] for b in boards for hole in range(holes) if b[hole] == "o"]


def symmetries(game: naive.Pegs) -> list[list[int]]:
    """Return the symmetries of a square board as lists of images, from the places of its holes."""
    (left, top), (right, bottom) = (tuple(map(f, zip(*game.places, strict=True))) for f in (min, max))
    middle = (left + right) / 2, (top + bottom) / 2
    places = [(round(x - middle[0], 3), round(y - middle[1], 3)) for x, y in game.places]
    found = []
    for a, b, c, d in ((1, 0, 0, 1), (0, -1, 1, 0), (-1, 0, 0, -1), (0, 1, -1, 0)):
        for mirror in (1, -1):
            image = [(a * mirror * x + b * y, c * mirror * x + d * y) for x, y in places]
            if {*image} == {*places}:
                found.append([places.index(place) for place in image])
    return found


@pytest.mark.parametrize("puzzle_id", SMALL_PEGS)
def test_records_of_small_boards_match_the_naive_twin(puzzle_id: str) -> None:
    game = naive.rules(puzzle_id)
    assert isinstance(game, naive.Pegs)
    goals = ["1", ANY_GOAL] if puzzle_id == "hoppers" else [ANY_GOAL]
    for goal in goals:
        record = BOOK.boards[puzzle_id].goals[goal]
        most, texts = hardest_pegs(puzzle_id, goal)
        assert (record.moves, record.count) == (most, len(texts)) == (record.moves, record.lengths[most])
        kept = [image for image in symmetries(game) if goal == ANY_GOAL or image[int(goal)] == int(goal)]
        classes = {
            frozenset("".join(text[image[hole]] for hole in range(len(text))) for image in kept)
            for text in texts
        }
        assert record.unique == len(classes) == len(record.positions)
        assert all(len(each & {*record.positions}) == 1 for each in classes)


@pytest.mark.parametrize("puzzle_id", [*SHORT_ROWS, *LONGER_ROWS])
def test_farthest_rows_match_the_naive_twin(puzzle_id: str) -> None:
    cells = int(puzzle_id.split("-")[2])
    for goal, record in BOOK.boards[puzzle_id].goals.items():
        gaps = range(cells) if goal == ANY_GOAL else [int(goal)]
        solved = ["w" * gap + "_" + "w" * (cells - gap - 1) for gap in gaps]
        distances = naive.all_distances(naive.rules(puzzle_id), solved)
        farthest = {text for text, moves in distances.items() if moves == max(distances.values())}
        assert (record.moves, record.count) == (max(distances.values()), len(farthest))
        assert record.lengths == [*map([*distances.values()].count, range(record.moves + 1))]
        is_kept = goal == ANY_GOAL or 2 * int(goal) == cells - 1  # by the mirror image
        classes = {frozenset({text, text[::-1] if is_kept else text}) for text in farthest}
        assert record.unique == len(classes) == len(positions_of(puzzle_id, goal, 0, 10**9))
        assert all(len(each & {*record.positions}) == 1 for each in classes) or record.unique > LISTED


@pytest.mark.parametrize("puzzle_id", ["eight-puzzle", "tiles-2x3", "tiles-2x5"])
def test_farthest_positions_of_tiles_are_all(puzzle_id: str) -> None:
    """The naive twin of the distribution of the 8-puzzle is in the tests of the puzzle."""
    (record,) = BOOK.boards[puzzle_id].goals.values()
    counts = read(FOLDER, "sliding")[puzzle_id]["by_distance"]
    assert (record.moves, record.count) == (len(counts) - 1, counts[-1])
    assert record.lengths == counts == find(puzzle_id).source(0).distribution()


def test_every_solvable_position_of_tiles_is_counted() -> None:
    for puzzle_id, result in read(FOLDER, "sliding").items():
        assert 2 * sum(result["by_distance"]) == math.factorial(find(puzzle_id).holes)


def move_taken_back(game: naive.Pegs, position: str) -> set[str]:
    """Return the positions of which one move leads to a position: jumps of one peg, the last one first."""
    found, waiting = set[str](), [(position, hole) for hole, peg in enumerate(position) if peg == "o"]
    while waiting:
        at, peg = waiting.pop()
        for a, b, c in game.jumps:
            if c == peg and at[a] + at[b] == "..":
                before = "".join("o" if h in (a, b) else "." if h == c else s for h, s in enumerate(at))
                found.add(before)
                waiting.append((before, a))
    return found


def test_easiest_positions_of_english_33_match_the_naive_twin() -> None:
    game = naive.rules("english-33")
    assert isinstance(game, naive.Pegs)
    for goal, record in BOOK.boards["english-33"].goals.items():
        near = {"".join("o" if hole == int(goal) else "." for hole in range(33))}
        one = move_taken_back(game, *near) - near
        two = {before for position in one for before in move_taken_back(game, position)} - near - one
        assert record.lengths[:3] == [1, len(one), len(two)]


def test_hardest_positions_of_english_33_are_all() -> None:
    """As many positions lead to the centre as a full board with one hole can reach: complements are alike."""
    goals = BOOK.boards["english-33"].goals
    assert [*goals] == [str(hole) for hole in goal_holes(find("english-33").board)]
    assert sum(goals["16"].lengths) == 187_636_299
    assert {goal: (record.moves, record.unique) for goal, record in goals.items()} == {
        "0": (19, 25),
        "1": (20, 1),
        "3": (19, 2),
        "4": (20, 26),
        "8": (18, 11),
        "9": (20, 1),
        "16": (20, 5),
    }


def test_page_of_the_records_is_rendered_from_the_results() -> None:
    rendered = records.section(ENGINE, FOLDER / "atlas.json").render(read(FOLDER, "records"))
    assert rendered == (FOLDER / "records.md").read_text()
    assert "| English 33 | 16 | 20 | 20 | 5 | `o.oo.oooooooo.oo.ooooooooooo.oo.o` |" in rendered


def test_every_board_with_a_complete_table_has_all_its_records() -> None:
    for puzzle in ENGINE.puzzles.values():
        if puzzle.rules.numbering is None or puzzle.id not in BOOK.boards:
            continue
        assert [*BOOK.boards[puzzle.id].goals] == goals_up_to_symmetry(puzzle)
        for goal, record in BOOK.boards[puzzle.id].goals.items():
            source = puzzle.source(puzzle.parse_goal(goal))
            assert {source.moves_left(puzzle.parse(text)) for text in record.positions} == {record.moves}


def test_long_lists_have_as_many_positions_as_recorded() -> None:
    assert all(r.count == r.lengths[-1] for book in BOOK.boards.values() for r in book.goals.values())
    for board, book in BOOK.boards.items():
        record = book.goals.get(ANY_GOAL)
        path = LISTS / f"{board}.txt.xz"
        assert path.exists() == (record is not None and record.unique > LISTED)
        if record is not None and path.exists():
            lines = lzma.decompress(path.read_bytes()).decode().split()
            assert lines == sorted({*lines}) and len(lines) == record.unique
            assert lines[:LISTED] == record.positions
            assert sum(1 + (text != text[::-1]) for text in lines) == record.count
            assert positions_of(board, ANY_GOAL, LISTED, 2) == lines[LISTED : LISTED + 2]


def test_figures_replay_and_are_proved_again() -> None:
    results = read(FOLDER, "figures")
    assert [*results] == [*figures.FIGURES]
    puzzle = find(figures.BOARD)
    for name, result in results.items():
        start = figures.start_of(name)
        end, moves = replay(puzzle, puzzle.parse(start), result["solution"])
        assert puzzle.is_solved(end, puzzle.parse_goal(figures.MIDDLE)) and moves == result["moves"]
        assert [limit for limit, *_ in result["limits"]] == [*range(1, result["moves"])]
        if start.count("o") <= 6:  # more take the naive twin minutes
            game = naive.rules(puzzle.id)
            assert naive.fewest_moves(game, start, figures.MIDDLE) == result["moves"]
            found = naive.solutions(game, start, figures.MIDDLE, result["moves"])
            assert len(found) == result["count"]
    central = next(figure for figure in BOOK.figures[puzzle.id] if figure.start == puzzle.start)
    assert (central.moves, central.count) == (18, 7488)


def test_data_of_the_pages_equals_the_results(tmp_path: Path) -> None:
    publish_book(ENGINE, FOLDER, tmp_path / "records.json")
    assert (tmp_path / "records.json").read_text() == DATA.read_text()
    assert len(DATA.read_bytes()) < 150_000
    assert sum(path.stat().st_size for path in LISTS.iterdir()) < 300_000


def test_a_record_is_computed_as_it_is_stored(tmp_path: Path) -> None:
    section = records.section(ENGINE, tmp_path / "atlas.json")
    stored = read(FOLDER, "records")
    assert [*section.entries] == [*stored]
    for name in ("hoppers any", "triangle-15-red any", "flip-it-11-slide any", "flip-it-12 any"):
        assert section.entries[name]({}, lambda _: None) == stored[name]
    written = (tmp_path / "records" / "flip-it-12.txt.xz").read_bytes()
    assert lzma.decompress(written) == lzma.decompress((LISTS / "flip-it-12.txt.xz").read_bytes())


def test_figure_is_computed_as_it_is_stored() -> None:
    section = figures.section(ENGINE, Effort())
    stored = read(FOLDER, "figures")["fireplace"]
    found = section.entries["fireplace"]({}, lambda _: None)
    assert {**found, "search_seconds": 0} == {**stored, "search_seconds": 0}


def test_names_in_the_data_are_translated() -> None:
    names = {figure.name for found in BOOK.figures.values() for figure in found}
    names |= {deck.title for deck in load_cards().decks.values()}
    assert names <= {message.text for message in source_messages()}
