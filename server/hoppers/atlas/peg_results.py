"""Atlas sections of peg solitaire, one per board: every vacancy and finish, up to symmetry."""

from functools import partial

from hoppers.analysis.problems import ANYWHERE as ANY
from hoppers.analysis.problems import Pair, canonical, key, key_anywhere, pairs, vacancies, vacated
from hoppers.atlas.difficulty import difficulty_bits
from hoppers.atlas.results import Effort, Result, Results, Section, SectionEntry
from hoppers.atlas.solving import lacks_evidence, merged, solve, with_evidence
from hoppers.core.puzzle import Puzzle
from hoppers.puzzles.pegs.rules import ANYWHERE
from hoppers.tablebase.engine import Engine

PAGE = """# {title}: every start and finish

One vacancy at the start, one peg at the finish, up to the symmetries of the board; holes are numbered in
reading order from 0. Pairs that the position class rules out are left out. *Moves* is the proved fewest, or
*open*, with the moves of a solution that was found but not proved shortest; *solutions* counts different
sequences of jumps, in brackets up to symmetry; *luck* is the difficulty, in bits: that many halvings of one
are the chance that random jumps solve the problem (from 24 pegs of the solution on, where there are more);
*too few* is the highest limit a search exhausted, with its nodes. Made by `python -m hoppers atlas`; see
docs/tables.md.

| start → finish | moves | solutions | luck | too few | one solution |
|---|---|---|---|---|---|
"""


def sections(engine: Engine, effort: Effort) -> list[Section]:
    """Return one section per peg board, small boards first. `effort`: limits of one search."""
    return [_section(puzzle, effort) for puzzle in boards(engine)]


def boards(engine: Engine) -> list[Puzzle]:
    """Return the peg boards, small ones first."""
    return [puzzle for puzzle in engine.puzzles.values() if puzzle.family == "pegs"]


def section_of(puzzle: Puzzle) -> str:
    """Return the name of the section of a board."""
    return f"pegs-{puzzle.id}"


def _section(puzzle: Puzzle, effort: Effort) -> Section:
    problems = [_entry(puzzle, pair, effort) for pair in pairs(puzzle)]
    entries = [*problems, *(_entry_anywhere(puzzle, start) for start in vacancies(puzzle))]

    def render(results: Results) -> str:
        rows = [_row(entry.key, results.get(entry.key)) for entry in entries]
        return PAGE.format(title=puzzle.texts.title.en) + "\n".join(rows) + "\n"

    return Section(section_of(puzzle), entries, render, partial(_is_incomplete, puzzle))


def _entry(puzzle: Puzzle, pair: Pair, effort: Effort) -> SectionEntry:
    label = f"{puzzle.texts.title.en}, vacancy {pair.start}, finish {pair.finish}"
    return SectionEntry(key(pair), label, partial(_result, puzzle, pair, effort))


def _entry_anywhere(puzzle: Puzzle, start: int) -> SectionEntry:
    label = f"{puzzle.texts.title.en}, vacancy {start}, finish anywhere"
    return SectionEntry(key_anywhere(start), label, partial(_result_anywhere, puzzle, start))


def _is_incomplete(puzzle: Puzzle, name: str, results: Results) -> bool:
    known = results[name]
    if not name.endswith(f"-{ANY}"):
        return _lacks_difficulty(known) or lacks_evidence(known)
    derived = anywhere(puzzle, int(name.partition("-")[0]), results)
    return known != derived | ({"luck": known["luck"]} if "luck" in known else {}) or _lacks_difficulty(known)


def _lacks_difficulty(known: Result) -> bool:
    return "luck" not in known and bool(line_of(known))


def line_of(result: Result) -> list[list[int]] | None:
    """Return the solution in `result`, proved shortest or not, or None if it has no solution."""
    line: list[list[int]] | None = result.get("solution") or result.get("found")
    return line


def _result(puzzle: Puzzle, pair: Pair, effort: Effort, done: Results) -> Result:
    """Return the complete result of a problem; stored parts are not computed again."""
    known = done.get(key(pair))
    if known is None:
        known = solve(puzzle, pair, effort)
    elif not known["proved"] and not _lacks_difficulty(known):
        known = merged(known, solve(puzzle, pair, effort, known.get("found")))
    if lacks_evidence(known):
        known = with_evidence(puzzle, pair, known, effort)
    return _with_difficulty(puzzle, pair.start, pair.finish, known)


def _result_anywhere(puzzle: Puzzle, start: int, done: Results) -> Result:
    return _with_difficulty(puzzle, start, ANYWHERE, anywhere(puzzle, start, done))


def _with_difficulty(puzzle: Puzzle, start: int, goal: int, result: Result) -> Result:
    line = line_of(result)
    return result | ({"luck": difficulty_bits(puzzle, vacated(puzzle, start), goal, line)} if line else {})


def anywhere(puzzle: Puzzle, start: int, done: Results) -> Result:
    """Return the result of a start whose last peg may end in any hole, from the results of all finishes."""
    images = [canonical(puzzle, Pair(start, hole)) for hole in range(puzzle.holes)]
    finishes = [done[key(pair)] for pair in images if key(pair) in done]
    lines = [line for result in finishes if (line := line_of(result))]
    line = min(lines, key=len, default=[])
    if all(result["proved"] and result["moves"] is None for result in finishes):
        reason = next((result["reason"] for result in finishes), "class")
        return {"limits": [], "proved": True, "moves": None, "count": 0, "unique": 0, "reason": reason}
    least = min(map(least_moves, filter(_may_be_solvable, finishes)))
    if not line or least < len(line):
        return {"limits": [], "least": least, "proved": False} | ({"found": line} if line else {})
    proved = {"limits": [], "least": least, "proved": True, "moves": least, "solution": line}
    best = [result for result in finishes if result.get("moves") == least]
    different = [done[name] for name in {key(pair) for pair in images if key(pair) in done}]
    if all("count" in result for result in best):
        unique = sum(result["unique"] for result in different if result.get("moves") == least)
        proved |= {"count": sum(result["count"] for result in best), "unique": unique}
    return proved


def _may_be_solvable(result: Result) -> bool:
    return not result["proved"] or result["moves"] is not None


def least_moves(result: Result) -> int:
    """Return the smallest number of moves that is not ruled out for a problem."""
    if result["proved"]:
        return int(result["moves"])
    return int(result.get("least", result["limits"][-1][0] + 1 if result["limits"] else 1))


def _row(name: str, result: Result | None) -> str:
    problem = name.replace("-", " → ")
    if result is None:
        return f"| {problem} | not computed | | | | |"
    line = line_of(result) or []
    if result["proved"] and result["moves"] is None:
        return f"| {problem} | no solution ({_REASONS[result.get('reason', 'search')]}) | 0 | | | |"
    known = f"open, {len(line)} found" if line else "open"
    moves = result["moves"] if result["proved"] else known
    count = f"{result['count']:,} ({result['unique']:,})" if result.get("count") else ""
    bits = result.get("luck", "")
    return f"| {problem} | {moves} | {count} | {bits} | {too_few(result)} | {moves_text(line)} |"


_REASONS = {"class": "position class", "pagoda": "pagoda", "table": "complete table", "search": "search"}


def too_few(result: Result) -> str:
    """Return, as text, the highest limit ruled out and the nodes of all limits."""
    limits = result["limits"]
    if not limits:
        return str(result["least"] - 1) if "least" in result else ""
    return f"{limits[-1][0]} ({sum(limit[1] for limit in limits):,})"


def moves_text(moves: list[list[int]]) -> str:
    """Return the moves of a solution as text, such as `9-3 2-0-6`."""
    return " ".join("-".join(map(str, move)) for move in moves)
