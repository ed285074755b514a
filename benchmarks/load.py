"""Load test: `python -m benchmarks load [--players 1000 --minutes 0.5 --every 5]`, or `--mixed --minutes 60`.

Each player has the two connections of a browser and an address of its own, and requests a hint every few
seconds, while two long searches send their rows. All answers are compared with those of naive rules. The
rival, a minimal server on the same libraries, gets the same load in the same run. With `--mixed` there are
also searchers, readers of pages, senders of junk, and one hostile address with many connections.

Times count until the kernel had received the answer for the player's socket: the clients share the machine
with the server, and their own waiting for a core must not count.
"""

import asyncio
import gc
import os
import resource
import time
from collections.abc import Callable, Coroutine
from typing import Any, NamedTuple

import click

from benchmarks.crowd import (
    HOSTILE_CONNECTIONS,
    press_hard,
    read_pages,
    search_long,
    search_repeatedly,
    send_junk,
)
from benchmarks.measurements import Measurements, figures, percentile
from benchmarks.players import Address, Echo, Player, Solver
from benchmarks.processes import busy_cores, high_priority, processor_seconds, stolen
from benchmarks.right_answers import boards
from tests.support.child_server import memory, started, wait_until_warm

ARRIVALS = 100  # players that connect per second
SETTLING_SECONDS = 5
PERIODS = 6
"""Parts of a measurement, which are reported one by one: of an hour, ten minutes each."""
MIN_PERIOD_SECONDS = 30
LONG_SEARCHES, SEARCHERS, READERS = 2, 4, 20
KINDS = ("hint", "verdict", "solution", "message", "page", "search")
OURS = {"serve": ["hoppers", "serve", "--port", "0"], "run": ["hoppers", "run", "--port", "0"]}


class Plan(NamedTuple):
    """Parameters of a load test; see the options of `load`."""

    players: int
    seconds: float
    every: float
    mixed: bool
    seed: int


class Clients:
    """All clients of a run."""

    def __init__(self, players: list[Player], every: float, others: list[Coroutine[Any, Any, None]]) -> None:
        """Let the players arrive, one after another, and the others at once."""
        self._players = players
        arriving = [player.run(every, place / ARRIVALS) for place, player in enumerate(players)]
        self._tasks = [asyncio.create_task(work) for work in [*arriving, *others]]

    async def end(self, measurements: Measurements) -> None:
        """Cancel all clients, and record the exceptions that ended some of them earlier."""
        for task in self._tasks:
            task.cancel()
        for fault in await asyncio.gather(*self._tasks, return_exceptions=True):
            if fault is not None and not isinstance(fault, asyncio.CancelledError):
                measurements.errors[f"a client ended: {fault!r}"] += 1
        for player in self._players:
            player.leave()


Start = Callable[[Address, Measurements, Plan], Clients]


def start_echo(at: Address, measurements: Measurements, plan: Plan) -> Clients:
    """Start the players of the minimal server."""
    return Clients([Echo(at, number, measurements) for number in range(plan.players)], plan.every, [])


def start_ours(at: Address, measurements: Measurements, plan: Plan) -> Clients:
    """Start the clients of the project's server."""
    known = boards()
    players: list[Player] = [Solver(at, number, measurements, known) for number in range(plan.players)]
    others = [search_long(at, number, measurements) for number in range(LONG_SEARCHES)]
    if plan.mixed:
        others += [search_repeatedly(at, number, measurements, known) for number in range(SEARCHERS)]
        others += [read_pages(at, number, measurements, known) for number in range(READERS)]
        others += [press_hard(at, number, measurements) for number in range(HOSTILE_CONNECTIONS)]
        others.append(send_junk(at, plan.seed, measurements))
    return Clients(players, plan.every, others)


async def play(at: Address, pid: int, start: Start, plan: Plan) -> bool:
    """Let all clients connect, measure once the load is steady, and print; return whether all is right."""
    gc.collect()
    gc.freeze()  # so that the clients' garbage collector delays few responses
    measurements, is_right = Measurements(), True
    clients = start(at, measurements, plan)
    periods = max(1, min(PERIODS, int(plan.seconds / MIN_PERIOD_SECONDS)))
    with high_priority():
        await asyncio.sleep(plan.players / ARRIVALS + SETTLING_SECONDS)
        gc.freeze()
        click.echo(f"  arriving: {_delays(measurements, 'hint')}; {_faults(measurements)}")
        for number in range(periods):
            is_right &= not (measurements.errors or measurements.wrong)
            measurements.begin()
            await _measure(pid, measurements, plan.seconds / periods, number)
    await clients.end(measurements)
    for fault, count in measurements.errors.most_common():
        if fault.startswith("a client ended"):
            click.echo(f"  {count} times {fault}")
    return is_right and not (measurements.errors or measurements.wrong)


async def _measure(pid: int, measurements: Measurements, seconds: float, number: int) -> None:
    """Wait for a period, and print what the clients met and what the server used."""
    spent, own, (gone, all_) = processor_seconds(pid), time.process_time(), stolen()
    await asyncio.sleep(seconds)
    now_gone, now_all = stolen()
    mine, others = await asyncio.to_thread(memory, pid)
    click.echo(
        f"  after {(number + 1) * seconds / 60:.1f} min: server {mine:.0f} MB, others {others:.0f} MB, "
        f"{100 * (processor_seconds(pid) - spent) / seconds:.0f} % of a core; "
        f"clients {100 * (time.process_time() - own) / seconds:.0f} %, "
        f"late by {1000 * percentile(measurements.lag, 0.99):.1f} ms (p99); "
        f"{100 * (now_gone - gone) / (now_all - all_):.0f} % of the machine stolen; "
        f"load {os.getloadavg()[0]:.1f}"
    )
    for kind in KINDS:
        if kind in measurements.delays:
            click.echo(f"    {_delays(measurements, kind)}")
    click.echo(f"    {_faults(measurements)}")


def _delays(measurements: Measurements, kind: str) -> str:
    return f"{kind:8} {figures(measurements.at_socket(kind))}"


def _faults(measurements: Measurements) -> str:
    lines = [
        f"{measurements.checked:,} answers checked, {len(measurements.wrong)} wrong, "
        f"{measurements.open:,} open; "
        f"{measurements.errors.total()} errors",
        *(f"    wrong: {fault}" for fault in measurements.wrong[:5]),
        *(f"    {count} times {fault}" for fault, count in measurements.errors.most_common(8)),
    ]
    if measurements.hostile:
        lines.append(
            f"hostile: {', '.join(f'{n:,} {name}' for name, n in measurements.hostile.most_common())}"
        )
    return "\n    ".join(lines)


def measure_minimal(plan: Plan, cores: int) -> None:
    """Measure the minimal server while `cores` cores are busy."""
    click.echo(f"minimal server, {cores} busy cores" if cores else "minimal server")
    with started("benchmarks.rivals.echo_server") as (at, pid), busy_cores(cores):
        asyncio.run(play(at, pid, start_echo, plan))


def measure_ours(plan: Plan, server: str) -> bool:
    """Measure the project's server; return whether all answers were right and there was no error."""
    connections = str(max(plan.players + 100, 1_200))
    with started(*OURS[server], settings={"HOPPERS_CONNECTIONS": connections}) as (at, pid):
        wait_until_warm(at)
        boards()
        click.echo(f"hoppers {server}: {sum(memory(pid)):.0f} MB after the start")
        return asyncio.run(play(at, pid, start_ours, plan))


@click.command()
@click.option("--players", default=1_000, show_default=True)
@click.option("--minutes", default=0.5, show_default=True, help="Duration of each measurement.")
@click.option("--every", default=5.0, show_default=True, help="Seconds between two hints of a player.")
@click.option("--mixed", is_flag=True, help="Also searchers, readers, junk and a hostile address; no rival.")
@click.option("--seed", default=1, show_default=True, help="Of the junk.")
@click.option("--server", default="serve", show_default=True, type=click.Choice(list(OURS)))
@click.option("--only", type=click.Choice(["hoppers", "echo"]), help="Measure only one of them.")
def load(players: int, minutes: float, every: float, mixed: bool, seed: int, server: str, only: str) -> None:
    """Response times of many players, whose answers are checked; rival: a minimal server."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    plan = Plan(players, 60 * minutes, every, mixed, seed)
    click.echo(f"{players} players, a hint every {every:g} s, {minutes:g} minutes; {os.cpu_count()} cores")
    if only != "hoppers" and not mixed:
        for cores in (0, max(1, (os.cpu_count() or 1) - 1)):
            measure_minimal(plan, cores)
    if only != "echo" and not measure_ours(plan, server):
        raise SystemExit(1)
