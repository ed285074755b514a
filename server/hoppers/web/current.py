"""The current application's engine and puzzles, and the warm-up that compiles the kernels of the puzzles.

Until the warm-up has loaded the kernels of a puzzle, its rules run as plain Python, and most of its verdicts
are `unknown`. Without a warm-up (HOPPERS_WARM_UP), requests compile kernels. A puzzle is ready when this
process has loaded its kernels, and those of its searches if they run here. Until then the field `warming` in
answers with its verdicts holds the numbers of ready puzzles and of all puzzles.
"""

import threading
from typing import cast

from flask import Flask, current_app, request

from hoppers.core.puzzle import Puzzle, Question
from hoppers.jobs.kernel_warmup import Warmup
from hoppers.tablebase.engine import Engine
from hoppers.web.servers.event_loop import REQUESTS
from hoppers.web.servers.faults import Fault
from hoppers.web.settings import Settings

KERNEL_WAIT_SECONDS = 10  # longest wait of a request that cannot be answered without compiled kernels
MAX_WAITING = REQUESTS.threads // 2  # requests that may wait for kernels, so that threads stay free


def engine() -> Engine:
    """Return the engine of the current application."""
    return cast(Engine, current_app.extensions["engine"])


def settings() -> Settings:
    """Return the settings of the current application."""
    return cast(Settings, current_app.extensions["settings"])


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


def require_kernels(puzzle: Puzzle) -> None:
    """Wait up to `KERNEL_WAIT_SECONDS` for the kernels of a puzzle; without them raise a Fault (503)."""
    if not wait_for_kernels(puzzle, KERNEL_WAIT_SECONDS):
        done, every = warmup().progress()
        raise Fault(
            503,
            "warming_up",
            "The server has just started and {puzzle} is not ready yet ({done} of {most} puzzles are).",
            done=done,
            most=every,
            puzzle=puzzle.id,
        )


def require_answers(puzzle: Puzzle) -> None:
    """Wait for the kernels of a puzzle as `require_kernels` does, unless a table has all answers."""
    if not puzzle.can_answer:
        require_kernels(puzzle)


def read_request(puzzle_id: str, position: str, goal: str | None) -> Question:
    """Parse a request without waiting for kernels; raise a PuzzleError if a text is not valid."""
    puzzle = read_puzzle(puzzle_id)
    return Question(puzzle, puzzle.parse_goal(goal), puzzle.parse(position))


def warmup_progress(puzzle: Puzzle) -> list[int] | None:
    """Return [ready puzzles, all puzzles]; None if `puzzle` is ready or there is no warm-up."""
    is_ready = not settings().warm_up or warmup().is_ready(puzzle.kernels_id)
    return None if is_ready else list(warmup().progress())
