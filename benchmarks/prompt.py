"""How soon a press is answered: a search that finds no room (`busy`), and Stop across processes (`cancel`).

Beside each stands, from the same run, what a message costs that asks for nothing.
"""

import asyncio
import os
import random
import sys
import time
from contextlib import ExitStack
from typing import Any

import click

from benchmarks.load import figures
from benchmarks.processes import kept_running, redis_server, started, wait_until_warm
from benchmarks.wire import Channel
from hoppers.web.settings import DEFAULTS
from tests.engine import PUZZLES

FULL = int(str(DEFAULTS["SEARCHES"]))
"""Searches beyond which a server takes no other."""
LONG = [("fifteen-puzzle", "0c9dfbae37624851"), ("english-33", PUZZLES["english-33"].start)]
"""Nobody will see the end of these by plain deepening."""
ASKERS = 8
"""Connections that ask in turn, for each has an allowance."""
PAUSE = 0.05
SERVERS = WORKERS = 2

Address = tuple[str, int]


def long_search(ticket: str, number: int = 0) -> dict[str, str]:
    """What to ask for a search without end."""
    puzzle, position = LONG[number % len(LONG)]
    return {"ticket": ticket, "puzzle": puzzle, "position": position, "method": "deepening"}


async def timed(channel: Channel, name: str, payload: Any) -> tuple[float, Any]:
    """Seconds until a message is acknowledged, and the acknowledgement."""
    began = time.perf_counter()
    answer = await channel.say(name, payload)
    return time.perf_counter() - began, answer


async def joined(at: Address, count: int, network: str) -> list[Channel]:
    """So many players, each with an address of its own."""
    channels = [Channel(*at, f"10.{network}.{number}") for number in range(count)]
    for channel in channels:
        await channel.connect()
    return channels


async def fill(at: Address, count: int) -> list[Channel]:
    """So many searches under way."""
    holders = await joined(at, count, "3.0")
    for number, holder in enumerate(holders):
        answer = await holder.say("search", long_search("long", number))
        if not answer["ok"]:
            raise RuntimeError(f"no search: {answer}")
    return holders


async def refusals(at: Address, times: int, most: int) -> list[str]:
    """Ask a full server for one search more, again and again."""
    holders, askers = await fill(at, most), await joined(at, ASKERS, "3.1")
    refused, plain = [], []
    for turn in range(times):
        asker = askers[turn % ASKERS]
        seconds, answer = await timed(asker, "search", long_search("more", turn))
        if answer["ok"] or answer["error"]["code"] != "busy":
            raise RuntimeError(f"not refused: {answer}")
        refused.append(seconds)
        await asyncio.sleep(PAUSE)  # for whoever speaks after a silence is served later
        plain.append((await timed(asker, "stop", {"ticket": "nothing"}))[0])
        await asyncio.sleep(PAUSE)
    for channel in (*holders, *askers):
        channel.leave()
    return [
        f"beside {most} searches, load average {os.getloadavg()[0]:.1f}",
        f"  told that it is busy     {figures(refused)}",
        f"  a message for nothing    {figures(plain)}",
    ]


class Stopping:
    """A player who begins a search and stops it, again and again."""

    def __init__(self, at: Address) -> None:
        """Nothing is connected yet."""
        self.channel = Channel(*at, "10.3.2.1", self._hear)
        self._heard: asyncio.Queue[tuple[str, float]] = asyncio.Queue()

    def _hear(self, name: str, payload: Any) -> None:
        self._heard.put_nowait((name, time.perf_counter()))

    async def _wait_for(self, *names: str) -> float:
        while True:
            name, at = await self._heard.get()
            if name in names:
                return at

    async def once(self, number: int, dice: random.Random) -> tuple[float, float]:
        """Seconds from the press to `stopped`, and to the acknowledgement of a message for nothing."""
        ticket = f"stop-{number}"
        await self.channel.say("search", long_search(ticket))
        await self._wait_for("exhausted", "progress")
        await asyncio.sleep(dice.uniform(0.05, 0.3))
        began = time.perf_counter()
        _, at = await asyncio.gather(self.channel.say("stop", {"ticket": ticket}), self._wait_for("stopped"))
        await asyncio.sleep(PAUSE)
        return at - began, (await timed(self.channel, "stop", {"ticket": "nothing"}))[0]


async def stops(at: Address, other: Address, times: int, beside: int) -> list[str]:
    """Stop searches, through one server while others search through another one."""
    holders, player, dice = await fill(other, beside), Stopping(at), random.Random(7)
    await player.channel.connect()
    taken = [await player.once(number, dice) for number in range(times)]
    for channel in (player.channel, *holders):
        channel.leave()
    return [
        f"{SERVERS} servers, {WORKERS} workers, beside {beside} other searches, "
        f"load average {os.getloadavg()[0]:.1f}",
        f"  Stop to `stopped`        {figures([stop for stop, _ in taken])}",
        f"  a message for nothing    {figures([plain for _, plain in taken])}",
    ]


@click.command()
@click.option("--times", default=300, show_default=True)
@click.option("--searches", default=FULL, show_default=True, help="Under way; the server takes no more.")
def busy(times: int, searches: int) -> None:
    """Measure how soon a server that is full says so."""
    settings = {"HOPPERS_PROXIES": "1", "HOPPERS_SEARCHES": str(searches)}
    with started("hoppers", "serve", "--port", "0", **settings) as (at, _):
        wait_until_warm(at)
        click.echo("\n".join(asyncio.run(refusals(at, times, searches))))


@click.command()
@click.option("--times", default=100, show_default=True)
@click.option("--beside", default=4, show_default=True, help="Other searches under way meanwhile.")
def cancel(times: int, beside: int) -> None:
    """Measure how soon a search on a worker has stopped."""
    with ExitStack() as stack:
        url = stack.enter_context(redis_server())
        settings = {"HOPPERS_PROXIES": "1", "HOPPERS_QUEUE_URL": url}
        for _ in range(WORKERS):
            stack.enter_context(kept_running(sys.executable, "-m", "hoppers", "worker", **settings))
        serve = ["hoppers", "serve", "--port", "0"]
        at, other = [stack.enter_context(started(*serve, **settings))[0] for _ in range(SERVERS)]
        for address in (at, other):
            wait_until_warm(address)
        click.echo("\n".join(asyncio.run(stops(at, other, times, beside))))
