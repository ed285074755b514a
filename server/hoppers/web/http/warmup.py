"""Requests while kernels are being compiled: rules run as plain Python, and pages show progress.

No request compiles or builds anything. Until the kernels of a puzzle are compiled, its pages work with
verdicts `unknown`; the field `warming` in their data holds the numbers of ready puzzles and of all puzzles.
"""

from typing import cast

from flask import Flask, current_app, request

from hoppers.core.puzzle import Puzzle
from hoppers.jobs.kernel_warmup import Warmup


def init_app(app: Flask) -> None:
    """Make each request to `app` move its puzzle to the front of the warm-up."""
    app.before_request(lambda: prioritise((request.view_args or {}).get("puzzle_id", "")))


def warmup() -> Warmup:
    """Return the warm-up of the current application."""
    return cast(Warmup, current_app.extensions["warmup"])


def prioritise(puzzle_id: str) -> None:
    """Move a puzzle to the front of the warm-up, if it is not compiled yet; an unknown id is ignored."""
    if current_app.config["WARM_UP"]:
        warmup().hurry(puzzle_id)


def wait(puzzle_id: str, seconds: float) -> bool:
    """Wait up to `seconds` for the kernels of a puzzle; return whether they are ready."""
    return not current_app.config["WARM_UP"] or warmup().wait(puzzle_id, seconds)


def progress(puzzle: Puzzle) -> list[int] | None:
    """Return the numbers of ready puzzles and of all puzzles; None if `puzzle` is ready."""
    return None if puzzle.is_compiled else list(warmup().progress())
