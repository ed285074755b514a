"""A search that the process beside this one runs, seen from here: the same events, and the same time.

When that process dies the search begins again in another one, below the rows that are proved.
"""

import logging
import time
from collections.abc import Generator
from dataclasses import replace
from typing import Any

from hoppers.analysis.requests import read_search
from hoppers.core.events import Event, Exhausted, Failed, Progress, Solved, Unsolvable
from hoppers.core.kernels import cache_folder
from hoppers.jobs.worker_process import Beside, Lost
from hoppers.runtime.disk_cache import DiskStore
from hoppers.search.iterative_deepening import first_limit
from hoppers.tablebase import proved_answers
from hoppers.tablebase.table_method import learnt

log = logging.getLogger(__name__)

WORKER_LOST = {
    "code": "worker_lost",
    "message": "The machines that ran this search were lost one after the other, so it was given up.",
}
WARMING_SECONDS = 0.02
"""Between two looks at whether a server that has just started has compiled what a search needs."""
MOST_TRIES = 4
"""Processes that may be lost over one search before it is given up."""


def search(asked: dict[str, Any], proved: int) -> Generator[Event, None, None]:
    """The events of a search, above a limit that is proved; this is what the other process runs."""
    wanted = read_search(**asked)
    yield from wanted._replace(question=wanted.question._replace(proved=proved)).events()


def keep_answers(most_bytes: int) -> Generator[None, None, None]:
    """Keep what is proved in this process on disk, where all others of the machine find it."""
    if most_bytes:
        proved_answers.keep_in(DiskStore(cache_folder() / "answers", most_bytes))
    yield


class Errand:
    """The events of a search beside this process."""

    def __init__(self, beside: Beside, asked: dict[str, Any], proved: int = -1) -> None:
        """Nothing runs before the first event is asked for."""
        self._beside, self._asked, self._question = beside, asked, read_search(**asked).question
        self._proved, self._nodes, self._seconds, self._tries = proved, 0, 0.0, 1
        self._before = 0
        """Nodes of the rows that lost processes have told."""
        self._run = beside.run(search, asked, proved)

    def __iter__(self) -> "Errand":
        return self

    def __next__(self) -> Event:
        """The next event; until its kernels are compiled, that nothing was entered yet, in no time."""
        if not self._beside.is_ready(self._question.puzzle.id):
            time.sleep(WARMING_SECONDS)
            return Progress(first_limit(self._question), 0, 0.0)
        while True:
            try:
                event: Event = next(self._run)
                break
            except Lost:
                if self._tries == MOST_TRIES:
                    return Failed(WORKER_LOST)
                self._begin_again()
        return self._noted(event)

    def running_time(self) -> float:
        """For how long the search itself had run when its last event came up."""
        return self._seconds + self._run.seconds

    def at_hand(self) -> bool:
        """Whether the next event is here already."""
        return self._run.at_hand()

    def close(self) -> None:
        """Give the search up."""
        self._run.close()

    def _begin_again(self) -> None:
        self._tries += 1
        log.warning("a search of %s begins again behind limit %d", self._question.puzzle.id, self._proved)
        self._seconds = self.running_time()
        self._before = self._nodes
        self._run = self._beside.run(search, self._asked, self._proved)

    def _noted(self, event: Event) -> Event:
        """The event, with the nodes of rows that lost processes told; what it proves is learnt here, too."""
        match event:
            case Exhausted(limit=limit, nodes=nodes):
                self._proved, self._nodes = limit, self._nodes + nodes
            case Solved() | Unsolvable():
                event = replace(event, total_nodes=self._before + event.total_nodes)
        return next(learnt(self._question, iter([event])))
