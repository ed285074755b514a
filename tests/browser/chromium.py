"""A Chromium for the tests. ``python -m tests.browser.chromium`` checks whether one starts."""

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Error, Playwright, sync_playwright

CHOICE = "HOPPERS_BROWSER"
COMMANDS = [
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
    "microsoft-edge-stable",
    "brave-browser",
]
APPLICATIONS = [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
    "C:/Program Files (x86)/Microsoft/Edge/Application/msedge.exe",
]
QUIET = [
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-gpu",
    "--disable-software-rasterizer",
    "--disable-site-isolation-trials",
]


@contextmanager
def launched() -> Iterator[Browser]:
    """Provide the first browser that starts, and close it at the end."""
    with sync_playwright() as playwright:
        browser = launch(playwright)
        try:
            yield browser
        finally:
            browser.close()


def launch(playwright: Playwright) -> Browser:
    """Return the first candidate that starts; raise RuntimeError if none does."""
    failures = []
    for path in candidates(playwright):
        try:
            return playwright.chromium.launch(executable_path=path, args=arguments())
        except Error as error:
            failures.append(f"{path or 'the one of Playwright'}: {error.message.splitlines()[0]}")
    raise RuntimeError("no browser starts: " + ("; ".join(failures) or "none was found"))


def candidates(playwright: Playwright) -> list[str | None]:
    """Return the paths of browsers on this machine, the best for tests first.

    A browser set by ``HOPPERS_BROWSER`` is the only candidate. None stands for Playwright's headless shell.
    A headless shell takes a third less time than a full browser.
    """
    if CHOICE in os.environ:
        return [os.environ[CHOICE]]
    commands = filter(None, map(shutil.which, COMMANDS))
    paths = [playwright.chromium.executable_path, *commands, *APPLICATIONS]
    return [None, *(path for path in paths if Path(path).exists())]


def arguments() -> list[str]:
    """Return options that keep the browser off the network.

    As root, the browser only starts without its sandbox.
    """
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    return [*QUIET, "--no-sandbox"] if is_root else QUIET


def main() -> None:
    """Exit with the reason if no browser starts."""
    try:
        with launched():
            pass
    except (Error, OSError, RuntimeError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
