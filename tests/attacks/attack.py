"""Send random inputs to a server, and judge what comes back.

No response may be a server's fault (a 500, a traceback, a path) or be missing; every message must be
acknowledged, and every accepted search must have exactly one final event and none after it.
"""

import asyncio
import json
import re
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple

from tests.attacks.messages import RESERVED, Message, message, odd_frame, poll_body
from tests.attacks.requests import request
from tests.support.asyncio_client import CLOSE, FINAL, Channel, frame, handshake

STATUS = re.compile(rb"^HTTP/1\.1 (\d{3}) ", re.MULTILINE)
BROKEN = (b"Traceback (most recent", b'File "/', b"site-packages")
"""Bytes that no response may contain."""
HOST = "localhost"
PATIENCE_SECONDS = 60.0  # a response that takes longer is a fault
SILENT_SECONDS = 0.5  # after odd bytes the server may wait for more; the client then goes
POLLING = "/socket.io/?EIO=4&transport=polling"
SENDERS_OF_EACH_KIND = 4
FRAMES_EACH = 6  # odd frames or polls of one connection, at most
MAX_ATTEMPTS = 5  # to connect; each failed one counts as a fault


class Server(NamedTuple):
    """The server that is attacked: host, port, and the address of this machine from which a client comes."""

    host: str
    port: int
    source: str


@dataclass
class Outcome:
    """What inputs led to: how often each kind of answer came, and the faults."""

    seen: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def judge(self, kind: str, sent: bytes, received: bytes) -> None:
        """Judge the HTTP responses to some bytes: there is one at least, and none tells of a fault."""
        statuses = [int(status) for status in STATUS.findall(received)]
        self.seen.update(f"{kind} {status}" for status in statuses)
        if not statuses:
            self.faults.append(f"no answer to {sent!r}, only {received[:200]!r}")
        if any(status >= 500 and status != 503 for status in statuses):
            self.faults.append(f"{statuses} for {sent!r}: {received[:400]!r}")
        if any(mark in received for mark in BROKEN):
            self.faults.append(f"a traceback or path for {sent!r}: {received[:400]!r}")


Sender = Callable[[Server, Random, Outcome, int], Awaitable[None]]
"""Sends a number of inputs, drawn from a generator, over one connection after another."""


async def _exchange(to: Server, sent: bytes) -> bytes:
    """Send bytes and no more; return everything that arrives until the server ends the connection."""
    reader, writer = await asyncio.open_connection(to.host, to.port, local_addr=(to.source, 0))
    received = b""
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            with suppress(OSError):  # the server may have answered and gone already
                writer.write(sent)
                writer.write_eof()
                await writer.drain()
            with suppress(ConnectionError):
                while part := await reader.read(65_536):
                    received += part
    except TimeoutError:
        received = b""
    finally:
        writer.close()
    return received


async def send_requests(to: Server, dice: Random, outcome: Outcome, count: int) -> None:
    """Send HTTP requests, each over a connection of its own."""
    for _ in range(count):
        sent = request(dice, HOST)
        outcome.judge("request", sent, await _exchange(to, sent))


async def send_frames(to: Server, dice: Random, outcome: Outcome, count: int) -> None:
    """Open one WebSocket after another, and send odd frames over it."""
    while count > 0:
        frames = [odd_frame(dice) for _ in range(min(count, dice.randint(1, FRAMES_EACH)))]
        count -= len(frames)
        joined = frame(1, b"40") if dice.random() < 0.7 else b""
        sent = handshake(HOST) + joined + b"".join(frames) + frame(CLOSE, b"\x03\xe8")
        outcome.judge("WebSocket", sent, await _exchange(to, sent))


async def send_polls(to: Server, dice: Random, outcome: Outcome, count: int) -> None:
    """Open one connection by long polling after another, and send odd packets over it."""
    while count > 0:
        opened = await _exchange(to, _http("GET", POLLING))
        outcome.judge("poll", _http("GET", POLLING), opened)
        count -= 1
        if (sid := _sid_in(opened)) is None:
            continue
        bodies = [b"40", *(poll_body(dice) for _ in range(min(count, dice.randint(1, FRAMES_EACH)))), b"1"]
        for body in bodies:
            sent = _http(dice.choice(["POST", "POST", "POST", "GET"]), f"{POLLING}&sid={sid}", body)
            outcome.judge("poll", sent, await _exchange_briefly(to, sent))
        count -= len(bodies) - 2


def _http(method: str, target: str, body: bytes = b"") -> bytes:
    length = f"Content-Length: {len(body)}\r\n" if method == "POST" else ""
    head = f"{method} {target} HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\n{length}\r\n"
    return head.encode() + (body if length else b"")


def _sid_in(opened: bytes) -> str | None:
    """Return the id of a new connection by polling, or None if the server has refused it."""
    found = re.search(rb'\r\n\r\n.*0\{"sid":"([^"]+)"', opened, re.DOTALL)
    return found[1].decode() if found else None


async def _exchange_briefly(to: Server, sent: bytes) -> bytes:
    """Exchange as `_exchange`; a poll that waits for an event is left, and counts as the status 100."""
    if sent.startswith(b"POST"):
        return await _exchange(to, sent)
    try:
        return await asyncio.wait_for(_exchange(to, sent), SILENT_SECONDS)
    except TimeoutError:
        return b"HTTP/1.1 100 waits\r\n"


class _Searches:
    """Checker of the events of accepted searches on one channel."""

    def __init__(self, outcome: Outcome) -> None:
        self.accepted: Counter[str] = Counter()
        self.requested: str | None = None
        """Ticket of the search being requested: its events may arrive before the acknowledgement."""
        self._ended: Counter[str] = Counter()
        self._outcome = outcome

    def check(self, name: str, payload: Any) -> None:
        """Count an event; record a fault if its search does not run or has failed."""
        self._outcome.seen[f"event {name}"] += 1
        ticket = payload["ticket"]
        if self._ended[ticket] >= self.accepted[ticket] + (ticket == self.requested):
            self._outcome.faults.append(f"{name} for {ticket!r}, which does not run")
        self._ended[ticket] += name in FINAL
        if name == "failed":
            self._outcome.faults.append(f"failed: {payload}")

    def open(self) -> list[str]:
        """Return the tickets of accepted searches without a final event."""
        return [ticket for ticket in self.accepted if self._ended[ticket] < self.accepted[ticket]]


SHORT_SEARCH = {"puzzle": "hoppers", "position": "oooooo.oooooo", "method": "best"}
"""A search that ends at once and is solved, also after the inputs."""


class _Client:
    """A client of the channel that sends messages one after another, and connects again if it is cut off."""

    def __init__(self, to: Server, outcome: Outcome) -> None:
        self._to, self._outcome = to, outcome
        self._searches, self._channel = _Searches(outcome), None

    _channel: Channel | None

    async def send(self, sent: Message) -> None:
        """Send a message and judge its acknowledgement."""
        channel = await self._connected()
        self._searches.requested = ticket = sent.ticket()
        try:
            answer = await channel.call(sent.name, *sent.payload)
        except ConnectionError:
            self._outcome.seen["message: connection ended"] += 1
            return
        except TimeoutError:
            self._outcome.faults.append(f"no acknowledgement of {sent}")
            return
        accepted = isinstance(answer, dict) and answer.get("ok")
        code = "ok" if accepted else answer["error"]["code"]
        self._outcome.seen[f"message {code}"] += 1
        if code == "internal":
            self._outcome.faults.append(f"internal for {sent}: {answer}")
        self._searches.requested = None
        if accepted and ticket is not None:
            self._searches.accepted[ticket] += 1

    async def finish(self) -> None:
        """Let one more search replace those that remain, wait for all final events, and disconnect."""
        await self.send(Message("search", ({"ticket": "last", **SHORT_SEARCH},)))
        for _ in range(600):
            if not self._searches.open():
                break
            await asyncio.sleep(0.1)
        self._outcome.faults += [f"no end of the search {ticket!r}" for ticket in self._searches.open()]
        if self._channel is not None:
            self._channel.leave()

    async def _connected(self) -> Channel:
        for _ in range(MAX_ATTEMPTS):
            if self._channel is not None and self._channel.is_open:
                return self._channel
            self._searches = _Searches(self._outcome)  # a closed channel receives no more events
            self._channel = Channel(*self._to, self._searches.check)
            try:
                await self._channel.connect()
            except (ConnectionError, TimeoutError) as error:
                self._outcome.faults.append(f"connection refused: {error!r}")
                self._channel.leave()
        assert self._channel is not None
        return self._channel


async def send_messages(to: Server, dice: Random, outcome: Outcome, count: int) -> None:
    """Send messages over a channel, and see every accepted search end."""
    client = _Client(to, outcome)
    for _ in range(count):
        drawn = message(dice)
        if drawn.name not in RESERVED:
            await client.send(drawn)
    await client.finish()


SENDERS: dict[Sender, float] = {
    send_requests: 0.5,
    send_messages: 0.3,
    send_frames: 0.15,
    send_polls: 0.05,
}
"""The kinds of inputs, and the share of each."""


async def attack(at: tuple[str, int], count: int, seed: str) -> Outcome:
    """Send `count` inputs of all kinds from several addresses at once; equal seeds draw equal inputs."""
    outcome, senders = Outcome(), []
    for kind, (sender, share) in enumerate(SENDERS.items()):
        for number in range(SENDERS_OF_EACH_KIND):
            to, dice = Server(*at, f"127.8.{kind}.{number + 1}"), Random(f"{seed} {kind} {number}")
            senders.append(sender(to, dice, outcome, round(count * share / SENDERS_OF_EACH_KIND)))
    await asyncio.gather(*senders)
    return outcome


def faults_in_log(lines: list[str]) -> list[str]:
    """Return the lines of a JSON log that are no JSON, are errors, or have a traceback."""
    return [line for line in lines if not _is_harmless(line)]


def _is_harmless(line: str) -> bool:
    try:
        fields = json.loads(line)
    except ValueError:
        return False
    return isinstance(fields, dict) and "traceback" not in fields and fields["level"] in ("info", "warning")
