"""Commands: list puzzles, compile kernels, fill the atlas, choose cards, recompute published results, solve.

The commands that start servers and workers are in `hoppers.cli.serve`.
"""

import json
import os
import sys
import time
from pathlib import Path

import click

from hoppers import atlas, decks
from hoppers.analysis import open_data, published_results
from hoppers.analysis.card_data import load_cards
from hoppers.analysis.reasons import short_reason
from hoppers.analysis.requests import DEFAULT_METHOD, ParsedSearch, read_search
from hoppers.atlas.results import Effort, compute, missing
from hoppers.cli import serve
from hoppers.cli.base import ABOUT_SETTINGS, Commands
from hoppers.cli.exit_status import AGREED, DIFFERS, FAILED, OPEN, SOLVED, UNSOLVABLE
from hoppers.core.errors import PuzzleError, quoted
from hoppers.core.events import Exhausted, Failed, Found, Solved, Stopped, Unsolvable
from hoppers.core.model import GivenUp
from hoppers.core.puzzle import Question, moves_of
from hoppers.jobs.kernel_warmup import Compiler
from hoppers.jobs.kernel_warmup import warm as warm_up
from hoppers.jobs.worker_process import CAN_RUN
from hoppers.puzzles import PUZZLES
from hoppers.runtime.memory_budget import MemoryBudget
from hoppers.runtime.version import __version__
from hoppers.tablebase import packed_tables
from hoppers.tablebase.engine import Engine
from hoppers.tablebase.solutions import SolutionList, finished_graph
from hoppers.web.settings import SETTINGS, read_settings, text_of, without_password

WRONG_BOUND = "the bound of this method is wrong"


@click.group(cls=Commands, context_settings={"show_default": True}, epilog=ABOUT_SETTINGS)
@click.version_option(__version__, message="hoppers %(version)s")
def main() -> None:
    """Hoppers: classic puzzles in the browser, with a solver that proves the shortest solution.

    Exit status of all commands: 0 done, 1 done with the other result (see each command), 2 bad input or
    settings, 3 undecided, 4 failed, 130 interrupted by Ctrl+C, 141 the reader of the output has gone.
    """


for command in (serve.run, serve.serve, serve.worker):
    main.add_command(command)


@main.command()
def puzzles() -> None:
    """List the puzzle ids."""
    for puzzle in PUZZLES:
        click.echo(puzzle)


@main.command("settings", cls=click.Command)
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


@main.command()
def warm() -> None:
    """Compile all kernels that are not on disk yet.

    Up to four processes run in parallel; where no other can run, this one compiles alone. Later starts load
    the machine code from disk.

    Exit status: 0 all are compiled, 1 at least one is not.
    """
    compiler = Compiler(PUZZLES.values())
    serve.show_compilation(compiler)
    try:
        if CAN_RUN:
            compiler.start()
            compiler.join()
        else:
            compiler.work(Engine(PUZZLES).run)
    finally:
        compiler.close()
    sys.exit(DIFFERS if compiler.failures else AGREED)


@main.command("atlas")
@click.argument("names", nargs=-1)
@click.option("--folder", default="docs/atlas", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--data",
    default="server/hoppers/data/atlas.json",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Compact data file that the pages read.",
)
@click.option("--seconds", default=Effort().seconds, help="Time limit per search (seconds).")
@click.option("--gigabytes", default=Effort().gigabytes, help="Memory limit per search (GB).")
@click.option("--again", is_flag=True, help="Retry results that are not proved yet.")
@click.option("--limits", is_flag=True, help="Search the limits of proved results of peg boards again.")
def fill_atlas(
    names: tuple[str, ...],
    folder: Path,
    data: Path,
    seconds: float,
    gigabytes: float,
    again: bool,
    limits: bool,
) -> None:
    """Compute missing atlas results.

    NAMES are the sections to complete (default: all). Pages and data are written. The command can be
    interrupted and started again at any time.
    """
    engine, effort = Engine(PUZZLES), Effort(seconds, gigabytes, limits)
    engine.memory = MemoryBudget(int(gigabytes * 1e9))
    by_name = {section.name: section for section in atlas.sections(engine, effort, data)}
    for name in names or by_name:
        if name not in by_name:
            raise click.UsageError(f"{name!r} is not a section; sections are {', '.join(by_name)}")
        due = missing(folder, by_name[name], again)
        keys = compute(folder, by_name[name], again)
        with click.progressbar(keys, length=len(due), label=name, item_show_func=lambda key: key) as bar:
            for _ in bar:
                pass
        click.echo(f"{name}: {len(by_name[name].entries)} entries in {folder / name}.md")
    atlas.publish(engine, folder, data)


@main.command("tables")
@click.option(
    "--folder",
    default="server/hoppers/data/tables",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of the files that come with the program.",
)
def pack_tables(folder: Path) -> None:
    """Write the complete tables of small puzzles to small files.

    Equal tables give equal contents. The format is in docs/tables.md.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for puzzle in packed_tables.packable(Engine(PUZZLES).puzzles.values()):
        click.echo(f"{packed_tables.write(puzzle, folder):>8,} bytes  {puzzle.id}")


@main.command("data")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
def write_data(folder: Path) -> None:
    """Write the open data to FOLDER: tables of facts as CSV, JSON and SQLite, and the complete tables.

    These are the files of the page `/data`; equal versions give equal files.
    """
    engine = Engine(PUZZLES)
    files = open_data.data_files(engine.puzzles.values())
    for puzzle in packed_tables.packable(engine.puzzles.values()):
        if (path := packed_tables.path_of(puzzle)).is_file():
            files[f"tables/{path.name}"] = path.read_bytes()
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
        click.echo(f"{len(content):>9,} bytes  {name}")


@main.command("decks")
@click.option(
    "--data",
    default="server/hoppers/data/decks.json",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Data file that the pages read.",
)
def choose_cards(data: Path) -> None:
    """Choose the cards of all decks and days from exact tables.

    The data file is written again; equal rules give an equal file.
    """
    decks.publish(Engine(PUZZLES), data)
    click.echo(f"{len(load_cards().decks)} decks and the cards of the days in {data}")


@main.command()
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
        click.echo(f"{skipped} that take long are left out: without --quick they run, too")
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
        click.echo(f"{'':16} {result.remark['en']}")
    return agrees


def _read_holes(context: click.Context, option: click.Parameter, text: str | None) -> tuple[int, int] | None:
    """Return the two holes of an option such as `0,6`; None if it is left out.

    Raise BadParameter if `text` is not two numbers with a comma between them.
    """
    if text is None:
        return None
    try:
        origin, target = map(int, text.split(","))
    except ValueError as error:
        raise click.BadParameter(f"{quoted(text)} is not two holes, as in 0,6") from error
    return origin, target


@main.command()
@click.argument("puzzle")
@click.argument("position", required=False)
@click.option("--goal", help="Goal (default: the puzzle's own).")
@click.option("--method", default=DEFAULT_METHOD, help="Search method (an unknown name prints the list).")
@click.option("--all", "find_all", is_flag=True, help="List every shortest solution.")
@click.option("--fresh", is_flag=True, help="Search from nothing, even if the answer is known.")
@click.option(
    "--first-move",
    metavar="FROM,TO",
    callback=_read_holes,
    help="Fix the first jump, e.g. 0,6. It counts as the first move.",
)
def solve(
    puzzle: str,
    position: str | None,
    goal: str | None,
    method: str,
    find_all: bool,
    fresh: bool,
    first_move: tuple[int, int] | None,
) -> None:
    """Find and prove a shortest solution.

    POSITION defaults to the puzzle's start.

    Exit status: 0 solved, 1 proved unsolvable, 2 bad input, 3 undecided (out of memory, or nothing
    found by a method whose bound is wrong), 4 failed,
    130 interrupted by Ctrl+C, 141 the reader of the output has gone.
    """
    try:
        search = read_search(Engine(PUZZLES), puzzle, position, goal, method, find_all, first_move, fresh)
    except PuzzleError as error:
        raise click.UsageError(str(error)) from error
    sys.exit(_print_search(search))


def _print_search(search: ParsedSearch) -> int:
    """Run the search and print its events as they arrive, then its solutions; return the exit status.

    Neither progress nor the limits that a known answer rules out are printed.
    """
    best = ""
    for event in search.events():
        match event:
            case Found():
                click.echo(f"found, not proved: {event.limit} moves {_text(event.moves)}")
                best = f" Found, not proved: {event.limit} moves."
            case Exhausted(known=None):
                click.echo(_row(event, "no solution" if event.proved else "nothing found"))
            case Solved():
                click.echo(_row(event, "solved" if event.known is None else f"known: {event.known}"))
                _print_solutions(search, event)
                return SOLVED
            case Unsolvable(proved=False):
                click.echo(f"Nothing was found, which proves nothing: {WRONG_BOUND}.")
                return OPEN
            case Unsolvable():
                _print_reason(search.question)
                return UNSOLVABLE
            case Stopped():  # without a scheduler only a search out of memory ends like this
                click.echo(f"There is no more memory. Proved: at least {event.limit + 1} moves.{best}")
                return OPEN
            case Failed():
                click.echo(event.error["message"])
                return FAILED
    raise AssertionError("a search has ended without a result")


def _print_reason(question: Question) -> None:
    """Print why a position has no solution: a short proof with its numbers, if there is one."""
    reason = short_reason(question.puzzle, question.goal, question.root)
    if reason is None:
        click.echo("There is no solution: every line was followed to its end.")
        return
    why = reason.sentence.en
    click.echo(f"There is no solution: {why[0].lower()}{why[1:]}")
    for tally in reason.tallies[:1]:
        board = question.puzzle.format(tally.source)
        if reason.code == "class":
            click.echo(f"Marked holes of {board}: {', '.join(map(str, tally.numbers))}")
        else:
            numbers = ", ".join(f"{hole}: {number}" for hole, number in sorted(tally.numbers.items()))
            click.echo(f"Numbers by hole, on {board}: {numbers}")


def _row(event: Exhausted | Solved, result: str) -> str:
    return f"limit {event.limit:2}  {event.nodes:13,} nodes {event.seconds:9.3f} s  {result}"


def _print_solutions(search: ParsedSearch, event: Solved) -> None:
    question, listed, counted = search.question, [event.moves], "one solution"
    if event.count is not None and event.proved:
        counted = "1 solution" if event.count == 1 else f"{event.count} solutions"
        source = question.puzzle.source(question.goal)
        try:
            graph = finished_graph(question.puzzle, source, question.goal, question.root)
            lines = SolutionList(graph).page(0, event.count)
            listed = [moves_of(question, line) for line in lines] or listed
        except GivenUp:
            click.echo("To list all solutions takes too much memory or time; this is one of them:")
    for moves in listed:
        click.echo(_text(moves))
    click.echo(f"{counted} of {_conclusion(search, event)}")


def _conclusion(search: ParsedSearch, event: Solved) -> str:
    """Return the number of moves of a solution, and what is proved about it."""
    if not event.proved:
        return f"{_moves(len(event.moves))}, not proved to be the fewest: {WRONG_BOUND}"
    condition = " with this first move" if search.question.first is not None else ""
    uncounted = "they could not be counted" if search.question.find_all else "--all counts them all"
    note = f" ({uncounted})" if event.count is None else ""
    return f"{_moves(event.limit)}, the fewest possible{condition}{note}"


def _moves(number: int) -> str:
    return f"{number} move" if number == 1 else f"{number} moves"


def _text(moves: list[list[int]]) -> str:
    return json.dumps(moves, separators=(",", ":"))
