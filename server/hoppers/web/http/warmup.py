"""While kernels are still being compiled: requests read the rules as plain Python, and say how far it is.

Nothing is compiled or built inside a request. Until a puzzle is warm its pages can be played on, with
verdicts `unknown`, and `warming` in their data says how many puzzles are ready, of how many.
"""

from typing import cast

from flask import Flask, current_app, request

from hoppers.core.puzzle import Puzzle
from hoppers.jobs.kernel_warmup import Warmup


def heed(app: Flask) -> None:
    """Let all requests of an application heed its warm-up."""
    app.before_request(_begin)


def warmup() -> Warmup:
    """The one of this application."""
    return cast(Warmup, current_app.extensions["warmup"])


def _begin() -> None:
    look_at((request.view_args or {}).get("puzzle_id", ""))


def look_at(puzzle_id: str) -> None:
    """Warm a puzzle next, and interpret its rules until it is warm; '' stands for all puzzles."""
    if current_app.config["WARM_UP"]:
        warmup().hurry(puzzle_id)


def wait(puzzle_id: str, seconds: float) -> bool:
    """Wait until a puzzle is warm, at most so long; returns whether it is."""
    if not current_app.config["WARM_UP"]:
        return True
    return warmup().wait(puzzle_id, seconds)


def progress(puzzle: Puzzle) -> list[int] | None:
    """Return how many puzzles are ready, of how many; None if `puzzle` is ready."""
    return None if puzzle.is_compiled else list(warmup().progress())
