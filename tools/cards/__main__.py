"""The command `python -m tools.cards`: choose the cards of all decks and days."""

from pathlib import Path

import click

from hoppers.analysis.card_data import load_cards
from hoppers.puzzles import PUZZLES
from hoppers.tablebase.engine import Engine
from tools import cards


@click.command(context_settings={"show_default": True})
@click.option(
    "--data",
    default="server/hoppers/data/decks.json",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Data file that the pages read.",
)
def choose_cards(data: Path) -> None:
    """Choose the cards of all decks and days from exact tables.

    The data file is written again; equal rules give an equal file.
    """
    cards.publish(Engine(PUZZLES), data)
    click.echo(f"{len(load_cards().decks)} decks and the cards of the days in {data}")


if __name__ == "__main__":
    choose_cards(prog_name="python -m tools.cards")
