"""What goes before the first limit of a search, and before the first search."""

from collections.abc import Iterator
from typing import Any, cast

import pytest

from hoppers.core.events import Event, Exhausted, Found, Progress
from hoppers.jobs.kernel_warmup import Warmup
from hoppers.jobs.search_job import Job
from hoppers.web.app import make_ready
from tests.engine import PUZZLES
from tests.scripted_searches import WITHOUT_LIMITS


def test_no_limit_is_charged_with_what_goes_before_the_first() -> None:
    """By a clock that says how long the search has run: a minute before the first limit, a second in each."""

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

        def running_time(self) -> float:
            return self.seconds

        def close(self) -> None:
            pass

    sent: list[tuple[str, float, float]] = []

    def hear(name: str, fields: dict[str, Any]) -> None:
        sent.append((name, fields["limit"], fields["seconds"]))

    job = Job("o", "t", Clocked(), hear, WITHOUT_LIMITS)
    for _ in range(5):
        job._next_progress = 0.0  # as if a tenth of a second had passed
        job._tell(job._next_event())
    assert sent == [
        ("progress", 0, 30),
        ("found", 2, 60),
        ("progress", 1, 1),
        ("exhausted", 1, 1),
        ("progress", 2, 1),
    ]


@pytest.mark.parametrize(("crowded", "steps"), [(False, 3), (True, 0)])
def test_searches_are_loaded_beforehand_unless_a_crowd_is_there(crowded: bool, steps: int) -> None:
    """What they hold meanwhile, a hundred megabytes and more, a crowd needs."""
    taken: list[str] = []

    class Beside:
        def machine(self) -> None:
            pass

        def is_crowded(self) -> bool:
            return crowded

        def run(self, work: object, puzzle_id: str) -> Iterator[int]:
            for step in range(3):
                taken.append(puzzle_id)
                yield step

    warmup = Warmup([])
    warmup.wait = lambda puzzle_id, seconds: True  # type: ignore[method-assign]
    make_ready(cast(Any, Beside()), warmup)
    featured = [puzzle.id for puzzle in PUZZLES.values() if puzzle.gallery.featured]
    assert taken == [id for id in featured for _ in range(steps)]
