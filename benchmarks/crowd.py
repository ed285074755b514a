"""Clients beside the players of the load test: searchers, readers of pages, junk, and a hostile address."""

import asyncio
import itertools
import random
from contextlib import suppress
from typing import Any

from benchmarks.measurements import Measurements
from benchmarks.players import Address, network_address
from benchmarks.right_answers import UNKNOWN, Board
from tests.attacks.attack import attack
from tests.support.asyncio_client import FINAL, Browser, Channel, Searcher
from tests.support.engine import PUZZLES

SEARCH_SECONDS = 20.0  # after which a searcher stops its search
PAUSE_SECONDS = 1.0
HOSTILE = "127.0.0.9"
HOSTILE_CONNECTIONS = 40
JUNK_INPUTS = 50  # at a time
PAGES = (
    *("/", "/about", "/atlas", "/classics", "/daily/archive", "/data", "/decks/hoppers", "/lessons"),
    *("/lessons/1", "/atlas/{}", "/stream", "/puzzles/{}", "/puzzles/{}/bounds", "/puzzles/{}/explore"),
    *("/puzzles/{}/goals", "/puzzles/{}/inside", "/puzzles/{}/print", "/puzzles/{}/race"),
)
LONG = ("triangle-21", "eight-puzzle")
"""Boards whose plain search for all solutions runs long."""
HEAVY = (
    "/puzzles/{}/board.png?size=2000&position={}",
    "/puzzles/{}/board.png?position={}",
    "/puzzles/{}/print?position={}",
    "/puzzles/{}?position={}",
    "/api/puzzles/{}/positions/{}/hint",
    "/api/puzzles/{}/positions/{}/solution",
    "/api/puzzles/{}/positions/{}",
    "/api/puzzles/{}/positions/{}/solutions",
)
LARGE = ("english-33", "french-37", "diamond-41", "fifteen-puzzle")


async def search_repeatedly(
    at: Address, number: int, measurements: Measurements, boards: dict[str, Board]
) -> None:
    """Request searches one after another, stop those that take long, and compare the results."""
    dice, channel = random.Random(f"search {number}"), Searcher(*at, network_address(2, number))
    await channel.connect()
    for ticket in itertools.count():
        board = boards[dice.choice(list(boards))]
        position = board.starts[0] if dice.random() < 0.2 else dice.choice(board.starts)
        query: dict[str, Any] = {
            "ticket": str(ticket),
            "puzzle": board.id,
            "position": position,
            "goal": board.goal,
        }
        method = dice.choice([m for m in PUZZLES[board.id].solving.methods if "misprint" not in m])
        query |= {"method": method, "find": dice.choice(["first", "all"]), "fresh": True}
        acknowledged = await channel.timed_call("search", query)
        measurements.took("search", acknowledged.delay)
        if not acknowledged.value["ok"]:
            measurements.errors[f"search: {acknowledged.value['error']['code']}"] += 1
        else:
            name, end = await _end_of(channel, str(ticket))
            measurements.check(_fault_in_end(board, position, name, end))
        await asyncio.sleep(PAUSE_SECONDS)


async def _end_of(channel: Searcher, ticket: str) -> tuple[str, Any]:
    """Return the final event of a search, which is stopped after SEARCH_SECONDS."""
    with suppress(TimeoutError):
        async with asyncio.timeout(SEARCH_SECONDS):
            return await channel.until(ticket, *FINAL)
    await channel.call("stop", {"ticket": ticket})
    async with asyncio.timeout(SEARCH_SECONDS):
        return await channel.until(ticket, *FINAL)


def _fault_in_end(board: Board, position: str, name: str, end: Any) -> str | None:
    """Return what is wrong with the final event of a search, as the functions of `right_answers` do."""
    left = board.left(position)
    told = {"solved": end.get("limit"), "unsolvable": None}.get(name, UNKNOWN)
    if name == "failed" or (name == "stopped" and end["reason"] not in ("asked", "limit")):
        return f"{board.id} {position}: the search ended with {name} {end}"
    if UNKNOWN in (left, told):
        return None
    return "" if left == told else f"{board.id} {position}: {name} {told}, but right is {left}"


async def search_long(at: Address, number: int, measurements: Measurements) -> None:
    """Repeat a search that runs about as long as a measurement."""
    ended = asyncio.Event()
    channel = Channel(
        *at, network_address(3, number), lambda name, payload: ended.set() if name in FINAL else None
    )
    await channel.connect()
    puzzle = PUZZLES[LONG[number % len(LONG)]]
    while True:
        ended.clear()
        query = {"puzzle": puzzle.id, "position": puzzle.start, "method": "deepening", "find": "all"}
        answer = await channel.call("search", {**query, "ticket": "long"})
        if not answer["ok"]:
            measurements.errors[f"long search: {answer['error']['code']}"] += 1
        await ended.wait()


async def read_pages(at: Address, number: int, measurements: Measurements, boards: dict[str, Board]) -> None:
    """Read one page after another, as a new browser does."""
    dice = random.Random(f"pages {number}")
    while True:
        browser = Browser(*at, network_address(4, number))
        for _ in range(5):
            path = dice.choice(PAGES).format(dice.choice(list(boards)))
            await measurements.timed("page", browser.get(path))
            await asyncio.sleep(dice.uniform(0.5, 1.5) * PAUSE_SECONDS)
        browser.leave()


async def send_junk(at: Address, seed: int, measurements: Measurements) -> None:
    """Send random requests, messages, frames and polls, and pause."""
    for part in itertools.count():
        outcome = await attack(at, JUNK_INPUTS, f"{seed} {part}")
        measurements.hostile["junk"] += JUNK_INPUTS
        for fault in outcome.faults:
            measurements.errors[f"junk: {fault[:200]}"] += 1
        await asyncio.sleep(PAUSE_SECONDS)


async def press_hard(at: Address, number: int, measurements: Measurements) -> None:
    """Send costly requests from the hostile address, one straight after another."""
    dice, browser = random.Random(f"hostile {number}"), Browser(*at, HOSTILE)
    while True:
        path = _heavy_path(dice)
        try:
            status = (await browser.get(path)).status
        except (ConnectionError, TimeoutError, asyncio.IncompleteReadError) as error:
            measurements.hostile[type(error).__name__] += 1
            browser.leave()
            await asyncio.sleep(PAUSE_SECONDS / 10)
            continue
        measurements.hostile[str(status)] += 1
        if status >= 500 and status != 503:
            measurements.errors[f"hostile: {status} for {path}"] += 1


def _heavy_path(dice: random.Random) -> str:
    """Return a request for a picture, page or answer about a random position of a large board."""
    puzzle = PUZZLES[dice.choice(LARGE)]
    if puzzle.family == "pegs":
        cells = dice.choices("ooo.", k=len(puzzle.start))
    else:
        cells = dice.sample(puzzle.start, len(puzzle.start))
    return dice.choice(HEAVY).format(puzzle.id, "".join(cells))
