"""Response times, errors and wrong answers of simulated clients."""

import asyncio
from collections import Counter
from collections.abc import Awaitable
from dataclasses import dataclass, field

from tests.support.asyncio_client import HttpResponse
from tests.support.timed_socket import Delay

SHARES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "max": 1.0}


@dataclass
class Measurements:
    """What the clients of one period have met. `begin` starts the next period."""

    delays: dict[str, list[Delay]] = field(default_factory=dict)
    """By kind of response."""
    errors: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    """Sentences about wrong answers."""
    checked: int = 0
    """Number of answers that were compared with a right one."""
    open: int = 0
    """Number of answers that could not be compared: unknown, not proved, or of a position too large."""
    hostile: Counter[str] = field(default_factory=Counter)
    """What the hostile address and the senders of junk met; no fault of the server."""
    lag: list[float] = field(default_factory=list)
    """Seconds by which the client process began its requests too late."""

    def begin(self) -> None:
        """Forget everything, for a new period."""
        vars(self).update(vars(type(self)()))

    def took(self, kind: str, delay: Delay) -> None:
        """Record the times of one response."""
        self.delays.setdefault(kind, []).append(delay)

    async def timed(self, kind: str, response: Awaitable[HttpResponse]) -> HttpResponse | None:
        """Await a response and record its times; on an error, record the error and return None."""
        try:
            answer = await response
        except (ConnectionError, TimeoutError, asyncio.IncompleteReadError) as error:
            self.errors[f"{kind}: {type(error).__name__}"] += 1
            return None
        if answer.status != 200:
            self.errors[f"{kind}: {answer.status} {answer.body[:80]!r}"] += 1
            return None
        self.took(kind, answer.delay)
        return answer

    def check(self, fault: str | None) -> None:
        """Count a checked answer, and note what is wrong with it; None: not known."""
        self.checked += fault is not None
        self.open += fault is None
        if fault:
            self.wrong.append(fault)

    def at_socket(self, kind: str) -> list[float]:
        """Return the milliseconds of all responses of a kind, until the kernel had them."""
        return [1000 * delay.at_socket for delay in self.delays.get(kind, [])]


def percentile(values: list[float], share: float) -> float:
    """Return the quantile `share` of some values; NaN if there are none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else float("nan")


def figures(milliseconds: list[float]) -> str:
    """Return the number of values and their percentiles as text."""
    texts = "  ".join(f"{name} {percentile(milliseconds, share):7.1f}" for name, share in SHARES.items())
    return f"{len(milliseconds):6} responses  {texts} ms"
