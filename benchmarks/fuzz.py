"""A hundred thousand wild inputs: `python -m benchmarks fuzz [--inputs 100000 --seed 7]`.

Requests and messages of every sort, drawn from one seed, for a real server in a process of its own. Wanted:
no answer 500, no message without its acknowledgement, exactly one end of every search that was accepted and
nothing behind it, and a memory that stays flat. tests/web/test_fuzz.py holds the same in small.
"""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import click

from benchmarks import wire
from benchmarks.inputs import BROKEN, Message, Request, messages, requests
from benchmarks.processes import shares, started, used, wait_until_warm
from benchmarks.wire import Browser, Channel

FINAL = ("solved", "unsolvable", "stopped", "failed")
SETTINGS = {
    "HOPPERS_API_RATE": "1000000 per second",
    "HOPPERS_MESSAGES_PER_SECOND": "100000",
    "HOPPERS_MESSAGES_AT_ONCE": "100000",
    "HOPPERS_SEARCH_SECONDS": "1",
}
"""No limit of rates, for what is looked for lies behind it; and searches end while somebody waits for it."""
CHANNELS, LANES = 8, 8
PARTS = 10
"""Memory is read after each."""
ENOUGH = 1_000
"""Inputs of a part after which caches are full: in a shorter run memory is not judged."""
MOST_GROWTH = 40
"""MB by which the server may grow after the first part."""
MOST_TRIES = 5
"""To connect; each that fails is a fault."""


class Ends:
    """The searches accepted on one channel, and the events that came of them."""

    def __init__(self) -> None:
        """None yet."""
        self.accepted: Counter[str] = Counter()
        self.ended: Counter[str] = Counter()
        self.asking: str | None = None
        """The ticket of the search being asked for: its events may come before the acknowledgement."""
        self.faults: list[str] = []
        self.events: Counter[str] = Counter()

    def hear(self, name: str, payload: Any) -> None:
        """Check one event against what may come."""
        self.events[name] += 1
        ticket = payload["ticket"]
        if self.ended[ticket] >= self.accepted[ticket] + (ticket == self.asking):
            self.faults.append(f"{name} for {ticket!r}, which does not run")
        self.ended[ticket] += name in FINAL
        if name == "failed":
            self.faults.append(f"failed: {payload}")

    def open(self) -> list[str]:
        """The tickets that wait for an end."""
        return [ticket for ticket in self.accepted if self.ended[ticket] < self.accepted[ticket]]


async def ask(browser: Browser, request: Request, seen: Counter[str], faults: list[str]) -> None:
    """Send one request; note the status, and what must not be."""
    try:
        answer = await browser.send(request.bytes())
    except (ConnectionError, asyncio.IncompleteReadError):
        seen["closed"] += 1
        browser.leave()
        return
    except TimeoutError:
        faults.append(f"no answer to {request}")
        browser.leave()
        return
    seen[str(answer.status)] += 1
    if answer.status >= 500 and answer.status != 503:
        faults.append(f"{answer.status} for {request}: {answer.body[:200]!r}")
    if any(mark in answer.body for mark in BROKEN):
        faults.append(f"a traceback or path for {request}")


async def lane(at: tuple[str, int], drawn: Iterator[Request], seen: Counter[str], faults: list[str]) -> None:
    """Send requests one behind the other over one connection."""
    browser = Browser(*at, "10.1.0.1")
    for request in drawn:
        await ask(browser, request, seen, faults)
    browser.leave()


class Talk:
    """One channel over which messages go, one behind the other; it is opened anew when the server ends it."""

    def __init__(self, at: tuple[str, int], number: int, seen: Counter[str], faults: list[str]) -> None:
        """Nothing is connected yet."""
        self._at, self._address, self._seen, self._faults = at, f"10.2.0.{number}", seen, faults
        self._ends = Ends()
        self._channel: Channel | None = None

    async def run(self, drawn: Iterator[Message]) -> None:
        """Send them all, stop what is paused or still runs, and wait for the ends."""
        for message in drawn:
            if self._channel is None or not self._channel.is_open:
                await self._connect()
            await self._say(message)
        for ticket in self._ends.open():
            await self._say(Message("stop", ({"ticket": ticket},)))
        for _ in range(100):
            if not self._ends.open():
                break
            await asyncio.sleep(0.1)
        self._close()

    async def _connect(self) -> None:
        if self._channel is not None:
            self._ends.accepted.clear()  # whoever goes hears nothing more
            self._close()
        for _ in range(MOST_TRIES):
            self._channel = Channel(*self._at, self._address, self._ends.hear)
            try:
                return await self._channel.connect()
            except (ConnectionError, TimeoutError) as error:
                self._faults.append(f"not let in: {error!r}")
                self._channel.leave()
        raise RuntimeError(f"not let in {MOST_TRIES} times: {self._faults[-1]}")

    def _close(self) -> None:
        self._faults += self._ends.faults
        self._faults += [f"no end of the search {ticket!r}" for ticket in self._ends.open()]
        self._seen.update(self._ends.events)
        self._ends = Ends()
        if self._channel is not None:
            self._channel.leave()

    async def _say(self, message: Message) -> None:
        assert self._channel is not None
        self._ends.asking = ticket = message.ticket()
        try:
            answer = await self._channel.say(message.name, *message.payload)
        except ConnectionError:
            self._seen["connection ended"] += 1
            return
        except TimeoutError:
            self._faults.append(f"no acknowledgement of {message}")
            return
        ok = isinstance(answer, dict) and answer.get("ok")
        code = "ok" if ok else answer["error"]["code"]
        self._seen[f"message: {code}"] += 1
        if code == "internal":
            self._faults.append(f"internal for {message}: {answer}")
        self._ends.asking = None
        if ok and ticket is not None:
            self._ends.accepted[ticket] += 1


async def rain(at: tuple[str, int], count: int, seed: int, seen: Counter[str], faults: list[str]) -> None:
    """Send so many inputs, half of them requests and half messages, over several connections at once."""
    lanes = [
        lane(at, requests(random.Random(f"{seed} http {number}"), count // (2 * LANES)), seen, faults)
        for number in range(LANES)
    ]
    talks = [
        Talk(at, number, seen, faults).run(
            messages(random.Random(f"{seed} channel {number}"), count // (2 * CHANNELS))
        )
        for number in range(CHANNELS)
    ]
    await asyncio.gather(*lanes, *talks)


@click.command()
@click.option("--inputs", default=100_000, show_default=True)
@click.option("--seed", default=7, show_default=True)
@click.option("--patience", default=120.0, show_default=True, help="Seconds that an answer may take.")
def fuzz(inputs: int, seed: int, patience: float) -> None:
    """Send wild inputs to a server; exit status 1 if one was answered as none may be."""
    wire.PATIENCE = patience
    seen: Counter[str] = Counter()
    faults: list[str] = []
    began = time.perf_counter()
    sizes: list[float] = []
    with started("hoppers", "serve", "--port", "0", **SETTINGS) as (at, pid):
        wait_until_warm(at)
        for part in range(PARTS):
            asyncio.run(rain(at, inputs // PARTS, PARTS * seed + part, seen, faults))
            sizes.append(used(pid).now)
            click.echo(f"part {part + 1} of {PARTS}: {time.perf_counter() - began:.0f} s, {sizes[-1]:.0f} MB")
            click.echo(f"  {'; '.join(shares(pid))}")
    if inputs // PARTS >= ENOUGH and sizes[-1] > sizes[0] + MOST_GROWTH:
        faults.append(f"memory grew from {sizes[0]:.0f} to {sizes[-1]:.0f} MB")
    click.echo(f"{inputs} inputs of the seed {seed} in {time.perf_counter() - began:.0f} s")
    click.echo(", ".join(f"{count} {name}" for name, count in seen.most_common()))
    click.echo("\n".join([f"{len(faults)} faults", *faults[:20]]))
    raise SystemExit(bool(faults))
