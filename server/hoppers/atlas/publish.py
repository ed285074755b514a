"""Write the atlas results in compact form to data/atlas.json, which is part of the program."""

from pathlib import Path

import msgspec

from hoppers.analysis.atlas_results import VERSION, AtlasEntry
from hoppers.atlas.peg_results import boards, least_moves, line_of, section_of
from hoppers.atlas.results import Results, in_lines, read, replace
from hoppers.atlas.start_results import by_puzzle
from hoppers.tablebase.engine import Engine


def publish(engine: Engine, folder: Path, data: Path) -> None:
    """Write the atlas results in `folder` to the data file `data`, in compact form."""
    found = {puzzle.id: read(folder, section_of(puzzle)) for puzzle in boards(engine)}
    others = by_puzzle(read(folder, "problems"))
    text = f'{{"version": {VERSION}, "boards": {_lines(found)}, "starts": {_lines(others)}}}\n'
    replace(data, text)


def _lines(found: dict[str, Results]) -> str:
    entries = {name: msgspec.to_builtins(_compact(results)) for name, results in found.items()}
    return in_lines(entries).rstrip()


def _compact(results: Results) -> dict[str, AtlasEntry]:
    return {
        name: AtlasEntry(
            proved=result["proved"],
            moves=len(line_of(result) or []) or None,
            least=0 if result["proved"] else least_moves(result),
            count=result.get("count") or None,
            unique=result.get("unique") or None,
            difficulty_bits=result.get("luck"),
            reason=result.get("reason"),
            line=".".join("-".join(map(str, move)) for move in line_of(result) or []) or None,
        )
        for name, result in results.items()
    }
