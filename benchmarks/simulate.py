"""A day of players: `python -m benchmarks simulate --players-a-day 1000000 --machines 10`.

Players come as a Poisson process whose rate swings over the day, stay for a while, and ask for a hint and a
verdict again and again. Each machine is one queue: Python's interpreter lock lets one answer be worked on at
a time. Every service time is an option; the defaults were measured (see docs/scaling.md).
"""

import math
import random
from typing import NamedTuple

import click

HOURS = range(0, 24, 2)
PEAK_HOUR = 20
WINDOW_SECONDS = 120
"""Of each hour that are played through."""


class World(NamedTuple):
    """What is assumed. Times of answers are milliseconds of a core."""

    kept_share: float
    kept: float
    fresh: float
    slow_share: float
    slow: float
    client: float
    """Milliseconds a second for each connected player: pings and pongs."""
    overhead: float
    """Milliseconds of an answer that are nobody's work: the wire, and threads being woken."""
    machine_memory: float
    client_memory: float


class Hour(NamedTuple):
    """One machine in one hour."""

    players: float
    questions: float
    """A second."""
    busy: float
    """Share of the one core that answers."""
    waits: list[float]
    """Milliseconds from question to answer, in order."""
    memory: float

    def percentile(self, share: float) -> float:
        """Milliseconds below which this share of the answers comes."""
        return self.waits[min(len(self.waits) - 1, int(len(self.waits) * share))] if self.waits else 0.0


def work(dice: random.Random, world: World) -> float:
    """Milliseconds of a core for one answer: about what is usual, with the long tail of real ones."""
    drawn = dice.random()
    if drawn < world.slow_share:
        return dice.expovariate(1 / world.slow)
    usual = world.kept if drawn < world.slow_share + world.kept_share else world.fresh
    return 0.7 * usual + dice.expovariate(1 / (0.3 * usual))


def play(dice: random.Random, world: World, players: float, every: float) -> Hour:
    """Play through a window with so many players on one machine."""
    rate = players * 2 / every
    speed = 1 - players * world.client / 1000
    """What pings leave of the core."""
    at, free, busy, waits = 0.0, 0.0, 0.0, []
    while rate and speed > 0 and at < 1000 * WINDOW_SECONDS:
        at += dice.expovariate(rate / 1000)
        spent = work(dice, world) / speed
        free = max(free, at) + spent
        busy += spent
        waits.append(free - at + world.overhead)
    share = min(1.0, busy / (1000 * WINDOW_SECONDS)) if speed > 0 else 1.0
    memory = world.machine_memory + players * world.client_memory
    return Hour(players, rate, share, sorted(waits), memory)


def connected(players_a_day: float, minutes: float, hour: int, swing: float) -> float:
    """How many are there at once: those who came within the length of a stay."""
    rate = players_a_day / 86_400 * (1 + swing * math.cos(2 * math.pi * (hour - PEAK_HOUR) / 24))
    return rate * 60 * minutes


def row(name: str, hour: Hour) -> str:
    """One line of the report."""
    return (
        f"{name:>6} {hour.players:12,.0f} {hour.questions:12,.0f} {100 * hour.busy:7.0f} % "
        f"{hour.percentile(0.5):9.1f} {hour.percentile(0.99):9.1f} {hour.memory:9,.0f}"
    )


HEADING = (
    f"{'hour':>6} {'players':>12} {'questions/s':>12} {'busy':>9} {'p50 ms':>9} {'p99 ms':>9} {'MB':>9}"
    "   (of each machine)"
)


@click.command()
@click.option("--players-a-day", default=1_000_000, show_default=True)
@click.option("--machines", default=10, show_default=True)
@click.option("--at-once", type=float, help="Instead: so many players on one machine, all the time.")
@click.option("--minutes", default=10.0, show_default=True, help="That a player stays.")
@click.option("--every", default=5.0, show_default=True, help="Seconds between two hints of a player.")
@click.option("--swing", default=0.6, show_default=True, help="Evening over mean, less one.")
@click.option("--kept-share", default=0.7, show_default=True, help="Answers that were given before.")
@click.option("--kept-ms", default=0.7, show_default=True)
@click.option("--fresh-ms", default=2.7, show_default=True, help="An answer not given before.")
@click.option("--slow-share", default=0.0, show_default=True, help="Answers that need a search of their own.")
@click.option("--slow-ms", default=300.0, show_default=True)
@click.option("--client-ms", default=0.06, show_default=True, help="A second, for each connected player.")
@click.option("--overhead-ms", default=2.5, show_default=True, help="Of each answer, without work.")
@click.option("--machine-mb", default=370.0, show_default=True)
@click.option("--client-mb", default=0.065, show_default=True)
@click.option("--seed", default=1, show_default=True)
def simulate(
    players_a_day: float,
    machines: int,
    at_once: float | None,
    minutes: float,
    every: float,
    swing: float,
    seed: int,
    **given: float,
) -> None:
    """Print how busy the machines are over a day, how long answers take, and what memory is needed."""
    world = World(
        given["kept_share"], given["kept_ms"], given["fresh_ms"], given["slow_share"], given["slow_ms"],
        given["client_ms"], given["overhead_ms"], given["machine_mb"], given["client_mb"],
    )  # fmt: skip
    dice = random.Random(seed)
    click.echo(HEADING)
    if at_once is not None:
        click.echo(row("any", play(dice, world, at_once, every)))
        return
    for hour in HOURS:
        players = connected(players_a_day, minutes, hour, swing) / machines
        click.echo(row(f"{hour:02}:00", play(dice, world, players, every)))
