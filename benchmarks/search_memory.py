"""What a search holds: each method on each board, for a few seconds each, from its own start."""

import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.memory import peak
from hoppers.core.events import Progress
from hoppers.core.puzzle import Puzzle, Question
from hoppers.jobs.kernel_warmup import warm
from tests.engine import PUZZLES

SECONDS = 1.5
"""Processor time after which a search is left."""


def held(puzzle: Puzzle, method: str) -> tuple[float, float, str]:
    """Megabytes at most, processor seconds, and how it ended."""
    question = Question(puzzle, puzzle.parse_goal(None), puzzle.parse(puzzle.start))
    last = "left"
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew (Linux)
    before = peak()
    began, events = time.process_time(), puzzle.method(method).search(question)
    for event in events:
        if not isinstance(event, Progress):
            last = type(event).__name__.lower()
        if time.process_time() - began > SECONDS:
            last = f"left after {last}"
            break
    return peak() - before, time.process_time() - began, last


def report() -> Iterator[str]:
    """A line for each, when it is known."""
    yield f"Memory of a search, left after {SECONDS:g} s of processor time:"
    for puzzle in PUZZLES.values():
        if not puzzle.gallery.featured:
            continue
        warm(puzzle)
        for method in puzzle.solving.methods:
            size, seconds, end = held(puzzle, method)
            yield f"  {puzzle.id:16} {method:18} {size:9.2f} MB {seconds:7.2f} s  {end}"
