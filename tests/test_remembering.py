"""The search with a memory enters what its slow twin enters, and finds as many solutions as the plain one."""

import pytest

from server.search.events import Solved

from . import naive
from .test_tracing import ask, limits


class Remembering:
    """The slow twin of the search with a memory: dictionaries, and a board of texts."""

    def __init__(self, id: str, goal: str) -> None:
        self.game, self.goal = naive.rules(id), goal
        self.known: dict[str, float] = {}
        self.nodes = self.cut = self.solutions = 0

    def limit(self, start: str, limit: int) -> tuple[int, int]:
        self.nodes, self.cut, self.solutions = 1, 0, 0
        if self.bound(start, "") <= limit:
            self.below(start, limit)
        return self.nodes, self.solutions

    def below(self, text: str, left: int) -> None:
        cut, solutions = self.cut, self.solutions
        for _, target, after, cost in self.game.steps(text):
            self.enter(after if ":" in after else f"{after}:{target}", left - cost)
        if self.solutions == solutions:
            self.known[text] = float("inf") if self.cut == cut else left

    def enter(self, text: str, left: int) -> None:
        self.nodes += 1
        cells, _, hand = text.partition(":")
        if left < 0:
            self.cut += 1
        elif self.game.solved(text, self.goal):
            self.solutions += 1
        elif self.bound(cells, hand) > left:
            self.cut += 1
        elif self.known.get(text, -1) >= left:
            self.cut += self.known[text] < float("inf")
        else:
            self.below(text, left)

    def bound(self, cells: str, hand: str) -> int:
        """Merson regions of a board with 13 holes in a square are its four corners."""
        return sum(cells[hole] == "o" and str(hole) != hand for hole in (0, 2, 10, 12)) * (
            cells.count("o") > 1
        )


def test_the_memory_cuts_what_its_slow_twin_cuts() -> None:
    question = ask("hoppers", find_all=True)
    twin = Remembering("hoppers", "6")
    for event in limits(question, "memory", 7):
        solutions = event.count if isinstance(event, Solved) else 0
        assert (event.nodes, solutions) == twin.limit(question.puzzle.start, event.limit)
    assert isinstance(event, Solved) and event.limit == 7


@pytest.mark.parametrize(
    ("start", "goal"), [("o..ooo.oo.ooo", "6"), (".oooooooooooo", "any"), ("oo..o.o.oo.oo", "any")]
)
def test_with_a_memory_as_many_solutions_are_found(start: str, goal: str) -> None:
    question = ask("hoppers", start, goal, find_all=True)
    puzzle = question.puzzle
    ends = [list(puzzle.methods[name].search(question))[-1] for name in ("memory", "deepening")]
    answers = [(end.limit, end.count) if isinstance(end, Solved) else None for end in ends]
    assert answers[0] == answers[1]
