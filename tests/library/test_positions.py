"""The library against the naive rules, and its values, errors and pictures."""

import copy
import itertools
import pickle
import random
import re
import threading
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from flask.testing import FlaskClient

import hoppers
from hoppers.analysis.verdicts import Verdict
from hoppers.core.model import Bounds, steps_of
from hoppers.library import questions
from hoppers.library.moves import Moves
from hoppers.tablebase.solutions import solution_counts
from tests import naive
from tests.support.engine import PUZZLES

SMALL = ["hoppers", "hoppers-red", "triangle-15", "eight-puzzle", "flip-it-7", "flip-it-6-slide"]


def walk(id: str, seed: int) -> list[hoppers.Position]:
    """Return the positions of a random game of whole moves."""
    rng, position = random.Random(seed), hoppers.puzzle(id).position()
    line = [position]
    while (moves := position.moves) and len(line) < 12:
        position = position.play(rng.choice(moves))
        line.append(position)
    return line


@pytest.mark.parametrize("id", SMALL)
def test_steps_are_those_of_the_naive_rules(id: str) -> None:
    game = naive.rules(id)
    for position in walk(id, 1):
        expected = {
            (origin, target, cost, after) for origin, target, after, cost in game.steps(position.text)
        }
        found = {(step.origin, step.target, step.cost, step.after.text) for step in position.steps}
        assert found == expected


@pytest.mark.parametrize("id", ["hoppers", "hoppers-red", "flip-it-6-slide"])
def test_moves_left_are_those_of_a_naive_search(id: str) -> None:
    game = naive.rules(id)
    for position in walk(id, 2)[2:]:
        for each in [position, *(step.after for step in position.steps)]:
            assert each.moves_left == naive.fewest_moves(game, each.text, each.goal)


def test_moves_are_all_runs_of_steps() -> None:
    """Also with an active peg: going on with it costs nothing."""
    for position in walk("triangle-15", 3):
        runs = [[step.origin, step.target] for step in position.steps]
        for run in runs:  # which grows meanwhile
            after = position.play(run)
            runs += [[*run, step.target] for step in after.steps if not step.cost]
        assert sorted(position.moves) == sorted(runs)


def test_solutions_lead_to_the_goal_in_as_many_moves() -> None:
    position = hoppers.puzzle("hoppers").position("oooooo.oooooo", goal=6)
    everything = position.solutions()
    assert len({str(line) for line in everything}) == everything.count == len(everything) == 72
    for line in everything[10:14]:
        end = position
        for move in line:
            end = end.play(move)
        assert end.is_solved and end.verdict == "solved" and len(line) == position.moves_left
    assert everything[-1] == [*everything][71] and everything[:72:9] == [*everything][::9]
    assert {str(line) for line in position.solutions(unique=True)} < {str(line) for line in everything}
    with pytest.raises(IndexError, match="no solution 72: there are 72"):
        everything[72]


def test_dead_position_has_no_solution() -> None:
    dead = hoppers.puzzle("hoppers").position("oo..........o")
    assert (dead.verdict, dead.moves_left, dead.bounds) == ("dead", None, None)
    assert [dead.solution(), dead.solution(wait=False), dead.hint(), dead.hint(wait=False)] == [None] * 4
    assert dead.solutions().count == 0
    solved = hoppers.puzzle("hoppers").position("......o......")
    assert solved.solution() == hoppers.Solution("hoppers", "......o......", "6", Moves(), True)
    assert solved.hint() == hoppers.Hint(hoppers.Move(), True) and solved.solutions().count == 1
    with pytest.raises(TypeError):  # what a script for "the easiest of these" does
        min([solved, dead], key=lambda each: len(each.solution()))  # type: ignore[arg-type]
    assert isinstance(dead.search("deepening").result(), hoppers.Unsolvable)


def test_positions_are_values() -> None:
    position = hoppers.puzzle("hoppers").position("oooooo.oooooo", goal="6")
    same = eval(repr(position))
    assert same == position and same is not position and {same: 1}[position] == 1
    assert pickle.loads(pickle.dumps(position)) == position and copy.deepcopy(position) == position
    assert position != hoppers.puzzle("hoppers").position("oooooo.oooooo", goal="0")
    assert sorted([position, position.play([0, 6])])[0].text.startswith(".")
    assert position >= same and position > position.play([0, 6])
    with pytest.raises(AttributeError):
        position.text = "x"  # type: ignore[misc]  # read-only
    assert position.text == "oooooo.oooooo"
    assert {len(position.images()), len(position.play([0, 6]).images())} == {1, 4}
    assert {image.moves_left for image in position.play([0, 6]).images()} == {6}


@pytest.mark.parametrize(
    "bad",
    [
        [0, 3],
        "x",
        [0],
        [],
        None,
        [0, 6, 7],
        {},
        {0, 6},
        b"\0\6",
        [0.0, 6.0],
        itertools.count(),
        [-1, 6],
        ["0", "6"],
        7,
        [False, 6],
    ],
)
def test_illegal_move_is_quoted(bad: object) -> None:
    position = hoppers.puzzle("hoppers").position()
    with pytest.raises(hoppers.InvalidMove) as caught:
        position.play(bad)  # type: ignore[arg-type]  # wrong on purpose
    assert repr(bad) in str(caught.value) and position.text in str(caught.value)


def test_input_errors_quote_the_input() -> None:
    puzzle = hoppers.puzzle("hoppers")
    with pytest.raises(hoppers.UnknownPuzzle, match=r"'hopers'.*'hoppers'"):
        hoppers.puzzle("hopers")
    with pytest.raises(hoppers.InvalidPosition, match="'oxz'"):
        puzzle.position("oxz")
    with pytest.raises(hoppers.InvalidPosition, match="7"):
        puzzle.position(7)  # type: ignore[arg-type]
    with pytest.raises(hoppers.InvalidGoal, match="'99'"):
        puzzle.position(goal=99)
    with pytest.raises(hoppers.InvalidMethod, match="'fast'"):
        puzzle.position().search("fast")
    with pytest.raises(hoppers.InvalidMove, match=r"\[0, 3\]"):
        puzzle.position().search(first_move=[0, 3])
    with pytest.raises(hoppers.Error, match="'english-33'"):
        hoppers.puzzle("english-33").table()
    with pytest.raises(hoppers.UnknownPuzzle, match="13"):
        hoppers.puzzle(13)  # type: ignore[arg-type]
    assert hoppers.InvalidMove.__module__ == "hoppers"
    assert issubclass(hoppers.Error, ValueError) and issubclass(hoppers.UnknownPuzzle, LookupError)


@pytest.mark.parametrize("bad", [7, None, [], b"best", "x" * 99, {}])
def test_wrong_method_is_quoted(bad: object) -> None:
    with pytest.raises(hoppers.InvalidMethod) as caught:
        hoppers.puzzle("hoppers").position().search(bad)  # type: ignore[arg-type]
    assert repr(bad)[:50] in str(caught.value)


@pytest.mark.parametrize("bad", [7, "06", [0.0, 6.0], [0], {0, 6}, {}, [True, 6], [0, 6, 9], [0, 3]])
def test_wrong_first_move_is_quoted(bad: object) -> None:
    with pytest.raises(hoppers.InvalidMove) as caught:
        hoppers.puzzle("hoppers").position().search(first_move=bad)  # type: ignore[arg-type]
    assert repr(bad) in str(caught.value)


@pytest.mark.parametrize("bad", ["a", "8", 1.0, True, -2, [1], np.arange(2)])
def test_wrong_number_of_moves_is_quoted(bad: object) -> None:
    with pytest.raises(hoppers.InvalidOption) as caught:
        hoppers.puzzle("hoppers").table().at(bad)  # type: ignore[arg-type]
    assert repr(bad) in str(caught.value)


def test_moves_left_of_a_table_are_those_of_its_positions() -> None:
    table = hoppers.puzzle("hoppers").table()
    for number in range(0, len(table), 2500):
        position = table[number]
        assert position in table.at(position.moves_left) and position in table.at(table.moves_left[number])
    assert table.at(None) == table.at(-1) and table.at(99) == []


def test_undecided_moves_left_are_no_dead_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that memory ends has proved nothing."""
    undecided = Verdict(Bounds(30, 52))
    monkeypatch.setattr(questions, "known_verdict", lambda question: undecided)
    monkeypatch.setattr(questions, "prove", lambda question: undecided)
    position = hoppers.puzzle("fifteen-puzzle").position()
    assert position.verdict == "live"
    with pytest.raises(hoppers.GivenUp, match="more memory"):
        assert position.moves_left


def test_index_of_a_wrong_type_is_quoted() -> None:
    for sequence in (hoppers.puzzle("hoppers").table(), hoppers.puzzle("hoppers").position().solutions()):
        for bad in ("a", 1.5, None, True):
            with pytest.raises(TypeError, match=repr(bad)):
                sequence[bad]  # type: ignore[index]


def test_table_has_no_position_of_another_puzzle() -> None:
    tables = [hoppers.puzzle(id).table() for id in SMALL]
    for puzzle in hoppers.puzzles():
        start = puzzle.position()
        assert [table for table in tables if start in table] == [
            table for table in tables if table[0].puzzle == puzzle
        ]


@pytest.mark.parametrize("id", ["triangle-15", "eight-puzzle", "flip-it-7"])
def test_random_positions_are_those_of_the_api(id: str, client: FlaskClient) -> None:
    puzzle = hoppers.puzzle(id)
    for kind in puzzle.random_kinds:
        for seed in (7, "spring"):
            deal = client.get(f"/api/puzzles/{id}/deals/{kind}?seed={seed}").get_json()
            assert puzzle.random(seed, kind=kind).text == deal["position"]
    assert puzzle.random(7) == puzzle.random("7", kind=puzzle.random_kinds[0])
    assert len({puzzle.random().text for _ in range(9)}) > 1


@pytest.mark.parametrize(
    ("options", "quoted"),
    [
        ({"seed": []}, "[]"),
        ({"seed": 1.5}, "1.5"),
        ({"seed": "9" * 99}, "99 characters"),
        ({"kind": "odd"}, "'odd'"),
        ({"kind": 3}, "3"),
        ({"kind": []}, "[]"),
    ],
)
def test_wrong_random_position_is_quoted(options: dict[str, Any], quoted: str) -> None:
    with pytest.raises(hoppers.InvalidOption, match=re.escape(quoted)):
        hoppers.puzzle("hoppers").random(**options)


def test_puzzle_without_random_positions_says_so() -> None:
    rules = questions.engine().find("hoppers")
    bare = hoppers.Puzzle(replace(rules, gallery=rules.gallery._replace(random_kinds={})))
    for kind in (None, "easy"):
        with pytest.raises(hoppers.InvalidOption, match="Hoppers 13 has no random positions"):
            bare.random(1, kind=kind)


@pytest.mark.parametrize("id", SMALL)
def test_board_of_an_id_is_that_puzzle(id: str) -> None:
    assert hoppers.board(id) == hoppers.puzzle(id)


def test_positions_are_ordered_by_their_texts() -> None:
    start = hoppers.puzzle("hoppers").position()
    after = start.play([0, 6])
    assert after < start and after <= start and start > after and start >= start
    with pytest.raises(TypeError):
        assert start <= start.text  # type: ignore[operator]


@pytest.mark.parametrize("id", SMALL)
def test_table_has_every_position_once(id: str) -> None:
    puzzle = hoppers.puzzle(id)
    table = puzzle.table()
    assert len(table) == len(table.moves_left) and not table.moves_left.flags.writeable
    rng = random.Random(4)
    for number in rng.sample(range(len(table)), 20):
        left = table[number].moves_left
        assert (-1 if left is None else left) == table.moves_left[number]
    assert sum(table.distribution) == np.count_nonzero(table.moves_left >= 0)
    if len(table) < 10_000:
        texts = {position.text for position in table}
        assert len(texts) == len(table)
        assert all(puzzle.position(text).text == text for text in rng.sample(sorted(texts), 50))


def test_table_finds_its_positions() -> None:
    puzzle = hoppers.puzzle("hoppers-red")
    table = puzzle.table("6")
    assert [table.index(table[number]) for number in (0, 7, -1)] == [0, 7, len(table) - 1]
    assert puzzle.position(goal="6") in table and puzzle.position(goal="any") not in table
    assert "ooo" not in table and pickle.loads(pickle.dumps(table)) == table != puzzle.table("any")
    with pytest.raises(ValueError, match="goal='any'"):
        table.index(puzzle.position(goal="any"))
    with pytest.raises(IndexError, match=f"no position {len(table)}"):
        table[len(table)]


def naive_count(game: Any, text: str, goal: str, left: int) -> int:
    """Return the number of ways to reach the goal in `left` moves, by trying everything."""
    if game.solved(text, goal):
        return int(left == 0)
    ways = [step for step in game.steps(text) if step[3] <= left]
    return sum(naive_count(game, after, goal, left - cost) for _, _, after, cost in ways)


@pytest.mark.parametrize("id", ["hoppers", "flip-it-5-slide"])
def test_shortest_solutions_of_positions_are_counted(id: str) -> None:
    puzzle, game = PUZZLES[id], naive.rules(id)
    table, goal = hoppers.puzzle(id).table(), puzzle.parse_goal(None)
    chosen = [position for left in range(4) for position in table[7:2000:40] if position.moves_left == left]
    states = [puzzle.parse(position.text) for position in chosen]
    counts = solution_counts(puzzle, goal, states, puzzle.source(goal).moves_left)
    for position, count in zip(chosen, counts, strict=True):
        left = position.moves_left
        assert left is not None and count == naive_count(game, position.text, position.goal, left)
        assert count == position.solutions().count


def test_table_has_the_counts_of_its_positions() -> None:
    table = hoppers.puzzle("flip-it-5-slide").table()
    assert [position.solutions().count for position in table] == table.solution_counts.tolist()


def test_search_can_be_closed_and_leaves_no_thread() -> None:
    threads = threading.active_count()
    with hoppers.puzzle("triangle-15").position().search("deepening") as search:
        assert isinstance(next(search), hoppers.Progress | hoppers.Exhausted)
    assert list(search) == [] and threading.active_count() == threads
    with pytest.raises(ValueError, match="closed"):
        search.result()


def test_search_counts_nodes_as_documented() -> None:
    search = hoppers.puzzle("hoppers").position().search("corners", first_move=[0, 6], find_all=True)
    result = search.result()
    assert isinstance(result, hoppers.Solved) and (result.total_nodes, result.count) == (9091, 18)
    html = search._repr_html_()
    assert html.count("<tr>") == 8 and "7,634" in html and "solved" in html


def test_pictures_are_drawn_without_a_server() -> None:
    position = hoppers.puzzle("hoppers").position()
    assert position._repr_svg_().startswith("<svg")
    bundle = position._repr_mimebundle_()
    assert bundle["text/plain"] == repr(position)
    drawing = ElementTree.fromstring(bundle["image/svg+xml"])
    assert sum(element.get("class", "").endswith("-piece") for element in drawing.iter()) == 12
    with_arrows = ElementTree.fromstring(
        position.svg(size=99, arrows=[[2, 0, 6]], numbers=True, theme="dark")
    )
    assert with_arrows.get("width") == "99" and with_arrows.get("class", "").endswith("-numbered")
    assert position.svg(last_move=None) == position.svg(last_move=[]) == position.svg()
    assert position.svg(last_move=position.steps[0]) == position.svg(last_move=(0, 6)) != position.svg()
    solution = position.solution()
    assert solution
    strip = solution._repr_html_()
    assert strip.count("<img") == 8 and "10–0–2–6" in strip


@pytest.mark.parametrize(
    ("option", "bad"),
    [
        ("size", [0, 31, 4097, "99", True, 1.5, None, [9]]),
        ("theme", ["blue", 3, None, []]),
        (
            "arrows",
            [7, None, [7], [None], "06", ["06"], [[6]], [[6, 6]], [[6, 13]], [[-1, 2]], [[0.0, 6.0]], [0, 6]],
        ),
        ("last_move", [7, [6], [6, 6], [0, 99], [-1, 0], "06", {0: 6}, {0, 6}, [[0, 6]]]),
    ],
)
def test_wrong_option_of_a_picture_is_quoted(option: str, bad: list[object]) -> None:
    position = hoppers.puzzle("hoppers").position()
    for value in bad:
        with pytest.raises(hoppers.InvalidOption) as caught:
            position.svg(**{option: value})  # type: ignore[arg-type]
        assert option in str(caught.value) and repr(value) in str(caught.value)


def test_strip_goes_on_with_an_active_peg() -> None:
    active = hoppers.puzzle("hoppers").position().play([0, 6]).play([9, 3]).play([2, 0])
    hint, solution = active.hint(), active.solution()
    assert hint and solution and active.text.endswith(":0") and hint.move == [0, 6]
    assert steps_of(solution.moves) and "<img" in solution._repr_html_()


def test_answers_are_values() -> None:
    """They can be hashed, and their moves still look like lists and are equal to them."""
    position = hoppers.puzzle("hoppers").position("oo.ooo......o", goal="any")
    values = [
        position.solution(),
        position.hint(),
        position.bounds,
        *position.search("deepening"),
        *position.steps,
    ]
    values += [*position.puzzle.problems, position.solutions()[0], *position.moves]
    assert {*values} == {*copy.deepcopy(values)} == {*pickle.loads(pickle.dumps(values))}
    move = position.moves[0]
    assert move == [*move] and [*move] == move and move == tuple(move) and [0, 9] != move != [*move, 1]
    assert (repr(move), str(move)) == (repr([*move]), "-".join(map(str, move)))
    assert move in position.moves and [*move] in position.moves and position.moves[:1] == [[*move]]
    with pytest.raises(TypeError):
        move[0] = 3  # type: ignore[index]


def test_errors_have_public_names() -> None:
    kinds = [getattr(hoppers, name) for name in hoppers.__all__]
    errors = [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, Exception)]
    assert len(errors) == 9
    assert {f"{kind.__module__}.{kind.__qualname__}" for kind in errors} == {
        f"hoppers.{kind.__name__}" for kind in errors
    }
    with pytest.raises(hoppers.Error, match="english-33") as caught:
        hoppers.puzzle("english-33").table()
    assert type(caught.value) is hoppers.Error


def test_line_of_a_solution_is_played_back() -> None:
    position = hoppers.puzzle("hoppers").position()
    solution = position.solution()
    assert solution and solution.line == ".".join("-".join(map(str, move)) for move in solution.moves)
    boards = solution.positions
    assert boards[0] == position and boards[-1].is_solved and len(boards) == len(solution) + 1
    assert [board.moves_left for board in boards] == [*range(len(solution), -1, -1)]
    assert position.play_line(solution.line) == position.play_line(solution.moves) == boards[-1]
    assert position.play("0-6") == position.play([0, 6]) and position.play_line("") == position
    for line in ("0-6.0-6", "0", "0-6..9", "x", "0-6.-3", "²-6"):
        with pytest.raises(hoppers.InvalidMove):
            position.play_line(line)


def test_solution_is_one_picture_of_its_boards() -> None:
    solution = hoppers.puzzle("hoppers").position().solution()
    assert solution
    drawing = ElementTree.fromstring(solution.svg(size=99))
    boards = [each for each in drawing if each.tag.endswith("svg")]
    assert [board.get("width") for board in boards] == ["99"] * 8
    assert {(board.get("x"), board.get("y")) for board in boards[:6]} == {
        (str(99 * n), "0") for n in range(6)
    }
    captions = [each.text for each in drawing if each.tag.endswith("text")]
    assert captions[0] == "1. 0–6" and len(captions) == 8
    with pytest.raises(hoppers.InvalidOption, match="31"):
        solution.svg(size=31)


def test_reason_is_that_of_the_api(client: FlaskClient) -> None:
    for text, goal in (("oo..........o", "6"), ("oooooo.oooooo", "1")):
        position = hoppers.puzzle("hoppers").position(text, goal=goal)
        answer = client.get(f"/api/puzzles/hoppers/positions/{text}/reason?goal={goal}&lang=en").get_json()
        reason = position.reason()
        assert reason and (reason.code, reason.sentence) == (answer["reason"], answer["sentence"])
    assert hoppers.puzzle("hoppers").position().reason() is None


def test_address_shows_the_position(client: FlaskClient) -> None:
    position = hoppers.puzzle("hoppers").position().play([0, 6]).play([9, 3]).play([2, 0])
    assert position.url("https://x.example/").startswith("https://x.example/puzzles/hoppers?")
    assert f'data-position="{position.text}"' in client.get(position.url()).text


@pytest.mark.parametrize(
    ("id", "moves"), [("hoppers", 5), ("hoppers", 0), ("triangle-15", 9), ("eight-puzzle", 31)]
)
def test_random_position_with_a_number_of_moves(id: str, moves: int) -> None:
    puzzle = hoppers.puzzle(id)
    found = [puzzle.random(seed, moves=moves) for seed in range(5)]
    assert [position.moves_left for position in found] == [moves] * 5
    assert found == [puzzle.random(str(seed), moves=moves) for seed in range(5)]
    assert puzzle.random(1, "any" if id == "hoppers" else None, moves=moves).moves_left == moves
    bad: list[Any] = [-1, 50, 5.0, "5", True]
    for number in bad:
        with pytest.raises(hoppers.InvalidOption, match=re.escape(str(number))):
            puzzle.random(1, moves=number)
    with pytest.raises(hoppers.InvalidOption, match="English 33"):
        hoppers.puzzle("english-33").random(1, moves=5)


def test_cards_are_those_of_the_api(client: FlaskClient) -> None:
    for id, cards in hoppers.decks().items():
        answer = client.get(f"/api/decks/{id}").get_json()["cards"]
        found = [(card.number, card.position.text, card.position.goal, card.moves) for card in cards]
        assert found == [(card["number"], card["position"], card["goal"], card["moves"]) for card in answer]
        assert (
            cards[0].position.moves_left == cards[0].moves
            and cards[0].position.play_line(cards[0].line).is_solved
        )
    day, answer = hoppers.daily("2026-01-31"), client.get("/api/daily/2026-01-31").get_json()
    assert (day.position.text, day.level, day.mini.text) == (
        answer["position"], answer["level"], answer["mini"]["position"]
    )  # fmt: skip
    assert hoppers.daily(day.date) == day and {day}
    for bad in ("2025-12-31", "2026-02-30", "2099-01-01", "yesterday"):
        with pytest.raises(hoppers.InvalidOption, match=bad):
            hoppers.daily(bad)


def test_data_are_those_of_the_files(client: FlaskClient) -> None:
    for name in ("atlas", "cards", "days", "records"):
        rows = hoppers.data(name)
        assert rows == client.get(f"/data/{name}.json").get_json() and rows is not hoppers.data(name)
    with pytest.raises(hoppers.InvalidOption, match=r"'cards\.csv'.*atlas, cards"):
        hoppers.data("cards.csv")
