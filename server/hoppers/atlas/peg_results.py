"""Atlas sections of peg solitaire, one per board: every vacancy and goal hole, up to symmetry.

A problem is proved by a table or by a bidirectional search, and either counts its shortest solutions. A
problem that neither decides within its limits stays open: the result lists the limits ruled out and the best
solution found, by a beam search or an earlier run.
"""

import time
from collections.abc import Callable, Sequence
from functools import partial

from hoppers.analysis.atlas_results import NO_SOLUTION, Pair, canonical_pair, first_image, key, vacated
from hoppers.atlas.difficulty import difficulty_bits
from hoppers.atlas.results import (
    Effort,
    Result,
    Results,
    Section,
    SectionEntry,
    least_moves,
    line_of,
    moves_text,
    too_few,
)
from hoppers.core.events import Exhausted, Solved, Unsolvable
from hoppers.core.model import ANY_GOAL, GivenUp, Source, group_moves, steps_of
from hoppers.core.puzzle import Puzzle, Question
from hoppers.puzzles.pegs.beam_search import BEAMS, Beam, beam_search
from hoppers.puzzles.pegs.bidirectional.search import optimal_positions
from hoppers.puzzles.pegs.pagoda import dead_proof
from hoppers.puzzles.pegs.peg_board import peg_board
from hoppers.puzzles.pegs.rules import ANYWHERE
from hoppers.puzzles.pegs.table_builds import WinningTable, load_or_build_table
from hoppers.puzzles.pegs.tables.complete_table import MAX_HOLES
from hoppers.puzzles.pegs.unproved_solutions import LIMITS, with_proved_end
from hoppers.tablebase.builder import finish
from hoppers.tablebase.engine import Engine
from hoppers.tablebase.memory import MemoryBudget
from hoppers.tablebase.solutions import (
    SolutionGraph,
    SolutionList,
    finished_graph,
    shortest_solution,
    solution_graph,
)

WIDE_BEAMS = (Beam(150_000, 0.5), Beam(150_000, 2.0))  # slower and better than the beams used for hints
REASONS = {"class": "position class", "pagoda": "pagoda", "table": "complete table", "search": "search"}
Limits = Sequence[list[int]]  # limits that are ruled out, from 1 on: [limit, nodes, boards pruned]
NOTHING: Result = {"limits": [], "proved": False}  # result of a problem of which nothing is known
INTERRUPTED = "interrupted"  # field that marks a result as written before its computation ended
PAGE = """# {title}: every start and finish

One vacancy at the start, one peg at the finish, up to the symmetries of the board; holes are numbered in
reading order from 0. Pairs that the position class rules out are left out. *Moves* is the proved fewest, or
*open*, with the moves of a solution that was found but not proved shortest; *solutions* counts different
sequences of jumps, in brackets up to symmetry; *difficulty* is in bits: random jumps solve a problem of *b*
bits with probability 2^−b (from 24 pegs of the solution on, where there are more); *too few* is the highest
limit that a search exhausted, with its nodes. Made by `python -m hoppers atlas`; see docs/tables.md.

| start → finish | moves | solutions | difficulty | too few | one solution |
|---|---|---|---|---|---|
"""


def sections(engine: Engine, effort: Effort) -> list[Section]:
    """Return one section per peg board, small boards first. `effort`: limits of one search."""
    return [_section(puzzle, effort) for puzzle in boards(engine)]


def boards(engine: Engine) -> list[Puzzle]:
    """Return the peg boards, small ones first."""
    return [puzzle for puzzle in engine.puzzles.values() if puzzle.family == "pegs"]


def pairs(puzzle: Puzzle) -> list[Pair]:
    """Return all problems that the position class allows, up to symmetry, sorted by vacancy and goal hole."""
    kinds: dict[Pair, None] = {}
    for start in range(puzzle.holes):
        for end in range(puzzle.holes):
            if puzzle.rules.obstruction(vacated(puzzle, start), end) != "class":
                kinds[canonical_pair(puzzle, Pair(start, end))] = None
    return sorted(kinds)


def vacancies(puzzle: Puzzle) -> list[int]:
    """Return the vacancies up to symmetry, in ascending order."""
    return sorted({first_image(puzzle, hole) for hole in range(puzzle.holes)})


def section_of(puzzle: Puzzle) -> str:
    """Return the name of the section of a board."""
    return f"pegs-{puzzle.id}"


def _section(puzzle: Puzzle, effort: Effort) -> Section:
    entries = [_entry(puzzle, pair, effort) for pair in pairs(puzzle)]
    for start in vacancies(puzzle):
        label = f"{puzzle.texts.title.en}, vacancy {start}, finish anywhere"
        entries.append(SectionEntry(key(start, ANY_GOAL), label, partial(_result_anywhere, puzzle, start)))

    def render(results: Results) -> str:
        rows = [_row(entry.key, results.get(entry.key)) for entry in entries]
        return PAGE.format(title=puzzle.texts.title.en) + "\n".join(rows) + "\n"

    return Section(section_of(puzzle), entries, render, partial(_is_incomplete, puzzle, effort))


def _entry(puzzle: Puzzle, pair: Pair, effort: Effort) -> SectionEntry:
    label = f"{puzzle.texts.title.en}, vacancy {pair.start}, finish {pair.finish}"
    return SectionEntry(key(*pair), label, partial(_result, puzzle, pair, effort))


def _is_incomplete(puzzle: Puzzle, effort: Effort, name: str, results: Results) -> bool:
    known = results[name]
    if INTERRUPTED in known:
        return True
    if not name.endswith(f"-{ANY_GOAL}"):
        return _lacks_difficulty(known) or needs_evidence(known, effort) or lacks_count(known, effort)
    derived = anywhere(puzzle, int(name.partition("-")[0]), results)
    expected = derived | ({"luck": known["luck"]} if "luck" in known else {})
    return known != expected or _lacks_difficulty(known)


def _lacks_difficulty(known: Result) -> bool:
    return "luck" not in known and bool(line_of(known))


def _result(
    puzzle: Puzzle, pair: Pair, effort: Effort, done: Results, save: Callable[[Result], None]
) -> Result:
    """Return the result of a problem, as complete as `effort` allows.

    An unproved result is searched again from its stored limits on, unless only its difficulty is missing.
    """
    known = done.get(key(*pair), NOTHING)
    if not known["proved"] and (known == NOTHING or INTERRUPTED in known or not _lacks_difficulty(known)):
        before = {name: value for name, value in known.items() if name != INTERRUPTED}
        known = merged(before, solve(puzzle, pair, effort, before, save))
    if needs_evidence(known, effort):
        known = with_evidence(puzzle, pair, known, effort)
    if lacks_count(known, effort):
        known = with_count(puzzle, pair, known, effort)
    return _with_difficulty(puzzle, pair.start, pair.finish, known)


def _result_anywhere(puzzle: Puzzle, start: int, done: Results, save: Callable[[Result], None]) -> Result:
    return _with_difficulty(puzzle, start, ANYWHERE, anywhere(puzzle, start, done))


def _with_difficulty(puzzle: Puzzle, start: int, goal: int, result: Result) -> Result:
    line = line_of(result)
    return result | ({"luck": difficulty_bits(puzzle, vacated(puzzle, start), goal, line)} if line else {})


def anywhere(puzzle: Puzzle, start: int, done: Results) -> Result:
    """Return the result of a vacancy with the goal `ANY_GOAL`, from the results of all goal holes."""
    images = [canonical_pair(puzzle, Pair(start, hole)) for hole in range(puzzle.holes)]
    finishes = [done[key(*pair)] for pair in images if key(*pair) in done]
    lines = [line for result in finishes if (line := line_of(result))]
    line = min(lines, key=len, default=[])
    if all(result["proved"] and result["moves"] is None for result in finishes):
        reason = next((result["reason"] for result in finishes), "class")
        return {"limits": [], "proved": True, "moves": None, "count": 0, "unique": 0, "reason": reason}
    solvable = [result for result in finishes if not result["proved"] or result["moves"] is not None]
    least = min(map(least_moves, solvable))
    if not line or least < len(line):
        return {"limits": [], "least": least, "proved": False} | ({"found": line} if line else {})
    proved = {"limits": [], "least": least, "proved": True, "moves": least, "solution": line}
    best = [result for result in finishes if result.get("moves") == least]
    different = [done[name] for name in {key(*pair) for pair in images if key(*pair) in done}]
    if all("count" in result for result in best):
        unique = sum(result["unique"] for result in different if result.get("moves") == least)
        proved |= {"count": sum(result["count"] for result in best), "unique": unique}
    return proved


def _row(name: str, result: Result | None) -> str:
    problem = name.replace("-", " → ")
    if result is None:
        return f"| {problem} | not computed | | | | |"
    line = line_of(result) or []
    if result["proved"] and result["moves"] is None:
        return f"| {problem} | no solution ({REASONS[result.get('reason', 'search')]}) | 0 | | | |"
    known = f"open, {len(line)} found" if line else "open"
    moves = result["moves"] if result["proved"] else known
    count = f"{result['count']:,} ({result['unique']:,})" if result.get("count") else ""
    bits = result.get("luck", "")
    return f"| {problem} | {moves} | {count} | {bits} | {too_few(result)} | {moves_text(line)} |"


def solve(
    puzzle: Puzzle, pair: Pair, effort: Effort, before: Result, save: Callable[[Result], None]
) -> Result:
    """Solve a problem by table and search; return its result, which may be unproved.

    The result has the running times of the table and of a search that proves it, unless the limits of
    `before` already prove the best solution found.

    Args:
        puzzle: board.
        pair: problem.
        effort: limits of the search.
        before: earlier result of the problem; its limits are not searched again.
        save: called with the result so far after every limit.

    Raises:
        ArithmeticError: table and search differ about the fewest moves.
    """
    began = time.perf_counter()
    source = _source(puzzle, pair)
    result = _from_source(puzzle, pair, source) if source is not None else {}
    result["table_seconds"] = round(time.perf_counter() - began, 2)
    known = {"found": before["found"]} if before.get("found") else {}
    if source is None:
        known = _with_proved_end(puzzle, pair, effort, min(known, _from_beam(puzzle, pair), key=_length))

    def save_limits(limits: Limits) -> None:
        save({"limits": limits, "proved": False, INTERRUPTED: True} | known)

    if concluded(before | known)["proved"]:
        return concluded(before | known)
    searched = search(puzzle, pair, effort, _length(known) - 1, before["limits"], save_limits)
    _compare(puzzle, pair, result, searched)
    result = searched | result
    return result if result["proved"] else concluded(result | known)


def _compare(puzzle: Puzzle, pair: Pair, known: Result, searched: Result) -> None:
    """Raise ArithmeticError if a result with proved moves and the result of a search differ."""
    if "moves" in known and searched.get("moves", known["moves"]) != known["moves"]:
        raise ArithmeticError(f"two proofs differ about {puzzle.id} {pair}: {known} {searched}")


def _length(known: Result) -> int:
    """Return the number of moves of the solution found, or `NO_SOLUTION` if there is none."""
    return len(known["found"]) if known else NO_SOLUTION


def with_evidence(puzzle: Puzzle, pair: Pair, known: Result, effort: Effort) -> Result:
    """Return a proved result with its evidence: the limits ruled out, pagoda functions, or 'table'.

    `proofs` has [board, end, weights] for each pagoda function (see `dead_proof`).
    """
    if known["moves"] is not None:
        searched = search(puzzle, pair, effort)
        _compare(puzzle, pair, known, searched)
        limits = max(searched["limits"], known["limits"], key=len)
        seconds = {name: searched[name] for name in ("search_seconds",) if name in searched}
        return known | {"limits": limits} | seconds
    state, jumps = vacated(puzzle, pair.start).state, puzzle.board.jumps
    proofs = dead_proof(jumps, puzzle.holes, state, 1 << pair.finish)
    return known | ({"reason": "pagoda", "proofs": proofs} if proofs else {"reason": "table"})


def needs_evidence(known: Result, effort: Effort) -> bool:
    """Return whether a proved result has no evidence yet, or `effort` renews its limits."""
    if not known["proved"]:
        return False
    if known["moves"] is None:
        return "reason" not in known
    limits = known["limits"]
    is_missing = known["moves"] > 1 and (not limits or limits[-1][0] != known["moves"] - 1)
    return is_missing or effort.renews_limits


def with_count(puzzle: Puzzle, pair: Pair, known: Result, effort: Effort) -> Result:
    """Return a proved result with the number of its shortest solutions, counted by a bidirectional search.

    If counting is given up (see `GivenUp`), the result gets the gigabytes that were allowed, as `uncounted`.

    Raises:
        ArithmeticError: the search finds another number of moves than the result has.
    """
    start = vacated(puzzle, pair.start)
    puzzle.engine.memory = MemoryBudget(int(effort.gigabytes * 1e9))
    try:
        moves_left = finish(optimal_positions(Question(puzzle, pair.finish, start)))
        graph = finish(solution_graph(puzzle, pair.finish, start, moves_left))
    except GivenUp:
        return known | {"uncounted": effort.gigabytes}
    if graph.moves_left(0) != known["moves"]:
        raise ArithmeticError(f"two proofs differ about {puzzle.id} {pair}: {known} {graph.moves_left(0)}")
    return {name: value for name, value in known.items() if name != "uncounted"} | _count(puzzle, pair, graph)


def _count(puzzle: Puzzle, pair: Pair, graph: SolutionGraph) -> Result:
    """Return the number of shortest solutions, in all and up to symmetry, as parts of a result."""
    symmetries = puzzle.symmetries(vacated(puzzle, pair.start), pair.finish)
    return {"count": graph.count(0), "unique": SolutionList(graph, symmetries).count()}


def lacks_count(known: Result, effort: Effort) -> bool:
    """Return whether a proved, solvable result has no count, and counting may succeed with this memory."""
    is_solvable = known["proved"] and known["moves"] is not None
    return is_solvable and "count" not in known and known.get("uncounted", 0.0) < effort.gigabytes


def _from_beam(puzzle: Puzzle, pair: Pair) -> Result:
    """Return the best solution of a beam search as `found`, or an empty result."""
    question = Question(puzzle, pair.finish, vacated(puzzle, pair.start))
    lines = beam_search(question, BEAMS + WIDE_BEAMS)
    found = [group_moves(steps) for steps in lines if steps is not None]
    return {"found": found[-1]} if found else {}


def _with_proved_end(puzzle: Puzzle, pair: Pair, effort: Effort, known: Result) -> Result:
    """Return `known`, with a proved shortest end of its solution if one is found within `effort`."""
    if not known:
        return known
    question = Question(puzzle, pair.finish, vacated(puzzle, pair.start))
    puzzle.engine.memory = MemoryBudget(int(effort.gigabytes * 1e9))
    steps = puzzle.replay(question.root, steps_of(known["found"]))
    limits = LIMITS._replace(end_seconds=effort.seconds)
    better = finish(with_proved_end(question, steps, limits))
    return {"found": group_moves(better)}


def concluded(result: Result) -> Result:
    """Return `result`, marked as proved if its solution has as many moves as its proved lower bound."""
    found, limits = result.get("found"), result["limits"]
    if result["proved"] or not found or not limits or limits[-1][0] < len(found) - 1:
        return result
    rest = {key: value for key, value in result.items() if key != "found"}
    return rest | {"proved": True, "moves": len(found), "solution": found}


def merged(known: Result, new: Result) -> Result:
    """Return the combined result of a problem: the proved one, or the best parts of both."""
    if known["proved"] or new["proved"]:
        return known if known["proved"] else new
    both = max(known, new, key=lambda result: len(result["limits"])).copy()
    lines = [result["found"] for result in (known, new) if result.get("found")]
    return concluded(both | ({"found": min(lines, key=len)} if lines else {}))


def _source(puzzle: Puzzle, pair: Pair) -> Source | None:
    """Return an exact source for the problem, or None if its table would be too large."""
    if puzzle.holes <= MAX_HOLES:
        return puzzle.source(pair.finish)
    board = peg_board(puzzle)
    if not board.supports_winning_tables:
        return None
    return finish(load_or_build_table(board, pair.finish, vacated(puzzle, pair.start).state))


def _from_source(puzzle: Puzzle, pair: Pair, source: Source) -> Result:
    start = vacated(puzzle, pair.start)
    left = source.moves_left(start)
    result: Result = {"positions": len(source.keys)} if isinstance(source, WinningTable) else {}
    if left < 0:
        return result | {"moves": None, "proved": True, "count": 0, "unique": 0}
    moves = group_moves(shortest_solution(puzzle, source, pair.finish, start))
    result |= {"moves": left, "proved": True, "solution": moves}
    try:
        graph = finished_graph(puzzle, source, pair.finish, start)
    except GivenUp:
        return result
    return result | _count(puzzle, pair, graph)


def search(
    puzzle: Puzzle,
    pair: Pair,
    effort: Effort,
    enough: int = NO_SOLUTION,
    before: Limits = (),
    save: Callable[[Limits], None] = lambda limits: None,
) -> Result:
    """Return the result of a bidirectional search. Each of its `limits` is [limit, nodes, boards pruned].

    The search replaces the memory budget of the puzzle's engine.

    Args:
        puzzle: board.
        pair: problem.
        effort: time and memory that the search may take.
        enough: the last limit that needs to be ruled out.
        before: limits that an earlier search has ruled out, from 1 on without a gap.
        save: called with the limits ruled out so far, after each limit.
    """
    limits, end = [*before], None
    question = Question(puzzle, pair.finish, vacated(puzzle, pair.start), proved=len(limits))
    began = time.perf_counter()
    puzzle.engine.memory = MemoryBudget(int(effort.gigabytes * 1e9))
    for end in puzzle.method("bidirectional").search(question):
        if isinstance(end, Exhausted):
            limits.append([end.limit, end.nodes, end.cut])
            save([*limits])
            if end.limit >= enough:
                break
        if time.perf_counter() > began + effort.seconds:
            break
    result: Result = {"limits": limits, "proved": isinstance(end, Solved | Unsolvable)}
    if isinstance(end, Solved):
        result |= {"moves": end.limit, "solution": end.moves}
    if isinstance(end, Unsolvable):
        result |= {"moves": None}
    if result["proved"]:
        result["search_seconds"] = round(time.perf_counter() - began, 2)
    return result
