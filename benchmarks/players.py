"""Simulated players: each requests a hint, makes a step, requests its verdict, and checks all answers."""

import asyncio
import random
import time
from typing import Any

from benchmarks.measurements import Measurements
from benchmarks.right_answers import Board, fault_in_hint, fault_in_solution, fault_in_verdict
from tests.support.asyncio_client import Browser, Channel

FOLLOWS_HINT = 0.8
"""Share of steps that follow the hint; the others are random."""
LOOKS_AT_HINT = (0.3, 1.5)
"""Least and most seconds between a hint and the step."""
SENDS_MESSAGE = 0.1
"""Share of rounds with a Socket.IO message."""
ASKS_FOR_SOLUTION = 0.1

Address = tuple[str, int]


def network_address(kind: int, number: int) -> str:
    """Return the address of this machine that client `number` of a kind (1 to 255) comes from."""
    return f"127.{kind}.{number >> 8}.{number & 255}"


class Player:
    """One browser with an HTTP and a WebSocket connection. `dice` makes runs repeatable."""

    message = "stop", {"ticket": "none"}

    def __init__(self, at: Address, number: int, measurements: Measurements) -> None:
        """`at`: host and port of the server."""
        address = network_address(1, number)
        self.dice, self.measurements = random.Random(number), measurements
        self.browser, self.channel = Browser(*at, address), Channel(*at, address)

    async def run(self, every: float, after: float) -> None:
        """Connect after `after` seconds, and play one round every `every` seconds until cancelled."""
        await asyncio.sleep(after)
        try:
            await self.channel.connect()
        except (ConnectionError, TimeoutError) as error:
            self.measurements.errors[f"connect: {error!r}"] += 1
        at = time.perf_counter() + self.dice.uniform(0, every)
        while True:
            await asyncio.sleep(at - time.perf_counter())
            self.measurements.lag.append(time.perf_counter() - at)
            await self.round()
            at = max(at + every * self.dice.uniform(0.8, 1.2), time.perf_counter())

    async def round(self) -> None:
        """Play one round."""
        raise NotImplementedError

    async def send_sometimes(self) -> None:
        """Send a message in some rounds and record the time of its acknowledgement."""
        if self.dice.random() > SENDS_MESSAGE:
            return
        try:
            answer = await self.channel.timed_call(*self.message)
        except (ConnectionError, TimeoutError) as error:
            self.measurements.errors[f"message: {error!r}"] += 1
            return
        self.measurements.took("message", answer.delay)

    def leave(self) -> None:
        """Close both connections."""
        self.browser.leave()
        self.channel.leave()


class Echo(Player):
    """A player of the minimal server: two requests and sometimes a message."""

    message = "echo", {"ticket": "none"}

    async def round(self) -> None:
        """Send two requests."""
        await self.measurements.timed("hint", self.browser.get("/echo"))
        await self.send_sometimes()
        await asyncio.sleep(self.dice.uniform(*LOOKS_AT_HINT))
        await self.measurements.timed("verdict", self.browser.get("/echo"))


class Solver(Player):
    """A player of the real server, whose answers are compared with those of naive rules."""

    def __init__(
        self, at: Address, number: int, measurements: Measurements, boards: dict[str, Board]
    ) -> None:
        """Begin a game of a random puzzle."""
        super().__init__(at, number, measurements)
        self._boards = list(boards.values())
        self._begin()

    def _begin(self) -> None:
        self.board = self.dice.choice(self._boards)
        self.position = self.dice.choice(self.board.starts)

    async def round(self) -> None:
        """Request a hint, look at it, make a step, and request the verdict."""
        hint = await self._ask("hint", "/hint")
        if hint is not None:
            self.measurements.check(fault_in_hint(self.board, self.position, hint))
        await self.send_sometimes()
        if self.dice.random() < ASKS_FOR_SOLUTION and (found := await self._ask("solution", "/solution")):
            self.measurements.check(fault_in_solution(self.board, self.position, found))
        await asyncio.sleep(self.dice.uniform(*LOOKS_AT_HINT))
        if not self._step(hint):
            return self._begin()
        verdict = await self._ask("verdict")
        for step in [{**verdict}, *verdict["steps"]] if verdict is not None else ():
            self.measurements.check(fault_in_verdict(self.board, step["position"], step))

    async def _ask(self, kind: str, what: str = "") -> Any:
        path = f"/api/puzzles/{self.board.id}/positions/{self.position}{what}?goal={self.board.goal}"
        answer = await self.measurements.timed(kind, self.browser.get(path))
        return answer and answer.json()

    def _step(self, hint: Any) -> bool:
        """Make the step of the hint, or another one; return whether there is a step."""
        steps = self.board.steps(self.position)
        hinted = hint and hint["step"] and (hint["step"]["from"], hint["step"]["to"])
        if not steps or self.board.game.solved(self.position, self.board.goal):
            return False
        follows = hinted in steps and self.dice.random() < FOLLOWS_HINT
        self.position, _ = steps[hinted if follows else self.dice.choice(list(steps))]
        return True
