"""While kernels are still being compiled: requests read the rules as plain Python, and say how far it is.

Nothing is compiled or built inside a request. Until a puzzle is warm its pages can be played on, with
verdicts `unknown`, and `warming` in their data says how many puzzles are ready, of how many.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast

from flask import Flask, current_app, request

from hoppers.core.kernels import INTERPRETED
from hoppers.jobs.kernel_warmup import Warmup


def heed(app: Flask) -> None:
    """Let all requests of an application heed its warm-up."""
    app.before_request(_begin)
    app.teardown_request(lambda error: _end())


def warmup() -> Warmup:
    """The one of this application."""
    return cast(Warmup, current_app.extensions["warmup"])


def _begin() -> None:
    look_at((request.view_args or {}).get("puzzle_id", ""))


def _end() -> None:
    INTERPRETED.set(False)


def look_at(puzzle_id: str) -> None:
    """Warm a puzzle next, and interpret its rules until it is warm; '' stands for all puzzles."""
    if current_app.config["WARM_UP"]:
        warmup().hurry(puzzle_id)
        INTERPRETED.set(not warmup().is_ready(puzzle_id))


@contextmanager
def looking_at(puzzle_id: str) -> Iterator[None]:
    """The same for what is no request."""
    look_at(puzzle_id)
    try:
        yield
    finally:
        _end()


def wait(puzzle_id: str, seconds: float) -> bool:
    """Wait until a puzzle is warm, at most so long; returns whether it is."""
    if not current_app.config["WARM_UP"]:
        return True
    INTERPRETED.set(not warmup().wait(puzzle_id, seconds))
    return not INTERPRETED.get()


def progress() -> list[int] | None:
    """How many puzzles are ready, of how many; None where this request need not care."""
    return list(warmup().progress()) if INTERPRETED.get() else None
