"""One problem of a peg board: what tables, searches and beams prove about it, or find.

A problem is proved by a table, with its shortest solutions counted, or by a search from both ends; what
neither decides within its time is open, with the limits that are proved to be too few.
"""

import time
from collections.abc import Iterator

from hoppers.analysis.problems import Pair, vacated
from hoppers.atlas.results import Effort, Result
from hoppers.core.events import Event, Exhausted, Solved, Unsolvable
from hoppers.core.model import Source, group_moves
from hoppers.core.puzzle import Puzzle, Question
from hoppers.puzzles.pegs import ends_of
from hoppers.puzzles.pegs.beam.search import BEAMS, Beam, beam_board, beam_search
from hoppers.puzzles.pegs.best_first.search import best_first
from hoppers.puzzles.pegs.bidirectional.search import bidirectional_search
from hoppers.puzzles.pegs.bitboards.pagoda import weights_that_prove
from hoppers.puzzles.pegs.large_board import BigBoard, WinningTableView
from hoppers.puzzles.pegs.table_builds import load_or_build_table
from hoppers.search.memory_budget import MemoryBudget
from hoppers.tablebase.builder import finish
from hoppers.tablebase.solutions import SolutionCounter, TooManyPositions, count_unique, one_solution

COMPLETE = 21
"""Holes up to which the puzzle's own source is a complete table."""
WIDEST_KEY = 29
MOST_WALKED = 100_000
"""Positions on shortest solutions up to which the solutions are counted."""
BOARD_BYTES = 20
"""Of a board that a search keeps, with its share of a set."""
NO_LINE = 1 << 30
"""Moves of no solution: more than any has."""
Moves = list[list[int]]
WIDE_BEAMS = (Beam(150_000, 0.5), Beam(150_000, 2.0))
"""For lines that need not come soon."""


def solve(puzzle: Puzzle, pair: Pair, effort: Effort, line: Moves | None = None) -> Result:
    """What is proved about a problem, and how long each way took (seconds, for the page of benchmarks).

    `line`: the best solution known so far.
    """
    began = time.perf_counter()
    source = _source(puzzle, pair)
    result = _from_source(puzzle, pair, source) if source is not None else {}
    result["table_seconds"] = round(time.perf_counter() - began, 2)
    known = {"found": line} if line else {}
    if source is None:
        known = min(known, _from_beam(puzzle, pair), key=_length)
    searched = search(puzzle, pair, effort, _length(known) - 1)
    if "moves" in result and searched.get("moves", result["moves"]) != result["moves"]:
        raise ArithmeticError(f"table and search differ about {puzzle.id} {pair}: {result} {searched}")
    result = searched | result
    return result if result["proved"] else concluded(result | known)


def _length(known: Result) -> int:
    """The moves of what is found."""
    return len(known["found"]) if known else NO_LINE


def with_evidence(puzzle: Puzzle, pair: Pair, known: Result, effort: Effort) -> Result:
    """A proved result with what shows it: the limits exhausted, or the weights that no jump raises."""
    if known["moves"] is not None:
        limits = search(puzzle, pair, effort)["limits"]
        return known | {"limits": max(known["limits"], limits, key=len)}
    state, jumps = vacated(puzzle, pair.start).state, puzzle.board.jumps
    weights = weights_that_prove(jumps, puzzle.holes, state, 1 << pair.finish)
    return known | ({"reason": "table"} if weights is None else {"reason": "pagoda", "weights": weights})


def lacks_evidence(known: Result) -> bool:
    """Whether nothing shows yet that a proved result is right."""
    if not known["proved"]:
        return False
    if known["moves"] is None:
        return "reason" not in known
    limits = known["limits"]
    return known["moves"] > 1 and (not limits or limits[-1][0] != known["moves"] - 1)


def _from_beam(puzzle: Puzzle, pair: Pair) -> Result:
    """The best solution that is only found, as `found`, if there is one soon."""
    question = Question(puzzle, pair.finish, vacated(puzzle, pair.start))
    lines = beam_search(question, beam_board(puzzle.board.jumps, puzzle.holes), BEAMS + WIDE_BEAMS)
    found = [group_moves(steps) for steps in lines if steps is not None]
    return {"found": found[-1]} if found else {}


def concluded(result: Result) -> Result:
    """The result, proved if the solution found has one move more than are proved to be too few."""
    found, limits = result.get("found"), result["limits"]
    if result["proved"] or not found or not limits or limits[-1][0] < len(found) - 1:
        return result
    rest = {key: value for key, value in result.items() if key != "found"}
    return rest | {"proved": True, "moves": len(found), "solution": found}


def merged(known: Result, new: Result) -> Result:
    """The best of two results about one problem."""
    if known["proved"] or new["proved"]:
        return known if known["proved"] else new
    both = max(known, new, key=lambda result: len(result["limits"])).copy()
    lines = [result["found"] for result in (known, new) if result.get("found")]
    return concluded(both | ({"found": min(lines, key=len)} if lines else {}))


def _source(puzzle: Puzzle, pair: Pair) -> Source | None:
    """A source that knows the answer, where one can be made."""
    if puzzle.holes <= COMPLETE:
        return puzzle.source(pair.finish)
    board = BigBoard(puzzle.board.jumps, puzzle.board.symmetries)
    if board.holes - len(board.sets) > WIDEST_KEY:
        return None
    return finish(load_or_build_table(board, pair.finish, vacated(puzzle, pair.start).state))


def _from_source(puzzle: Puzzle, pair: Pair, source: Source) -> Result:
    start = vacated(puzzle, pair.start)
    left = source.moves_left(start)
    result: Result = {"positions": len(source.table.keys)} if isinstance(source, WinningTableView) else {}
    if left < 0:
        return result | {"moves": None, "proved": True, "count": 0, "unique": 0}
    moves = group_moves(one_solution(puzzle, source, pair.finish, start))
    result |= {"moves": left, "proved": True, "solution": moves}
    try:
        count = SolutionCounter(puzzle, source, pair.finish, most=MOST_WALKED).count(start)
    except TooManyPositions:
        return result
    return result | {"count": count, "unique": count_unique(puzzle, source, pair.finish, start)}


def search(puzzle: Puzzle, pair: Pair, effort: Effort, enough: int = NO_LINE) -> Result:
    """What a search from both ends proves; `limits`: [limit, nodes, boards cut] exhausted.

    `enough`: a limit beyond which nothing need be exhausted.
    """
    question = Question(puzzle, pair.finish, vacated(puzzle, pair.start))
    began, limits, end = time.perf_counter(), [], None
    for end in _until(_events(question, effort), began + effort.seconds):
        if isinstance(end, Exhausted):
            limits.append([end.limit, end.nodes, end.cut])
            if end.limit >= enough:
                break
    result: Result = {"limits": limits, "proved": isinstance(end, Solved | Unsolvable)}
    if isinstance(end, Solved):
        result |= {"moves": end.limit, "solution": end.moves}
    if isinstance(end, Unsolvable):
        result |= {"moves": None}
    if result["proved"]:
        result["search_seconds"] = round(time.perf_counter() - began, 2)
    return result


def _events(question: Question, effort: Effort) -> Iterator[Event]:
    """Best-first where keys are narrow enough for it, else by hash; obstructions are told at once."""
    puzzle, board = question.puzzle, question.puzzle.board
    reason = puzzle.rules.obstruction(question.root, question.goal)
    if reason is not None:
        yield Unsolvable(reason, 0, 0.0)
        return
    size = int(effort.gigabytes * 1e9)
    puzzle.engine.memory = MemoryBudget(size)
    by_hash = bidirectional_search(board.jumps, board.symmetries, ends_of, size // BOARD_BYTES)
    yield from best_first(board.jumps, board.symmetries, ends_of, by_hash)(question)


def _until(events: Iterator[Event], when: float) -> Iterator[Event]:
    for event in events:
        yield event
        if time.perf_counter() > when:
            return
