"""A server as users run it, with warm-up and stored answers, and its tabs."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from hoppers.runtime.cache_folder import cache_folder
from tests.browser.tabs import TabPool
from tests.support.processes import Server


@pytest.fixture(scope="session")
def users_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """URL of `hoppers run` in a process of its own. It begins without stored answers."""
    server = Server(
        {"HOPPERS_CACHE": str(cache_without_answers(tmp_path_factory.mktemp("cache")))}, WARM_UP=True
    )
    try:
        server.wait()
        yield server.url
    finally:
        server.end()


def cache_without_answers(folder: Path) -> Path:
    """Return `folder`, filled with links to machine code and tables, which take minutes to make."""
    for entry in cache_folder().iterdir():
        if entry.name != "answers":
            (folder / entry.name).symlink_to(entry)
    return folder


@pytest.fixture(scope="session")
def users_tabs(browser: Browser, users_server: str) -> Iterator[TabPool]:
    """Tabs at the server as users run it."""
    tabs = TabPool(browser, users_server)
    yield tabs
    tabs.close()


@pytest.fixture
def page(users_tabs: TabPool) -> Iterator[Page]:
    """Tab at the server as users run it."""
    with users_tabs.open() as page:
        yield page
