"""A thousand players at once: `python -m benchmarks load [--players 1000 --seconds 30 --every 5]`.

Each has a browser's two connections and asks for a hint every few seconds, beside two long proofs whose rows
arrive over the channel. The bare echo of the same stack is asked the same in the same run.
"""

import asyncio
import gc
import os
import resource
import time
from collections import Counter
from typing import Any, NamedTuple

import click

from benchmarks import players as crowd
from benchmarks.players import Echoes, EchoesAlone, Game, HintsAlone, Player, Tally
from benchmarks.processes import (
    Use,
    ahead,
    busy_cores,
    shares,
    started,
    stolen,
    used,
    wait_until_warm,
)
from benchmarks.wire import Channel
from hoppers.puzzles import PUZZLES

PROOFS = [
    {"puzzle": "triangle-21", "position": PUZZLES["triangle-21"].start, "method": "deepening", "find": "all"},
    {"puzzle": "eight-puzzle", "position": "867254301", "method": "deepening", "find": "all"},
]
"""Searches that run about as long as the measurement; each is asked for again when it ends."""
ARRIVALS = 100
"""Players who connect in a second."""
SETTLING_SECONDS = 5
KINDS = ("hint", "verdict", "message")
SHARES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "max": 1.0}
OURS = {"serve": ["hoppers", "serve", "--port", "0"], "run": ["hoppers", "run", "--port", "0"]}
ECHO = {"serve": ["benchmarks.echo"], "run": ["benchmarks.echo"]}


class Plan(NamedTuple):
    """What is measured."""

    players: int
    seconds: float
    every: float
    proofs: int
    hints: bool


class Run(NamedTuple):
    """One measurement of one server."""

    name: str
    tally: Tally
    use: Use
    """Of processor during the measurement; of memory at most."""
    seconds: float
    rows: Counter[str]
    """Events of the proofs by name."""
    gap: float
    """Longest silence of a proof that ran, in seconds."""
    load: float
    shares: list[str]
    """Of memory, by process."""
    stolen: float
    """Share of all cores that the machine below this one gave to others meanwhile, 0 to 1."""


class Proof:
    """A long search that is asked for again as soon as it has ended."""

    def __init__(self, at: tuple[str, int], number: int) -> None:
        """Nothing runs before `run`."""
        self.rows: Counter[str] = Counter()
        self.gap, self._heard_at = 0.0, time.perf_counter()
        self._number, self._channel = number, Channel(*at, f"10.255.0.{number}", self._hear)
        self._ended = asyncio.Event()

    def _hear(self, name: str, payload: Any) -> None:
        now = time.perf_counter()
        self.rows[name] += 1
        self.gap, self._heard_at = max(self.gap, now - self._heard_at), now
        if name in ("solved", "unsolvable", "stopped", "failed"):
            self._ended.set()

    async def run(self) -> None:
        """Search for ever."""
        await self._channel.connect()
        while True:
            self._heard_at = time.perf_counter()
            self._ended.clear()
            asked = {**PROOFS[self._number % len(PROOFS)], "ticket": f"proof-{self._number}"}
            answer = await self._channel.say("search", asked)
            if not answer["ok"]:
                raise RuntimeError(f"no proof: {answer}")
            await self._ended.wait()


async def attend(player: Player, kind: type[Game] | type[Echoes], every: float, after: float) -> None:
    """Come in, and play until cancelled."""
    await asyncio.sleep(after)
    await player.connect()
    await player.rounds(every, kind(player).round)


async def play(at: tuple[str, int], pid: int, name: str, kind: type[Game] | type[Echoes], plan: Plan) -> Run:
    """Let all connect, settle, and measure."""
    tally = Tally()
    players = [Player(at, number, tally) for number in range(plan.players)]
    proofs = [Proof(at, number) for number in range(plan.proofs)]
    tasks = [asyncio.create_task(proof.run()) for proof in proofs]
    for place, player in enumerate(players):
        tasks.append(asyncio.create_task(attend(player, kind, plan.every, place / ARRIVALS)))
    await asyncio.sleep(plan.players / ARRIVALS + SETTLING_SECONDS)
    gc.collect()
    gc.freeze()  # the players' own rubbish is nobody's delay
    tally.begin()
    before, began, lost = used(pid), time.perf_counter(), stolen()
    for proof in proofs:
        proof.gap = 0.0
    with ahead():
        await asyncio.sleep(plan.seconds)
    tally.measuring, after, load = False, used(pid), os.getloadavg()[0]
    taken, (gone, all_) = time.perf_counter() - began, stolen()
    told, taken_away = shares(pid), (gone - lost[0]) / (all_ - lost[1])
    await _end(tasks, tally)
    for player in players:
        player.leave()
    rows = sum((proof.rows for proof in proofs), Counter())
    gap = max((proof.gap for proof in proofs), default=0.0)
    use = after._replace(cpu=after.cpu - before.cpu)
    return Run(name, tally, use, taken, rows, gap, load, told, taken_away)


async def _end(tasks: list[asyncio.Task[None]], tally: Tally) -> None:
    """Cancel all; what had gone wrong in one is an error."""
    for task in tasks:
        task.cancel()
    for fault in await asyncio.gather(*tasks, return_exceptions=True):
        if fault is not None and not isinstance(fault, asyncio.CancelledError):
            tally.errors.append(repr(fault))


def percentile(seconds: list[float], share: float) -> float:
    """The value below which this share lies, in milliseconds."""
    ordered = sorted(seconds)
    return 1000 * ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else float("nan")


def figures(seconds: list[float]) -> str:
    """How many there are, and their percentiles."""
    told = "  ".join(f"{name} {percentile(seconds, share):7.1f}" for name, share in SHARES.items())
    return f"{len(seconds):6} answers  {told} ms"


def lines(run: Run) -> list[str]:
    """A run in words."""
    errors = Counter(run.tally.errors)
    found = [f"{run.name} (load average {run.load:.1f})"]
    found += [f"  {kind:8} {figures(seconds)}" for kind in KINDS if (seconds := run.tally.seconds.get(kind))]
    found.append(
        f"  {errors.total()} errors; at most {run.use.memory:.0f} MB, {run.use.threads} threads, "
        f"{100 * run.use.cpu / run.seconds:.0f} % of a core; "
        f"clients late by {percentile(run.tally.lag, 0.99):.1f} ms (p99); "
        f"{100 * run.stolen:.0f} % of the machine went to others"
    )
    found.append(f"  memory: {'; '.join(run.shares)}")
    found += [f"  {count} times {error}" for error, count in errors.most_common(5)]
    if run.rows:
        rows = ", ".join(f"{count} {name}" for name, count in run.rows.items())
        found.append(f"  proofs: {rows}; longest silence {run.gap:.2f} s")
    by_puzzle = sorted(run.tally.by_puzzle.items(), key=lambda item: -percentile(item[1], 0.99))
    return found + [f"    {name:26} {figures(seconds)}" for name, seconds in by_puzzle]


def ratios(ours: Run, bare: Run) -> str:
    """How many times as long ours took as the echo."""
    told = []
    for kind in KINDS:
        one, other = (run.tally.seconds.get(kind, []) for run in (ours, bare))
        if one and other:
            both = [percentile(one, share) / percentile(other, share) for share in (0.5, 0.99)]
            told.append(f"{kind} {both[0]:.2f} (p50), {both[1]:.2f} (p99)")
    return f"{ours.name} : {bare.name} = {'; '.join(told)}"


def echo(plan: Plan, server: str, cores: int) -> Run:
    """Measure the bare echo, beside so many busy cores."""
    name = f"bare echo beside {cores} busy cores" if cores else "bare echo"
    with started(*ECHO[server]) as (at, pid), busy_cores(cores):
        kind = EchoesAlone if plan.hints else Echoes
        return asyncio.run(play(at, pid, name, kind, plan._replace(proofs=0)))


def ours(plan: Plan, server: str) -> Run:
    """Measure our server, as behind a proxy that tells the players' addresses."""
    connections = str(max(plan.players + len(PROOFS), 1_200))
    with started(*OURS[server], HOPPERS_PROXIES="1", HOPPERS_CONNECTIONS=connections) as (at, pid):
        wait_until_warm(at)
        crowd.rehearse()
        click.echo(f"our server when it is warm: {used(pid).memory:.0f} MB")
        kind = HintsAlone if plan.hints else Game
        return asyncio.run(play(at, pid, f"hoppers beside {plan.proofs} proofs", kind, plan))


@click.command()
@click.option("--players", default=1_000, show_default=True)
@click.option("--seconds", default=30.0, show_default=True, help="Of each measurement.")
@click.option("--every", default=5.0, show_default=True, help="Seconds between two hints of a player.")
@click.option("--proofs", default=len(PROOFS), show_default=True, help="Long searches beside them.")
@click.option("--hints", is_flag=True, help="Nothing but hints: no verdict on every step, no message.")
@click.option("--without", multiple=True, help="A puzzle that nobody plays; may be repeated.")
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
    """Measure a thousand players beside two proofs, and the bare echo of the same stack."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    for name in without:
        del crowd.MIX[name]
    plan, runs = Plan(players, seconds, every, proofs, hints), []
    click.echo(f"{players} players, a hint every {every:g} s, {seconds:g} s each; {os.cpu_count()} cores")
    if only != "hoppers":
        cores = min(max(1, (os.cpu_count() or 1) - 1), len(PROOFS))
        runs += [echo(plan, server, 0), echo(plan, server, cores)]
    if only != "echo":
        runs.append(ours(plan, server))
    for run in runs:
        click.echo("\n".join(lines(run)))
    for bare in runs[:-1]:
        click.echo(ratios(runs[-1], bare))
