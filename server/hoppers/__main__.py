"""`python -m hoppers`, and the command that an installation makes: the commands."""

import sys
from pathlib import Path

import click

from hoppers.cli import serve


def obey(name: str | None = None) -> None:
    """Obey the command line and exit; an interruption, wherever it strikes, has the shell's own status."""
    try:
        command, shown, rest = _asked(name or Path(sys.argv[0]).name, sys.argv[1:])
        sys.exit(command.main(rest, prog_name=shown, standalone_mode=False))
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except click.Abort:
        from hoppers.cli.commands import INTERRUPTED

        sys.exit(INTERRUPTED)


def _asked(name: str, arguments: list[str]) -> tuple[click.Command, str, list[str]]:
    """The command, what it is called, and what it is told.

    `serve` alone loads nothing else: the process that watches over the server is to stay small.
    """
    if arguments[:1] == [serve.serve.name]:
        return serve.serve, f"{name} {arguments[0]}", arguments[1:]
    from hoppers.cli.commands import main

    return main, name, arguments


if __name__ == "__main__":
    obey("python -m hoppers")
