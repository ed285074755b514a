"""Innocent bystanders: players who ask for little during an attack, and what they may notice of it.

Each has an address of its own, one over IPv4 and one over IPv6. A fault is a refusal, a wrong answer, or an
answer that took longer than both a fixed limit and a multiple of what it takes without an attack.
"""

import asyncio
import json
import random
import re
import time
from collections.abc import Awaitable
from contextlib import suppress
from functools import cache
from typing import Any, NamedTuple

from benchmarks.right_answers import boards, fault_in_hint, fault_in_verdict
from tests.support.asyncio_client import FINAL, Browser, Searcher

ADDRESSES = {"127.9.9.9": "127.0.0.1", "::1": "::1"}
"""Addresses of the bystanders, with those at which they reach the server."""
SECONDS = {"hint": 0.5, "verdict": 0.5, "reason": 0.5, "page": 2.0, "poll": 1.0, "search": 1.0}
"""What each request may take during an attack on a machine with nothing else to do."""
TIMES_AS_LONG = 8.0  # as without an attack, if that is more: other programs slow the machine down
PATIENCE_SECONDS = 30.0  # after which an answer counts as missing
PAUSE_SECONDS = 0.3
DEAD_POSITIONS = 200
SHORT = "triangle-15", ".oooooooooooooo"
SHORT_MOVES = 10
JAPANESE = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")
REASON = "/reason?goal=6"
POLLING = "/socket.io/?EIO=4&transport=polling"


@cache
def dead_positions() -> list[str]:
    """Return positions of Hoppers 13 that cannot be solved, whose `REASON` is a sentence."""
    board, dice, found = boards()["hoppers"], random.Random(1), dict[str, None]()
    while len(found) < DEAD_POSITIONS:
        position = "".join(dice.choices("o..", k=13))
        if board.left(position) is None:
            found[position] = None
    return list(found)


class Answer(NamedTuple):
    """What a bystander has met: the kind of request, the seconds that it took, and what was wrong."""

    kind: str
    seconds: float
    fault: str


class Bystander:
    """A player who asks for a hint, a verdict, a reason, a page, a poll and a short search in turn."""

    def __init__(self, port: int, address: str, number: int = 0) -> None:
        """`address`: one of `ADDRESSES`. `number`: of the first position; the next round has the next one."""
        at = ADDRESSES[address], port, address
        self.address, self.answers = address, list[Answer]()
        self._browser, self._searcher, self._number = Browser(*at), Searcher(*at), number

    async def play(self, until: asyncio.Event) -> None:
        """Play one round at least, and then until the event is set."""
        await self._timed("connect", self._searcher.connect())
        while True:
            await self.round()
            if until.is_set():
                return self.leave()
            await asyncio.sleep(PAUSE_SECONDS)

    async def round(self) -> None:
        """Ask for one of each."""
        for kind, asked in (
            ("hint", self._hint()),
            ("verdict", self._verdict()),
            ("reason", self._reason()),
            ("page", self._page()),
            ("poll", self._poll()),
            ("search", self._search()),
        ):
            await self._timed(kind, asked)

    def leave(self) -> None:
        """Close all connections."""
        self._browser.leave()
        self._searcher.leave()

    async def _timed(self, kind: str, asked: Awaitable[str | None]) -> None:
        began = time.perf_counter()
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                fault = await asked or ""
        except (OSError, TimeoutError, asyncio.IncompleteReadError, ValueError) as error:
            fault = f"no answer: {error!r}"
        self.answers.append(Answer(kind, time.perf_counter() - began, fault))

    async def _ask(self, puzzle: str, position: str, what: str) -> Any:
        response = await self._browser.get(f"/api/puzzles/{puzzle}/positions/{position}{what}")
        if response.status != 200:
            raise ValueError(f"{response.status} {response.body[:200]!r}")
        return response.json()

    async def _hint(self) -> str | None:
        board = boards()["hoppers"]
        start = board.starts[self._number % len(board.starts)]
        return fault_in_hint(board, start, await self._ask(board.id, start, f"/hint?goal={board.goal}"))

    async def _verdict(self) -> str | None:
        board = boards()["eight-puzzle"]
        start = board.starts[self._number % len(board.starts)]
        return fault_in_verdict(board, start, await self._ask(board.id, start, f"?goal={board.goal}"))

    async def _reason(self) -> str:
        position = dead_positions()[self._number % DEAD_POSITIONS]
        found = JAPANESE.search(str(await self._ask("hoppers", position, REASON)))
        return "a Japanese answer to an English question" if found else ""

    async def _page(self) -> str:
        response = await self._browser.get("/")
        return "" if response.status == 200 and b'lang="en"' in response.body else f"status {response.status}"

    async def _poll(self) -> str:
        """Open a connection by polling, join the channel, read the answer, and leave."""
        opened = await self._browser.get(POLLING)
        place = f"{POLLING}&sid={json.loads(opened.body[1:])['sid']}"
        joined = await self._browser.post(place, b"40")
        answer = await self._browser.get(place)
        await self._browser.post(place, b"1")
        statuses = opened.status, joined.status, answer.status
        return "" if statuses == (200, 200, 200) else f"statuses {statuses}"

    async def _search(self) -> str:
        """Ask for a search that takes 20 ms."""
        self._number += 1
        ticket = str(self._number)
        answer = await self._searcher.search(ticket, *SHORT, method="deepening")
        if not answer["ok"]:
            return str(answer["error"])
        name, end = await self._searcher.until(ticket, *FINAL)
        return "" if (name, end.get("limit")) == ("solved", SHORT_MOVES) else f"{name} {end}"


async def search_with_memory(port: int, address: str) -> str:
    """Search until 60 MB are held; return what went wrong."""
    searcher = Searcher(ADDRESSES[address], port, address)
    await searcher.connect()
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            answer = await searcher.search("memory", *LARGE, method="breadth-first")
            while answer["ok"]:
                name, fields = await searcher.until("memory", "exhausted", *FINAL)
                if name != "exhausted":
                    return f"{name} {fields}"
                if (fields.get("memory") or 0) >= ENOUGH_BYTES:
                    return ""
    except TimeoutError:
        return "nothing after thirty seconds"
    finally:
        with suppress(ConnectionError):
            searcher.leave()
    return str(answer["error"])


LARGE = "english-33", "oooooooooooooooo.oooooooooooooooo"
ENOUGH_BYTES = 60_000_000


def slowest(bystanders: list[Bystander]) -> dict[str, float]:
    """Return the longest time of each kind of request."""
    answers = [answer for one in bystanders for answer in one.answers]
    return {kind: max(a.seconds for a in answers if a.kind == kind) for kind in {a.kind for a in answers}}


def faults_of(bystanders: list[Bystander], during: str, quiet: dict[str, float]) -> list[str]:
    """Return what the bystanders should not have noticed; `quiet`: the times of each kind in a calm."""
    return [
        f"during {during}, over {one.address}: {kind} took {seconds:.1f} s; {fault}"
        for one in bystanders
        for kind, seconds, fault in one.answers
        if fault or seconds > max(SECONDS.get(kind, 1.0), TIMES_AS_LONG * quiet.get(kind, 0.0))
    ]
