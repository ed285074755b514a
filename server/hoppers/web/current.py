"""The current application's engine and puzzles, and the warm-up that compiles the kernels of the puzzles.

Until the warm-up has loaded the kernels of a puzzle, its rules run as plain Python, and most of its verdicts
are `unknown`. Without a warm-up (setting WARM_UP), requests compile kernels. A puzzle is ready when this
process has loaded its kernels, and those of its searches if they run here. Until then the field `warming` in
answers with its verdicts holds the numbers of ready puzzles and of all puzzles.
"""

import threading
from typing import cast

from flask import Flask, current_app, request

from hoppers.core.puzzle import Puzzle
from hoppers.jobs.kernel_warmup import Warmup
from hoppers.tablebase.engine import Engine
from hoppers.web.servers.event_loop import REQUESTS

MAX_WAITING = REQUESTS.threads // 2  # requests that may wait for kernels, so that threads stay free


def engine() -> Engine:
    """Return the engine of the current application."""
    return cast(Engine, current_app.extensions["engine"])


def puzzles() -> list[Puzzle]:
    """Return all puzzles, in the order of the gallery."""
    return list(engine().puzzles.values())


def read_puzzle(text: str) -> Puzzle:
    """Return the puzzle with the id `text`; raise PuzzleError if there is none."""
    return engine().find(text)


def init_app(app: Flask) -> None:
    """Make `app` prioritise the puzzle of each request in the warm-up, and limit waits for kernels."""
    app.extensions["kernel_waits"] = threading.BoundedSemaphore(MAX_WAITING)
    app.before_request(lambda: warmup().prioritise((request.view_args or {}).get("puzzle_id", "")))


def warmup() -> Warmup:
    """Return the warm-up of the current application."""
    return cast(Warmup, current_app.extensions["warmup"])


def wait_for_kernels(puzzle: Puzzle, seconds: float) -> bool:
    """Wait up to `seconds` until this process has loaded a puzzle's kernels; return whether it has.

    Without a warm-up, kernels are compiled when they are called, so the result is True.

    If `MAX_WAITING` requests wait already, return False at once: more would leave no thread for other
    requests.
    """
    if puzzle.is_compiled:
        return True
    waits: threading.BoundedSemaphore = current_app.extensions["kernel_waits"]
    if not waits.acquire(blocking=False):
        return False
    try:
        return warmup().wait(puzzle.kernels_id, seconds)
    finally:
        waits.release()


def warmup_progress(puzzle: Puzzle) -> list[int] | None:
    """Return [ready puzzles, all puzzles]; None if `puzzle` is ready or there is no warm-up."""
    is_ready = not current_app.config["WARM_UP"] or warmup().is_ready(puzzle.kernels_id)
    return None if is_ready else list(warmup().progress())
