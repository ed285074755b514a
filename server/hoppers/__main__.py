"""Entry point of `python -m hoppers` and of the installed command."""

import sys
from pathlib import Path

import click

from hoppers.cli import serve


def main(name: str | None = None) -> None:
    """Run the command given on the command line and exit.

    An interruption at any moment ends with the shell's own exit status. `name`: the program name to show.
    """
    try:
        command, shown, rest = _requested(name or Path(sys.argv[0]).name, sys.argv[1:])
        sys.exit(command.main(rest, prog_name=shown, standalone_mode=False))
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except click.Abort:
        from hoppers.cli.commands import INTERRUPTED

        sys.exit(INTERRUPTED)


def _requested(name: str, arguments: list[str]) -> tuple[click.Command, str, list[str]]:
    """Return the click command, the name to show for it, and its arguments.

    For `serve` the other commands are not imported: the process that supervises the server must stay small.
    """
    if arguments[:1] == [serve.serve.name]:
        return serve.serve, f"{name} {arguments[0]}", arguments[1:]
    from hoppers.cli import commands

    return commands.main, name, arguments


if __name__ == "__main__":
    main("python -m hoppers")
