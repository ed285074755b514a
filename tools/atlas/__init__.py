"""The atlas: reference results of all puzzles, computed offline and stored in docs/atlas.

`publish` writes the part of the results that the pages show to data/atlas.json and data/records.json.
"""

import json
from pathlib import Path

import msgspec

from hoppers.analysis.record_data import VERSION as BOOK_VERSION
from hoppers.tablebase.atlas_data import VERSION, KnownResult
from hoppers.tablebase.engine import Engine
from tools.atlas import figures, peg_results, records, tile_results
from tools.atlas.results import Effort, Results, Section, in_lines, least_moves, line_of, read, replace


def sections(engine: Engine, effort: Effort, data: Path) -> list[Section]:
    """Return all sections, in the order of the atlas.

    `effort`: see `peg_results.section`. `data`: the data file; long lists of records are written beside it.
    """
    pegs = [peg_results.section(puzzle, effort) for puzzle in peg_results.boards(engine)]
    book = [figures.section(engine, effort), records.section(engine, data)]
    return [*pegs, *tile_results.sections(engine), *book]


def publish(engine: Engine, folder: Path, data: Path) -> None:
    """Write the atlas results in `folder` to the data file `data`, in compact form."""
    found = {puzzle.id: read(folder, peg_results.section_of(puzzle)) for puzzle in peg_results.boards(engine)}
    others: dict[str, Results] = {}
    for name, result in read(folder, "problems").items():
        puzzle_id, problem = name.split(" ", 1)
        others.setdefault(puzzle_id, {})[problem] = result
    text = f'{{"version": {VERSION}, "boards": {_lines(found)}, "starts": {_lines(others)}}}\n'
    replace(data, text)
    publish_book(engine, folder, data.with_name("records.json"))


def publish_book(engine: Engine, folder: Path, data: Path) -> None:
    """Write the records and figures in `folder` to the data file `data`."""
    boards = in_lines(records.publish(read(folder, "records"), engine)).rstrip()
    found = json.dumps(figures.publish(read(folder, "figures")), ensure_ascii=False)
    replace(data, f'{{"version": {BOOK_VERSION}, "boards": {boards}, "figures": {found}}}\n')


def _lines(found: dict[str, Results]) -> str:
    entries = {name: msgspec.to_builtins(_compact(results)) for name, results in found.items() if results}
    return in_lines(entries).rstrip()


def _compact(results: Results) -> dict[str, KnownResult]:
    return {
        name: KnownResult(
            proved=result["proved"],
            moves=len(line_of(result)) or None,
            least=0 if result["proved"] else least_moves(result),
            count=result.get("count") or None,
            unique=result.get("unique") or None,
            solve_bits=result.get("solve_bits"),
            fewest_bits=result.get("fewest_bits"),
            reason=result.get("reason"),
            line=".".join("-".join(map(str, move)) for move in line_of(result)) or None,
        )
        for name, result in results.items()
    }
