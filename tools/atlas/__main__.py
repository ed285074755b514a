"""The command `python -m tools.atlas`: compute missing atlas results."""

import os
from pathlib import Path

import click

from hoppers.puzzles import PUZZLES
from hoppers.runtime.memory_budget import MemoryBudget
from hoppers.tablebase.engine import Engine
from hoppers.web.settings import read_settings
from tools import atlas
from tools.atlas.results import Effort, compute, missing


@click.command(context_settings={"show_default": True})
@click.argument("names", nargs=-1)
@click.option("--folder", default="docs/atlas", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--data",
    default="server/hoppers/data/atlas.json",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Compact data file that the pages read.",
)
@click.option("--seconds", default=Effort().seconds, help="Time limit per search (seconds).")
@click.option("--gigabytes", default=Effort().gigabytes, help="Memory limit per search (GB).")
@click.option("--again", is_flag=True, help="Retry results that are not proved yet.")
@click.option("--limits", is_flag=True, help="Search the limits of proved results of peg boards again.")
def fill_atlas(
    names: tuple[str, ...],
    folder: Path,
    data: Path,
    seconds: float,
    gigabytes: float,
    again: bool,
    limits: bool,
) -> None:
    """Compute missing atlas results.

    NAMES are the sections to complete (default: all). Pages and data are written. The command can be
    interrupted and started again at any time. Records of English 33 come from HOPPERS_POSITIONS.
    """
    engine = Engine(PUZZLES, positions=read_settings(os.environ).positions_folder())
    engine.memory = MemoryBudget(int(gigabytes * 1e9))
    by_name = {
        section.name: section for section in atlas.sections(engine, Effort(seconds, gigabytes, limits), data)
    }
    for name in names or by_name:
        if name not in by_name:
            raise click.UsageError(f"{name!r} is not a section; sections are {', '.join(by_name)}")
        due = missing(folder, by_name[name], again)
        keys = compute(folder, by_name[name], again)
        with click.progressbar(keys, length=len(due), label=name, item_show_func=lambda key: key) as bar:
            for _ in bar:
                pass
        click.echo(f"{name}: {len(by_name[name].entries)} entries in {folder / name}.md")
    atlas.publish(engine, folder, data)


if __name__ == "__main__":
    fill_atlas(prog_name="python -m tools.atlas")
