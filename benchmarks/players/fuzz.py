"""Fuzz test with 100,000 random inputs: `python -m benchmarks fuzz [--inputs 100000 --seed 7]`.

Random requests and messages are sent to a real server in a child process. It must never respond with status
500 and must acknowledge every message. It must end every accepted search with exactly one final event and no
event after it. Its memory must not grow. tests/web/http/test_fuzz.py is a smaller version.
"""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import click

from benchmarks import client
from benchmarks.client import Browser, Channel
from benchmarks.players.random_inputs import BROKEN, Message, Request, messages, requests
from benchmarks.processes import shares, started, used, wait_until_warm

FINAL = ("solved", "unsolvable", "stopped", "failed")
SETTINGS = {
    "HOPPERS_API_RATE": "1000000 per second",
    "HOPPERS_MESSAGES_PER_SECOND": "100000",
    "HOPPERS_MESSAGES_AT_ONCE": "100000",
    "HOPPERS_SEARCH_SECONDS": "1",
}
"""Settings of the server: no rate limits, which would hide faults, and a short time limit for searches."""
CHANNELS, HTTP_CONNECTIONS = 8, 8
PARTS = 10  # memory is read after each
MIN_INPUTS = 1_000  # inputs per part that fill the caches; memory is not checked in shorter runs
MAX_GROWTH = 40  # MB that the server may grow after the first part
MAX_ATTEMPTS = 5  # to connect; each failed one counts as a fault


class SearchChecker:
    """Checker of the events of accepted searches on one channel."""

    def __init__(self) -> None:
        self.accepted: Counter[str] = Counter()
        self.ended: Counter[str] = Counter()
        self.requested: str | None = None
        """Ticket of the search being requested: its events may arrive before the acknowledgement."""
        self.faults: list[str] = []
        self.events: Counter[str] = Counter()

    def check(self, name: str, payload: Any) -> None:
        """Count an event; record a fault if its search does not run or has failed."""
        self.events[name] += 1
        ticket = payload["ticket"]
        if self.ended[ticket] >= self.accepted[ticket] + (ticket == self.requested):
            self.faults.append(f"{name} for {ticket!r}, which does not run")
        self.ended[ticket] += name in FINAL
        if name == "failed":
            self.faults.append(f"failed: {payload}")

    def open(self) -> list[str]:
        """Return the tickets of accepted searches without a final event."""
        return [ticket for ticket in self.accepted if self.ended[ticket] < self.accepted[ticket]]


async def send_request(browser: Browser, request: Request, seen: Counter[str], faults: list[str]) -> None:
    """Send one request; count its status in `seen` and append faults to `faults`."""
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


async def run_http_connection(
    at: tuple[str, int], drawn: Iterator[Request], seen: Counter[str], faults: list[str]
) -> None:
    """Send requests one after another over one connection."""
    browser = Browser(*at, "10.1.0.1")
    for request in drawn:
        await send_request(browser, request, seen, faults)
    browser.leave()


class ChannelRun:
    """One channel that sends messages one after another and reconnects if the server closes it."""

    def __init__(self, at: tuple[str, int], number: int, seen: Counter[str], faults: list[str]) -> None:
        self._at, self._address, self._seen, self._faults = at, f"10.2.0.{number}", seen, faults
        self._checker = SearchChecker()
        self._channel: Channel | None = None

    async def run(self, drawn: Iterator[Message]) -> None:
        """Send all messages, stop the searches that remain, and wait for their final events."""
        for message in drawn:
            if self._channel is None or not self._channel.is_open:
                await self._connect()
            await self._send(message)
        for ticket in self._checker.open():
            await self._send(Message("stop", ({"ticket": ticket},)))
        for _ in range(100):
            if not self._checker.open():
                break
            await asyncio.sleep(0.1)
        self._close()

    async def _connect(self) -> None:
        if self._channel is not None:
            self._checker.accepted.clear()  # a closed channel receives no more events
            self._close()
        for _ in range(MAX_ATTEMPTS):
            self._channel = Channel(*self._at, self._address, self._checker.check)
            try:
                return await self._channel.connect()
            except (ConnectionError, TimeoutError) as error:
                self._faults.append(f"connection refused: {error!r}")
                self._channel.leave()
        raise RuntimeError(f"connection refused {MAX_ATTEMPTS} times: {self._faults[-1]}")

    def _close(self) -> None:
        self._faults += self._checker.faults
        self._faults += [f"no end of the search {ticket!r}" for ticket in self._checker.open()]
        self._seen.update(self._checker.events)
        self._checker = SearchChecker()
        if self._channel is not None:
            self._channel.leave()

    async def _send(self, message: Message) -> None:
        assert self._channel is not None
        self._checker.requested = ticket = message.ticket()
        try:
            answer = await self._channel.call(message.name, *message.payload)
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
        self._checker.requested = None
        if ok and ticket is not None:
            self._checker.accepted[ticket] += 1


async def send_inputs(
    at: tuple[str, int], count: int, seed: int, seen: Counter[str], faults: list[str]
) -> None:
    """Send `count` inputs, half of them requests and half messages, over several connections at once."""
    connections = [
        run_http_connection(
            at,
            requests(random.Random(f"{seed} http {number}"), count // (2 * HTTP_CONNECTIONS)),
            seen,
            faults,
        )
        for number in range(HTTP_CONNECTIONS)
    ]
    channels = [
        ChannelRun(at, number, seen, faults).run(
            messages(random.Random(f"{seed} channel {number}"), count // (2 * CHANNELS))
        )
        for number in range(CHANNELS)
    ]
    await asyncio.gather(*connections, *channels)


@click.command()
@click.option("--inputs", default=100_000, show_default=True)
@click.option("--seed", default=7, show_default=True)
@click.option("--patience", default=120.0, show_default=True, help="Time limit for a response (seconds).")
def fuzz(inputs: int, seed: int, patience: float) -> None:
    """Send random inputs to a server; exit status 1 on a wrong response."""
    client.TIMEOUT_SECONDS = patience
    seen: Counter[str] = Counter()
    faults: list[str] = []
    began = time.perf_counter()
    sizes: list[float] = []
    with started("hoppers", "serve", "--port", "0", **SETTINGS) as (at, pid):
        wait_until_warm(at)
        for part in range(PARTS):
            asyncio.run(send_inputs(at, inputs // PARTS, PARTS * seed + part, seen, faults))
            sizes.append(used(pid).now)
            click.echo(f"part {part + 1} of {PARTS}: {time.perf_counter() - began:.0f} s, {sizes[-1]:.0f} MB")
            click.echo(f"  {'; '.join(shares(pid))}")
    if inputs // PARTS >= MIN_INPUTS and sizes[-1] > sizes[0] + MAX_GROWTH:
        faults.append(f"memory grew from {sizes[0]:.0f} to {sizes[-1]:.0f} MB")
    click.echo(f"{inputs} inputs of the seed {seed} in {time.perf_counter() - began:.0f} s")
    click.echo(", ".join(f"{count} {name}" for name, count in seen.most_common()))
    click.echo("\n".join([f"{len(faults)} faults", *faults[:20]]))
    raise SystemExit(bool(faults))
