"""Atlas sections of peg solitaire, one per board: every vacancy and goal hole, up to symmetry.

A problem is proved by a table or by a bidirectional search, and either counts its shortest solutions. A
problem that neither decides within its limits stays open: the result lists the limits ruled out and the best
solution found, by a beam search or an earlier run.
"""

import itertools
import time
from collections.abc import Callable, Sequence
from functools import partial

from hoppers.core.events import Exhausted, Solved, Unsolvable
from hoppers.core.model import ANY_GOAL, DEAD_BOUND, GivenUp, Source, group_moves, steps_of
from hoppers.core.puzzle import Puzzle, Question
from hoppers.puzzles.pegs.beam_search import BEAMS, Beam, beam_search
from hoppers.puzzles.pegs.bidirectional.search import optimal_positions
from hoppers.puzzles.pegs.large_tables.table_builds import WinningTable, load_or_build_table
from hoppers.puzzles.pegs.pagoda import dead_proof
from hoppers.puzzles.pegs.peg_board import peg_board
from hoppers.puzzles.pegs.tables.complete_table import MAX_HOLES
from hoppers.puzzles.pegs.unproved_solutions import with_proved_end
from hoppers.runtime.builder import finish
from hoppers.tablebase.atlas_data import key, vacated
from hoppers.tablebase.engine import Engine
from hoppers.tablebase.solutions import finished_graph, shortest_solution, solution_graph
from tools.atlas import level_proofs
from tools.atlas.results import (
    Compute,
    Effort,
    Moves,
    Result,
    Results,
    Save,
    Section,
    least_moves,
    line_of,
    row,
    solution_counts,
)
from tools.atlas.solve_bits import is_measured, solve_bits

WIDE_BEAMS = (Beam(150_000, 0.5), Beam(150_000, 2.0))  # slower and better than the beams used for hints
Limits = Sequence[list[int]]  # limits that are ruled out, from 1 on: [limit, nodes, boards pruned]
NOTHING: Result = {"limits": [], "proved": False}  # result of a problem about which nothing is known
INTERRUPTED = "interrupted"  # field that marks a result as written before its computation ended
PAGE = """# {title}: every start and finish

One vacancy at the start, one peg at the finish, up to the symmetries of the board; holes are numbered in
reading order from 0. Pairs that the position class rules out are left out. *Moves* is the proved fewest, or
*open*, with the moves of a solution that was found but not proved shortest; *solutions* counts different
sequences of jumps, in brackets up to symmetry; random jumps solve a problem of *b* *solve bits* with
probability 2^−b (not computed for starts with more than 24 pegs); *too few* is the highest limit that a
search exhausted, with its nodes. Made by `python -m tools.atlas`; see docs/tables.md.

| start → finish | moves | solutions | solve bits | too few | one solution |
|---|---|---|---|---|---|
"""


def boards(engine: Engine) -> list[Puzzle]:
    """Return the peg boards whose problems have one vacancy at the start, small ones first.

    Boards with a red peg are not among them: the problems of the gallery say where it is.
    """
    return [
        puzzle for puzzle in engine.puzzles.values() if puzzle.family == "pegs" and not puzzle.rules.unique
    ]


def problems(puzzle: Puzzle) -> list[str]:
    """Return the keys of all problems of a board up to symmetry.

    Problems with a goal hole come first, sorted by vacancy and goal hole, without those that the position
    class rules out. A problem with the goal `ANY_GOAL` follows for each vacancy.
    """
    holes, obstruction = range(puzzle.holes), puzzle.rules.obstruction
    pairs = [
        (start, str(finish))
        for start, finish in itertools.product(holes, repeat=2)
        if obstruction(vacated(puzzle, start), finish) != "class"
    ]
    every = [*pairs, *((start, ANY_GOAL) for start in holes)]
    return list(dict.fromkeys(key(puzzle, start, goal) for start, goal in every))


def section_of(puzzle: Puzzle) -> str:
    """Return the name of the section of a board."""
    return f"pegs-{puzzle.id}"


def section(puzzle: Puzzle, effort: Effort) -> Section:
    """Return the section of a peg board.

    `effort`: limits of one search, and whether to renew results. `engine.memory` must already have the size
    `effort.gigabytes`.
    """
    entries: dict[str, Compute] = {
        name: partial(_result_anywhere if name.endswith(ANY_GOAL) else _result, puzzle, effort, name)
        for name in problems(puzzle)
    }

    def render(results: Results) -> str:
        rows = [row(name.replace("-", " → "), results.get(name)) for name in entries]
        return PAGE.format(title=puzzle.texts.title) + "".join(rows)

    return Section(section_of(puzzle), entries, render, partial(_is_incomplete, puzzle, effort))


def _is_incomplete(puzzle: Puzzle, effort: Effort, name: str, results: Results) -> bool:
    known, problem = results[name], problem_of(puzzle, name)
    if INTERRUPTED in known:
        return True
    if not name.endswith(ANY_GOAL):
        is_decided = not known["proved"] and (_is_dead(problem) or level_proofs.is_decided(puzzle, name))
        is_partial = (
            _lacks_bits(problem, known) or needs_evidence(known, effort) or lacks_count(known, effort)
        )
        return is_decided or is_partial
    stored = {field: value for field, value in known.items() if field != "solve_bits"}
    return stored != anywhere(puzzle, name, results) or _lacks_bits(problem, known)


def _lacks_bits(problem: Question, known: Result) -> bool:
    return "solve_bits" not in known and bool(line_of(known)) and is_measured(problem)


def _is_dead(problem: Question) -> bool:
    """Return whether the rules prove at once that a problem has no solution."""
    return problem.puzzle.rules.obstruction(problem.position, problem.goal) is not None


def problem_of(puzzle: Puzzle, name: str) -> Question:
    """Return the problem with the key `name` as the question for a search."""
    vacancy, goal = name.split("-")
    return Question(puzzle, puzzle.parse_goal(goal), vacated(puzzle, int(vacancy)))


def _result(puzzle: Puzzle, effort: Effort, name: str, done: Results, save: Save) -> Result:
    """Return the result of a problem, as complete as `effort` allows.

    An unproved result is searched again from its stored limits on, unless the rules prove it impossible or
    only its solve bits are missing.
    """
    problem, known = problem_of(puzzle, name), done.get(name, NOTHING)
    if not known["proved"] and _is_dead(problem):
        known = {"limits": known["limits"], "proved": True, "moves": None}
    if not known["proved"] and level_proofs.is_decided(puzzle, name):
        known = {"limits": known["limits"]} | level_proofs.decided(puzzle, name)
    if not known["proved"] and (known == NOTHING or INTERRUPTED in known or not _lacks_bits(problem, known)):
        before = {field: value for field, value in known.items() if field != INTERRUPTED}
        known = solve(problem, effort, before, save)
    if needs_evidence(known, effort):
        known = with_evidence(problem, known, effort)
    if lacks_count(known, effort):
        known = with_count(problem, known, effort)
    return with_bits(problem, known)


def _result_anywhere(puzzle: Puzzle, effort: Effort, name: str, done: Results, save: Save) -> Result:
    return with_bits(problem_of(puzzle, name), anywhere(puzzle, name, done))


def with_bits(problem: Question, result: Result) -> Result:
    """Return the result of a peg problem with its solve bits, if it has a solution and few enough pegs."""
    return result | {"solve_bits": solve_bits(problem)} if _lacks_bits(problem, result) else result


def anywhere(puzzle: Puzzle, name: str, done: Results) -> Result:
    """Return the result of a problem with the goal `ANY_GOAL`, from the results of all goal holes.

    Holes without a result in `done` count as impossible goals. So `done` must have a result for each of
    `problems` with a goal hole and the vacancy of `name`. The result has numbers of shortest solutions only
    if every goal hole that may need as few moves is decided and has its own.
    """
    vacancy = int(name.partition("-")[0])
    names = [key(puzzle, vacancy, str(hole)) for hole in range(puzzle.holes)]
    finishes = [done[one] for one in names if one in done]
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
    best = [result for result in solvable if least_moves(result) == least]
    different = [done[one] for one in {*names} & done.keys()]
    if all(result["proved"] and "count" in result for result in best):
        unique = sum(result["unique"] for result in different if result.get("moves") == least)
        proved |= {"count": sum(result["count"] for result in best), "unique": unique}
    return proved


def solve(problem: Question, effort: Effort, before: Result, save: Save) -> Result:
    """Solve a problem by table and search; return its result, which may be unproved.

    The result has at least the limits of `before`, and its solution is not longer than that of `before`.
    The result has the running times of the table and of a search that proves it, unless the limits of
    `before` already prove the best solution found.

    `before`: earlier result of the problem; its limits are not searched again. `save`: called with the result
    so far after every limit.

    Raises:
        ArithmeticError: table and search differ about the fewest moves.
    """
    began = time.perf_counter()
    source = _source(problem)
    result = _from_source(problem, source) if source is not None else {}
    result["table_seconds"] = round(time.perf_counter() - began, 2)
    line = before.get("found") or []
    if source is None:
        line = _with_proved_end(problem, effort, min(line, _from_beam(problem), key=_length))
    known = {"found": line} if line else {}

    def save_limits(limits: Limits) -> None:
        save({"limits": limits, "proved": False, INTERRUPTED: True} | known)

    if concluded(before | known)["proved"]:
        return concluded(before | known)
    searched = search(problem, effort, _length(line) - 1, before["limits"], save_limits)
    _compare(problem, result, searched)
    result = searched | result
    return result if result["proved"] else concluded(result | known)


def _compare(problem: Question, known: Result, searched: Result) -> None:
    """Raise ArithmeticError if a result with proved moves and the result of a search differ."""
    if "moves" in known and searched.get("moves", known["moves"]) != known["moves"]:
        start = problem.puzzle.format(problem.position)
        raise ArithmeticError(
            f"two proofs differ about {problem.puzzle.id} {start} {problem.goal}: {known} {searched}"
        )


def _length(line: Moves) -> int:
    return len(line) or DEAD_BOUND


def with_evidence(problem: Question, known: Result, effort: Effort) -> Result:
    """Return the proved result `known` with its evidence.

    A solvable one gets the longer list of limits, of its own and of those that a search within `effort` rules
    out. An unsolvable one gets the `reason` "pagoda" and in `proofs` [board, later board, weights] of each
    pagoda function (see `dead_proof`). If there is no such proof, it gets the `reason` "table".

    Raises:
        ArithmeticError: the search finds another number of moves than `known` has.
    """
    if known["moves"] is not None:
        searched = search(problem, effort)
        _compare(problem, known, searched)
        limits = max(searched["limits"], known["limits"], key=len)
        seconds = {name: searched[name] for name in ("search_seconds",) if name in searched}
        return known | {"limits": limits} | seconds
    puzzle = problem.puzzle
    proofs = dead_proof(puzzle.board.jumps, puzzle.holes, problem.position.state, 1 << problem.goal)
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


def with_count(problem: Question, known: Result, effort: Effort) -> Result:
    """Return the result `known` with the numbers of shortest solutions, counted by a bidirectional search.

    `known` must be proved and solvable. If counting is given up (see `GivenUp`), the result gets the
    gigabytes that were allowed, as `uncounted`.

    Raises:
        ArithmeticError: the search finds another number of moves than `known` has.
    """
    try:
        moves_left = finish(optimal_positions(problem))
        graph = finish(solution_graph(problem.puzzle, problem.goal, problem.position, moves_left))
    except GivenUp:
        return known | {"uncounted": effort.gigabytes}
    _compare(problem, known, {"moves": graph.moves_left(0)})
    return {name: value for name, value in known.items() if name != "uncounted"} | solution_counts(
        problem, graph
    )


def lacks_count(known: Result, effort: Effort) -> bool:
    """Return whether a proved, solvable result has no count, and counting may succeed with this memory."""
    is_solvable = known["proved"] and known["moves"] is not None
    return is_solvable and "count" not in known and known.get("uncounted", 0.0) < effort.gigabytes


def _from_beam(problem: Question) -> Moves:
    """Return the moves of the best solution of a beam search; an empty list if it finds none."""
    found = [steps for steps in beam_search(problem, BEAMS + WIDE_BEAMS) if steps is not None]
    return group_moves(found[-1]) if found else []


def _with_proved_end(problem: Question, effort: Effort, line: Moves) -> Moves:
    """Return the solution `line`, with a proved shortest end if one is found; [] stays [].

    Each end that is tried may take `effort.seconds`.
    """
    if not line:
        return line
    steps = problem.puzzle.replay(problem.position, steps_of(line))
    return group_moves(finish(with_proved_end(problem, steps, effort.seconds)))


def concluded(result: Result) -> Result:
    """Return `result`, marked as proved if its solution has as many moves as its proved lower bound."""
    found, limits = result.get("found"), result["limits"]
    if result["proved"] or not found or not limits or limits[-1][0] < len(found) - 1:
        return result
    rest = {key: value for key, value in result.items() if key != "found"}
    return rest | {"proved": True, "moves": len(found), "solution": found}


def _source(problem: Question) -> Source | None:
    """Return an exact source for the problem, or None if its table would be too large."""
    if problem.puzzle.holes <= MAX_HOLES:
        return problem.puzzle.source(problem.goal)
    board = peg_board(problem.puzzle)
    if not board.supports_winning_tables:
        return None
    return finish(load_or_build_table(board, problem.goal, problem.position.state))


def _from_source(problem: Question, source: Source) -> Result:
    puzzle, goal, start = problem.puzzle, problem.goal, problem.position
    left = source.moves_left(start)
    result: Result = {"positions": len(source.keys)} if isinstance(source, WinningTable) else {}
    if left < 0:
        return result | {"moves": None, "proved": True, "count": 0, "unique": 0}
    moves = group_moves(shortest_solution(puzzle, goal, start, source.moves_left))
    result |= {"moves": left, "proved": True, "solution": moves}
    try:
        return result | solution_counts(problem, finished_graph(puzzle, source, goal, start))
    except GivenUp:
        return result


def search(
    problem: Question,
    effort: Effort,
    enough: int = DEAD_BOUND,
    before: Limits = (),
    save: Callable[[Limits], None] = lambda limits: None,
) -> Result:
    """Return the result of a bidirectional search. Each of its `limits` is [limit, nodes, boards pruned].

    The result is not proved if the search ends early: after the limit `enough`, after `effort.seconds`, or
    for lack of memory.

    `enough`: the last limit that needs to be ruled out. `before`: limits that an earlier search has ruled
    out, from 1 on without a gap. `save`: called with the limits ruled out so far, after each limit.
    """
    limits, end, began = [*before], None, time.perf_counter()
    for end in problem.puzzle.method("bidirectional").search(problem._replace(proved=len(limits))):
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
