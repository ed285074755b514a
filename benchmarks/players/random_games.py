"""Delay of verdicts along random games, and of proved hints for random positions, over HTTP."""

import asyncio
import random
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

from benchmarks.client import Browser
from benchmarks.players.kept_answers import NO_RATE_LIMITS
from benchmarks.processes import started, wait_until_warm
from benchmarks.searches.verdict_times import backwards
from hoppers.core.puzzle import Puzzle
from hoppers.puzzles.pegs.peg_board import PegBoard
from hoppers.puzzles.pegs.rules import ANYWHERE
from tests.support.engine import find

BOARDS = ("english-33", "french-37", "diamond-41")
SET_UP = "english-33"
"""Board whose positions are set up; on the others a proof takes too long for many positions."""
GAMES, FEW_GAMES = 8, 2  # for each problem of a board's gallery
WAIT_SECONDS, AGAIN_SECONDS = 3.0, 0.25
POSITIONS, FEW_POSITIONS = 200, 34  # set up
MIN_PEGS, FEWEST_VACANCIES = 16, 5  # of these positions; random jumps seldom lead to fewer vacancies
GIVEN_UP_SECONDS = 30.0
SEED = 2026


class Asked(NamedTuple):
    """One position of a game: pegs, seconds until the first answer, and first and last verdict."""

    pegs: int
    seconds: float
    first: str
    last: str


async def _play(
    browser: Browser, puzzle: Puzzle, position: str, goal: str, rng: random.Random
) -> list[Asked]:
    """Request the verdict on every position of one random game, as a page does."""
    asked = []
    while True:
        path = f"/api/puzzles/{puzzle.id}/positions/{position}?goal={goal}"
        response = await browser.get(path)
        answer = response.json()
        last = await _decided(browser, path, answer)
        asked.append(Asked(position.count("o"), response.delay.at_socket, answer["verdict"], last))
        if not answer["steps"]:
            return asked
        position = rng.choice(answer["steps"])["position"]


async def _decided(browser: Browser, path: str, answer: dict[str, Any]) -> str:
    """Return the verdict of `answer`; while it is unknown, request it again for up to WAIT_SECONDS."""
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


async def _seconds_until_proved(browser: Browser, puzzle: Puzzle, position: str, goal: str) -> float:
    """Return the seconds until a hint, requested repeatedly, is proved; at most about GIVEN_UP_SECONDS."""
    path, began = f"/api/puzzles/{puzzle.id}/positions/{position}/hint?goal={goal}", time.perf_counter()
    while not (await browser.get(path)).json()["proved"] and time.perf_counter() - began < GIVEN_UP_SECONDS:
        await asyncio.sleep(AGAIN_SECONDS)
    return time.perf_counter() - began


async def _set_up(at: tuple[str, int], puzzle: Puzzle, positions: int) -> str:
    """Return a report line on the time until hints are proved, from positions made by jumps backwards."""
    browser, rng, seconds = Browser(*at, "127.0.0.1"), random.Random(SEED), []
    for number in range(positions):
        position = backwards(puzzle, rng, rng.randint(MIN_PEGS, puzzle.holes - FEWEST_VACANCIES))
        ends = PegBoard(puzzle.board).ends(ANYWHERE, position.state)
        goal = "any" if number % 2 else str(ends[0].bit_length() - 1)
        seconds.append(await _seconds_until_proved(browser, puzzle, puzzle.format(position), goal))
    browser.leave()
    seconds.sort()
    p95, within = seconds[positions * 95 // 100], sum(taken <= WAIT_SECONDS for taken in seconds) / positions
    return (
        f"  {puzzle.id:11} {positions:5} positions set up: hint proved after median "
        f"{seconds[positions // 2]:.2f} s  p95 {p95:.2f} s  worst {seconds[-1]:.2f} s"
        f"   within {WAIT_SECONDS:.0f} s {within:.1%}"
    )


def report(few: bool = False) -> Iterator[str]:
    """Yield the lines of the report; `few`: with fewer games."""
    yield "Random games from the problems of the gallery, verdicts over HTTP:"
    for puzzle in map(find, BOARDS):
        with started("hoppers", "run", "--port", "0", **NO_RATE_LIMITS) as (at, _):
            wait_until_warm(at)
            yield _line(puzzle, asyncio.run(_games(at, puzzle, FEW_GAMES if few else GAMES)))
            if puzzle.id == SET_UP:
                yield asyncio.run(_set_up(at, puzzle, FEW_POSITIONS if few else POSITIONS))
