"""Capacity model: `python -m benchmarks capacity-model --players-a-day 1000000 --machines 10`.

Players arrive as a Poisson process whose rate varies over the day, stay for a while, and keep requesting
hints and verdicts. Each machine is one queue, because Python's interpreter lock lets one response be computed
at a time. Every service time is an option; the defaults were measured (see docs/scaling.md).
"""

import math
import random
from typing import NamedTuple

import click

HOURS = range(0, 24, 2)
PEAK_HOUR = 20
WINDOW_SECONDS = 120  # simulated part of each hour


class Assumptions(NamedTuple):
    """Assumptions: shares (0 to 1), service times (milliseconds of processor time), memory (MB)."""

    kept_share: float
    kept: float
    fresh: float
    slow_share: float
    slow: float
    client: float
    """Milliseconds per second and connected player, for pings and pongs."""
    overhead: float
    """Milliseconds of a response without processor time: network, and threads being woken."""
    machine_memory: float
    client_memory: float


class Hour(NamedTuple):
    """Result for one machine in one hour."""

    players: float
    questions: float
    """Requests per second."""
    busy: float
    """Share of the time in which a response is being computed, 0 to 1."""
    waits: list[float]
    """Milliseconds from request to response, sorted."""
    memory: float

    def percentile(self, share: float) -> float:
        """Return the quantile `share` of the response times, in milliseconds."""
        return self.waits[min(len(self.waits) - 1, int(len(self.waits) * share))] if self.waits else 0.0


def work(dice: random.Random, model: Assumptions) -> float:
    """Return a random service time in milliseconds, with a long tail like measured times."""
    drawn = dice.random()
    if drawn < model.slow_share:
        return dice.expovariate(1 / model.slow)
    usual = model.kept if drawn < model.slow_share + model.kept_share else model.fresh
    return 0.7 * usual + dice.expovariate(1 / (0.3 * usual))


def play(dice: random.Random, model: Assumptions, players: float, every: float) -> Hour:
    """Simulate a machine for `WINDOW_SECONDS`; each of `players` sends two requests per `every` seconds."""
    rate = players * 2 / every
    speed = 1 - players * model.client / 1000
    """Share of the core that is not used for pings and pongs."""
    at, free, busy, waits = 0.0, 0.0, 0.0, []
    while rate and speed > 0 and at < 1000 * WINDOW_SECONDS:
        at += dice.expovariate(rate / 1000)
        spent = work(dice, model) / speed
        free = max(free, at) + spent
        busy += spent
        waits.append(free - at + model.overhead)
    share = min(1.0, busy / (1000 * WINDOW_SECONDS)) if speed > 0 else 1.0
    memory = model.machine_memory + players * model.client_memory
    return Hour(players, rate, share, sorted(waits), memory)


def connected(players_a_day: float, minutes: float, hour: int, swing: float) -> float:
    """Return the number of players connected at `hour`: those who arrived within the last `minutes`."""
    rate = players_a_day / 86_400 * (1 + swing * math.cos(2 * math.pi * (hour - PEAK_HOUR) / 24))
    return rate * 60 * minutes


def row(name: str, hour: Hour) -> str:
    """Return the report line of an hour."""
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
@click.option("--at-once", type=float, help="Instead: constant number of players on one machine.")
@click.option("--minutes", default=10.0, show_default=True, help="Length of a stay (minutes).")
@click.option("--every", default=5.0, show_default=True, help="Seconds between two hints of a player.")
@click.option("--swing", default=0.6, show_default=True, help="Peak rate divided by mean rate, minus one.")
@click.option("--kept-share", default=0.7, show_default=True, help="Share of cached responses.")
@click.option("--kept-ms", default=0.7, show_default=True)
@click.option("--fresh-ms", default=2.7, show_default=True, help="Response that is not cached (ms).")
@click.option("--slow-share", default=0.0, show_default=True, help="Share of responses that need a search.")
@click.option("--slow-ms", default=300.0, show_default=True)
@click.option("--client-ms", default=0.06, show_default=True, help="Per second and connected player (ms).")
@click.option(
    "--overhead-ms", default=2.5, show_default=True, help="Per response, without processor time (ms)."
)
@click.option("--machine-mb", default=370.0, show_default=True)
@click.option("--client-mb", default=0.065, show_default=True)
@click.option("--seed", default=1, show_default=True)
def capacity_model(
    players_a_day: float,
    machines: int,
    at_once: float | None,
    minutes: float,
    every: float,
    swing: float,
    seed: int,
    **given: float,
) -> None:
    """Model of load, response times and memory of the machines over a day."""
    model = Assumptions(
        given["kept_share"], given["kept_ms"], given["fresh_ms"], given["slow_share"], given["slow_ms"],
        given["client_ms"], given["overhead_ms"], given["machine_mb"], given["client_mb"],
    )  # fmt: skip
    dice = random.Random(seed)
    click.echo(HEADING)
    if at_once is not None:
        click.echo(row("any", play(dice, model, at_once, every)))
        return
    for hour in HOURS:
        players = connected(players_a_day, minutes, hour, swing) / machines
        click.echo(row(f"{hour:02}:00", play(dice, model, players, every)))
