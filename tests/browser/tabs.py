"""A pool of browser tabs for the tests: a new tab costs twice as much as loading a page."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Literal, NamedTuple, NoReturn
from weakref import WeakKeyDictionary

from playwright.sync_api import Browser, ConsoleMessage, Error, Page, ViewportSize, expect

DESKTOP: ViewportSize = {"width": 1280, "height": 800}
TIMEOUT = 60_000
NAVIGATION_TIMEOUT = 90_000
"""Timeouts for pages, in milliseconds: the test server compiles kernels when they are first needed."""
FAULT_TYPES = ("error", "warning")
BLOCKED = "Service Worker registration blocked"
"""Console message about the service worker, blocked because its cache would hide changes from a test."""
BLANK = "/healthz"
"""A page of the server for which the browser requests no icon; a missing icon would fail a later test."""
CLEAR_STORAGE = "() => { localStorage.clear(); sessionStorage.clear(); return history.length; }"
MAX_ENTRIES = 30
"""A tab with a longer history is closed: at 50 entries Chromium forgets the oldest, and counts no further."""
SEEN = "try { if (!localStorage.length) localStorage.setItem('puzzles/learnt', 'true'); } catch {}"
"""Script that stores that the first steps are done: they come to everybody who has solved nothing."""
PERMANENT = ("add_init_script", "expose_binding", "expose_function")
"""Methods of a page whose effect cannot be undone."""

OpenTab = Callable[..., AbstractContextManager[Page]]
EXPECTED: WeakKeyDictionary[Page, tuple[str, ...]] = WeakKeyDictionary()


def expect_faults(page: Page, *texts: str) -> None:
    """Expect console messages with these texts instead of failing the test."""
    EXPECTED[page] = texts


class Look(NamedTuple):
    """Options of a tab that can be changed later; the pool sets those requested before each test.

    Motion is reduced because animations take a sixth of the processor time of a test that plays.
    """

    viewport: ViewportSize = DESKTOP
    color_scheme: Literal["light", "dark"] = "light"
    reduced_motion: Literal["reduce", "no-preference"] = "reduce"

    def give(self, page: Page) -> None:
        """Give a tab this look."""
        if page.viewport_size != self.viewport:
            page.set_viewport_size(self.viewport)
        page.emulate_media(media="null", color_scheme=self.color_scheme, reduced_motion=self.reduced_motion)


def new_tab(browser: Browser, address: str, first_visit: bool = False, **options: Any) -> Page:
    """Open a tab of a new browser context. Unless it is a first visit, the default settings are stored."""
    usual = {"base_url": address, "locale": "en-GB", "service_workers": "block"}
    context = browser.new_context(**{**usual, **Look()._asdict(), **options})
    context.set_default_timeout(TIMEOUT)
    context.set_default_navigation_timeout(NAVIGATION_TIMEOUT)
    expect.set_options(timeout=TIMEOUT)
    if not first_visit:
        context.add_init_script(SEEN)
    return context.new_page()


@contextmanager
def watched(page: Page) -> Iterator[Page]:
    """Fail the test if the page throws, or logs an error or warning that is not expected."""
    faults: list[str] = []

    def note_error(error: Error) -> None:
        faults.append(f"error: {error}")

    def note_message(message: ConsoleMessage) -> None:
        faults.extend([message.text] * (message.type in FAULT_TYPES))

    page.on("pageerror", note_error)
    page.on("console", note_message)
    yield page
    page.remove_listener("pageerror", note_error)
    page.remove_listener("console", note_message)
    expected = (*EXPECTED.pop(page, ()), BLOCKED)
    unexpected = [fault for fault in faults if not any(known in fault for known in expected)]
    assert unexpected == [], unexpected


@contextmanager
def opened(browser: Browser, address: str, **options: Any) -> Iterator[Page]:
    """Open a tab that is closed afterwards."""
    page = new_tab(browser, address, **options)
    try:
        with watched(page):
            yield page
    finally:
        page.context.close()


class TabPool:
    """Tabs at one address, used by one test after another. The tab of a failed test is closed."""

    def __init__(self, browser: Browser, address: str) -> None:
        self._browser, self._address = browser, address
        self._free: dict[str, Page] = {}

    @contextmanager
    def open(self, **options: Any) -> Iterator[Page]:
        """Open a tab from the pool. Effects that cannot be undone need a new tab (`opened`)."""
        look = Look(**{name: options.pop(name) for name in Look._fields if name in options})
        options["viewport"] = look.viewport
        name = repr(sorted(options.items()))
        page = self._free.pop(name, None) or self._new(options)
        try:
            look.give(page)
            with watched(page):
                yield page
            left_over = self._free.pop(name, None)
            if clean(page) > MAX_ENTRIES:
                page.context.close()
            else:
                self._free[name] = page
        except BaseException:
            page.context.close()
            raise
        if left_over is not None:
            left_over.context.close()

    def close(self) -> None:
        """Close all tabs."""
        for page in self._free.values():
            page.context.close()

    def _new(self, options: dict[str, Any]) -> Page:
        page = new_tab(self._browser, self._address, **options)
        for name in PERMANENT:
            setattr(page, name, refuse)
        return page


def refuse(*arguments: object, **more: object) -> NoReturn:
    """Raise an error: other tests will use this tab."""
    raise AssertionError("this lasts as long as the tab: mark the test `own_tab`")


def clean(page: Page) -> int:
    """Reset a tab: only the browser's cache stays. Return the number of its history's entries."""
    page.unroute_all(behavior="ignoreErrors")
    page.context.set_offline(False)
    for other in page.context.pages:
        if other is not page:
            other.close()
    page.goto(BLANK)
    entries: int = page.evaluate(CLEAR_STORAGE)
    page.context.clear_cookies()
    return entries
