"""Entry point of `python -m hoppers` and of the installed command."""

import sys
from pathlib import Path

import click

from hoppers.cli.commands import INTERRUPTED, main


def obey(name: str | None = None) -> None:
    """Run the command line and exit; an interruption, wherever it strikes, has the shell's own status."""
    try:
        sys.exit(main.main(sys.argv[1:], prog_name=name or Path(sys.argv[0]).name, standalone_mode=False))
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except click.Abort:
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    obey("python -m hoppers")
