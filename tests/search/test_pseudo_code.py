"""The printed pseudo-code is run, line by line, with the naive rules: it counts the nodes of the program.

Each printed line has one line of Python here. A line that is printed and not listed fails.
"""

import contextlib
import itertools
import math
from collections.abc import Iterator

import pytest

from hoppers.core.puzzle import Algorithm, Puzzle
from hoppers.search.pseudo_code import code_of, node_of
from tests import ROOT, naive
from tests.support.engine import find
from tests.support.questions import limits, make_question

PYTHON = {
    "": "",
    "  count a node": "  count()",
    "  go back": "  pass",
    # depth first
    "for limit in 1, 2, 3, …:": "for limit in range(1, most + 1):",
    "  if h(start) > limit: prune": "  if h(start) > limit: end_limit(limit); continue",
    "  search(start, 0)": "  search(start, made, limit, ''); end_limit(limit)",
    "search(position, g):": "def search(position, g, limit, before):",
    "  if g > limit: prune": "  if g > limit: cut(); return",
    "  if position is solved: stop": "  if solved(position): solution(); return",
    "  f = g + h(position)": "  f = g + h(position)",
    "  if f > limit: prune": "  if f > limit: cut(); return",
    "  if limit - g <= table[position]: prune": (
        "  if limit - g <= table.get(position, -1): table[position] < INF and cut(); return\n"
        "  known = solutions(); pruned = cuts()"
    ),
    "  for each step, to next:": "  for next, cost in steps(position):",
    "    search(next, g + cost)": "    search(next, g + cost, limit, position)",
    "    if next was just before: skip": "    if next == before: continue",
    "    if g + 1 > limit: prune": "    if g + 1 > limit: continue",
    "    f = g + 1 + h(next)": "    f = g + 1 + h(next)",
    "    f = g + max(1, h(next))": "    f = g + max(1, h(next))",
    "    if f > limit: prune": "    if f > limit: continue",
    "    search(next, g + 1)": "    search(next, g + 1, limit, position)",
    "  if no solution: table[position] =": "  if known == solutions(): table[position] = \\",
    "    limit - g": "    limit - g",
    "    limit - g, or ∞ if nothing was pruned": "    INF if cuts() == pruned else limit - g",
    # breadth first
    "level = found = {start}": "level = [start]; found = {start}",
    "for moves in 1, 2, 3, …:": "for moves in range(1, most + 1):",
    "  new = {}": "  new = []",
    "  for each step from level: add(next)": "  for p in level: [add(q, new, found) for q, _ in steps(p)]",
    "  for each step of cost 1 from level: add(next)": (
        "  for p in level: [add(q, new, found) for q, cost in steps(p) if cost]"
    ),
    "  for each step of cost 0 from new: add(next)": (
        "  for p in new: [add(q, new, found) for q, cost in steps(p) if not cost]"
    ),
    "  if one of new is solved: stop": "  end_limit(moves)\n  if any(map(solved, new)): solution(); break",
    "  level = new": "  level = new",
    "add(next):": "def add(next, new, found):",
    "  if next in found: skip": "  if next in found: return",
    "  add next to new and found": "  new.append(next); found.add(next)",
    # both ends
    "ahead = {start}; behind = goals": "ends = [[[start], {start}], [goals(), set(goals())]]",
    "  level = smaller of ahead, behind": "  end = min(ends, key=lambda e: len(e[0])); level, found = end",
    "  for each step from level, to next:": "  for next in (next for p in level for next, _ in steps(p)):",
    "    if this end has found next: skip": "    if next in found: continue",
    "    count a node": "    count()",
    "    add next to new": "    new.append(next); found.add(next)",
    "  if both ends have one of new: stop": (
        "  end_limit(moves)\n  if set(new) & ends[end is ends[0]][1]: solution(); break"
    ),
    "  ahead or behind = new": "  end[0] = new",
}


class Run:
    """The pseudo-code of a method, run on a position with every solution of the last limit counted."""

    def __init__(self, puzzle: Puzzle, name: str, start: str, goal: str, made: int, most: int) -> None:
        self.rules, self.goal, self.found = naive.rules(puzzle.id), goal, 0
        self.nodes, self.pruned = 0, 0
        self.counts: dict[int, int] = {}
        self.in_depth = not puzzle.method(name).algorithm.has_levels
        source = [line.text for line in code_of(puzzle, puzzle.method(name).algorithm)]
        # Python wants a function before its call
        at = source.index("") if "" in source else len(source)
        lines = [PYTHON[text] for text in [*source[at:], *source[:at]]]
        names = {name: getattr(self, name) for name in ("steps", "count", "cut", "end_limit", "goals")}
        bounds = {"corners": self.corners, "manhattan": self.manhattan, "manhattan-tight": self.manhattan}
        names |= {"solved": lambda text: self.rules.solved(text, self.goal), "solution": self.solution}
        names |= {"solutions": lambda: self.found, "cuts": lambda: self.pruned, "table": {}, "INF": math.inf}
        has_tiles = isinstance(self.rules, naive.Sliding)
        names["h"] = bounds.get(name, self.manhattan if has_tiles else lambda text: 0)
        with_limits = {"start": start, "made": made, "most": most}
        with contextlib.suppress(StopIteration):
            exec("\n".join(lines), names | with_limits)

    def steps(self, text: str) -> Iterator[tuple[str, int]]:
        """Yield what follows. Depth first, the peg that moved last stays active, able to go on or not."""
        for _, target, after, cost in self.rules.steps(text):
            keeps = self.in_depth and isinstance(self.rules, naive.Pegs)
            yield (f"{after.partition(':')[0]}:{target}" if keeps else after), cost

    def goals(self) -> list[str]:
        return ["123456780"]

    def count(self) -> None:
        self.nodes += 1

    def cut(self) -> None:
        self.pruned += 1

    def solution(self) -> None:
        self.found += 1

    def end_limit(self, limit: int) -> None:
        self.counts[limit], self.nodes = self.nodes, 0
        if self.found:
            raise StopIteration

    def corners(self, text: str) -> int:
        """Return the number of pegs that no jump passes over, without the active one."""
        assert isinstance(self.rules, naive.Pegs)
        cells, _, active = text.partition(":")
        passed = {over for _, over, _ in self.rules.jumps}
        corners = [hole for hole, cell in enumerate(cells) if cell == "o" and hole not in passed]
        alone = cells.count("o") == 1
        return 0 if alone else sum(str(hole) != active for hole in corners)

    def manhattan(self, text: str) -> int:
        side = math.isqrt(len(text))
        homes = [(cell, int(tile, 16) - 1) for cell, tile in enumerate(text) if tile != "0"]
        return sum(abs(a // side - b // side) + abs(a % side - b % side) for a, b in homes)


CASES = [
    ("hoppers", "deepening", "oooooo.oooooo", "6", 5),
    ("hoppers", "corners", "oooooo.oooooo", "6", 7),
    ("hoppers", "corners", "oo.oo.......o", "6", 9),
    ("hoppers", "deepening", "oo.o.oooo....", "6", 9),
    ("hoppers-red", "deepening", "rooooo.oooooo", "any", 4),
    ("triangle-15", "corners", "ooooooo.ooooooo", "7", 5),
    ("eight-puzzle", "deepening", "123745086", "123456780", 9),
    ("eight-puzzle", "deepening", "867254301", "123456780", 11),
    ("eight-puzzle", "manhattan", "123745086", "123456780", 20),
    ("eight-puzzle", "manhattan-tight", "123745086", "123456780", 20),
    ("eight-puzzle", "manhattan-tight", "867254301", "123456780", 25),
    ("eight-puzzle", "memory", "123745086", "123456780", 20),
    ("flip-it-7", "deepening", "b_wbbbb", "any", 7),
    ("flip-it-7", "memory", "b_wbbbb", "any", 9),
    ("hoppers", "breadth-first", "oooooo.oooooo", "6", 9),
    ("triangle-15", "breadth-first", "oooo.oooooo....", "any", 12),
    ("eight-puzzle", "breadth-first", "123745086", "123456780", 30),
    ("eight-puzzle", "bidirectional", "867254301", "123456780", 40),
    ("eight-puzzle", "bidirectional", "123745086", "123456780", 40),
]


@pytest.mark.parametrize(("puzzle_id", "method", "start", "goal", "most"), CASES)
def test_printed_code_counts_the_nodes_of_the_program(
    puzzle_id: str, method: str, start: str, goal: str, most: int
) -> None:
    question = make_question(puzzle_id, start, goal, find_all=True)
    counted = {event.limit: event.nodes for event in limits(question, method, most)}
    counts = Run(question.puzzle, method, start, goal, 0, most).counts
    assert len(counts) >= 3 and counts == counted


def test_printed_code_counts_the_published_nodes() -> None:
    """Jump 0-6 first, as move 1: the limits of the docs and of the articles' program."""
    counts = Run(find("hoppers"), "deepening", ".oo.ooooooooo", "6", 1, 5).counts
    assert [*counts.values()] == [4, 18, 110, 638, 3010]


@pytest.mark.parametrize(
    ("puzzle_id", "method"),
    [
        ("hoppers", "deepening"),
        ("hoppers", "corners"),
        ("hoppers", "breadth-first"),
        ("eight-puzzle", "deepening"),
        ("eight-puzzle", "bidirectional"),
    ],
)
def test_the_docs_print_this_code(puzzle_id: str, method: str) -> None:
    docs = (ROOT / "docs" / "how-the-search-works.md").read_text(encoding="utf-8")
    lines = code_of(find(puzzle_id), find(puzzle_id).method(method).algorithm)
    block = "\n".join("    " + line.text if line.text else "" for line in lines)
    assert f"\n\n{block}\n\n" in docs


def test_every_method_says_what_it_counts() -> None:
    methods = find("hoppers").solving.methods
    said = {name: str(node_of(find("hoppers"), method.algorithm)) for name, method in methods.items()}
    assert "pruned at once" in said["corners"] and "jump made or taken back" in said["best"]
    assert "position found" in said["breadth-first"]
    assert "always within the limit" in str(node_of(find("eight-puzzle"), Algorithm()))


@pytest.mark.parametrize(
    ("puzzle_id", "method", "start", "limit"),
    [
        ("hoppers", "deepening", "oo.o.oooo....", 3),
        ("hoppers", "memory", "oo.o.oooo....", 3),
        ("triangle-21", "classes", "oooooo.oooooooooooooo", 7),
        ("hoppers", "breadth-first", "oo.o.oooo....", 3),
        ("eight-puzzle", "memory", "123745086", 8),
        ("eight-puzzle", "manhattan-tight", "123745086", 2),
        ("eight-puzzle", "bidirectional", "867254301", 8),
    ],
)
def test_every_event_of_a_trace_happens_in_one_line(
    puzzle_id: str, method: str, start: str, limit: int
) -> None:
    question = make_question(puzzle_id, start, find_all=True)
    chosen = question.puzzle.method(method)
    code = code_of(question.puzzle, chosen.algorithm)
    assert chosen.trace is not None
    kinds = {
        "root" if visit.kind == "enter" and visit.depth == 0 else visit.kind
        for visit in itertools.islice(chosen.trace(question, limit, 0), 3000)
    }
    for kind in kinds - {"line"}:
        assert sum(kind in line.kinds for line in code) == 1, kind
    assert {"end", "complete", "path"} & kinds or len(kinds) > 4
