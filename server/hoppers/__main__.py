"""Entry point of `python -m hoppers` and of the installed command."""

import sys
from pathlib import Path

import click

from hoppers.cli import commands


def main(name: str | None = None) -> None:
    """Run the command given on the command line and exit.

    The exit status after Ctrl+C is 130, as in shells. `name`: the program name to show.
    """
    try:
        sys.exit(
            commands.main.main(sys.argv[1:], prog_name=name or Path(sys.argv[0]).name, standalone_mode=False)
        )
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except click.Abort:
        sys.exit(commands.INTERRUPTED)


if __name__ == "__main__":
    main("python -m hoppers")
