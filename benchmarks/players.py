"""Simulated players of the load test: each requests a hint, makes a step, and requests its verdict."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from benchmarks.client import Browser, Channel, HttpResponse
from benchmarks.timed_socket import Delay
from tests.support.engine import PUZZLES

MIX = {puzzle.id: 1.0 for puzzle in PUZZLES.values() if puzzle.gallery.featured}
"""Relative frequency of games of each puzzle."""
FOLLOWS_HINT = 0.8
"""Share of steps that follow the hint; the others are random."""
LOOKS_AT_HINT = (0.3, 1.5)
"""Least and most seconds between a hint and the step."""
SENDS_MESSAGE = 0.1
"""Share of rounds with a Socket.IO message."""


ARRIVING = ", arriving"
"""Suffix of the kinds of responses while players arrive."""


def compile_rules() -> None:
    """Load the compiled rules that the players use, so that loading delays no response."""
    for puzzle_id in MIX:
        puzzle = PUZZLES[puzzle_id]
        puzzle.legal_steps(puzzle.parse(puzzle.start))


@dataclass
class Measurements:
    """Response times and errors of all players of one run."""

    delays: dict[str, list[Delay]] = field(default_factory=dict)
    by_puzzle: dict[str, list[Delay]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    lag: list[float] = field(default_factory=list)
    """Seconds by which the client process began its requests too late."""
    measuring: bool = True
    arriving: bool = True
    """True while players arrive; the kinds of response times then end with `ARRIVING`."""

    def begin(self) -> None:
        """Start measuring the steady load."""
        self.arriving = False
        self.by_puzzle.clear()
        self.lag.clear()

    def took(self, kind: str, delay: Delay) -> None:
        """Record the times of one response, if measuring."""
        if self.measuring:
            name = kind + ARRIVING if self.arriving else kind
            self.delays.setdefault(name, []).append(delay)

    async def timed(self, kind: str, response: Awaitable[HttpResponse]) -> HttpResponse | None:
        """Await a response and record its times; on an error, record the error and return None."""
        try:
            answer = await response
        except (ConnectionError, TimeoutError, asyncio.IncompleteReadError) as error:
            self.errors.append(f"{kind}: {error!r}")
            return None
        if answer.status != 200:
            self.errors.append(f"{kind}: {answer.status} {answer.body[:100]!r}")
            return None
        self.took(kind, answer.delay)
        return answer


class Player:
    """One browser with an HTTP and a WebSocket connection. `dice` makes runs repeatable."""

    def __init__(self, at: tuple[str, int], number: int, measurements: Measurements) -> None:
        """`at`: host and port of the server."""
        address = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
        self.dice, self.measurements = random.Random(number), measurements
        self.browser, self.channel = Browser(*at, address), Channel(*at, address)

    async def connect(self) -> None:
        """Open the WebSocket; the first request opens the HTTP connection."""
        try:
            await self.channel.connect()
        except (ConnectionError, TimeoutError) as error:
            self.measurements.errors.append(f"connect: {error!r}")

    async def rounds(self, every: float, round_: Callable[[], Awaitable[None]]) -> None:
        """Play without end: one round every `every` seconds, varied by up to a fifth."""
        at = time.perf_counter() + self.dice.uniform(0, every)
        while True:
            await asyncio.sleep(at - time.perf_counter())
            self.measurements.lag.append(time.perf_counter() - at)
            await round_()
            at = max(at + every * self.dice.uniform(0.8, 1.2), time.perf_counter())

    async def send_sometimes(self, name: str, payload: Any) -> None:
        """Send a message in some rounds and record the time of its acknowledgement."""
        if self.dice.random() > SENDS_MESSAGE:
            return
        try:
            answer = await self.channel.timed_call(name, payload)
        except (ConnectionError, TimeoutError) as error:
            self.measurements.errors.append(f"message: {error!r}")
            return
        self.measurements.took("message", answer.delay)

    def leave(self) -> None:
        """Close both connections."""
        self.browser.leave()
        self.channel.leave()


class Game:
    """Rounds of a player: a hint, a step, and the verdict on the new position."""

    def __init__(self, player: Player) -> None:
        """Begin a game of a random puzzle."""
        self.player = player
        self._begin()

    def _begin(self) -> None:
        dice = self.player.dice
        puzzle = PUZZLES[dice.choices(list(MIX), list(MIX.values()))[0]]
        self.puzzle, self.position = puzzle.id, dice.choice(list(puzzle.starts.values()))
        self.goal, self.rules = puzzle.goal, puzzle
        self.steps: list[Any] | None = None

    def _path(self, what: str = "") -> str:
        return f"/api/puzzles/{self.puzzle}/positions/{self.position}{what}?goal={self.goal}"

    async def round(self) -> None:
        """Request a hint, wait, and make a step."""
        hint = await self._request("hint", self._path("/hint"))
        await self.player.send_sometimes("stop", {"ticket": "none"})
        await asyncio.sleep(self.player.dice.uniform(*LOOKS_AT_HINT))
        if self.steps is None and (graded := await self._request("verdict", self._path())):
            self.steps = graded["steps"]
        step: Any = self._step(hint)
        if step is None:
            return self._begin()
        self.position = step["position"]
        graded = await self._request("verdict", self._path())
        self.steps = graded and graded["steps"]

    async def _request(self, kind: str, path: str) -> Any:
        measurements = self.player.measurements
        answer = await measurements.timed(kind, self.player.browser.get(path))
        if answer is None:
            return None
        if measurements.measuring:
            measurements.by_puzzle.setdefault(f"{kind} {self.puzzle}", []).append(answer.delay)
        return answer.json()

    def _step(self, hint: Any) -> Any:
        """Return the step to make, or None at the end of the game."""
        hinted = hint and hint["step"]
        if hinted and self.player.dice.random() < FOLLOWS_HINT:
            return next((step for step in self.steps or () if {**step, **hinted} == step), None)
        return self.player.dice.choice(self.steps) if self.steps else None


class HintsOnly(Game):
    """Rounds with a hint request only; legal steps come from the local rules."""

    async def round(self) -> None:
        """Request a hint, wait, and make a step."""
        hint = await self._request("hint", self._path("/hint"))
        await asyncio.sleep(self.player.dice.uniform(*LOOKS_AT_HINT))
        at = self.rules.parse(self.position)
        steps = self.rules.legal_steps(at)
        hinted = hint and hint["step"]
        if hinted and self.player.dice.random() < FOLLOWS_HINT:
            steps = [step for step in steps if (step.origin, step.target) == (hinted["from"], hinted["to"])]
        if not steps:
            return self._begin()
        self.position = self.rules.format(self.player.dice.choice(steps).after)


class EchoGame:
    """Rounds against the minimal server: two requests and sometimes a message."""

    def __init__(self, player: Player) -> None:
        self.player = player

    async def round(self) -> None:
        """Send two requests."""
        player = self.player
        await player.measurements.timed("hint", player.browser.get("/echo"))
        await player.send_sometimes("echo", {"ticket": "none"})
        await asyncio.sleep(player.dice.uniform(*LOOKS_AT_HINT))
        await player.measurements.timed("verdict", player.browser.get("/echo"))


class EchoHintsOnly(EchoGame):
    """Rounds against the minimal server with one request."""

    async def round(self) -> None:
        """Send one request."""
        await self.player.measurements.timed("hint", self.player.browser.get("/echo"))
        await asyncio.sleep(self.player.dice.uniform(*LOOKS_AT_HINT))
