"""Requests while kernels are being compiled: rules run as plain Python, and pages show progress.

No request compiles or builds anything. Until the kernels of a puzzle are compiled, its pages can be played
on, with verdicts `unknown`; `warming` in their data gives the number of puzzles ready, and of all.
"""

from typing import cast

from flask import Flask, current_app, request

from hoppers.core.puzzle import Puzzle
from hoppers.jobs.kernel_warmup import Warmup


def init_app(app: Flask) -> None:
    """Compile the puzzle of each request next."""
    app.before_request(lambda: prioritise((request.view_args or {}).get("puzzle_id", "")))


def warmup() -> Warmup:
    """Return the warm-up of the current application."""
    return cast(Warmup, current_app.extensions["warmup"])


def prioritise(puzzle_id: str) -> None:
    """Compile a puzzle next, if it is not compiled yet; an unknown id is ignored."""
    if current_app.config["WARM_UP"]:
        warmup().hurry(puzzle_id)


def wait(puzzle_id: str, seconds: float) -> bool:
    """Wait up to `seconds` until a puzzle is compiled; return whether it is."""
    return not current_app.config["WARM_UP"] or warmup().wait(puzzle_id, seconds)


def progress(puzzle: Puzzle) -> list[int] | None:
    """Return the number of puzzles that are ready, and of all; None if `puzzle` is ready."""
    return None if puzzle.is_compiled else list(warmup().progress())
