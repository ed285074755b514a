"""Entry point of `python -m hoppers` and of the installed command."""

import sys
from pathlib import Path

from hoppers.cli.exit_status import INTERRUPTED


def main(name: str | None = None) -> None:
    """Run the command given on the command line and exit (see `hoppers.cli.exit_status`).

    Servers and workers end normally if Ctrl+C interrupts them.
    `name`: the program name to show; by default the file name of the script.
    """
    try:
        sys.exit(run(name or Path(sys.argv[0]).name))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def run(name: str) -> int:
    """Run the command and return its exit status.

    The imports are here because they take a second, in which Ctrl+C must not print a traceback.
    """
    import click

    from hoppers.cli.main import main as commands

    try:
        status: int | None = commands.main(sys.argv[1:], prog_name=name, standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.Abort:
        return INTERRUPTED
    return status or 0


if __name__ == "__main__":
    main("python -m hoppers")
