"""Atlas sections of tiles and discs: classic problems, distances of the 8-puzzle, hardest rows of Flip It."""

from collections.abc import Callable

import numpy as np

from hoppers.atlas.difficulty import difficulty_of_graph
from hoppers.atlas.peg_results import boards
from hoppers.atlas.results import Result, Results, Section, SectionEntry, moves_text, too_few
from hoppers.core.events import Exhausted, Solved
from hoppers.core.model import DEAD, GivenUp, Position, Source, group_moves, steps_of
from hoppers.core.puzzle import Puzzle, Question
from hoppers.puzzles import PUZZLES
from hoppers.puzzles.flip_it import ANYWHERE, complete_table, text_of
from hoppers.puzzles.sliding import complete_table as sliding_table
from hoppers.puzzles.sliding.fifteen_puzzle import FifteenSource
from hoppers.puzzles.sliding.rules import EIGHT_BOARD
from hoppers.tablebase.engine import Engine
from hoppers.tablebase.solutions import SolutionList, finished_graph, shortest_solution

MAX_POSITIONS = 20_000  # most positions on shortest solutions for which these are counted: ten seconds
LENGTHS = range(5, 23)  # numbers of cells in a row of Flip It
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
    return [_problems(engine), _distances(), _hardest_flips()]


def _problems(engine: Engine) -> Section:
    problems = [(puzzle, *pair) for puzzle in puzzles(engine) for pair in starts_and_goals(puzzle)]
    return Section("problems", [_problem_entry(*problem) for problem in problems], _render_problems)


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


def _problem_entry(puzzle: Puzzle, start: str, goal: str) -> SectionEntry:
    label = f"{puzzle.texts.title.en}, {start}, goal {goal}"
    return SectionEntry(key_of(puzzle, start, goal), label, lambda done, save: measure(puzzle, start, goal))


def measure(puzzle: Puzzle, start: str, goal: str) -> Result:
    """Return the proved result for a start and a goal, with its difficulty if it can be computed."""
    code, position = puzzle.parse_goal(goal), puzzle.parse(start)
    source = puzzle.source(code)
    if not source.is_complete:
        return _from_search(puzzle, code, position)
    if source.moves_left(position) == DEAD:
        return {"proved": True, "moves": None, "reason": "table", "limits": []}
    return _from_source(puzzle, source, code, position) | {"limits": []}


def _from_source(puzzle: Puzzle, source: Source, goal: int, position: Position) -> Result:
    """Return the proved result of a solvable position from a source that knows a shortest solution.

    If the shortest solutions cannot be counted, the result has no count and no difficulty.
    """
    moves = group_moves(shortest_solution(puzzle, source, goal, position))
    result = {"proved": True, "moves": len(moves), "solution": moves}
    try:
        graph = finished_graph(puzzle, source, goal, position, MAX_POSITIONS)
    except GivenUp:
        return result
    unique = SolutionList(graph, puzzle.symmetries(position, goal)).count()
    return result | {"count": graph.count(0), "unique": unique, "luck": difficulty_of_graph(puzzle, graph)}


def _from_search(puzzle: Puzzle, goal: int, position: Position) -> Result:
    *events, end = puzzle.method("best").search(Question(puzzle, goal, position, find_all=True))
    limits = [[event.limit, event.nodes, event.cut] for event in events if isinstance(event, Exhausted)]
    if not isinstance(end, Solved):
        raise ArithmeticError(f"{puzzle.id} was not solved from {puzzle.format(position)}: {end}")
    source = FifteenSource(puzzle, bucket_capacity=1 << 40)  # nodes: in effect unlimited
    # With the solution stored, the source need not search the limits again.
    source.save(position, end.limit, puzzle.replay(position, steps_of(end.moves)))
    return _from_source(puzzle, source, goal, position) | {"limits": limits}


def by_puzzle(results: Results) -> dict[str, Results]:
    """Return the results of the section "problems" by puzzle id, then by start and goal."""
    found: dict[str, Results] = {}
    for name, result in results.items():
        puzzle_id, problem = name.split(" ", 1)
        found.setdefault(puzzle_id, {})[problem] = result
    return found


def _render_problems(results: Results) -> str:
    return PROBLEMS_PAGE + "".join(f"{_row(name, result)}\n" for name, result in results.items())


def _row(name: str, result: Result) -> str:
    puzzle_id, start, goal = name.split(" ")
    name = f"| {PUZZLES[puzzle_id].texts.title.en} | `{start}` | {goal} |"
    if result["moves"] is None:
        return f"{name} no solution (complete table) | 0 | | | |"
    count = f"{result['count']:,} ({result['unique']:,})" if "count" in result else ""
    return (
        f"{name} {result['moves']} | {count} | {result.get('luck', '')} "
        f"| {too_few(result)} | {moves_text(result['solution'])} |"
    )


def _distances() -> Section:
    def count(done: Results, save: Callable[[Result], None]) -> Result:
        return {"by_distance": sliding_table(EIGHT_BOARD).distribution()}

    entry = SectionEntry("eight-puzzle", "8-puzzle, all positions", count)
    return Section("sliding", [entry], _render_distances)


def _render_distances(results: Results) -> str:
    counts = results["eight-puzzle"]["by_distance"]
    return SLIDING_PAGE + "".join(f"| {moves} | {count:,} |\n" for moves, count in enumerate(counts))


def _hardest_flips() -> Section:
    rules = [(cells, slide) for cells in LENGTHS for slide in (False, True)]
    return Section("flips", [_flip_entry(cells, slide) for cells, slide in rules], _render_flips)


def _flip_entry(cells: int, slide: bool) -> SectionEntry:
    rule = "slide" if slide else "classic"
    label = f"Flip It, {cells} cells, {rule} rule"
    return SectionEntry(f"{cells}-{rule}", label, lambda done, save: _measure_flips(cells, slide))


def _measure_flips(cells: int, slide: bool) -> Result:
    table = complete_table(cells, slide, ANYWHERE)
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
        found = [results.get(f"{cells}-{rule}") for rule in ("classic", "slide")]
        columns = [f"{r['moves']} | {r['count']:,} | `{r['example']}`" if r else "open | | " for r in found]
        rows.append(f"| {cells} | {cells << cells - 1:,} | {' | '.join(columns)} |")
    return FLIPS_PAGE + "\n".join(rows) + "\n"
