"""The command that finds and proves a shortest solution."""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache

import click

from hoppers.analysis.reasons import short_reason
from hoppers.analysis.requests import DEFAULT_METHOD, ParsedSearch, parse_search
from hoppers.cli.base import Command
from hoppers.cli.exit_status import BAD_INPUT, FAILED, OPEN, SOLVED, UNSOLVABLE
from hoppers.core.errors import PuzzleError, quoted
from hoppers.core.events import Event, Exhausted, Failed, Found, Solved, Stopped, Unsolvable, fields_of
from hoppers.core.kernels import MACHINE_CODE
from hoppers.core.model import GivenUp
from hoppers.core.puzzle import Question, moves_of
from hoppers.puzzles import PUZZLES
from hoppers.tablebase.engine import Engine
from hoppers.tablebase.solutions import SolutionList, finished_graph
from hoppers.web.settings import Settings

WRONG_BOUND = "the bound of this method is wrong"


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


def complete_puzzle(context: click.Context, option: click.Parameter, begun: str) -> list[str]:
    """Return the ids of puzzles that begin with what is typed, for the completion of a shell."""
    return [id for id in PUZZLES if id.startswith(begun)]


def complete_method(context: click.Context, option: click.Parameter, begun: str) -> list[str]:
    """Return the names of all methods that begin with what is typed; the puzzle is not read yet."""
    names = dict.fromkeys(name for puzzle in PUZZLES.values() for name in puzzle.solving.methods)
    return [name for name in names if name.startswith(begun)]


@click.command(cls=Command)
@click.argument("puzzle", shell_complete=complete_puzzle)
@click.argument("position", required=False)
@click.option("--goal", help="Goal (default: the puzzle's own).")
@click.option(
    "--method",
    default=DEFAULT_METHOD,
    shell_complete=complete_method,
    help="Search method (an unknown name prints the list).",
)
@click.option("--all", "find_all", is_flag=True, help="List every shortest solution.")
@click.option("--fresh", is_flag=True, help="Search from nothing, even if the answer is known.")
@click.option(
    "--first-move",
    metavar="FROM,TO",
    callback=_read_holes,
    help="Fix the first jump, e.g. 0,6. It counts as the first move.",
)
@click.option("--json", "as_json", is_flag=True, help="Print each event as a line of JSON, as the API does.")
@click.pass_obj
def solve(
    settings: Settings,
    puzzle: str,
    position: str | None,
    goal: str | None,
    method: str,
    find_all: bool,
    fresh: bool,
    first_move: tuple[int, int] | None,
    as_json: bool,
) -> None:
    """Find and prove a shortest solution.

    POSITION defaults to the puzzle's start; - reads positions from the standard input, one a line, and prints
    lines of JSON. The exit status is then the highest of all. Small boards are answered from tables that come
    with the program, unless another method is named.

    Exit status: 0 solved, 1 proved unsolvable, 2 bad input, 3 undecided (out of memory, or nothing
    found by a method whose bound is wrong), 4 failed,
    130 interrupted by Ctrl+C, 141 the reader of the output has gone.
    """
    engine = Engine(PUZZLES, builds_in_background=False, positions=settings.positions_folder())
    MACHINE_CODE.clock.on_begin = _say_that_it_compiles

    def read(text: str | None) -> ParsedSearch:
        return parse_search(engine, puzzle, text, goal, method, find_all, first_move, fresh)

    if position == "-":
        texts = [line.strip() for line in sys.stdin]
        sys.exit(max((_answer_line(text, read) for text in texts if text), default=SOLVED))
    try:
        search = read(position)
    except PuzzleError as error:
        raise click.UsageError(str(error)) from error
    sys.exit(_print_json(search, {}) if as_json else _print_search(search))


def _answer_line(text: str, read: Callable[[str], ParsedSearch]) -> int:
    """Print the events of the search of one position as lines of JSON; return its exit status.

    An invalid position gives the event `failed`.
    """
    try:
        return _print_json(read(text), {"position": text})
    except PuzzleError as error:
        _print_event(Failed({"code": error.code, "message": str(error)}), {"position": text})
        return BAD_INPUT


def _print_json(search: ParsedSearch, place: Mapping[str, str]) -> int:
    """Print each event as a line of JSON, beginning with `place`; return the exit status."""
    status = FAILED
    for event in search.events():
        _print_event(event, place)
        match event:
            case Solved():
                status = SOLVED
            case Unsolvable(proved=True):
                status = UNSOLVABLE
            case Unsolvable() | Stopped():
                status = OPEN
    return status


def _print_event(event: Event, place: Mapping[str, str]) -> None:
    click.echo(json.dumps({**place, "event": type(event).__name__.lower(), **fields_of(event)}))


@cache
def _say_that_it_compiles() -> None:
    """Print one line on the standard error, at the first call."""
    click.echo("compiling, which is not counted as searching …", err=True)


def _print_search(search: ParsedSearch) -> int:
    """Run the search and print its events as they arrive, then its solutions; return the exit status.

    Neither progress nor the limits that a known answer rules out are printed.
    """
    best = ""
    for event in search.events():
        match event:
            case Found():
                click.echo(f"best so far (not proved): {event.limit} moves {_text(event.moves)}")
                best = f" Best so far (not proved): {event.limit} moves."
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
                click.echo(f"Out of memory. Proved so far: at least {event.limit + 1} moves.{best}")
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
    why = str(reason.sentence)
    click.echo(f"There is no solution: {why[0].lower()}{why[1:]}")
    for tally in reason.tallies[:1]:
        board = question.puzzle.format(tally.source)
        if reason.code == "class":
            click.echo(f"Marked holes of {board}: {', '.join(map(str, tally.numbers))}")
        else:
            numbers = ", ".join(f"{hole}: {number}" for hole, number in sorted(tally.numbers.items()))
            click.echo(f"Numbers by hole, on {board}: {numbers}")


def _row(event: Exhausted | Solved, result: str) -> str:
    memory = "" if event.memory is None else f"{event.memory / 1e6:8.1f} MB"
    return f"limit {event.limit:2}  {event.nodes:13,} nodes {event.seconds:9.3f} s{memory}  {result}"


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


def _text(moves: Sequence[Sequence[int]]) -> str:
    return json.dumps(moves, separators=(",", ":"))
