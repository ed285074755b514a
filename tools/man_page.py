"""The manual page of the command line, made from its help: `python -m tools.man_page` writes it.

It is committed because a build would otherwise have to install numpy and all else that the commands import.
"""

from collections.abc import Iterator
from inspect import cleandoc

import click

from hoppers.cli.main import main
from tests import ROOT

PATH = ROOT / "packaging" / "hoppers.1"


def plain(text: str) -> str:
    r"""Return a text for roff, which reads `\` and a dot or quotation mark at the beginning of a line."""
    lines = text.replace("\\", r"\e").replace("-", r"\-").splitlines()
    return "\n".join(rf"\&{line}" if line.startswith((".", "'")) else line for line in lines)


def paragraphs(text: str) -> str:
    """Return the paragraphs of a docstring."""
    return "\n.PP\n".join(map(plain, cleandoc(text).replace("\b\n", "").split("\n\n")))


def described(command: click.Command, name: str) -> Iterator[str]:
    """Yield usage, help and options of a command."""
    context = click.Context(command, info_name=name, show_default=True)
    yield f".PP\n.B {plain(name)}\n{plain(' '.join(command.collect_usage_pieces(context)))}"
    yield f".PP\n{paragraphs(command.help or '')}"
    for option in command.get_params(context):
        if isinstance(option, click.Option) and (record := option.get_help_record(context)):
            yield f".TP\n.B {plain(record[0])}\n{plain(' '.join(record[1].split()))}"


def man_page() -> str:
    """Return the page: what the program does, then each command."""
    parts = [
        '.TH HOPPERS 1 "" "" "Hoppers"',
        ".SH NAME",
        r"hoppers \- peg solitaire, sliding tiles and Flip It, solved",
    ]
    parts += [
        ".SH DESCRIPTION",
        *described(main, "hoppers"),
        f".PP\n{plain(main.epilog or '')}",
        ".SH COMMANDS",
    ]
    context = click.Context(main)
    for name in main.list_commands(context):
        command = main.get_command(context, name)
        assert command is not None
        parts += [f".SS {name}", *described(command, f"hoppers {name}")]
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    PATH.write_text(man_page(), encoding="utf-8")
