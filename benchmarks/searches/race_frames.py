"""Frame times of the race page in a real browser while four searches run; rival: the idle page.

At 60 frames a second a frame takes 16.7 ms.
"""

import itertools
import statistics
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Page, ViewportSize

from benchmarks.front_door import server
from tests.browser.chromium import launched

METHODS = "deepening,manhattan,linear-conflict,walking-distance"
RACE = f"/puzzles/eight-puzzle/race?position=867254301&methods={METHODS}"
SIZES: dict[str, ViewportSize] = {
    "desktop": {"width": 1280, "height": 800},
    "phone": {"width": 360, "height": 740},
}
FRAMES = 240  # about four seconds
MEASURE = """(frames) => new Promise((done) => {
    const times = [];
    const next = (now) => times.push(now) > frames ? done(times) : requestAnimationFrame(next);
    requestAnimationFrame(next);
})"""
"""Script that returns the start times of successive frames, in milliseconds."""


def frames(page: Page) -> list[float]:
    """Return the milliseconds between successive frames, sorted."""
    times: list[float] = page.evaluate(MEASURE, FRAMES)
    return sorted(after - before for before, after in itertools.pairwise(times))


def line(name: str, taken: list[float]) -> str:
    """Return one line of the report."""
    most, median = taken[int(len(taken) * 0.95)], statistics.median(taken)
    return f"  {name:34} median {median:5.1f} ms   p95 {most:5.1f} ms   worst {taken[-1]:6.1f} ms"


@contextmanager
def running_race(address: str, size: ViewportSize) -> Iterator[tuple[Page, list[float]]]:
    """Yield a page with a running race, and the frame times of the page before the race."""
    with launched() as browser:
        page = browser.new_page(viewport=size, base_url=f"http://{address}", service_workers="block")
        page.goto(RACE)
        at_rest = frames(page)
        page.get_by_role("button", name="Start the race").click()
        page.locator(".race-rows tbody tr").nth(5).wait_for()
        yield page, at_rest


def report() -> Iterator[str]:
    """Yield the lines of the report."""
    yield f"Frame times of the race page while {METHODS.count(',') + 1} searches run ({FRAMES} frames):"
    with server() as address:
        for name, size in SIZES.items():
            with running_race(address, size) as (page, at_rest):
                while_running = frames(page)
                rows = page.locator(".race-rows tbody tr").count()
            yield line(f"{name}, at rest", at_rest)
            yield line(f"{name}, racing ({rows} rows by then)", while_running)
