"""Load test with 1,000 players: `python -m benchmarks load [--players 1000 --seconds 30 --every 5]`.

Each player has the two connections of a browser and requests a hint every few seconds, while two long
searches send their rows. The rival, a minimal server on the same libraries, gets the same load in the same
run. All times are printed twice: until the kernel had received the answer for the player's socket, and until
the client had read it. The second includes the clients' own waiting for a core of the server's machine.
"""

import asyncio
import gc
import os
import resource
import time
from collections import Counter
from typing import Any, NamedTuple

import click

from benchmarks.client import Channel
from benchmarks.players import simulated_players
from benchmarks.players.simulated_players import (
    ARRIVING,
    EchoGame,
    EchoHintsOnly,
    Game,
    HintsOnly,
    Measurements,
    Player,
)
from benchmarks.processes import (
    Use,
    busy_cores,
    high_priority,
    shares,
    started,
    stolen,
    used,
    wait_until_warm,
)
from tests.support.engine import PUZZLES

PROOFS = [
    {"puzzle": "triangle-21", "position": PUZZLES["triangle-21"].start, "method": "deepening", "find": "all"},
    {"puzzle": "eight-puzzle", "position": "867254301", "method": "deepening", "find": "all"},
]
"""Searches that run about as long as the measurement; each is requested again when it ends."""
ARRIVALS = 100  # players that connect per second
SETTLING_SECONDS = 5
SAMPLE_SECONDS = 30.0
KINDS = ("hint", "verdict", "message")
SHARES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "max": 1.0}
OURS = {"serve": ["hoppers", "serve", "--port", "0"], "run": ["hoppers", "run", "--port", "0"]}


class Plan(NamedTuple):
    """Parameters of a load test; see the options of `load`."""

    players: int
    seconds: float
    every: float
    proofs: int
    hints: bool


class Run(NamedTuple):
    """One measurement of one server."""

    name: str
    measurements: Measurements
    use: Use
    """Processor seconds during the measurement, and peak memory."""
    seconds: float
    events: Counter[str]
    """Number of events of the long searches, by name."""
    gap: float
    """Longest time between two events of a running search, in seconds."""
    load: float
    shares: list[str]
    """Memory by process, as text."""
    memory: list[float]
    """Megabytes of all processes together, every `SAMPLE_SECONDS` of the measurement."""
    stolen: float
    """Share of all cores that was stolen by other virtual machines, 0 to 1."""
    clients_cpu: float
    """Processor seconds of this process, which runs the clients."""


class LongSearch:
    """A long search that is requested again as soon as it has ended."""

    def __init__(self, at: tuple[str, int], number: int) -> None:
        self.events: Counter[str] = Counter()
        self.gap, self._last_event = 0.0, time.perf_counter()
        self._number, self._channel = number, Channel(*at, f"10.255.0.{number}", self._on_event)
        self._ended = asyncio.Event()

    def _on_event(self, name: str, payload: Any) -> None:
        now = time.perf_counter()
        self.events[name] += 1
        self.gap, self._last_event = max(self.gap, now - self._last_event), now
        if name in ("solved", "unsolvable", "stopped", "failed"):
            self._ended.set()

    async def run(self) -> None:
        """Repeat the search until cancelled."""
        await self._channel.connect()
        while True:
            self._last_event = time.perf_counter()
            self._ended.clear()
            request = {**PROOFS[self._number % len(PROOFS)], "ticket": f"proof-{self._number}"}
            answer = await self._channel.call("search", request)
            if not answer["ok"]:
                raise RuntimeError(f"search refused: {answer}")
            await self._ended.wait()


async def run_player(player: Player, kind: type[Game] | type[EchoGame], every: float, after: float) -> None:
    """Connect after `after` seconds and play until cancelled."""
    await asyncio.sleep(after)
    await player.connect()
    await player.rounds(every, kind(player).round)


async def play(
    at: tuple[str, int], pid: int, name: str, kind: type[Game] | type[EchoGame], plan: Plan
) -> Run:
    """Let all players connect, wait until the load is steady, and measure."""
    gc.collect()
    gc.freeze()  # so that the clients' garbage collector delays few responses
    measurements = Measurements()
    players = [Player(at, number, measurements) for number in range(plan.players)]
    proofs = [LongSearch(at, number) for number in range(plan.proofs)]
    tasks = [asyncio.create_task(proof.run()) for proof in proofs]
    for place, player in enumerate(players):
        tasks.append(asyncio.create_task(run_player(player, kind, plan.every, place / ARRIVALS)))
    with high_priority():
        await asyncio.sleep(plan.players / ARRIVALS + SETTLING_SECONDS)
        gc.freeze()
        measurements.begin()
        before, began, lost, own = used(pid), time.perf_counter(), stolen(), time.process_time()
        for proof in proofs:
            proof.gap = 0.0
        samples = await sampled_memory(pid, plan.seconds)
    own = time.process_time() - own
    measurements.measuring, after, load = False, used(pid), os.getloadavg()[0]
    taken, (gone, all_) = time.perf_counter() - began, stolen()
    memory, taken_away = shares(pid), (gone - lost[0]) / (all_ - lost[1])
    await _end(tasks, measurements)
    for player in players:
        player.leave()
    events = sum((proof.events for proof in proofs), Counter())
    gap = max((proof.gap for proof in proofs), default=0.0)
    use = after._replace(cpu=after.cpu - before.cpu)
    return Run(name, measurements, use, taken, events, gap, load, memory, samples, taken_away, own)


async def sampled_memory(pid: int, seconds: float) -> list[float]:
    """Return the megabytes of the server, measured every `SAMPLE_SECONDS` for `seconds`."""
    until, found = time.perf_counter() + seconds, []
    while (left := until - time.perf_counter()) > 0:
        found.append((await asyncio.to_thread(used, pid)).now)
        await asyncio.sleep(min(SAMPLE_SECONDS, left))
    return found


async def _end(tasks: list[asyncio.Task[None]], measurements: Measurements) -> None:
    """Cancel all tasks and record their exceptions as errors."""
    for task in tasks:
        task.cancel()
    for fault in await asyncio.gather(*tasks, return_exceptions=True):
        if fault is not None and not isinstance(fault, asyncio.CancelledError):
            measurements.errors.append(repr(fault))


def percentile(seconds: list[float], share: float) -> float:
    """Return the quantile `share` of `seconds`, in milliseconds; NaN if there are none."""
    ordered = sorted(seconds)
    return 1000 * ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else float("nan")


def figures(seconds: list[float]) -> str:
    """Return the number of values and their percentiles as text."""
    texts = "  ".join(f"{name} {percentile(seconds, share):7.1f}" for name, share in SHARES.items())
    return f"{len(seconds):6} responses  {texts} ms"


def lines(run: Run) -> list[str]:
    """Return the lines that describe a run."""
    errors = Counter(run.measurements.errors)
    found = [f"{run.name} (load average {run.load:.1f})"]
    found += [
        line
        for kind in KINDS
        for name in (kind, kind + ARRIVING)
        if (delays := run.measurements.delays.get(name))
        for line in (
            f"  {name:17} {figures([delay.at_socket for delay in delays])}",
            f"    in the client   {figures([delay.in_client for delay in delays])}",
        )
    ]
    found.append(
        f"  {errors.total()} errors; at most {run.use.memory:.0f} MB, {run.use.threads} threads, "
        f"{100 * run.use.cpu / run.seconds:.0f} % of a core; "
        f"clients {100 * run.clients_cpu / run.seconds:.0f} % of another, "
        f"late by {percentile(run.measurements.lag, 0.99):.1f} ms (p99); "
        f"{100 * run.stolen:.0f} % of the machine stolen"
    )
    found.append(f"  memory: {'; '.join(run.shares)}")
    found.append(
        f"  memory every {SAMPLE_SECONDS:.0f} s: {', '.join(f'{value:.0f}' for value in run.memory)} MB"
    )
    found += [f"  {count} times {error}" for error, count in errors.most_common(5)]
    if run.events:
        counts = ", ".join(f"{count} {name}" for name, count in run.events.items())
        found.append(f"  proofs: {counts}; longest gap {run.gap:.2f} s")
    by_puzzle = sorted(
        (
            (name, [delay.at_socket for delay in delays])
            for name, delays in run.measurements.by_puzzle.items()
        ),
        key=lambda item: -percentile(item[1], 0.99),
    )
    return found + [f"    {name:26} {figures(seconds)}" for name, seconds in by_puzzle]


def ratios(ours: Run, minimal: Run) -> str:
    """Return the response times of our server divided by those of the minimal one, as text."""
    texts = []
    for kind in KINDS:
        one, other = (
            [delay.at_socket for delay in run.measurements.delays.get(kind, [])] for run in (ours, minimal)
        )
        if one and other:
            both = [percentile(one, share) / percentile(other, share) for share in (0.5, 0.99)]
            texts.append(f"{kind} {both[0]:.2f} (p50), {both[1]:.2f} (p99)")
    return f"{ours.name} : {minimal.name} = {'; '.join(texts)}"


def measure_minimal(plan: Plan, cores: int) -> Run:
    """Measure the minimal server while `cores` cores are busy."""
    name = f"minimal server, {cores} busy cores" if cores else "minimal server"
    with started("benchmarks.rivals.echo_server") as (at, pid), busy_cores(cores):
        kind = EchoHintsOnly if plan.hints else EchoGame
        return asyncio.run(play(at, pid, name, kind, plan._replace(proofs=0)))


def measure_ours(plan: Plan, server: str) -> Run:
    """Measure the project's server, as if behind a proxy that forwards the players' addresses."""
    connections = str(max(plan.players + len(PROOFS), 1_200))
    with started(*OURS[server], HOPPERS_PROXIES="1", HOPPERS_CONNECTIONS=connections) as (at, pid):
        wait_until_warm(at)
        simulated_players.compile_rules()
        click.echo(f"our server after warm-up: {used(pid).memory:.0f} MB")
        kind = HintsOnly if plan.hints else Game
        return asyncio.run(play(at, pid, f"hoppers, {plan.proofs} long searches", kind, plan))


@click.command()
@click.option("--players", default=1_000, show_default=True)
@click.option("--seconds", default=30.0, show_default=True, help="Duration of each measurement.")
@click.option("--every", default=5.0, show_default=True, help="Seconds between two hints of a player.")
@click.option("--proofs", default=len(PROOFS), show_default=True, help="Number of long searches.")
@click.option("--hints", is_flag=True, help="Hint requests only: no verdicts, no messages.")
@click.option("--without", multiple=True, help="Exclude a puzzle; may be repeated.")
@click.option("--server", default="serve", show_default=True, type=click.Choice(list(OURS)))
@click.option("--only", type=click.Choice(["hoppers", "echo"]), help="Measure only one of them.")
def load(
    players: int,
    seconds: float,
    every: float,
    proofs: int,
    hints: bool,
    without: tuple[str, ...],
    server: str,
    only: str | None,
) -> None:
    """Response times with 1,000 players and two long searches; rival: a minimal server."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    for name in without:
        del simulated_players.MIX[name]
    plan, runs = Plan(players, seconds, every, proofs, hints), []
    click.echo(f"{players} players, a hint every {every:g} s, {seconds:g} s each; {os.cpu_count()} cores")
    if only != "hoppers":
        cores = min(max(1, (os.cpu_count() or 1) - 1), len(PROOFS))
        runs += [measure_minimal(plan, 0), measure_minimal(plan, cores)]
    if only != "echo":
        runs.append(measure_ours(plan, server))
    for run in runs:
        click.echo("\n".join(lines(run)))
    for minimal in runs[:-1]:
        click.echo(ratios(runs[-1], minimal))
