"""Searches through the channel: nodes, known answers, and searches without them."""

import itertools
from typing import Any

import pytest

from hoppers.analysis.requests import parse_search
from hoppers.core.events import Exhausted, Solved, Unsolvable
from hoppers.core.model import DEAD
from tests.conftest import Connect, Serve
from tests.support.engine import ENGINE, find, one_of_each_kind
from tests.support.socket_client import Listener

SHUFFLED = "e80921f3cd645b7a"
NEAR_END = [
    ("hoppers", "oooooo.oooooo", None),
    ("diamond-13", "oooooo.oooooo", None),
    ("triangle-15", ".oo.o.oooo.o..o", "0"),
    ("triangle-21", "..oo.oo.oooo..o.oo.o.", "6"),
    ("english-33", "oo..oo..o.o....o.......oo...o....", "16"),
    ("french-37", ".................o..o...oooo....o.oo.", "25"),
    ("diamond-41", "o.o.......o.o....oo.o.......o....o.......", "18"),
    ("eight-puzzle", "237148056", None),
    ("fifteen-puzzle", "913462580b7cdaef", None),
    ("flip-it-6", "bb_bbb", None),
    ("flip-it-7-slide", "bb_bbbb", None),
]
"""Positions that every method of their puzzle solves, or proves unsolvable, within a second."""


def cases() -> list[tuple[str, str, str | None, str]]:
    """Return (puzzle, position, goal, method) for every method on each position of NEAR_END."""
    return [
        (puzzle, position, goal, method)
        for puzzle, position, goal in NEAR_END
        for method in (*find(puzzle).solving.methods, *find(puzzle).solving.hidden_methods)
    ]


def test_every_method_of_every_family_has_a_case() -> None:
    kinds = one_of_each_kind().values()
    every = {(puzzle.family, name) for puzzle in kinds for name in puzzle.solving.methods}
    assert every == {(find(puzzle).family, method) for puzzle, _, _, method in cases()} & every


@pytest.mark.parametrize(
    ("puzzle", "position", "goal", "method"), [*cases(), ("fifteen-puzzle", SHUFFLED, None, "best")]
)
def test_streamed_search_visits_as_many_nodes_as_in_one_process(
    connect: Connect, puzzle: str, position: str, goal: str | None, method: str
) -> None:
    """A search in slices has the same nodes per limit and the same end as one that runs alone."""
    search = parse_search(ENGINE, puzzle, position, goal, method, fresh=True)
    expected: list[tuple[Any, ...]] = []
    for event in search.events():
        match event:
            case Exhausted(limit, nodes):
                expected.append(("exhausted", limit, nodes, None))
            case Solved(limit=limit, nodes=nodes, total_nodes=total):
                expected.append(("solved", limit, nodes, total))
            case Unsolvable(total_nodes=total):
                expected.append(("unsolvable", None, None, total))
    more: dict[str, Any] = {} if goal is None else {"goal": goal}
    client = connect()
    assert client.search("a", puzzle, position, method=method, fresh=True, **more)["ok"]
    received = client.receive_to_end()
    rows = [(name, fields) for name, fields in received if name in ("exhausted", "solved", "unsolvable")]
    assert [
        (name, fields.get("limit"), fields.get("nodes"), fields.get("total_nodes")) for name, fields in rows
    ] == expected
    assert expected[-1][0] in ("solved", "unsolvable")
    assert not any("known" in fields for _, fields in rows)


def test_first_search_of_a_server_uses_the_pattern_databases(serve: Serve, connect: Connect) -> None:
    events = answer(connect(serve()), "fifteen-puzzle", SHUFFLED, fresh=True)
    assert (events[-1][0], events[-1][1]["total_nodes"]) == ("solved", 1_496)


def answer(client: Listener, puzzle: str, position: str, **more: object) -> list[tuple[str, dict[str, Any]]]:
    """Return the events of a search, without its progress."""
    assert client.search("a", puzzle, position, **more) == {"ok": True}
    return [event for event in client.receive_to_end() if event[0] not in ("progress", "queued")]


def proofs(events: list[tuple[str, dict[str, Any]]]) -> list[tuple[str, int, int, str | None]]:
    return [
        (name, fields["limit"], fields.get("total_nodes", fields["nodes"]), fields.get("known"))
        for name, fields in events
    ]


@pytest.mark.parametrize(
    ("puzzle", "position", "moves", "known"),
    [
        ("hoppers", "oooooo.oooooo", 7, "table"),
        ("eight-puzzle", "867254301", 31, "table"),
        ("flip-it-8", "b_wwwbbb", 8, "table"),
        ("fifteen-puzzle", "0c9dfbae37624851", 80, "atlas"),
    ],
)
def test_known_answer_is_one_proved_row(
    connect: Connect, puzzle: str, position: str, moves: int, known: str
) -> None:
    events = answer(connect(), puzzle, position)
    assert proofs(events) == [("exhausted", moves - 1, 0, known), ("solved", moves, 0, known)]
    puzzle_record = find(puzzle)
    steps = [step for move in events[-1][1]["moves"] for step in itertools.pairwise(move)]
    *_, last = puzzle_record.replay(puzzle_record.parse(position), steps)
    assert puzzle_record.is_solved(last.after, puzzle_record.parse_goal(None))


def test_english_start_is_known_before_its_table_is_loaded(connect: Connect) -> None:
    events = answer(connect(), "english-33", find("english-33").start)
    assert [(name, fields["limit"]) for name, fields in events] == [("exhausted", 17), ("solved", 18)]
    assert {fields["known"] for _, fields in events} <= {"table", "atlas"}
    assert len(events[-1][1]["moves"]) == 18


def test_answer_of_an_earlier_search_is_kept(connect: Connect) -> None:
    client, position = connect(), ("fifteen-puzzle", "528c9670d413eabf")
    first, again = answer(client, *position), answer(client, *position)
    assert first[-1][1]["total_nodes"] > 0 and not any("known" in fields for _, fields in first)
    fewest = first[-1][1]["limit"]
    assert proofs(again) == [("exhausted", fewest - 1, 0, "kept"), ("solved", fewest, 0, "kept")]
    assert proofs(answer(client, *position, fresh=True)) == proofs(first)


def test_known_answer_counts_its_first_move(connect: Connect) -> None:
    events = answer(connect(), "hoppers", "oooooo.oooooo", first_move=[0, 6], find="all")
    assert proofs(events) == [("exhausted", 6, 0, "table"), ("solved", 7, 0, "table")]
    assert events[-1][1]["count"] == 18 and events[-1][1]["moves"][0][:2] == [0, 6]


def test_position_without_a_solution_is_known_from_the_table(connect: Connect) -> None:
    puzzle, client = find("hoppers"), connect()
    texts = ("".join(cells) for cells in itertools.product(".o", repeat=13))
    dead = next(
        text
        for text in texts
        if text.count("o") == 6
        and puzzle.rules.obstruction(puzzle.parse(text), 6) is None
        and puzzle.source(6).moves_left(puzzle.parse(text)) == DEAD
    )
    ((name, known),) = answer(client, "hoppers", dead)
    assert (name, known["reason"], known["total_nodes"], known["known"]) == (
        "unsolvable",
        "table",
        0,
        "table",
    )
    name, searched = answer(client, "hoppers", dead, fresh=True)[-1]
    assert name == "unsolvable" and searched["total_nodes"] > 0 and "known" not in searched


@pytest.mark.parametrize("puzzle", [id for id in one_of_each_kind() if id != "french-37"])
def test_search_from_nothing_visits_positions_of_every_kind(connect: Connect, puzzle: str) -> None:
    client = connect()
    client.search("a", puzzle, find(puzzle).start, fresh=True)
    while (event := client.receive())[0] != "solved" and not event[1].get("nodes"):
        assert event[0] in ("progress", "queued", "found", "exhausted")
    assert event[1]["nodes"] > 0 and "known" not in event[1]
    client.call("stop", {"ticket": "a"})
