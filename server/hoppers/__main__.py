"""Entry point of `python -m hoppers` and of the installed command."""

import sys
from pathlib import Path

import click

from hoppers.cli.exit_status import INTERRUPTED


def main(name: str | None = None) -> None:
    """Run the command given on the command line and exit.

    The exit status is 130, as in shells, if Ctrl+C interrupts the command. Servers and workers end normally.
    `name`: the program name to show; by default the file name of the script.
    """
    try:
        from hoppers.cli import commands  # here, because this takes a second, which Ctrl+C may interrupt

        sys.exit(
            commands.main.main(sys.argv[1:], prog_name=name or Path(sys.argv[0]).name, standalone_mode=False)
        )
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main("python -m hoppers")
