"""Commands: list puzzles and settings, compile kernels, write open data, recompute published results."""

import os
import sys
import time
from pathlib import Path

import click

from hoppers.analysis import open_data, published_results
from hoppers.analysis.kernel_parts import warm as warm_up
from hoppers.analysis.published_tables import publishable, table_file
from hoppers.cli import serve
from hoppers.cli.base import Command
from hoppers.cli.exit_status import AGREED, DIFFERS
from hoppers.core.errors import PuzzleError
from hoppers.jobs.kernel_warmup import Compiler
from hoppers.puzzles import PUZZLES
from hoppers.puzzles.pegs.large_tables import solvable_positions
from hoppers.tablebase.engine import Engine
from hoppers.web.settings import SETTINGS, read_settings, text_of, without_password


@click.command(cls=Command)
def puzzles() -> None:
    """List the puzzle ids."""
    for puzzle in PUZZLES:
        click.echo(puzzle)


@click.command("settings")
def list_settings() -> None:
    """List all settings: value, meaning, default and permitted values.

    A setting is a variable of the environment.

    Exit status: 0 all are valid, 2 one is not.
    """
    for name, setting in SETTINGS.items():
        value = without_password(os.environ.get(name, text_of(setting.default)))
        click.echo(f"{name}={value}\n    {setting.meaning}")
        click.echo(f"    {setting.permitted}; default: {text_of(setting.default) or 'empty'}\n")
    read_settings(os.environ)


@click.command(cls=Command)
def warm() -> None:
    """Compile all kernels in advance: those that are not on disk yet.

    Up to four processes run in parallel. Later starts load the machine code from disk.

    Exit status: 0 all are compiled, 1 at least one is not.
    """
    compiler = Compiler(PUZZLES.values())
    serve.show_compilation(compiler)
    try:
        compiler.start()
        compiler.join()
    finally:
        compiler.close()
    sys.exit(DIFFERS if compiler.failures else AGREED)


@click.command("data", cls=Command)
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
def write_data(folder: Path) -> None:
    """Write the open data to FOLDER: tables of facts as CSV, JSON and SQLite, and the complete tables.

    These are the files of the page `/data`; equal versions give equal files.
    """
    engine = Engine(PUZZLES)
    files = open_data.data_files(engine.puzzles.values())
    for puzzle in publishable(engine.puzzles.values()):
        files[f"tables/{puzzle.id}.gz"] = table_file(puzzle)
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
        click.echo(f"{len(content):>9,} bytes  {name}")


@click.command("positions", cls=Command)
@click.argument("puzzle")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
def write_positions(puzzle: str, folder: Path) -> None:
    """Write every solvable position of a large peg board to files.

    PUZZLE may be a drawn board, such as own-t-a-b-c-d-e-f-g, the triangle of 28 holes. FOLDER gets, for each
    goal, the positions with their fewest moves, and a summary. The command can be interrupted and started
    again: finished goals are skipped. English 33 takes a quarter of an hour on two cores, less than 2 GB of
    memory, and 4 GB of disk.
    """
    shown = ""
    try:
        for goal, done in solvable_positions.write(Engine(PUZZLES).find(puzzle), folder):
            if (text := f"goal {goal}: {done:.0%}") != shown:
                click.echo(text)
            shown = text
    except (PuzzleError, ValueError) as error:
        raise click.UsageError(str(error)) from error


@click.command(cls=Command)
@click.option("--quick", is_flag=True, help="Skip results that take more than two seconds.")
def published(quick: bool) -> None:
    """Recompute the published results.

    The published and the computed figures are printed side by side. Slow results run last.

    Exit status: 0 all agree, 1 at least one differs or could not be computed.
    """
    click.echo(f"{'puzzle':16} {'goal':5} {'method':16} {'published':>22} {'here':>22} {'seconds':>8}")
    engine = Engine(PUZZLES)
    wanted = sorted(published_results.all_results(), key=lambda result: result.seconds)
    agreed = [_print_result(engine, result) for result in wanted if not (quick and result.seconds)]
    click.echo(f"{sum(agreed)} of {len(agreed)} agree")
    skipped = len(wanted) - len(agreed)
    if skipped:
        click.echo(f"{skipped} slow results skipped; run without --quick to include them")
    sys.exit(AGREED if all(agreed) else DIFFERS)


def _print_result(engine: Engine, result: published_results.PublishedResult) -> bool:
    """Recompute one result and print its line; return whether it agrees, False if it has no answer."""
    warm_up(engine.puzzles[result.puzzle])  # so that compiling is not counted in the seconds
    name = f"{result.puzzle:16} {result.goal[:5]:5} {result.method:16}"
    began = time.perf_counter()
    try:
        computed = published_results.run(engine, result)
    except RuntimeError as error:
        click.echo(f"{name} {error}")
        return False
    seconds, agrees = time.perf_counter() - began, published_results.agrees(result, computed)
    expected, here = published_results.figures(result), published_results.figures(computed)
    if result.expected_nodes:
        expected, here = f"{expected}  {result.expected_nodes:,}", f"{here}  {computed.expected_nodes:,}"
    mark = "" if agrees else "  DIFFERS"
    click.echo(f"{name} {expected:>22} {here:>22} {seconds:8.3f}{mark}")
    if result.remark:
        click.echo(f"{'':16} {result.remark}")
    return agrees
