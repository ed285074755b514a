"""Ten seconds in Firefox and in WebKit: a move, a search that Back finds again, sizes, and Japanese lines."""

import time
from pathlib import Path
from typing import Any

import pytest

from tests.browser.engines.drivers import Driver, missing_part, started

pytestmark = pytest.mark.browser

READY = "return document.readyState === 'complete' && !document.querySelector('[data-sent]')"
FAULTS = """
  const faults = [], board = document.querySelector('.board').getBoundingClientRect();
  const area = document.querySelector('.play-area'), bar = document.querySelector('.depths');
  if (Math.max(board.width, board.height) < 239) faults.push('the board is too small');
  if (area.scrollWidth > area.clientWidth && getComputedStyle(area).overflowX === 'auto')
    faults.push('the board area scrolls sideways');
  if (document.documentElement.scrollWidth > innerWidth) faults.push('the page scrolls sideways');
  if (bar && bar.offsetHeight > 46) faults.push('Play/Study is broken into lines');
  if (document.documentElement.dataset.fault) faults.push(document.documentElement.dataset.fault);
  return faults;"""
WATCH = """addEventListener('error', ({ message }) => (document.documentElement.dataset.fault = message));
  addEventListener('securitypolicyviolation', ({ violatedDirective }) =>
    (document.documentElement.dataset.fault = violatedDirective));"""
BROKEN = """
  const [place] = [...document.querySelectorAll('.note')].filter((note) => note.textContent.length > 30);
  if (!place || getComputedStyle(place).wordBreak !== 'keep-all') return 'words are broken';
  return place.querySelectorAll('wbr').length > 3 && place.getClientRects().length ? '' : 'no phrases';"""
SHADOW = "return getComputedStyle(document.querySelector('.slab-shadow')).filter"


def wait(driver: Driver, condition: str) -> Any:
    """Return the value of a script as soon as it is true."""
    until = time.monotonic() + 60
    while not (value := driver.run(condition)):
        assert time.monotonic() < until, condition
        time.sleep(0.05)
    return value


@pytest.mark.parametrize("engine", ["firefox", "webkit"])
def test_engine_plays_searches_and_lays_out(engine: str, live_server: str, tmp_path: Path) -> None:
    if lacks := missing_part(engine):
        pytest.skip(f"{engine} is not tried: {lacks} is not installed")
    with started(engine, tmp_path) as driver:
        driver.go(live_server + "/puzzles/hoppers?depth=study")
        wait(driver, READY)
        driver.run("localStorage.setItem('puzzles/learnt', 'true');" + WATCH)
        assert "#soft" in driver.run(SHADOW)  # WebKit draws no other filter inside a drawing
        for hole in (0, 6):
            driver.run(f"document.querySelector('[data-hole=\"{hole}\"]').click()")
        wait(driver, "return document.querySelector('main').dataset.position[6] !== '.'")
        driver.run("document.querySelector('#undo').click(); document.querySelector('#search').click()")
        wait(driver, "return document.querySelectorAll('.limits tbody tr').length >= 7")
        driver.go(live_server + "/about")
        driver.back()
        wait(driver, "return document.querySelectorAll('.limits [data-limit]').length >= 7")
        found = {}
        for size in ((360, 740), (667, 375), (1280, 800)):
            driver.resize(*size)
            for path in ("/", "/stream", "/puzzles/hoppers", "/puzzles/flip-it-7?lang=ja"):
                driver.go(live_server + path)
                wait(driver, READY)
                if faults := driver.run(FAULTS):
                    found[path, size] = faults
        assert found == {}
        assert driver.run(BROKEN) == ""  # in Japanese lines break between phrases
