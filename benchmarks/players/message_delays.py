"""Delay of a refusal on a full server (`refusal-delay`), and of Stop in a fleet (`fleet-stop-delay`).

The rival of both is a message without effect, measured in the same run.
"""

import asyncio
import os
import random
import sys
import time
from contextlib import ExitStack
from typing import Any

import click

from benchmarks.client import Channel
from benchmarks.players.load import figures
from benchmarks.processes import redis_server, running_command, started, wait_until_warm
from hoppers.web.settings import Settings
from tests.support.engine import PUZZLES

FULL = Settings().searches
"""Largest number of searches on a server with default settings."""
LONG = [("fifteen-puzzle", "0c9dfbae37624851"), ("english-33", PUZZLES["english-33"].start)]
"""Positions whose plain iterative deepening takes days."""
CLIENTS = 8  # connections that take turns, because each is rate-limited
PAUSE = 0.05  # seconds between two messages
SERVERS = WORKERS = 2

Address = tuple[str, int]


def long_search(ticket: str, number: int = 0) -> dict[str, str]:
    """Return the request of a search that takes days."""
    puzzle, position = LONG[number % len(LONG)]
    return {"ticket": ticket, "puzzle": puzzle, "position": position, "method": "deepening"}


async def timed(channel: Channel, name: str, payload: Any) -> tuple[float, Any]:
    """Return the seconds until a message is acknowledged, and the acknowledgement."""
    began = time.perf_counter()
    answer = await channel.call(name, payload)
    return time.perf_counter() - began, answer


async def joined(at: Address, count: int, network: str) -> list[Channel]:
    """Connect `count` players with the addresses 10.`network`.0, .1, ...; return their channels."""
    channels = [Channel(*at, f"10.{network}.{number}") for number in range(count)]
    for channel in channels:
        await channel.connect()
    return channels


async def fill(at: Address, count: int) -> list[Channel]:
    """Start `count` searches that take days; return their channels."""
    holders = await joined(at, count, "3.0")
    for number, holder in enumerate(holders):
        answer = await holder.call("search", long_search("long", number))
        if not answer["ok"]:
            raise RuntimeError(f"search refused: {answer}")
    return holders


async def refusals(at: Address, times: int, most: int) -> list[str]:
    """Return report lines on `times` refused searches, on a server filled with `most` searches."""
    holders, clients = await fill(at, most), await joined(at, CLIENTS, "3.1")
    refused, plain = [], []
    for turn in range(times):
        client = clients[turn % CLIENTS]
        seconds, answer = await timed(client, "search", long_search("more", turn))
        if answer["ok"] or answer["error"]["code"] != "busy":
            raise RuntimeError(f"not refused: {answer}")
        refused.append(seconds)
        await asyncio.sleep(PAUSE)  # both kinds of messages follow the same pause
        plain.append((await timed(client, "stop", {"ticket": "nothing"}))[0])
        await asyncio.sleep(PAUSE)
    for channel in (*holders, *clients):
        channel.leave()
    return [
        f"{most} searches running, load average {os.getloadavg()[0]:.1f}",
        f"  refused as busy          {figures(refused)}",
        f"  message without effect   {figures(plain)}",
    ]


class StoppingPlayer:
    """A player that starts and stops searches."""

    def __init__(self, at: Address) -> None:
        self.channel = Channel(*at, "10.3.2.1", self._on_event)
        self._events: asyncio.Queue[tuple[str, float]] = asyncio.Queue()

    def _on_event(self, name: str, payload: Any) -> None:
        self._events.put_nowait((name, time.perf_counter()))

    async def _wait_for(self, *names: str) -> float:
        while True:
            name, at = await self._events.get()
            if name in names:
                return at

    async def once(self, number: int, dice: random.Random) -> tuple[float, float]:
        """Run and stop a search; return the seconds to `stopped` and those of a message without effect."""
        ticket = f"stop-{number}"
        await self.channel.call("search", long_search(ticket))
        await self._wait_for("exhausted", "progress")
        await asyncio.sleep(dice.uniform(0.05, 0.3))
        began = time.perf_counter()
        _, at = await asyncio.gather(self.channel.call("stop", {"ticket": ticket}), self._wait_for("stopped"))
        await asyncio.sleep(PAUSE)
        return at - began, (await timed(self.channel, "stop", {"ticket": "nothing"}))[0]


async def stops(at: Address, other: Address, times: int, others: int) -> list[str]:
    """Return report lines on `times` stops at server `at`, while `others` searches run through `other`."""
    holders, player, dice = await fill(other, others), StoppingPlayer(at), random.Random(7)
    await player.channel.connect()
    taken = [await player.once(number, dice) for number in range(times)]
    for channel in (player.channel, *holders):
        channel.leave()
    return [
        f"{SERVERS} servers, {WORKERS} workers, {others} other searches, "
        f"load average {os.getloadavg()[0]:.1f}",
        f"  Stop to `stopped`        {figures([stop for stop, _ in taken])}",
        f"  message without effect   {figures([plain for _, plain in taken])}",
    ]


@click.command()
@click.option("--times", default=300, show_default=True)
@click.option(
    "--searches", default=FULL, show_default=True, help="Running searches, the limit of the server."
)
def refusal_delay(times: int, searches: int) -> None:
    """Time until a full server refuses a search."""
    settings = {"HOPPERS_PROXIES": "1", "HOPPERS_SEARCHES": str(searches)}
    with started("hoppers", "serve", "--port", "0", **settings) as (at, _):
        wait_until_warm(at)
        click.echo("\n".join(asyncio.run(refusals(at, times, searches))))


@click.command()
@click.option("--times", default=100, show_default=True)
@click.option("--others", default=4, show_default=True, help="Other searches that run meanwhile.")
def fleet_stop_delay(times: int, others: int) -> None:
    """Time from Stop to the event `stopped` in a fleet."""
    with ExitStack() as stack:
        url = stack.enter_context(redis_server())
        settings = {"HOPPERS_PROXIES": "1", "HOPPERS_QUEUE_URL": url}
        for _ in range(WORKERS):
            stack.enter_context(running_command(sys.executable, "-m", "hoppers", "worker", **settings))
        serve = ["hoppers", "serve", "--port", "0"]
        at, other = [stack.enter_context(started(*serve, **settings))[0] for _ in range(SERVERS)]
        for address in (at, other):
            wait_until_warm(address)
        click.echo("\n".join(asyncio.run(stops(at, other, times, others))))
