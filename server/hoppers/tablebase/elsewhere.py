"""Where long work is done that nobody waits for: here, or in the process beside this one."""

from collections.abc import Generator
from typing import Any

from hoppers.jobs.worker_process import Beside, Work

TURN_SECONDS = 0.02
"""What such work is granted at a time: who stops it waits for the end of its turn."""


class _Where:
    beside: Beside | None = None


def use(beside: Beside | None) -> None:
    """From now on, do there what `elsewhere` is asked for; None: here."""
    _Where.beside = beside


def leave(beside: Beside) -> None:
    """It is about to end: do here what would have been done there."""
    if _Where.beside is beside:
        use(None)


def has_place() -> bool:
    """Whether `elsewhere` is another process."""
    return _Where.beside is not None


def elsewhere(work: Work, *arguments: Any) -> Generator[Any, None, Any]:
    """The values of long work and its result, done beside this process where there is one for it."""
    beside = _Where.beside
    if beside is None:
        return (yield from work(*arguments))
    run = beside.run(work, *arguments, turn=TURN_SECONDS)
    try:
        yield from run
        return run.result
    finally:
        run.close()
