"""Preparation before the first limit of a search, and before the first search."""

from collections.abc import Iterator
from typing import Any, cast

import pytest

from hoppers.core.events import Event, Exhausted, Found, Progress
from hoppers.jobs.kernel_warmup import Warmup
from hoppers.jobs.search_job import Job
from hoppers.web.app import load_kernels
from tests.engine import ENGINE
from tests.scripted_searches import WITHOUT_LIMITS


def test_preparation_is_not_charged_to_any_limit() -> None:
    """The clock shows the time of the search: a minute before the first limit, then a second per limit."""

    class Clocked:
        def __init__(self) -> None:
            self.seconds = 0.0
            after = [(1, Progress(2, 0, 0.0))]
            before: list[tuple[int, Event]] = [(30, Progress(1, 0, 0.0)), (30, Found(2, 0.0, []))]
            self.script = iter([*before, (1, Progress(1, 5, 0.0)), (0, Exhausted(1, 9, 0, 0.0)), *after])

        def __next__(self) -> Event:
            seconds, event = next(self.script)
            self.seconds += seconds
            return event

        def close(self) -> None:
            pass

    sent: list[tuple[str, float, float]] = []

    def receive(event: Any, seconds: float) -> None:
        sent.append((type(event).__name__, event.limit, event.seconds))

    clocked = Clocked()
    job = Job("1", clocked, receive, WITHOUT_LIMITS, clock=lambda: clocked.seconds)
    for _ in range(5):
        job._next_progress = 0.0  # as if a tenth of a second had passed
        job.step()
    assert sent == [
        ("Progress", 0, 30),
        ("Found", 2, 60),
        ("Progress", 1, 1),
        ("Exhausted", 1, 1),
        ("Progress", 2, 1),
    ]


@pytest.mark.parametrize(("busy", "steps"), [(False, 3), (True, 0)])
def test_kernels_are_loaded_in_advance_except_under_high_load(
    busy: bool, steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Loading takes at least a hundred megabytes, which the server needs under high load."""
    taken: list[str] = []

    class Process:
        def pid(self) -> None:
            pass

        def is_busy(self) -> bool:
            return busy

        def run_build(self, function: object, puzzle_id: str) -> Iterator[int]:
            for step in range(3):
                taken.append(puzzle_id)
                yield step

    warmup = Warmup(ENGINE)
    monkeypatch.setattr(warmup, "wait", lambda puzzle_id, seconds: True)
    load_kernels(cast(Any, Process()), ENGINE, warmup)
    featured = [puzzle.id for puzzle in ENGINE.puzzles.values() if puzzle.gallery.featured]
    assert taken == [id for id in featured for _ in range(steps)]
