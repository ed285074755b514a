"""Atlas sections of tiles and discs: classic problems, distances of the 8-puzzle, hardest rows of Flip It."""

from collections.abc import Callable
from typing import Any

import numpy as np

from hoppers.atlas.difficulty import difficulty_of_graph
from hoppers.atlas.peg_results import boards
from hoppers.atlas.results import Compute, Result, Results, Section, row, solution_counts
from hoppers.core.events import Exhausted, Solved
from hoppers.core.model import DEAD, GivenUp, Source, group_moves
from hoppers.core.puzzle import Puzzle, Question
from hoppers.puzzles import PUZZLES
from hoppers.puzzles.flip_it import ANYWHERE, FlipParameters, row_table, text_of
from hoppers.puzzles.sliding import tile_table
from hoppers.puzzles.sliding.rules import EIGHT_BOARD
from hoppers.tablebase.engine import Engine
from hoppers.tablebase.solutions import finished_graph, shortest_solution

MAX_POSITIONS = 20_000  # most positions on shortest solutions for which these are counted: ten seconds
LENGTHS = range(5, 23)  # numbers of cells in a row of Flip It
RULES = {"classic": 2, "slide": 1}  # rule of Flip It -> least distance of a jump
PROBLEMS_PAGE = """# Tiles and discs: the classic problems

From the start of each classic problem to each goal: the proved fewest *moves*, the number of *solutions* that
short, and the *difficulty* in bits: random moves solve a problem of *b* bits in the fewest moves with
probability 2^−b. All but the 15-puzzle is read from complete tables; there *too few* is the highest limit
that a search for all solutions exhausted, with the nodes of all limits. Where more than 20,000 positions lie
on shortest solutions they are not counted, and the difficulty is not known. Made by
`python -m hoppers atlas problems`.

| puzzle | start | goal | moves | solutions | difficulty | too few | one solution |
|---|---|---|---|---|---|---|---|
"""
SLIDING_PAGE = """# The 8-puzzle: positions by distance

How many of the 181,440 solvable positions need how many moves at least. Every position was counted by
breadth-first search from the solved one. Made by `python -m hoppers atlas sliding`.

| moves | positions |
|---|---|
"""
FLIPS_PAGE = """# Flip It: the farthest positions

From a row of *n* cells with one gap, all discs have to become white, the gap anywhere. For each length and
rule: the fewest moves from the farthest positions, how many such positions there are, and one of them. Every
position was counted by breadth-first search from the solved ones; all can be solved. Made by
`python -m hoppers atlas flips`.

| cells | positions | classic: moves | how many | one of them | with slides: moves | how many | one of them |
|---|---|---|---|---|---|---|---|
"""


def sections(engine: Engine) -> list[Section]:
    """Return the three sections, in the order of the atlas."""
    every = [(puzzle, *pair) for puzzle in puzzles(engine) for pair in starts_and_goals(puzzle)]
    problems = {key_of(*problem): _alone(measure, *problem) for problem in every}
    flips = {
        f"{cells}-{rule}": _alone(_measure_flips, FlipParameters(cells, least))
        for cells in LENGTHS
        for rule, least in RULES.items()
    }
    return [
        Section("problems", problems, _render_problems),
        Section("sliding", {"eight-puzzle": _alone(_count_distances)}, _render_distances),
        Section("flips", flips, _render_flips),
    ]


def _alone(function: Callable[..., Result], *arguments: Any) -> Compute:
    """Return the computation of a result that depends on no other result."""
    return lambda done, save: function(*arguments)


def puzzles(engine: Engine) -> list[Puzzle]:
    """Return the puzzles that are not peg boards."""
    return [puzzle for puzzle in engine.puzzles.values() if puzzle not in boards(engine)]


def starts_and_goals(puzzle: Puzzle) -> list[tuple[str, str]]:
    """Return all pairs of a classic problem's start and a goal of the puzzle."""
    starts = dict.fromkeys(problem.start for problem in puzzle.gallery.problems)
    return [(start, goal) for start in starts for goal in puzzle.rules.goals]


def key_of(puzzle: Puzzle, start: str, goal: str) -> str:
    """Return the key of a problem in the section "problems"."""
    return f"{puzzle.id} {start} {goal}"


def measure(puzzle: Puzzle, start: str, goal: str) -> Result:
    """Return the proved result for a start and a goal, with its difficulty if it can be computed.

    Raises:
        ArithmeticError: the puzzle has no complete table, and the search finds no solution.
    """
    problem = Question(puzzle, puzzle.parse_goal(goal), puzzle.parse(start), find_all=True)
    source = puzzle.source(problem.goal)
    if not source.is_complete:
        return _from_search(problem)
    if source.moves_left(problem.position) == DEAD:
        return {"proved": True, "moves": None, "reason": "table", "limits": []}
    return _from_source(problem, source) | {"limits": []}


def _from_source(problem: Question, source: Source) -> Result:
    """Return the proved result of a solvable position from a source that knows a shortest solution.

    If the shortest solutions cannot be counted, the result has no count and no difficulty.
    """
    puzzle, goal, start = problem.puzzle, problem.goal, problem.position
    moves = group_moves(shortest_solution(puzzle, source, goal, start))
    result = {"proved": True, "moves": len(moves), "solution": moves}
    try:
        graph = finished_graph(puzzle, source, goal, start, MAX_POSITIONS)
    except GivenUp:
        return result
    return result | solution_counts(problem, graph) | {"luck": difficulty_of_graph(puzzle, graph)}


def _from_search(problem: Question) -> Result:
    puzzle, start = problem.puzzle, problem.position
    *events, end = puzzle.method("best").search(problem)  # which also stores the solution in the source
    limits = [[event.limit, event.nodes, event.cut] for event in events if isinstance(event, Exhausted)]
    if not isinstance(end, Solved):
        raise ArithmeticError(f"{puzzle.id} was not solved from {puzzle.format(start)}: {end}")
    return _from_source(problem, puzzle.source(problem.goal)) | {"limits": limits}


def by_puzzle(results: Results) -> dict[str, Results]:
    """Return the results of the section "problems" by puzzle id, then by start and goal."""
    found: dict[str, Results] = {}
    for name, result in results.items():
        puzzle_id, problem = name.split(" ", 1)
        found.setdefault(puzzle_id, {})[problem] = result
    return found


def _render_problems(results: Results) -> str:
    return PROBLEMS_PAGE + "".join(row(_columns(name), result) for name, result in results.items())


def _columns(name: str) -> str:
    puzzle_id, start, goal = name.split(" ")
    return f"{PUZZLES[puzzle_id].texts.title.en} | `{start}` | {goal}"


def _count_distances() -> Result:
    return {"by_distance": tile_table(EIGHT_BOARD).distribution()}


def _render_distances(results: Results) -> str:
    counts = results["eight-puzzle"]["by_distance"]
    return SLIDING_PAGE + "".join(f"| {moves} | {count:,} |\n" for moves, count in enumerate(counts))


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
