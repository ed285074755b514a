"""A thousand players at once: `python -m benchmarks load [--players 1000 --seconds 30 --every 5]`.

Each has a browser's two connections and asks for a hint every few seconds, beside two long proofs whose rows
arrive over the channel. The bare echo of the same stack is asked the same in the same run.
"""

import asyncio
import os
import re
import resource
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import click

from server.puzzles import PUZZLES

from .latency import warm_up
from .players import Echoes, Game, Player, Tally
from .wire import Channel

PROOFS = [
    {"puzzle": "triangle-21", "position": PUZZLES["triangle-21"].start, "method": "deepening", "find": "all"},
    {"puzzle": "eight-puzzle", "position": "867254301", "method": "deepening", "find": "all"},
]
"""Searches that run for longer than the measurement."""
ARRIVALS = 100
"""Players who connect in a second."""
SETTLING_SECONDS = 5
KINDS = ("hint", "verdict", "message")
GUNICORN = ["gunicorn", "--threads", "1500", "--bind", "127.0.0.1:0", "--keep-alive", "75", "--worker-connections", "10000"]
OURS = {"run": ["server", "run", "--port", "0"], "gunicorn": [*GUNICORN, "server:create_app()"]}
ECHO = {"run": ["benchmarks.echo"], "gunicorn": [*GUNICORN, "benchmarks.echo:build()"]}
TICKS = os.sysconf("SC_CLK_TCK")


class Use(NamedTuple):
    """What a process has used: seconds of processor, MB at most, threads now."""

    cpu: float
    memory: float
    threads: int


class Run(NamedTuple):
    """One measurement of one server."""

    name: str
    tally: Tally
    use: Use
    seconds: float
    rows: Counter[str]
    """Events of the proofs by name."""
    gap: float
    """Longest silence of a proof that ran, in seconds."""
    load: float


def used(pid: int) -> Use:
    """What a process and its children have used so far."""
    children = subprocess.run(["ps", "--ppid", str(pid), "-o", "pid="], capture_output=True, text=True)
    uses = [_used_alone(int(one)) for one in [str(pid), *children.stdout.split()]]
    return Use(sum(u.cpu for u in uses), sum(u.memory for u in uses), sum(u.threads for u in uses))


def _used_alone(pid: int) -> Use:
    with open(f"/proc/{pid}/status") as status:
        fields = dict(line.split(":", 1) for line in status)
    with open(f"/proc/{pid}/stat") as stat:
        times = stat.read().rpartition(")")[2].split()
    kilobytes = int(fields["VmHWM"].split()[0])
    return Use((int(times[11]) + int(times[12])) / TICKS, kilobytes / 1000, int(fields["Threads"]))


@contextmanager
def started(*command: str, **settings: str) -> Iterator[tuple[tuple[str, int], int]]:
    """A server of our own, until the end of the block; its address and its process."""
    with subprocess.Popen(
        [sys.executable, "-m", *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=os.environ | settings
    ) as process:
        assert process.stdout is not None
        try:
            found = None
            while found is None and (line := process.stdout.readline()):
                found = re.search(r"http://([\d.]+):(\d+)", line)
            if found is None:
                raise RuntimeError(f"{' '.join(command)} printed no address")
            yield (found[1], int(found[2])), process.pid
        finally:
            process.terminate()


def settings_for(players: int) -> dict[str, str]:
    """As behind a proxy, which tells the players' addresses."""
    return {"HOPPERS_PROXIES": "1", "HOPPERS_CONNECTIONS_PER_ADDRESS": "100000", "HOPPERS_CONNECTIONS": str(max(players + 100, 1_000))}


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


async def play(
    at: tuple[str, int], pid: int, name: str, kind: type[Game] | type[Echoes], players: int,
    seconds: float, every: float, proofs: int,
) -> Run:
    """Let all connect, settle, and measure."""
    tally = Tally()
    crowd = [Player(at, number, tally) for number in range(players)]
    running = [Proof(at, number) for number in range(proofs)]
    tasks = [asyncio.create_task(proof.run()) for proof in running]
    tasks += [asyncio.create_task(attend(player, kind, every, place / ARRIVALS)) for place, player in enumerate(crowd)]
    await asyncio.sleep(len(crowd) / ARRIVALS + SETTLING_SECONDS)
    tally.measuring, before, began = True, used(pid), time.perf_counter()
    tally.lag.clear()
    for proof in running:
        proof.gap = 0.0
    await asyncio.sleep(seconds)
    tally.measuring, after, load = False, used(pid), os.getloadavg()[0]
    for task in tasks:
        task.cancel()
    faults = [result for result in await asyncio.gather(*tasks, return_exceptions=True)]
    tally.errors += [repr(f) for f in faults if not isinstance(f, asyncio.CancelledError) and f is not None]
    taken = time.perf_counter() - began
    for player in crowd:
        player.leave()
    rows = sum((proof.rows for proof in running), Counter())
    gap = max((proof.gap for proof in running), default=0.0)
    return Run(name, tally, Use(after.cpu - before.cpu, after.memory, after.threads), taken, rows, gap, load)


def percentile(ordered: list[float], share: float) -> float:
    """The value below which this share lies, in milliseconds."""
    return 1000 * ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else float("nan")


def lines(run: Run) -> list[str]:
    """A run in words."""
    found = [f"{run.name} (load average {run.load:.1f})"]
    for kind in KINDS:
        ordered = sorted(run.tally.seconds.get(kind, []))
        figures = "   ".join(f"{name} {percentile(ordered, share):7.1f}" for name, share in SHARES.items())
        found.append(f"  {kind:8} {len(ordered):6} answers   {figures} ms")
    lag = percentile(sorted(run.tally.lag), 0.99)
    errors = Counter(run.tally.errors)
    found.append(
        f"  {sum(errors.values())} errors; at most {run.use.memory:.0f} MB, {run.use.threads} threads, "
        f"{100 * run.use.cpu / run.seconds:.0f} % of a core; clients late by {lag:.1f} ms (p99)"
    )
    found += [f"  {count} times {error}" for error, count in errors.most_common(5)]
    if run.rows:
        rows = ", ".join(f"{count} {name}" for name, count in run.rows.items())
        found.append(f"  proofs: {rows}; longest silence {run.gap:.2f} s")
    return found


SHARES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "max": 1.0}


def ratios(ours: Run, bare: Run) -> str:
    """How many times as long ours took as the echo."""
    told = []
    for kind in KINDS:
        one, other = (sorted(run.tally.seconds.get(kind, [])) for run in (ours, bare))
        told.append(
            f"{kind} p50 {percentile(one, 0.5) / percentile(other, 0.5):.1f}, "
            f"p99 {percentile(one, 0.99) / percentile(other, 0.99):.1f}"
        )
    return f"{ours.name} : {bare.name} = {'; '.join(told)}"


def by_puzzle(run: Run) -> list[str]:
    """The slowest kinds of question."""
    rows = []
    for name, seconds in run.tally.by_puzzle.items():
        ordered = sorted(seconds)
        rows.append((percentile(ordered, 0.99), name, ordered))
    return [
        f"  {name:28} {len(ordered):6} answers   p50 {percentile(ordered, 0.5):7.1f}   p99 {p99:7.1f} ms"
        for p99, name, ordered in sorted(rows, reverse=True)
    ]


@contextmanager
def busy_core(count: int) -> Iterator[None]:
    """As many searches beside the echo as our server would run, in processes of their own."""
    with_ = [sys.executable, "-m", "server", "solve", "triangle-21", "--method", "deepening", "--all"]
    running = [subprocess.Popen(with_, stdout=subprocess.DEVNULL) for _ in range(count)]
    try:
        yield
    finally:
        for process in running:
            process.terminate()
            process.wait()


@click.command()
@click.option("--players", default=1_000, show_default=True)
@click.option("--seconds", default=30.0, show_default=True, help="Of each measurement.")
@click.option("--every", default=5.0, show_default=True, help="Seconds between two hints of a player.")
@click.option("--server", default="run", show_default=True, help="The command that serves.")
@click.option("--proofs", default=len(PROOFS), show_default=True, help="Long searches beside the players.")
@click.option("--only", type=click.Choice(["hoppers", "echo"]), help="Measure only one of them.")
def load(players: int, seconds: float, every: float, server: str, proofs: int, only: str | None) -> None:
    """Measure a thousand players beside two proofs, and the bare echo of the same stack."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    click.echo(f"{players} players, a hint every {every:g} s, {seconds:g} s each; {os.cpu_count()} cores")
    runs = []
    if only != "hoppers":
        cores = max(1, (os.cpu_count() or 1) - 1)
        with started(*ECHO[server]) as (at, pid):
            runs.append(asyncio.run(play(at, pid, "bare echo", Echoes, players, seconds, every, 0)))
            click.echo("\n".join(lines(runs[-1])))
        with started(*ECHO[server]) as (at, pid), busy_core(min(cores, len(PROOFS))):
            runs.append(
                asyncio.run(play(at, pid, "bare echo beside proofs", Echoes, players, seconds, every, 0))
            )
            click.echo("\n".join(lines(runs[-1])))
    if only != "echo":
        with started(*OURS[server], **settings_for(players)) as (at, pid):
            for puzzle in PUZZLES.values():
                warm_up(f"{at[0]}:{at[1]}", f"/api/puzzles/{puzzle.id}/positions/{puzzle.start}/hint")
            click.echo(f"warm: {used(pid).memory:.0f} MB")
            ours = asyncio.run(
                play(at, pid, "hoppers beside proofs", Game, players, seconds, every, proofs)
            )
            click.echo("\n".join(lines(ours) + by_puzzle(ours)))
            runs.append(ours)
    for bare in runs[:-1]:
        click.echo(ratios(runs[-1], bare))
