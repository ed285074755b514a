"""Atlas section "records": the hardest positions of boards with a complete table, and all lengths."""

import json
import lzma
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from hoppers.analysis.record_data import LISTED
from hoppers.core.model import ANY_GOAL, NO_SOLUTION
from hoppers.core.numbering import with_mark
from hoppers.core.puzzle import Puzzle
from hoppers.core.texts import Text
from hoppers.puzzles.flip_it import LENGTHS as PLAYABLE_LENGTHS
from hoppers.puzzles.flip_it import FlipParameters, flip_puzzle, row_table, text_of
from hoppers.puzzles.pegs.large_tables.solvable_positions import (
    goal_holes,
    has_solvable_positions,
    summary_file,
)
from hoppers.puzzles.sliding.rules import texts_at_distance
from hoppers.tablebase.engine import Engine
from tools.atlas.results import Compute, Result, Results, Save, Section
from tools.atlas.symmetric_texts import goals_up_to_symmetry, images

LONG_ROWS = range(PLAYABLE_LENGTHS.stop, 23)
"""Lengths of rows of Flip It that are counted, but not offered for play; only the goal `ANY_GOAL`."""
PAGE = """# The book of records: the hardest positions

The positions of each board that need the most moves of all that can be solved, from its complete table: each
is proved. Goals and positions that a symmetry of the board exchanges are listed once. On peg boards no peg is
active. All positions are in `server/hoppers/data/records.json`; the long lists have files of their own beside
it. Made by `python -m tools.atlas records`.

| board | goal | moves | positions | up to symmetry | the first |
|---|---|---|---|---|---|
"""
LENGTHS = """
## How many positions need how many moves

All positions that can be solved, turned and mirrored ones, too: with 0, 1, 2, … moves.

| board | goal | positions | with 0, 1, 2, … moves |
|---|---|---|---|
"""
TextsOf = Callable[[Any], list[str]]


def section(engine: Engine, data: Path) -> Section:
    """Return the section. `data`: the data file of the atlas, beside which long lists are written."""
    lists = data.parent / "records"
    entries: dict[str, Compute] = {
        f"{puzzle.id} {goal}": partial(_of_puzzle, puzzle, goal, lists)
        for puzzle in engine.puzzles.values()
        if puzzle.rules.numbering is not None
        for goal in goals_up_to_symmetry(puzzle)
    }
    for puzzle in filter(has_solvable_positions, engine.puzzles.values()):
        for hole in goal_holes(puzzle.board):
            entries[f"{puzzle.id} {hole}"] = partial(_of_files, puzzle, hole)
    for cells in LONG_ROWS:
        for least in (2, 1):
            row = flip_puzzle(FlipParameters(cells, least))
            entries[f"{row.id} {ANY_GOAL}"] = partial(_of_row, row, FlipParameters(cells, least), lists)
    return Section("records", entries, _render)


def publish(results: Results, engine: Engine) -> dict[str, Any]:
    """Return the part of the data file with the records of all boards."""
    boards: dict[str, Any] = {}
    for name, result in results.items():
        board, goal = name.split(" ")
        names = ("title", "signs") if board not in engine.puzzles else ()
        fields = {field: result[field] for field in ("moves", "count", "unique", "positions", "lengths")}
        entry = boards.setdefault(board, {"goals": {}} | {name: result[name] for name in names})
        entry["goals"][goal] = fields
    return boards


def _of_puzzle(puzzle: Puzzle, goal: str, lists: Path, done: Results, save: Save) -> Result:
    moves = puzzle.source(puzzle.parse_goal(goal)).moves_by_number()
    return _record(puzzle, goal, moves, lists)


def _of_row(puzzle: Puzzle, parameters: FlipParameters, lists: Path, done: Results, save: Save) -> Result:
    table = row_table(parameters, puzzle.parse_goal(ANY_GOAL))
    return _record(puzzle, ANY_GOAL, table.moves_by_number(), lists)


def _of_files(puzzle: Puzzle, hole: int, done: Results, save: Save) -> Result:
    """Return the record of a goal hole from the files of `hoppers positions`, or raise an OSError."""
    folder = puzzle.engine.positions
    if folder is None:
        raise FileNotFoundError("HOPPERS_POSITIONS has to be a folder with the files of hoppers positions.")
    facts = json.loads(summary_file(puzzle, hole, folder).read_text())
    texts = {text for found in facts["hardest"] for text in images(puzzle, str(hole), found)}
    return _record_of(puzzle, str(hole), [*texts], facts["positions"], folder)


def _record(puzzle: Puzzle, goal: str, moves: Any, lists: Path) -> Result:
    """Return the record of a goal; `moves`: fewest moves by number of the state (see `core.numbering`)."""
    lengths = np.bincount(moves[moves != NO_SOLUTION]).tolist()
    most = len(lengths) - 1
    texts = _texts(puzzle, np.flatnonzero(moves == most), most)
    return _record_of(puzzle, goal, texts, lengths, lists)


def _record_of(puzzle: Puzzle, goal: str, texts: list[str], lengths: list[int], lists: Path) -> Result:
    """Return the record of a goal. `texts`: all positions that need most moves."""
    unique = sorted(text for text in texts if text == min(images(puzzle, goal, text)))
    if len(unique) > LISTED:
        _write_list(puzzle, goal, unique, lists)
    title, signs = puzzle.texts.title, (puzzle.rules.alphabet, *puzzle.rules.notations)[-1]
    counts = {"moves": len(lengths) - 1, "count": len(texts), "unique": len(unique)}
    names = {"title": [title.template, title.values], "signs": [puzzle.rules.alphabet, signs]}
    return {**names, **counts, "positions": unique[:LISTED], "lengths": lengths}


def _write_list(puzzle: Puzzle, goal: str, texts: list[str], lists: Path) -> None:
    """Write a long list of positions, one per line. Each board has at most one, that of `ANY_GOAL`."""
    if goal != ANY_GOAL:
        raise ValueError(f"{puzzle.id} has a second long list, for the goal {goal}")
    lists.mkdir(parents=True, exist_ok=True)
    lines = "".join(f"{text}\n" for text in texts).encode()
    (lists / f"{puzzle.id}.txt.xz").write_bytes(lzma.compress(lines, preset=9))


def _texts(puzzle: Puzzle, numbers: Any, moves: int) -> list[str]:
    """Return the texts of the states with these numbers, which are all that need `moves` moves."""
    match puzzle.family:
        case "flips":
            return [text_of(number, puzzle.holes) for number in numbers.tolist()]
        case "sliding":
            return texts_at_distance(puzzle.board, moves, moves)
        case _:
            return _peg_texts(puzzle, numbers)


def _peg_texts(puzzle: Puzzle, numbers: Any) -> list[str]:
    empty, peg, *red = list(puzzle.rules.alphabet)
    boards, marks = with_mark(numbers, puzzle.holes) if red else (numbers, numbers)
    found = []
    for board, mark in zip(boards.tolist(), marks.tolist(), strict=True):
        cells = [peg if board >> hole & 1 else empty for hole in range(puzzle.holes)]
        if red:
            cells[mark] = red[0]
        found.append("".join(cells))
    return found


def _render(results: Results) -> str:
    rows, lengths = [], []
    for name, result in results.items():
        row = f"| {Text(*result['title'])} | {name.split(' ')[1]}"
        counts = f"{result['moves']} | {result['count']:,} | {result['unique']:,}"
        first = json.dumps(result["positions"][0]).strip('"')
        rows.append(f"{row} | {counts} | `{first}` |\n")
        by_moves = ", ".join(f"{count:,}".replace(",", " ") for count in result["lengths"])
        lengths.append(f"{row} | {sum(result['lengths']):,} | {by_moves} |\n")
    return PAGE + "".join(rows) + LENGTHS + "".join(lengths)
