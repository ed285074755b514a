"""Preparation before the first limit of a search."""

from types import SimpleNamespace
from typing import Any

import pytest

from hoppers.core.events import Event, Events, Exhausted, Found, Progress
from hoppers.jobs.search_job import Job, SearchLimits
from hoppers.jobs.sessions import Totals
from hoppers.runtime import scheduler
from tests.support.scripted_searches import WITHOUT_LIMITS


def test_preparation_is_not_charged_to_any_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A simulated clock advances by a minute before the first limit, then by a second per limit."""
    clock = [0.0]
    after = [(1, Progress(2, 0, 0.0))]
    before: list[tuple[int, Event]] = [(30, Progress(1, 0, 0.0)), (30, Found(2, 0.0, []))]
    script = [*before, (1, Progress(1, 5, 0.0)), (0, Exhausted(1, 9, 0, 0.0)), *after]

    def events() -> Events:
        for seconds, event in script:
            clock[0] += seconds
            yield event

    sent: list[tuple[str, float, float]] = []

    def receive(event: Any, totals: Totals) -> None:
        sent.append((type(event).__name__, event.limit, event.seconds))

    monkeypatch.setattr(scheduler, "time", SimpleNamespace(perf_counter=lambda: clock[0]))
    job = Job("1", lambda proved: events(), receive, SearchLimits(*WITHOUT_LIMITS), Totals())
    job.steps = job.begin()
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
