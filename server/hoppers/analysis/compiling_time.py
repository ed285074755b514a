"""The time of the compiler, taken out of the seconds of a search."""

import contextlib
from collections.abc import Callable, Generator
from dataclasses import replace

from hoppers.core.events import Event, Exhausted, Failed, Found, Stopped, Unsolvable


def without_compiling(
    events: Generator[Event, None, None], compiled: Callable[[], float]
) -> Generator[Event, None, None]:
    """Yield the events of a search with the time of the compiler taken out of their seconds.

    `compiled`: returns the seconds in which this process has compiled so far.
    """
    began = limit_began = compiled()
    with contextlib.closing(events):
        for event in events:
            is_of_whole_search = isinstance(event, Found | Unsolvable | Stopped)
            spent = compiled() - (began if is_of_whole_search else limit_began)
            if spent and not isinstance(event, Failed):
                event = replace(event, seconds=max(0.0, event.seconds - spent))
            if isinstance(event, Exhausted):
                limit_began = compiled()
            yield event
