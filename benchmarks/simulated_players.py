"""Players of the load programme: each asks for a hint, plays on, asks what that led to, again and again."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from benchmarks.wire import Answer, Browser, Channel
from tests.engine import PUZZLES

MIX = {puzzle.id: 1.0 for puzzle in PUZZLES.values() if puzzle.gallery.featured}
"""How often a game of each puzzle is begun, against the others."""
FOLLOWS_HINT = 0.8
"""Share of the players who do what the hint says; the others make any step that there is."""
LOOKS_AT_HINT = (0.3, 1.5)
"""Seconds between a hint and the step."""
SAYS_SOMETHING = 0.1
"""Share of the rounds in which a player also sends a message over the channel."""


def rehearse() -> None:
    """Load what the players themselves compute with: nobody's answer is to wait for that."""
    for puzzle_id in MIX:
        puzzle = PUZZLES[puzzle_id]
        puzzle.raw_steps(puzzle.parse(puzzle.start))


@dataclass
class Tally:
    """What all players of one run measured: seconds by kind of question, and what went wrong."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    by_puzzle: dict[str, list[float]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    lag: list[float] = field(default_factory=list)
    """How late the clients' own process woke up: what it adds to every figure at worst."""
    measuring: bool = False

    def begin(self) -> None:
        """Measure from now on."""
        self.measuring = True
        self.lag.clear()

    def took(self, kind: str, seconds: float) -> None:
        """Note one answer, unless nothing is measured yet."""
        if self.measuring:
            self.seconds.setdefault(kind, []).append(seconds)

    async def timed(self, kind: str, asked: Awaitable[Answer]) -> Answer | None:
        """Wait for an answer and note how long it took; None where it is none."""
        try:
            answer = await asked
        except (ConnectionError, TimeoutError, asyncio.IncompleteReadError) as error:
            self.errors.append(f"{kind}: {error!r}")
            return None
        if answer.status != 200:
            self.errors.append(f"{kind}: {answer.status} {answer.body[:100]!r}")
            return None
        self.took(kind, answer.seconds)
        return answer


class Player:
    """One browser with its channel. `dice` makes the same run again."""

    def __init__(self, at: tuple[str, int], number: int, tally: Tally) -> None:
        """Nothing is connected before `connect`."""
        address = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
        self.dice, self.tally = random.Random(number), tally
        self.browser, self.channel = Browser(*at, address), Channel(*at, address)

    async def connect(self) -> None:
        """Open the channel; the HTTP connection is opened by the first question."""
        try:
            await self.channel.connect()
        except (ConnectionError, TimeoutError) as error:
            self.tally.errors.append(f"connect: {error!r}")

    async def rounds(self, every: float, round_: Callable[[], Awaitable[None]]) -> None:
        """Play for ever: one round every so many seconds, a fifth sooner or later."""
        at = time.perf_counter() + self.dice.uniform(0, every)
        while True:
            await asyncio.sleep(at - time.perf_counter())
            self.tally.lag.append(time.perf_counter() - at)
            await round_()
            at = max(at + every * self.dice.uniform(0.8, 1.2), time.perf_counter())

    async def say(self, name: str, payload: Any) -> None:
        """Send a message now and then, and note how long its acknowledgement took."""
        if self.dice.random() > SAYS_SOMETHING:
            return
        began = time.perf_counter()
        try:
            await self.channel.say(name, payload)
        except (ConnectionError, TimeoutError) as error:
            self.tally.errors.append(f"message: {error!r}")
            return
        self.tally.took("message", time.perf_counter() - began)

    def leave(self) -> None:
        """Close both connections."""
        self.browser.leave()
        self.channel.leave()


class Game:
    """What a player plays: a hint, a step, the verdict on what it led to."""

    def __init__(self, player: Player) -> None:
        """Begin with a puzzle of the mix."""
        self.player = player
        self._begin()

    def _begin(self) -> None:
        dice = self.player.dice
        puzzle = PUZZLES[dice.choices(list(MIX), list(MIX.values()))[0]]
        self.puzzle, self.position = puzzle.id, dice.choice(list(puzzle.starts.values()))
        self.goal, self.steps = puzzle.goal, None
        self.rules = puzzle

    def _path(self, what: str = "") -> str:
        return f"/api/puzzles/{self.puzzle}/positions/{self.position}{what}?goal={self.goal}"

    async def round(self) -> None:
        """Ask for a hint, look at it, and make a step."""
        hint = await self._ask("hint", self._path("/hint"))
        await self.player.say("stop", {"ticket": "none"})
        await asyncio.sleep(self.player.dice.uniform(*LOOKS_AT_HINT))
        if self.steps is None and (graded := await self._ask("verdict", self._path())):
            self.steps = graded["steps"]
        step = self._step(hint)
        if step is None:
            return self._begin()
        self.position = step["position"]
        graded = await self._ask("verdict", self._path())
        self.steps = graded and graded["steps"]

    async def _ask(self, kind: str, path: str) -> Any:
        tally = self.player.tally
        answer = await tally.timed(kind, self.player.browser.get(path))
        if answer is None:
            return None
        if tally.measuring:
            tally.by_puzzle.setdefault(f"{kind} {self.puzzle}", []).append(answer.seconds)
        return answer.json()

    def _step(self, hint: Any) -> Any:
        """The step that is made; None where there is none."""
        told = hint and hint["step"]
        if told and self.player.dice.random() < FOLLOWS_HINT:
            return next((step for step in self.steps or () if {**step, **told} == step), None)
        return self.player.dice.choice(self.steps) if self.steps else None


class HintsAlone(Game):
    """A player who asks for hints and nothing else: which steps there are, the page of this one knows."""

    async def round(self) -> None:
        """Ask for a hint, look at it, and make a step."""
        hint = await self._ask("hint", self._path("/hint"))
        await asyncio.sleep(self.player.dice.uniform(*LOOKS_AT_HINT))
        at = self.rules.parse(self.position)
        steps = self.rules.raw_steps(at)
        told = hint and hint["step"]
        if told and self.player.dice.random() < FOLLOWS_HINT:
            steps = [step for step in steps if (step.origin, step.target) == (told["from"], told["to"])]
        if not steps:
            return self._begin()
        self.position = self.rules.format(self.player.dice.choice(steps).after)


class Echoes:
    """The same questions to the bare echo: two answers and now and then a message."""

    def __init__(self, player: Player) -> None:
        """Nothing to remember."""
        self.player = player

    async def round(self) -> None:
        """Ask twice."""
        player = self.player
        await player.tally.timed("hint", player.browser.get("/echo"))
        await player.say("echo", {"ticket": "none"})
        await asyncio.sleep(player.dice.uniform(*LOOKS_AT_HINT))
        await player.tally.timed("verdict", player.browser.get("/echo"))


class EchoesAlone(Echoes):
    """Who asks the bare echo what `HintsAlone` asks of ours: one answer, and a pause to look at it."""

    async def round(self) -> None:
        """Ask once."""
        await self.player.tally.timed("hint", self.player.browser.get("/echo"))
        await asyncio.sleep(self.player.dice.uniform(*LOOKS_AT_HINT))
