"""Memory of a running search: each method on each puzzle, for 1.5 s of processor time."""

import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.searches.memory_peak import peak
from hoppers.core.events import Progress
from hoppers.core.puzzle import Puzzle, Question
from hoppers.jobs.kernel_warmup import warm
from tests.support.engine import PUZZLES

SECONDS = 1.5  # processor time after which a search is abandoned


def measure(puzzle: Puzzle, method: str) -> tuple[float, float, str]:
    """Return the growth of peak memory in MB, the processor seconds, and the name of the last event."""
    question = Question(puzzle, puzzle.parse_goal(None), puzzle.parse(puzzle.start))
    last = "left"
    Path("/proc/self/clear_refs").write_text("5")  # reset the peak (Linux)
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
    """Yield the lines of the report."""
    yield f"Memory of a search, left after {SECONDS:g} s of processor time:"
    for puzzle in PUZZLES.values():
        if not puzzle.gallery.featured:
            continue
        warm(puzzle)
        for method in puzzle.solving.methods:
            size, seconds, end = measure(puzzle, method)
            yield f"  {puzzle.id:16} {method:18} {size:9.2f} MB {seconds:7.2f} s  {end}"
