"""Searches as they are asked for, and where they run: in this process, or in a fleet of workers."""

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol

from hoppers.analysis.requests import read_search
from hoppers.core.errors import Busy
from hoppers.jobs.remote_search import Errand
from hoppers.jobs.scheduler import Jobs
from hoppers.jobs.search_job import Emit, Job, Limits, Told
from hoppers.jobs.worker_process import Beside
from hoppers.search.iterative_deepening import first_limit
from hoppers.tablebase import elsewhere


class Unreachable(Busy):
    """Searches run elsewhere, and nobody there answers."""

    code = "unreachable"


class Order(NamedTuple):
    """A search as it was asked for: by whom, through which connection, and in which words."""

    owner: str
    holder: str
    ticket: str
    race: str
    asked: dict[str, Any]
    """What `read_search` takes, by name."""


class Tell(Protocol):
    """Sends an event to a connection."""

    def __call__(self, name: str, fields: dict[str, Any], /, *, to: str) -> Any:
        """Must neither block nor call back."""
        ...


class Searches(Protocol):
    """What becomes of orders. Owners and tickets name searches, holders are connections."""

    def start(self, order: Order) -> None:
        """Run a search; it replaces its owner's others, except those of the same race."""
        ...

    def stop(self, owner: str, ticket: str) -> None:
        """Stop a search if it runs."""
        ...

    def pause(self, owner: str, ticket: str) -> None:
        """Let a search stand aside if it runs."""
        ...

    def resume(self, owner: str, ticket: str) -> None:
        """Let a paused search go on."""
        ...

    def rejoin(self, owner: str, ticket: str, limit: int, holder: str) -> None:
        """Tell a connection what it missed behind this limit, and go on with the search."""
        ...

    def leave(self, holder: str, returns: bool) -> None:
        """A connection is gone: keep its searches for a while if its player may come back."""
        ...

    def counts(self) -> dict[str, int]:
        """How many searches take turns, queue up, and stand aside."""
        ...

    def close(self) -> None:
        """Release threads and connections."""
        ...


def job_of(
    order: Order, emit: Emit, limits: Limits, told: Sequence[Told] = (), beside: Beside | None = None
) -> Job:
    """The search, not yet running; behind the last row of what another process has `told` of it.

    `beside`: the process that is to run it; without one, this one does.

    Raises:
        PuzzleError: a text means nothing.
    """
    wanted = read_search(**order.asked)
    rows = [fields["limit"] for name, fields in told if name == "exhausted"]
    question = wanted.question._replace(proved=max(rows, default=-1))
    proved = first_limit(question) - 1
    events = wanted._replace(question=question).events() if beside is None else Errand(beside, order.asked)
    job = Job(
        order.owner, order.ticket, events, emit, limits, order.race, proved, holder=order.holder, told=told
    )
    job.subject = wanted.subject
    return job


class Here:
    """Searches of this machine, in threads of this process or in the one beside it."""

    def __init__(self, jobs: Jobs, tell: Tell, limits: Limits, beside: Beside | None = None) -> None:
        """`tell`: how their events get to a connection. `beside`: who searches, instead of the threads."""
        self._jobs, self._tell, self._limits, self._beside = jobs, tell, limits, beside
        self.stop, self.pause, self.resume = jobs.stop, jobs.pause, jobs.resume
        self.counts = jobs.counts

    def start(self, order: Order) -> None:
        """See `Searches`."""
        self._jobs.refuse(order.owner)
        emit = partial(self._tell, to=order.holder)
        self._jobs.start(job_of(order, emit, self._limits, beside=self._beside))

    def rejoin(self, owner: str, ticket: str, limit: int, holder: str) -> None:
        """See `Searches`."""
        self._jobs.rejoin(owner, ticket, limit, holder, partial(self._tell, to=holder))

    def leave(self, holder: str, returns: bool) -> None:
        """See `Searches`."""
        gone = self._jobs.leave if returns else self._jobs.drop
        gone(holder)

    def close(self) -> None:
        """See `Searches`."""
        self._jobs.close()
        if self._beside is not None:
            elsewhere.leave(self._beside)
            self._beside.close()
