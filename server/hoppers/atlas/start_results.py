"""Atlas section of tiles and discs: fewest moves and difficulty from each classic start to each goal."""

from hoppers.atlas import peg_results
from hoppers.atlas.difficulty import count_and_difficulty
from hoppers.atlas.results import Result, Results, Section, SectionEntry
from hoppers.core.events import Exhausted, Solved
from hoppers.core.model import DEAD, Position, Source, group_moves
from hoppers.core.puzzle import Puzzle, Question
from hoppers.puzzles import PUZZLES
from hoppers.puzzles.sliding.fifteen_puzzle import FifteenSource
from hoppers.puzzles.sliding.pattern_databases import load
from hoppers.tablebase.engine import Engine
from hoppers.tablebase.solutions import count_unique, one_solution

MAX_NODES = 1 << 40  # nodes of a proof without a table: in effect unlimited
MAX_WALKED = 20_000  # positions on shortest solutions up to which solutions are counted: ten seconds
PAGE = """# Tiles and discs: the classic problems

From the start of each classic problem to each goal: the proved fewest *moves*, the number of *solutions* that
short, and *luck*, the difficulty in bits: that many halvings of one are the chance that somebody who makes
every move at random solves it in the fewest moves. All but the 15-puzzle is read from complete tables; there
*too few* is the highest limit that a search for all solutions exhausted, with the nodes of all limits. Where
more than 20,000 positions lie on shortest solutions they are not counted, and luck is not known. Made by
`python -m hoppers atlas problems`.

| puzzle | start | goal | moves | solutions | luck | too few | one solution |
|---|---|---|---|---|---|---|---|
"""


def section(engine: Engine) -> Section:
    """Return the atlas section of the classic problems of tiles and discs."""
    problems = [(puzzle, *pair) for puzzle in puzzles(engine) for pair in starts_and_goals(puzzle)]
    return Section("problems", [_entry(*problem) for problem in problems], _render)


def puzzles(engine: Engine) -> list[Puzzle]:
    """Return the puzzles that are not peg boards."""
    return [puzzle for puzzle in engine.puzzles.values() if puzzle not in peg_results.boards(engine)]


def starts_and_goals(puzzle: Puzzle) -> list[tuple[str, str]]:
    """Return all pairs of a classic problem's start and a goal of the puzzle."""
    starts = dict.fromkeys(problem.start for problem in puzzle.gallery.problems)
    return [(start, goal) for start in starts for goal in puzzle.rules.goals]


def key_of(puzzle: Puzzle, start: str, goal: str) -> str:
    """Return the key of a problem in the section."""
    return f"{puzzle.id} {start} {goal}"


def _entry(puzzle: Puzzle, start: str, goal: str) -> SectionEntry:
    label = f"{puzzle.texts.title.en}, {start}, goal {goal}"
    return SectionEntry(key_of(puzzle, start, goal), label, lambda done: measure(puzzle, start, goal))


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
    """Return the result by a source that knows every position on or next to a shortest solution."""
    moves = group_moves(one_solution(puzzle, source, goal, position))
    result = {"proved": True, "moves": len(moves), "solution": moves}
    found = count_and_difficulty(puzzle, source, goal, position, MAX_WALKED)
    if found is None:
        return result
    count, bits = found
    has_no_symmetry = len(puzzle.symmetries(position, goal)) == 1
    unique = count if has_no_symmetry else count_unique(puzzle, source, goal, position)
    return result | {"count": count, "unique": unique, "luck": bits}


def _from_search(puzzle: Puzzle, goal: int, position: Position) -> Result:
    """Return the result by a search for all solutions; with difficulty if the solutions can be listed."""
    load()  # without the pattern databases the search would use another bound
    *events, end = puzzle.method("best").search(Question(puzzle, goal, position, find_all=True))
    limits = [[event.limit, event.nodes, event.cut] for event in events if isinstance(event, Exhausted)]
    if not isinstance(end, Solved):
        raise ArithmeticError(f"{puzzle.id} was not solved from {puzzle.format(position)}: {end}")
    source = FifteenSource(puzzle.engine, MAX_NODES)
    # With the solution stored, the source need not search the limits again.
    source.save(position, end.limit, _states(puzzle, position, end.moves))
    if source.can_list(position):
        return _from_source(puzzle, source, goal, position) | {"limits": limits}
    return {"proved": True, "moves": end.limit, "solution": end.moves, "limits": limits}


def _states(puzzle: Puzzle, position: Position, moves: list[list[int]]) -> list[int]:
    """Return the state after each move, for puzzles whose moves are single steps."""
    states = []
    for origin, target in moves:
        position = puzzle.step(position, origin, target).after
        states.append(position.state)
    return states


def by_puzzle(results: Results) -> dict[str, Results]:
    """Return the results by puzzle id, then by start and goal."""
    found: dict[str, Results] = {}
    for name, result in results.items():
        puzzle_id, problem = name.split(" ", 1)
        found.setdefault(puzzle_id, {})[problem] = result
    return found


def _render(results: Results) -> str:
    return PAGE + "".join(f"{_row(name, result)}\n" for name, result in results.items())


def _row(name: str, result: Result) -> str:
    puzzle_id, start, goal = name.split(" ")
    name = f"| {PUZZLES[puzzle_id].texts.title.en} | `{start}` | {goal} |"
    if result["moves"] is None:
        return f"{name} no solution (complete table) | 0 | | | |"
    count = f"{result['count']:,} ({result['unique']:,})" if "count" in result else ""
    return (
        f"{name} {result['moves']} | {count} | {result.get('luck', '')} "
        f"| {peg_results.too_few(result)} | {peg_results.moves_text(result['solution'])} |"
    )
