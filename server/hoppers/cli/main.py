"""The group of all commands. A command is imported when it runs: importing all of them takes a second."""

import importlib
from typing import NamedTuple, cast

import click

from hoppers.cli.base import ABOUT_SETTINGS, Commands
from hoppers.cli.exit_status import INTERRUPTED
from hoppers.runtime.build import version_line


class Place(NamedTuple):
    """Where a command is: module and function below `hoppers.cli`; and its help in the list of commands."""

    module: str
    function: str
    help: str


COMMANDS = {
    "data": Place("commands", "write_data", "Write the open data to FOLDER."),
    "decide": Place(
        "decide",
        "decide_problem",
        "Decide whether a problem of a drawn peg board has a solution.",
    ),
    "positions": Place(
        "commands", "write_positions", "Write every solvable position of a large peg board to files."
    ),
    "published": Place("commands", "published", "Recompute the published results."),
    "puzzles": Place("commands", "puzzles", "List the puzzle ids."),
    "run": Place("serve", "run", "Play on this machine."),
    "serve": Place("serve", "serve", "Host the game for others."),
    "settings": Place("commands", "list_settings", "List all settings."),
    "solve": Place("solve", "solve", "Find and prove a shortest solution."),
    "warm": Place("commands", "warm", "Compile all kernels in advance."),
    "worker": Place("serve", "worker", "Run searches for a fleet of servers."),
}
"""Name -> command, in the order of the list."""
EARLIER_NAMES = {"classics": "published"}
"""Names that a command had before, to which it still answers."""


class LazyCommands(Commands):
    """Commands that are imported when they run; their list needs none of them."""

    def list_commands(self, context: click.Context) -> list[str]:
        """Return the names of all commands."""
        return [*COMMANDS]

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Import and return the command with this name, present or earlier; None if there is none."""
        place = COMMANDS.get(EARLIER_NAMES.get(name, name))
        if place is None:
            return None
        try:
            module = importlib.import_module(f"hoppers.cli.{place.module}")
        except KeyboardInterrupt:  # click would print an empty line
            raise click.exceptions.Exit(INTERRUPTED) from None
        return cast(click.Command, getattr(module, place.function))

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the names of all commands with their help."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, place.help) for name, place in COMMANDS.items()])


def show_version(context: click.Context) -> None:
    """Print the version and the digest of the code, and end the command."""
    click.echo(version_line())
    context.exit()


@click.group(cls=LazyCommands, context_settings={"show_default": True}, epilog=ABOUT_SETTINGS)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=lambda context, option, is_given: show_version(context) if is_given else None,
    help="Show version and code, and exit.",
)
def main() -> None:
    """Hoppers: classic puzzles in the browser, with a solver that proves the shortest solution.

    Exit status of all commands: 0 done, 1 done with the other result (see each command), 2 bad input or
    settings, 3 undecided, 4 failed, 130 interrupted by Ctrl+C, 141 the reader of the output has gone.
    """
