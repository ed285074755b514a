"""`python -m server`, and the command that an installation makes: the commands."""

import sys

import click

from .commands import INTERRUPTED, main


def obey(name: str | None = None) -> None:
    """Obey the command line and exit; an interruption, wherever it strikes, has the shell's own status."""
    try:
        sys.exit(main(prog_name=name, standalone_mode=False))
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except click.Abort:
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    obey("python -m server")
