"""Peg solitaire: every start with one vacancy and every finish, up to symmetry, board by board.

A problem is proved by a table, with its shortest solutions counted, or by a search from both ends; what
neither decides within its time is open, with the limits that are proved to be too few.
"""

import time
from collections.abc import Iterator
from typing import NamedTuple

from ..exact.big_board import BigBoard, Covering
from ..exact.big_sources import table_of
from ..exact.good_line import BEAMS, Beam, good_line, land_of
from ..exact.lines import Counter, TooManyPositions, count_unique, one_line
from ..exact.workshop import finish
from ..puzzle import Puzzle, Question
from ..puzzles import PUZZLES
from ..records import Position, Source, group_moves
from ..search.events import Event, Exhausted, Solved, Unsolvable
from . import Entry, Result, Section

COMPLETE = 21
"""Holes up to which the puzzle's own source is a complete table."""
WIDEST_KEY = 29
MOST_WALKED = 100_000
"""Positions on shortest solutions up to which the solutions are counted."""
WIDE_BEAMS = (Beam(150_000, 0.5), Beam(150_000, 2.0))
"""For lines that need not come soon."""
PAGE = """# {title}: every start and finish

One vacancy at the start, one peg at the finish, up to the symmetries of the board; holes are numbered in
reading order from 0. Pairs that the position class rules out are left out. *Moves* is the proved fewest, or
*open*, with the moves of a solution that was found but not proved shortest; *solutions* counts different
sequences of jumps, in brackets up to symmetry; *too few* is the highest limit a search exhausted, with its
nodes. Made by `python -m server atlas`; see docs/tables.md.

| start → finish | moves | solutions | too few | one solution |
|---|---|---|---|---|
"""


class Pair(NamedTuple):
    """A vacancy and a finish."""

    start: int
    finish: int


def sections(seconds: float) -> list[Section]:
    """One section per peg board, the small boards first; `seconds` for the search of one problem."""
    boards = [puzzle for puzzle in PUZZLES.values() if puzzle.family == "pegs"]
    return [_section(puzzle, seconds) for puzzle in boards]


def _section(puzzle: Puzzle, seconds: float) -> Section:
    def render(results: dict[str, Result]) -> str:
        rows = [_row(key, results.get(key)) for key in (_key(pair) for pair in pairs(puzzle))]
        return PAGE.format(title=puzzle.title.en) + "\n".join(rows) + "\n"

    entries = [_entry(puzzle, pair, seconds) for pair in pairs(puzzle)]
    return Section(f"pegs-{puzzle.id}", entries, render, merged)


def pairs(puzzle: Puzzle) -> list[Pair]:
    """The problems that the position class allows, one of each kind."""
    kinds: dict[Pair, None] = {}
    for start in range(puzzle.holes):
        for end in range(puzzle.holes):
            if puzzle.obstruction(_vacated(puzzle, start), end) != "class":
                kinds[min(Pair(image[start], image[end]) for image in puzzle.board.symmetries)] = None
    return sorted(kinds)


def _vacated(puzzle: Puzzle, hole: int) -> Position:
    return Position((1 << puzzle.holes) - 1 ^ 1 << hole)


def _key(pair: Pair) -> str:
    return f"{pair.start}-{pair.finish}"


def _entry(puzzle: Puzzle, pair: Pair, seconds: float) -> Entry:
    label = f"{puzzle.title.en}, vacancy {pair.start}, finish {pair.finish}"
    return Entry(_key(pair), label, lambda: solve(puzzle, pair, seconds))


def solve(puzzle: Puzzle, pair: Pair, seconds: float) -> Result:
    """What is proved about a problem, and how long each way took (seconds, for the page of benchmarks)."""
    began = time.perf_counter()
    source = _source(puzzle, pair)
    result = _from_source(puzzle, pair, source) if source is not None else {}
    result["table_seconds"] = round(time.perf_counter() - began, 2)
    searched = _from_search(puzzle, pair, seconds)
    if "moves" in result and searched.get("moves", result["moves"]) != result["moves"]:
        raise ArithmeticError(f"table and search differ about {puzzle.id} {pair}: {result} {searched}")
    result = searched | result
    return result if result["proved"] else concluded(result | _from_beam(puzzle, pair))


def _from_beam(puzzle: Puzzle, pair: Pair) -> Result:
    """The best solution that is only found, as `found`, if there is one soon."""
    question = Question(puzzle, pair.finish, _vacated(puzzle, pair.start))
    lines = good_line(question, land_of(puzzle.board.jumps, puzzle.holes), BEAMS + WIDE_BEAMS)
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
    return finish(table_of(board, pair.finish, _vacated(puzzle, pair.start).state))


def _from_source(puzzle: Puzzle, pair: Pair, source: Source) -> Result:
    start = _vacated(puzzle, pair.start)
    left = source.moves_left(start)
    result: Result = {"positions": len(source.table.keys)} if isinstance(source, Covering) else {}
    if left < 0:
        return result | {"moves": None, "proved": True, "count": 0, "unique": 0}
    moves = group_moves(one_line(puzzle, source, pair.finish, start))
    result |= {"moves": left, "proved": True, "solution": moves}
    try:
        count = Counter(puzzle, source, pair.finish, most=MOST_WALKED).count(start)
    except TooManyPositions:
        return result
    return result | {"count": count, "unique": count_unique(puzzle, source, pair.finish, start)}


def _from_search(puzzle: Puzzle, pair: Pair, seconds: float) -> Result:
    """What the search from both ends proves within a time; `limits`: [limit, nodes, boards cut] exhausted."""
    question = Question(puzzle, pair.finish, _vacated(puzzle, pair.start))
    began, limits, end = time.perf_counter(), [], None
    for end in _until(puzzle.method("both-ends").search(question), began + seconds):
        if isinstance(end, Exhausted):
            limits.append([end.limit, end.nodes, end.cut])
    result: Result = {"limits": limits, "proved": isinstance(end, Solved | Unsolvable)}
    if isinstance(end, Solved):
        result |= {"moves": end.limit, "solution": end.moves}
    if isinstance(end, Unsolvable):
        result |= {"moves": None}
    if result["proved"]:
        result["search_seconds"] = round(time.perf_counter() - began, 2)
    return result


def _until(events: Iterator[Event], when: float) -> Iterator[Event]:
    for event in events:
        yield event
        if time.perf_counter() > when:
            return


def _row(key: str, result: Result | None) -> str:
    name = key.replace("-", " → ")
    if result is None:
        return f"| {name} | not computed | | | |"
    limits = result["limits"]
    too_few = f"{limits[-1][0]} ({sum(limit[1] for limit in limits):,})" if limits else ""
    if not result["proved"]:
        found = result.get("found")
        known = f"open, {len(found)} found" if found else "open"
        return f"| {name} | {known} | | {too_few} | {_text(found or [])} |"
    if result["moves"] is None:
        return f"| {name} | no solution | 0 | | |"
    count = f"{result['count']:,} ({result['unique']:,})" if result.get("count") else ""
    return f"| {name} | {result['moves']} | {count} | {too_few} | {_text(result['solution'])} |"


def _text(moves: list[list[int]]) -> str:
    return " ".join("-".join(map(str, move)) for move in moves)
