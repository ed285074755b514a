"""Facts about a position, measured on the graph of all its shortest solutions."""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from hoppers.analysis.card_data import Idea
from hoppers.analysis.fewest_bits import fewest_bits_of_graph
from hoppers.core.model import DEAD, MovesLeft, Position, group_moves
from hoppers.core.puzzle import Puzzle
from hoppers.runtime.builder import finish
from hoppers.tablebase.solutions import SolutionGraph, SolutionList, solution_graph

LONG_RUN = 4  # steps of a move that count as a long run
MAX_POSITIONS = 4_000  # on shortest solutions of a card; others are not measured


class Facts(NamedTuple):
    """Measured facts about a position; for those without a text see `card_data.Card`."""

    moves: int
    solutions: int
    difficulty: float
    good: int
    costly: int
    steps: int
    run: int
    line: str
    moved: str
    """Characters of the single pieces, such as the red peg, that move in every shortest solution."""
    is_greedy_wrong: bool
    """Whether no first step that leaves the fewest pieces of the last kind begins a shortest solution."""
    at_home: str
    """Characters of the single pieces that are where they are in the goal."""


IDEAS: dict[Idea, Callable[[Facts], bool]] = {
    "line": lambda facts: facts.solutions == 1,
    "first": lambda facts: facts.good == 1 and facts.steps >= 3,
    "red": lambda facts: "r" in facts.moved,
    "run": lambda facts: facts.run >= LONG_RUN,
    "decoy": lambda facts: facts.costly > 0,
    "home": lambda facts: any(piece in facts.at_home for piece in facts.moved),
    "greedy": lambda facts: facts.is_greedy_wrong,
}
"""Idea of a card -> whether a position has it."""


def measured(puzzle: Puzzle, goal: str, position: Position, moves_left: MovesLeft) -> Facts:
    """Return the facts about a solvable position. `moves_left`: exact for every position that follows.

    Raises:
        GivenUp: more than `MAX_POSITIONS` positions are on shortest solutions.
    """
    code, moves = puzzle.parse_goal(goal), moves_left(position)
    graph = finish(solution_graph(puzzle, code, position, moves_left, MAX_POSITIONS))
    symmetries = puzzle.symmetries(position, code)
    first = {step: moves_left(step.after) for step in puzzle.steps(position)}
    good = {step for step, left in first.items() if left != DEAD and step.cost + left == moves}
    text = puzzle.format(position)
    singles = [sign for sign in text if text.count(sign) == 1 and sign != puzzle.rules.alphabet[0]]
    last = puzzle.rules.alphabet[-1]
    left_over = {step: puzzle.format(step.after).count(last) for step in first}
    greedy = {step for step, count in left_over.items() if count == min(left_over.values())}
    line = group_moves(next(SolutionList(graph).page(0, 1)))
    return Facts(
        moves=moves,
        solutions=SolutionList(graph, symmetries).count(),
        difficulty=fewest_bits_of_graph(puzzle, graph),
        good=len(good),
        costly=sum(left != DEAD for left in first.values()) - len(good),
        steps=len(first),
        run=longest_run(graph),
        line=".".join("-".join(map(str, move)) for move in line),
        moved="".join(sign for sign in singles if not count_without(puzzle, graph, sign)),
        is_greedy_wrong=not greedy & good,
        at_home="".join(sign for sign in singles if sign in goal and text.index(sign) == goal.index(sign)),
    )


def count_without(puzzle: Puzzle, graph: SolutionGraph, sign: str) -> int:
    """Return the number of shortest solutions in which no piece with the character `sign` moves."""
    counts = [0] * len(graph.states)
    for number in reversed(range(len(counts))):  # all steps lead to higher numbers
        steps, text = graph.steps_at(number), puzzle.format(graph.position(number))
        still = sum(counts[after] for step, after in steps if text[step.origin] != sign)
        counts[number] = still if steps else 1
    return counts[graph.root]


def longest_run(graph: SolutionGraph) -> int:
    """Return the greatest length such that every shortest solution has a move of that many steps."""

    @cache
    def least(number: int, run: int) -> int:
        steps = graph.steps_at(number)
        if not steps:
            return run
        runs = ((run + 1 if step.cost == 0 else 1, after) for step, after in steps)
        return min(max(run, least(after, longer)) for longer, after in runs)

    return least(graph.root, 0)
