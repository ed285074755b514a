"""Format and files of the atlas: sections, their entries and results, stored in docs/atlas.

A section is a list of entries that can be computed one by one. Each result is written as soon as it is
known, so `python -m tools.atlas` can be interrupted and started again at any time; only missing or
incomplete results are computed.
"""

import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from hoppers.core.puzzle import Question
from hoppers.tablebase.solutions import SolutionGraph, SolutionList

REASONS = {
    "class": "position class",
    "pagoda": "pagoda",
    "levels": "levels",
    "table": "complete table",
    "search": "search",
}
Moves = list[list[int]]  # moves of a solution, each a list of holes visited
Result = dict[str, Any]
Results = dict[str, Result]
Save = Callable[[Result], None]
Compute = Callable[[Results, Save], Result]
"""(results of the section so far, function that saves an interim result) -> result.

The results of the section include the computed one from an earlier run, if any.
"""


class Section(NamedTuple):
    """A section of the atlas: its entries, and a function that renders their results as a Markdown page."""

    name: str
    entries: Mapping[str, Compute]
    """Key -> function that computes its result, in the order of the page."""
    render: Callable[[Results], str]
    is_incomplete: Callable[[str, Results], bool] = lambda key, results: False
    """(key, results) -> whether a stored result lacks some of its fields or has to be renewed."""


class Effort(NamedTuple):
    """Limits of running time and memory for one search, and whether to renew results."""

    seconds: float = 60.0
    gigabytes: float = 0.5
    renews_limits: bool = False
    """Whether the limits of proved results are searched again, because the search has changed."""


def read(folder: Path, name: str) -> Results:
    """Return the stored results of the section `name`, by key; empty if there are none."""
    path = folder / f"{name}.json"
    results: Results = json.loads(path.read_text()) if path.exists() else {}
    return results


def missing(folder: Path, section: Section, again: bool = False) -> list[str]:
    """Return the keys without a complete result; with `again`, also those with an unproved result."""
    done = read(folder, section.name)
    return [
        key
        for key in section.entries
        if key not in done
        or section.is_incomplete(key, done)
        or (again and not done[key].get("proved", True))
    ]


def compute(folder: Path, section: Section, again: bool = False) -> Iterator[str]:
    """Yield each key that is due (see `missing`), then compute its result and write the section's files."""
    for key, entry in section.entries.items():
        if key in missing(folder, section, again):
            yield key
            save = partial(_write, folder, section, key)
            save(entry(read(folder, section.name), save))


def _write(folder: Path, section: Section, key: str, result: Result) -> None:
    results = {**read(folder, section.name), key: result}
    ordered = {name: results[name] for name in (*section.entries, *results) if name in results}
    replace(folder / f"{section.name}.json", in_lines(ordered))
    replace(folder / f"{section.name}.md", section.render(ordered))


def in_lines(results: dict[str, Any]) -> str:
    """Return `results` as JSON with one line per key."""
    lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(result)}" for key, result in results.items())
    return "{\n" + lines + "\n}\n"


def replace(path: Path, text: str) -> None:
    """Replace the file at `path` by `text` atomically; create its folder if necessary."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as file:
        file.write(text)
    os.chmod(file.name, 0o644)
    os.replace(file.name, path)


def line_of(result: Result) -> Moves:
    """Return the solution in `result`, proved shortest or not; [] if it has none."""
    line: Moves = result.get("solution") or result.get("found") or []
    return line


def least_moves(result: Result) -> int:
    """Return the smallest number of moves not ruled out for a problem that is not proved impossible."""
    if result["proved"]:
        return int(result["moves"])
    return int(result.get("least", result["limits"][-1][0] + 1 if result["limits"] else 1))


def solution_counts(problem: Question, graph: SolutionGraph) -> Result:
    """Return the numbers of shortest solutions, in all and up to symmetry, as parts of a result."""
    symmetries = problem.puzzle.symmetries(problem.position, problem.goal)
    return {"count": graph.count(0), "unique": SolutionList(graph, symmetries).count()}


def row(problem: str, result: Result | None, bits: Sequence[str] = ("solve_bits",)) -> str:
    """Return the row of a Markdown table for a problem.

    `problem`: text of the first cell, or of several cells with '|' between them. `result`: None if it is not
    computed. `bits`: fields of a column each.
    """
    empty = " |" * (len(bits) - 1) + " "
    if result is None:
        return f"| {problem} | not computed | |{empty}| | |\n"
    line = line_of(result)
    if result["proved"] and result["moves"] is None:
        return f"| {problem} | no solution ({REASONS[result.get('reason', 'search')]}) | 0 |{empty}| | |\n"
    known = f"open, {len(line)} found" if line else "open"
    moves = result["moves"] if result["proved"] else known
    count = f"{result['count']:,} ({result['unique']:,})" if result.get("count") else ""
    solution = " ".join("-".join(map(str, move)) for move in line)
    measures = " | ".join(str(result.get(name, "")) for name in bits)
    return f"| {problem} | {moves} | {count} | {measures} | {_too_few(result)} | {solution} |\n"


def _too_few(result: Result) -> str:
    """Return the highest limit ruled out and the nodes of all limits, as `6 (9,091)`, or "" if none is known.

    If only a lower bound was stored, there are no nodes: `6`.
    """
    limits = result["limits"]
    if not limits:
        return str(result["least"] - 1) if "least" in result else ""
    return f"{limits[-1][0]} ({sum(limit[1] for limit in limits):,})"
