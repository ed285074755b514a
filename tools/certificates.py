"""The command `python -m tools.certificates`: write the certificates of the problems of the atlas.

Each has a solution, or a proof that there is none.
Where there is a complete table, it proves the fewest moves. On a large board, where a search has proved them,
the solution shows only that as many moves suffice.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from hoppers.analysis.certificates import new_certificate
from hoppers.core.model import Position
from hoppers.core.puzzle import Certificate, Puzzle
from hoppers.puzzles import PUZZLES
from hoppers.puzzles.pegs.proofs.certificates import levels_certificate
from hoppers.tablebase.atlas_data import KnownResult, load_atlas, vacated
from hoppers.tablebase.engine import Engine
from tools.atlas import peg_results
from tools.atlas.results import Result, read, replace


@click.command(context_settings={"show_default": True})
@click.option("--folder", default="docs/atlas", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--data",
    default="server/hoppers/data/certificates.jsonl",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Data file with a certificate in each line.",
)
def write_certificates(folder: Path, data: Path) -> None:
    """Write the certificates of all problems of peg boards in the atlas.

    FOLDER has the results of the atlas. The format is in docs/certificates.md.
    """
    number = write(Engine(PUZZLES).puzzles.values(), folder, data)
    click.echo(f"{data.stat().st_size:>8,} bytes  {number} certificates in {data}")


def write(puzzles: Iterable[Puzzle], folder: Path, file: Path) -> int:
    """Write all certificates to `file`, one a line; return their number. `folder`: results of the atlas."""
    pegs = [puzzle for puzzle in puzzles if puzzle.family == "pegs"]
    lines = [json.dumps(one, separators=(",", ":")) for puzzle in pegs for one in _of(puzzle, folder)]
    replace(file, "".join(f"{line}\n" for line in lines))
    return len(lines)


def _of(puzzle: Puzzle, folder: Path) -> Iterator[Certificate]:
    """Yield the certificates of a peg board, sorted by goal, so that a checker makes each table once."""
    details = read(folder, peg_results.section_of(puzzle))
    for name, goal, position, result in sorted(_problems(puzzle), key=lambda problem: problem[1]):
        if result.reason == "levels":
            yield _of_levels(puzzle, goal, position, details[name])
        elif result.state != "open":
            yield _with_count(new_certificate(puzzle, goal, position), result)


def _problems(puzzle: Puzzle) -> Iterator[tuple[str, int, Position, KnownResult]]:
    """Yield key, goal, start and result of each problem of the atlas on a board."""
    atlas = load_atlas()
    for name, result in atlas.boards.get(puzzle.id, {}).items():
        vacancy, _, goal = name.partition("-")
        yield name, puzzle.parse_goal(goal), vacated(puzzle, int(vacancy)), result
    for name, result in atlas.starts.get(puzzle.id, {}).items():
        start, _, goal = name.partition(" ")
        yield name, puzzle.parse_goal(goal), puzzle.parse(start), result


def _with_count(found: Certificate | None, result: KnownResult) -> Certificate:
    """Return a certificate that agrees with a result, with its number of solutions if it can be checked.

    Raises:
        ArithmeticError: there is none, or its claim and the result differ.
    """
    claim = None if found is None else found["claim"]
    if found is None or claim not in ("impossible", {"moves": result.moves}, {"most": result.moves}):
        raise ArithmeticError(f"{found} does not prove {result}")
    if (claim == "impossible") != (result.state == "impossible"):
        raise ArithmeticError(f"{found} contradicts {result}")
    if "moves" in claim and result.count:
        found["claim"] = {**claim, "solutions": result.count}
    return found


def _of_levels(puzzle: Puzzle, goal: int, position: Position, result: Result) -> Certificate:
    """Return the certificate of a problem that has no solution by levels (see `level_proofs.decided`)."""
    early = result["early"]
    sizes = [size for _, size in early]
    sizes += [size for pegs, size in result["middle"] if pegs < early[-1][0]]
    return levels_certificate(puzzle, position, goal, result["functions"], len(early), sizes)


if __name__ == "__main__":
    write_certificates(prog_name="python -m tools.certificates")
