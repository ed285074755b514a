"""Attacks that take more of a shared good than a share, each by valid requests, and a Redis that hangs.

Each begins, and goes on until it is cancelled; meanwhile bystanders play (see `bystander`).
"""

import asyncio
import itertools
import random
import signal
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, NamedTuple

from tests.attacks.bystander import (
    ADDRESSES,
    REASON,
    Bystander,
    dead_positions,
    faults_of,
    search_with_memory,
)
from tests.support.asyncio_client import FINAL, Browser, Searcher
from tests.support.child_server import started, wait_until_warm
from tests.support.processes import Queue

HOST, ATTACKER = "127.0.0.1", "127.8.8.8"
CENTRE = "english-33", "oooooooooooooooo.oooooooooooooooo"
SOCKETS, RACE = 16, 4
CHURNING = 4  # of the sockets: these pause, leave and come back
PAUSED = 6
PAUSED_BYTES = 88_000_000
BEGIN_SECONDS = 90.0  # longest time until an attack has its full force
PLAY_SECONDS = 10.0
CALLERS = 40  # of a server whose Redis hangs
REFUSAL_SECONDS = 3.0  # in which a search must be refused then
HEALTH_SECONDS = 1.0

Begin = Callable[[int, asyncio.Event], Coroutine[Any, Any, None]]


class Greed(NamedTuple):
    """An attack, which sets the event once it has its full force. Some bystanders also need much memory."""

    name: str
    begin: Begin
    takes_memory: bool = False


async def ask_in_japanese(port: int, begun: asyncio.Event) -> None:
    """Ask in Japanese for what others ask in English."""
    browser = Browser(HOST, port, ATTACKER, language="ja")
    for position in itertools.cycle(dead_positions()):
        await browser.get(f"/api/puzzles/hoppers/positions/{position}{REASON}")
        if position == dead_positions()[-1]:
            begun.set()
            await asyncio.sleep(1)


async def abandon_searches(port: int, begun: asyncio.Event) -> None:
    """Start as many endless searches as one address can; pause and abandon some again and again."""

    async def hold(number: int) -> None:
        while True:
            searcher = Searcher(HOST, port, ATTACKER)
            await searcher.connect()
            for ticket in map(str, range(RACE)):
                await searcher.search(ticket, *CENTRE, goal="16", method="deepening", race="r")
            if number == SOCKETS - 1:
                begun.set()
            while number >= CHURNING:
                await searcher.events.get()
            await searcher.call("pause", {"ticket": "0"})
            await asyncio.sleep(0.2)
            searcher.leave()

    await asyncio.gather(*map(hold, range(SOCKETS)))


async def pause_searches(port: int, begun: asyncio.Event) -> None:
    """Pause one search after another once it holds much memory."""
    searchers = []
    for _ in range(PAUSED):
        searchers.append(searcher := Searcher(HOST, port, ATTACKER))
        await searcher.connect()
        await searcher.search("t", "fifteen-puzzle", "5b21afe346d70c98", method="breadth-first")
        name, held = "", 0
        while name not in FINAL and held < PAUSED_BYTES:
            name, fields = await searcher.until("t", "exhausted", *FINAL)
            held = fields.get("memory") or 0
        await searcher.call("pause", {"ticket": "t"})
    begun.set()
    await asyncio.Event().wait()


async def read_late_traces(port: int, begun: asyncio.Event) -> None:
    """Ask for late pages of a breadth-first trace from twenty addresses."""

    async def read(number: int) -> None:
        browser, dice = Browser(HOST, port, f"127.7.0.{number // 2 + 1}"), random.Random(number)
        puzzle, position = CENTRE
        trace = f"/api/puzzles/{puzzle}/positions/{position}/trace?method=breadth-first&limit=7&goal=16"
        while True:
            with suppress(OSError, TimeoutError, asyncio.IncompleteReadError):
                status = (await browser.get(f"{trace}&page={dice.randrange(150, 175)}")).status
                begun.set()
                await asyncio.sleep(0 if status == 200 else 0.1)

    await asyncio.gather(*map(read, range(40)))


GREEDS = (
    Greed("abandoned searches", abandon_searches),
    Greed("paused searches", pause_searches, takes_memory=True),
    Greed("late traces", read_late_traces),
    Greed("languages", ask_in_japanese),  # the last one, because an answer that was kept may stay
)


async def calm(port: int) -> list[Bystander]:
    """Return bystanders who have played without an attack."""
    return await _play(port, 0)


async def meet(port: int, greed: Greed, quiet: dict[str, float]) -> list[str]:
    """Let bystanders play during an attack; return what they noticed."""
    begun = asyncio.Event()
    attacking = asyncio.create_task(greed.begin(port, begun))
    with suppress(TimeoutError):
        await asyncio.wait_for(begun.wait(), BEGIN_SECONDS)
    bystanders = await _play(port, 100)
    faults = faults_of(bystanders, greed.name, quiet)
    if greed.takes_memory:
        for address in ADDRESSES:
            fault = await search_with_memory(port, address)
            faults += [f"during {greed.name}, over {address}: {fault}"] if fault else []
    faults += [f"{greed.name}: {attacking.exception()!r}"] if attacking.done() else []
    attacking.cancel()
    await asyncio.gather(attacking, return_exceptions=True)
    return faults


async def _play(port: int, number: int) -> list[Bystander]:
    bystanders, over = [Bystander(port, address, number) for address in ADDRESSES], asyncio.Event()
    playing = asyncio.gather(*(one.play(over) for one in bystanders))
    await asyncio.sleep(PLAY_SECONDS)
    over.set()
    await playing
    return bystanders


def meet_frozen_redis(python: str) -> list[str]:
    """Freeze the Redis of a server with `CALLERS` callers; return what was noticed."""
    queue = Queue()
    try:
        settings = {"HOPPERS_QUEUE_URL": queue.url}
        command = "hoppers", "serve", "--host", "::", "--port", "0"
        with started(*command, settings=settings, python=python) as ((_, port), _):
            wait_until_warm((HOST, port))
            return asyncio.run(_freeze(port, queue))
    finally:
        queue.signal(signal.SIGCONT)
        queue.kill()


async def _freeze(port: int, queue: Queue) -> list[str]:
    callers = [Searcher(HOST, port, f"127.6.0.{number + 1}") for number in range(CALLERS)]
    await asyncio.gather(*(caller.connect() for caller in callers))
    queue.signal(signal.SIGSTOP)
    calling = [asyncio.create_task(_call(caller)) for caller in callers]
    faults, until = list[str](), time.monotonic() + PLAY_SECONDS
    browsers = {Browser(at, port, source): source for source, at in ADDRESSES.items()}
    while time.monotonic() < until:
        for browser, source in browsers.items():
            began = time.perf_counter()
            with suppress(OSError, TimeoutError):
                async with asyncio.timeout(PLAY_SECONDS):
                    await browser.get("/healthz")
            if (took := time.perf_counter() - began) > HEALTH_SECONDS:
                faults.append(f"during a frozen Redis, over {source}: /healthz took {took:.1f} s")
        await asyncio.sleep(0.5)
    done, waiting = await asyncio.wait(calling, timeout=PLAY_SECONDS)
    faults += [fault for task in done if (fault := task.result())]
    for task in waiting:
        task.cancel()
    return faults + [f"during a frozen Redis: {len(waiting)} searches have no answer"] * bool(waiting)


async def _call(caller: Searcher) -> str:
    """Ask for some searches, which cannot run; return what is wrong with the last refusal."""
    took, answer = 0.0, None
    for _ in range(4):  # the first ones may meet a connection that still seems to be good
        began = time.perf_counter()
        try:
            answer = await caller.search("t", *CENTRE, method="deepening")
        except (OSError, TimeoutError) as error:
            return f"during a frozen Redis: no refusal, but {error!r}"
        took = time.perf_counter() - began
        await asyncio.sleep(1)
    is_right = answer is not None and not answer["ok"] and answer["error"]["code"] == "unreachable"
    return (
        "" if is_right and took <= REFUSAL_SECONDS else f"during a frozen Redis: {answer} after {took:.1f} s"
    )
