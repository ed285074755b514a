"""Transposition table: nodes equal those of naive searches, and no solution is lost."""

import pytest

from hoppers.core.events import Solved
from tests import naive
from tests.support.questions import limits, make_question


class NaivePegSearch:
    """Naive peg search; its transposition table maps a position to moves that do not suffice there."""

    def __init__(self, id: str, goal: str) -> None:
        self.game, self.goal = naive.rules(id), goal
        self.known: dict[str, float] = {}
        self.nodes = self.cut = self.solutions = 0

    def limit(self, start: str, limit: int) -> tuple[int, int]:
        self.nodes, self.cut, self.solutions = 1, 0, 0
        if self.bound(start, "") <= limit:
            self.search(start, limit)
        return self.nodes, self.solutions

    def search(self, text: str, left: int) -> None:
        cut, solutions = self.cut, self.solutions
        for _, target, after, cost in self.game.steps(text):
            self.enter(after if ":" in after else f"{after}:{target}", left - cost)
        if self.solutions == solutions:
            self.known[text] = float("inf") if self.cut == cut else left

    def enter(self, text: str, left: int) -> None:
        self.nodes += 1
        cells, _, active = text.partition(":")
        if left < 0:
            self.cut += 1
        elif self.game.solved(text, self.goal):
            self.solutions += 1
        elif self.bound(cells, active) > left:
            self.cut += 1
        elif self.known.get(text, -1) >= left:
            self.cut += self.known[text] < float("inf")
        else:
            self.search(text, left)

    def bound(self, cells: str, active: str) -> int:
        """Return the Merson bound of Hoppers 13, whose regions are its four corners."""
        return sum(cells[hole] == "o" and str(hole) != active for hole in (0, 2, 10, 12)) * (
            cells.count("o") > 1
        )


def test_table_prunes_exactly_like_the_naive_search() -> None:
    question = make_question("hoppers", find_all=True)
    naive_search = NaivePegSearch("hoppers", "6")
    for event in limits(question, "memory", 7):
        solutions = event.count if isinstance(event, Solved) else 0
        assert (event.nodes, solutions) == naive_search.limit(question.puzzle.start, event.limit)
    assert isinstance(event, Solved) and event.limit == 7


@pytest.mark.parametrize(
    ("start", "goal"), [("o..ooo.oo.ooo", "6"), (".oooooooooooo", "any"), ("oo..o.o.oo.oo", "any")]
)
def test_table_does_not_change_the_number_of_solutions(start: str, goal: str) -> None:
    question = make_question("hoppers", start, goal, find_all=True)
    puzzle = question.puzzle
    ends = [list(puzzle.solving.methods[name].search(question))[-1] for name in ("memory", "deepening")]
    answers = [(end.limit, end.count) if isinstance(end, Solved) else None for end in ends]
    assert answers[0] == answers[1]


class NaiveSlideSearch:
    """Naive search with a transposition table, for tiles and discs: every step is a move and reversible."""

    def __init__(self, id: str, goal: str) -> None:
        self.game, self.goal = naive.rules(id), goal
        self.known: dict[str, int] = {}
        self.nodes = self.solutions = 0

    def limit(self, start: str, limit: int) -> tuple[int, int]:
        self.nodes = self.solutions = 0
        if self.bound(start) <= limit:
            self.nodes = 1
            self.search(start, "", limit)
        return self.nodes, self.solutions

    def search(self, text: str, before: str, left: int) -> None:
        solutions = self.solutions
        for _, _, after, _ in self.game.steps(text):
            if after != before and left > 0 and self.bound(after) < left:
                self.enter(after, text, left - 1)
        if self.solutions == solutions:
            self.known[text] = left

    def enter(self, text: str, before: str, left: int) -> None:
        self.nodes += 1
        if self.game.solved(text, self.goal):
            self.solutions += 1
        elif left > 0 and self.known.get(text, -1) < left:
            self.search(text, before, left)

    def bound(self, text: str) -> int:
        """Return the Manhattan distance of tiles, and 0 for discs."""
        if not isinstance(self.game, naive.Sliding):
            return 0
        away = [(divmod(cell, 3), divmod(int(tile) - 1, 3)) for cell, tile in enumerate(text) if tile != "0"]
        return sum(abs(a - c) + abs(b - d) for (a, b), (c, d) in away)


@pytest.mark.parametrize(
    ("id", "start", "goal", "totals"),
    [
        ("eight-puzzle", "867254301", "123456780", (77_384, 42_756)),
        ("flip-it-6", "bb_bbb", "any", (4_062, 767)),
        ("flip-it-8", "b_wwwbbb", "any", (223_065, 7_608)),
        ("flip-it-7-slide", "bb_bbbb", "3", (3_662_103, 25_148)),
    ],
)
def test_table_is_exact_for_reversible_puzzles(
    id: str, start: str, goal: str, totals: tuple[int, int]
) -> None:
    """Nodes of each limit are those of the naive search, and solutions those of a search without a table."""
    question, naive_search = make_question(id, start, goal, find_all=True), NaiveSlideSearch(id, goal)
    events = list(limits(question, "memory", 99))
    for event in events:
        solutions = event.count if isinstance(event, Solved) else 0
        assert (event.nodes, solutions) == naive_search.limit(start, event.limit)
    without = list(limits(question, "manhattan-tight" if "eight" in id else "deepening", 99))
    assert (events[-1].limit, solutions) == (without[-1].limit, count_of(without[-1]))
    assert tuple(sum(event.nodes for event in run) for run in (without, events)) == totals


def count_of(event: object) -> int | None:
    return event.count if isinstance(event, Solved) else None
