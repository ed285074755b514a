"""The command that decides a problem of a drawn board."""

import json
import sys
import time
from pathlib import Path

import click

from hoppers.cli.base import Command
from hoppers.cli.exit_status import OPEN, SOLVED, UNSOLVABLE
from hoppers.core.board import Board
from hoppers.core.drawings import PREFIX, read_drawing
from hoppers.core.errors import PuzzleError
from hoppers.puzzles.pegs.proofs.decisions import LATTICES, Undecided, decide, drawn_problem


@click.command("decide", cls=Command)
@click.argument("drawing")
@click.argument("start")
@click.argument("goal")
@click.option(
    "--lattice", type=click.Choice([*LATTICES]), default="square", help="Lines of a drawing in a file."
)
@click.option("--minutes", default=60.0, help="Time allowed.")
@click.option("--gigabytes", default=2.0, help="Memory allowed.")
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder in which levels are stored, so that the command goes on there when it is called again.",
)
def decide_problem(
    drawing: str,
    start: str,
    goal: str,
    lattice: str,
    minutes: float,
    gigabytes: float,
    folder: Path | None,
) -> None:
    """Decide whether a problem of a drawn peg board has a solution.

    The board has up to 45 holes. DRAWING is an id such as own-s-2c-e-e-e-d (docs/own-boards.md), or a file (-
    for the standard input) with a character other than a space for each hole; in the triangular lattice
    neighbours of a row are two columns apart. START is a position such as oo.ooo, or the hole that is empty,
    GOAL the hole of the last peg or any. A certificate is printed in a line (docs/certificates.md): a
    solution, or a proof that there is none.

    Exit status: 0 there is a solution, 1 there is none, 2 bad input, 3 undecided.
    """
    until, said = time.monotonic() + 60 * minutes, ""
    try:
        problem = drawn_problem(_read_board(drawing, lattice), start, goal, gigabytes)
    except (PuzzleError, ValueError, OSError) as error:
        raise click.UsageError(str(error)) from error
    work = decide(problem, gigabytes, folder)
    try:
        while time.monotonic() < until:
            done = next(work)
            if done != said:
                click.echo(done, err=True)
            said = done
        raise Undecided(f"{minutes:g} minutes were not enough.")
    except StopIteration as end:
        click.echo(json.dumps(end.value, separators=(",", ":")))
        sys.exit(UNSOLVABLE if end.value["claim"] == "impossible" else SOLVED)
    except Undecided as reason:
        click.echo(f"Undecided: {reason}", err=True)
        sys.exit(OPEN)


def _read_board(drawing: str, lattice: str) -> Board:
    """Return the board of an id, or of the drawing in a file."""
    if drawing.startswith(PREFIX):
        return read_drawing(drawing).board()
    with click.open_file(drawing) as file:
        return Board.from_text(file.read(), LATTICES[lattice])
