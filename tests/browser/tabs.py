"""Tabs that tests use one after another: a new one costs twice what loading a page into it does."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, NoReturn
from weakref import WeakKeyDictionary

from playwright.sync_api import Browser, ConsoleMessage, Error, Page, ViewportSize, expect

DESKTOP: ViewportSize = {"width": 1280, "height": 800}
PATIENCE = 60_000
PATIENCE_WITH_COMPILERS = 90_000
"""For pages: the server of the tests compiles what it needs when it needs it."""
LOUD = ("error", "warning")
BLOCKED = "Service Worker registration blocked"
"""What the console says about it: a worker would hide from a test what changed."""
BLANK = "/static/icon.svg"
"""A place of the same site for which a browser asks for no icon, which would be told as missing later on."""
FORGET = "() => { localStorage.clear(); sessionStorage.clear(); }"
SEEN = "try { if (!localStorage.length) localStorage.setItem('puzzles/settings', '{}'); } catch {}"
"""Nobody's first visit: on that a piece glows until one is moved, and the browser never rests."""
FOR_GOOD = ("add_init_script", "expose_binding", "expose_function")
"""What a page cannot be rid of again."""

Lend = Callable[..., AbstractContextManager[Page]]
EXPECTED: WeakKeyDictionary[Page, tuple[str, ...]] = WeakKeyDictionary()


def expect_faults(page: Page, *texts: str) -> None:
    """Faults with these texts in them are what the test is about."""
    EXPECTED[page] = texts


def new_tab(browser: Browser, address: str, first_visit: bool = False, **options: Any) -> Page:
    """A tab of a browser that keeps nothing yet but, unless it is a first visit, the usual settings."""
    usual = {"base_url": address, "viewport": DESKTOP, "locale": "en-GB", "service_workers": "block"}
    context = browser.new_context(**{**usual, **options})
    context.set_default_timeout(PATIENCE)
    context.set_default_navigation_timeout(PATIENCE_WITH_COMPILERS)
    expect.set_options(timeout=PATIENCE)
    if not first_visit:
        context.add_init_script(SEEN)
    return context.new_page()


@contextmanager
def watched(page: Page) -> Iterator[Page]:
    """Fail the test for an error, a warning of the policy, or a failed request."""
    faults: list[str] = []

    def note_error(error: Error) -> None:
        faults.append(f"error: {error}")

    def note_message(message: ConsoleMessage) -> None:
        faults.extend([message.text] * (message.type in LOUD))

    page.on("pageerror", note_error)
    page.on("console", note_message)
    yield page
    page.remove_listener("pageerror", note_error)
    page.remove_listener("console", note_message)
    expected = (*EXPECTED.pop(page, ()), BLOCKED)
    assert [fault for fault in faults if not any(known in fault for known in expected)] == []


@contextmanager
def opened(browser: Browser, address: str, **options: Any) -> Iterator[Page]:
    """A tab of its own that forgives nothing."""
    page = new_tab(browser, address, **options)
    try:
        with watched(page):
            yield page
    finally:
        page.context.close()


class Tabs:
    """Tabs at one address, lent to one test after another; one that saw a test fail is thrown away."""

    def __init__(self, browser: Browser, address: str) -> None:
        """Tabs are opened when they are needed."""
        self._browser, self._address = browser, address
        self._free: dict[str, Page] = {}

    @contextmanager
    def lend(self, **options: Any) -> Iterator[Page]:
        """A tab that forgives nothing; what cannot be undone needs one of its own (`opened`)."""
        name = repr(sorted(options.items()))
        page = self._free.pop(name, None) or self._new(options)
        try:
            with watched(page):
                yield page
            clean(page, options.get("viewport", DESKTOP))
            self._free[name], left_over = page, self._free.get(name)
        except BaseException:
            page.context.close()
            raise
        if left_over is not None:
            left_over.context.close()

    def close(self) -> None:
        """Close them all."""
        for page in self._free.values():
            page.context.close()

    def _new(self, options: dict[str, Any]) -> Page:
        page = new_tab(self._browser, self._address, **options)
        for name in FOR_GOOD:
            setattr(page, name, refuse)
        return page


def refuse(*arguments: object, **more: object) -> NoReturn:
    """Say that others will use this tab."""
    raise AssertionError("this lasts as long as the tab: mark the test `own_tab`")


def clean(page: Page, viewport: ViewportSize) -> None:
    """Leave it as it was, with nothing kept but what the browser has loaded."""
    page.unroute_all(behavior="ignoreErrors")
    page.context.set_offline(False)
    for other in page.context.pages:
        if other is not page:
            other.close()
    page.goto(BLANK)
    page.evaluate(FORGET)
    page.context.clear_cookies()
    page.set_viewport_size(viewport)
    page.emulate_media(media="null")
