"""Atlas sections of tiles and discs: classic problems, distances of tiles, hardest rows of Flip It."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import zip_longest
from typing import Any

import numpy as np

from hoppers.analysis.fewest_bits import fewest_bits_of_graph
from hoppers.core.board import Board
from hoppers.core.events import Exhausted, Solved
from hoppers.core.model import DEAD, GivenUp, group_moves
from hoppers.core.puzzle import Puzzle, Question
from hoppers.puzzles import PUZZLES
from hoppers.puzzles.flip_it import ANYWHERE, FlipParameters, row_table, text_of
from hoppers.puzzles.sliding.rules import levels
from hoppers.tablebase.engine import Engine
from hoppers.tablebase.solutions import finished_graph, shortest_solution
from tools.atlas import peg_results
from tools.atlas.results import Compute, Result, Results, Section, row, solution_counts

MAX_POSITIONS = 20_000  # most positions on shortest solutions for which these are counted: ten seconds
LENGTHS = range(5, 23)  # numbers of cells in a row of Flip It
BITS = "solve_bits", "fewest_bits"
RULES = {"classic": 2, "slide": 1}  # rule of Flip It -> least distance of a jump
PROBLEMS_PAGE = """# Tiles, discs and the red peg: the classic problems

From the start of each classic problem to each goal: the proved fewest *moves*, the number of *solutions* that
short, and two measures: with probability 2^−b random play solves a problem of *b* *solve bits*, and one of
*b* *fewest bits* in the fewest moves. With tiles and discs random play need not end, so they have no solve
bits. Boards of more than ten cells are searched, and there *too few* is the highest limit that the search for
all solutions exhausted, with the nodes of all limits; the others are read from complete tables. Where more
than 20,000 positions lie on shortest solutions they are not counted, and the fewest bits are not known. Made
by `python -m tools.atlas problems`.

| puzzle | start | goal | moves | solutions | solve bits | fewest bits | too few | one solution |
|---|---|---|---|---|---|---|---|---|
"""
MAX_CELLS = 12  # cells of a board of tiles whose positions are counted: two minutes, two gigabytes
SLIDING_PAGE = """# Sliding tiles: positions by distance

How many of the solvable positions of a board need how many moves at least. Every position was counted by
breadth-first search from the solved one. Made by `python -m tools.atlas sliding`.

"""
FLIPS_PAGE = """# Flip It: the farthest positions

From a row of *n* cells with one gap, all discs have to become white, the gap anywhere. For each length and
rule: the fewest moves from the farthest positions, how many such positions there are, and one of them. Every
position was counted by breadth-first search from the solved ones; all can be solved. For longer rows [Flip
It](../flip-it.md) proves the moves: half the number of cells, rounded up, and three. Made by
`python -m tools.atlas flips`.

| cells | positions | classic: moves | how many | one of them | with slides: moves | how many | one of them |
|---|---|---|---|---|---|---|---|
"""


def sections(engine: Engine) -> list[Section]:
    """Return the three sections, in the order of the atlas."""
    entries = {name: _alone(measure, *problem) for name, problem in problems(engine).items()}
    flips = {
        f"{cells}-{rule}": _alone(_measure_flips, FlipParameters(cells, least))
        for cells in LENGTHS
        for rule, least in RULES.items()
    }
    distances = {
        puzzle.id: _alone(_count_distances, puzzle.board)
        for puzzle in engine.puzzles.values()
        if puzzle.family == "sliding" and puzzle.holes <= MAX_CELLS
    }
    return [
        Section("problems", entries, _render_problems, partial(_lacks_bits, engine)),
        Section("sliding", distances, _render_distances),
        Section("flips", flips, _render_flips),
    ]


def _alone(function: Callable[..., Result], *arguments: Any) -> Compute:
    """Return the computation of a result that depends on no other result."""
    return lambda done, save: function(*arguments)


def problems(engine: Engine) -> dict[str, tuple[Puzzle, str, str]]:
    """Return each start of a classic problem with each goal, for all puzzles without a section of their own.

    A key of the result is a key of the section "problems"; a value is (puzzle, start, goal).
    """
    return {
        f"{puzzle.id} {problem.start} {goal}": (puzzle, problem.start, goal)
        for puzzle in engine.puzzles.values()
        if puzzle not in peg_results.boards(engine)
        for problem in puzzle.gallery.problems
        for goal in puzzle.rules.goals
    }


def _lacks_bits(engine: Engine, name: str, results: Results) -> bool:
    puzzle_id, _ = name.split(" ", 1)
    known = results[name]
    return engine.puzzles[puzzle_id].family == "pegs" and known["moves"] is not None and BITS[0] not in known


def measure(puzzle: Puzzle, start: str, goal: str) -> Result:
    """Return the proved result for a start and a goal, with solution counts and bits if not too costly.

    Raises:
        ArithmeticError: the puzzle has no complete table, and the search finds no solution.
    """
    code, position = puzzle.parse_goal(goal), puzzle.parse(start)
    problem, source = Question(puzzle, code, position, find_all=True), puzzle.source(code)
    limits = [] if source.is_complete else _search(problem)
    if source.moves_left(position) == DEAD:
        return {"proved": True, "moves": None, "reason": "table", "limits": []}
    moves = group_moves(shortest_solution(puzzle, code, position, source.moves_left))
    result: Result = {"proved": True, "moves": len(moves), "solution": moves}
    with suppress(GivenUp):
        graph = finished_graph(puzzle, source, code, position, MAX_POSITIONS)
        result |= solution_counts(problem, graph) | {"fewest_bits": fewest_bits_of_graph(puzzle, graph)}
    if puzzle.family == "pegs":
        result = peg_results.with_bits(problem, result)
    return result | {"limits": limits}


def _search(problem: Question) -> list[list[int]]:
    """Prove a shortest solution, which the source remembers.

    Return [limit, nodes, pruned] of each limit that is ruled out.

    Raises:
        ArithmeticError: the search finds no solution.
    """
    puzzle = problem.puzzle
    *events, end = puzzle.method("best").search(problem)
    if not isinstance(end, Solved):
        raise ArithmeticError(f"{puzzle.id} was not solved from {puzzle.format(problem.position)}: {end}")
    return [[event.limit, event.nodes, event.cut] for event in events if isinstance(event, Exhausted)]


def _render_problems(results: Results) -> str:
    return PROBLEMS_PAGE + "".join(row(_columns(name), result, BITS) for name, result in results.items())


def _columns(name: str) -> str:
    puzzle_id, start, goal = name.split(" ")
    return f"{PUZZLES[puzzle_id].texts.title} | `{start}` | {goal}"


def _count_distances(board: Board) -> Result:
    return {"by_distance": [len(level) for level in levels(board)]}


def _render_distances(results: Results) -> str:
    titles = [f" {PUZZLES[puzzle_id].texts.title} |" for puzzle_id in results]
    columns = [[f"{count:,}" for count in result["by_distance"]] for result in results.values()]
    rows = enumerate(zip_longest(*columns, fillvalue=""))
    return "\n".join(
        [
            f"{SLIDING_PAGE}| moves |{''.join(titles)}",
            "|---" * (len(titles) + 1) + "|",
            *(f"| {moves} | {' | '.join(counts)} |" for moves, counts in rows),
            "",
        ]
    )


def _measure_flips(parameters: FlipParameters) -> Result:
    cells, table = parameters.cells, row_table(parameters, ANYWHERE)
    counts = table.distribution()
    moves = len(counts) - 1
    numbers = np.flatnonzero(table.distances == moves)
    unsolvable = (cells << cells - 1) - sum(counts)
    if unsolvable:
        raise ArithmeticError(f"{unsolvable} positions of {cells} cells cannot be solved")
    example = text_of(int(numbers[0]), cells)
    return {"moves": moves, "count": len(numbers), "example": example, "by_distance": counts}


def _render_flips(results: Results) -> str:
    rows = []
    for cells in LENGTHS:
        found = [results.get(f"{cells}-{rule}") for rule in RULES]
        columns = [f"{r['moves']} | {r['count']:,} | `{r['example']}`" if r else "open | | " for r in found]
        rows.append(f"| {cells} | {cells << cells - 1:,} | {' | '.join(columns)} |")
    return FLIPS_PAGE + "\n".join(rows) + "\n"
