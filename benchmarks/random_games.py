"""Verdicts along random games, over HTTP: how many stay unknown for three seconds, and times of answers."""

import asyncio
import random
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

from benchmarks.client import Browser
from benchmarks.kept_answers import NO_RATE_LIMITS
from benchmarks.processes import started, wait_until_warm
from hoppers.core.puzzle import Puzzle
from tests.engine import find

BOARDS = ("english-33", "french-37", "diamond-41")
GAMES, FEW_GAMES = 8, 2  # for each problem of a board's gallery
WAIT_SECONDS, AGAIN_SECONDS = 3.0, 0.25
SEED = 2026


class Asked(NamedTuple):
    """One position of a game: its pegs, seconds until the first answer, and the verdict in the end."""

    pegs: int
    seconds: float
    first: str
    last: str


async def _play(
    browser: Browser, puzzle: Puzzle, position: str, goal: str, rng: random.Random
) -> list[Asked]:
    """Ask for the verdict on every position of one random game, as a page does."""
    asked = []
    while True:
        path = f"/api/puzzles/{puzzle.id}/positions/{position}?goal={goal}"
        response = await browser.get(path)
        answer = response.json()
        last = await _decided(browser, path, answer)
        asked.append(Asked(position.count("o"), response.seconds, answer["verdict"], last))
        if not answer["steps"]:
            return asked
        position = rng.choice(answer["steps"])["position"]


async def _decided(browser: Browser, path: str, answer: dict[str, Any]) -> str:
    """Return the verdict of an answer, asked for again for up to WAIT_SECONDS while it is unknown."""
    until = time.perf_counter() + WAIT_SECONDS
    while answer["verdict"] == "unknown" and time.perf_counter() < until:
        await asyncio.sleep(AGAIN_SECONDS)
        answer = (await browser.get(path)).json()
    return str(answer["verdict"])


async def _games(at: tuple[str, int], puzzle: Puzzle, games: int) -> list[Asked]:
    browser, rng, asked = Browser(*at, "127.0.0.1"), random.Random(SEED), []
    for problem in puzzle.gallery.problems:
        for _ in range(games):
            asked += await _play(browser, puzzle, problem.start, problem.goal, rng)
    browser.leave()
    return asked


def _line(puzzle: Puzzle, asked: list[Asked]) -> str:
    unknown = [position for position in asked if position.last == "unknown"]
    at_once = sum(position.first == "unknown" for position in asked)
    seconds = sorted(position.seconds for position in asked)
    pegs = sorted({position.pegs for position in unknown})
    return (
        f"  {puzzle.id:11} {len(asked):5} positions   unknown at once {at_once / len(asked):6.1%}   after "
        f"{WAIT_SECONDS:.0f} s {len(unknown) / len(asked):6.1%}   first answer median "
        f"{seconds[len(seconds) // 2] * 1e3:.1f} ms  p99 {seconds[len(seconds) * 99 // 100] * 1e3:.0f} ms"
        f"   pegs of unknown positions {pegs[0] if pegs else '-'} to {pegs[-1] if pegs else '-'}"
    )


def report(few: bool = False) -> Iterator[str]:
    """Yield one line per board; `few`: with fewer games."""
    yield "Random games from the problems of the gallery, verdicts over HTTP:"
    for puzzle in map(find, BOARDS):
        with started("hoppers", "run", "--port", "0", **NO_RATE_LIMITS) as (at, _):
            wait_until_warm(at)
            yield _line(puzzle, asyncio.run(_games(at, puzzle, FEW_GAMES if few else GAMES)))
