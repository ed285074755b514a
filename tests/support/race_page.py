"""Races in the page, with the nodes that they must count."""

from playwright.sync_api import Page, expect

RACE = "/puzzles/hoppers/race?methods=deepening,corners&find=all"
LONG = "/puzzles/eight-puzzle/race?position=867254301&methods=deepening,manhattan,linear-conflict"
UNEVEN = "/puzzles/fifteen-puzzle/race?position=e80921f3cd645b7a&methods=deepening,linear-conflict"
"""Address of a race in which iterative deepening never ends and the other method is quick."""
PLAIN = [17, 73, 441, 2553, 12041, 46081, 118217]
CORNERS = [1, 1, 1, 57, 633, 5129, 30537]
"""Nodes of limits 1 to 7 from the start of Hoppers 13 with the corner bound, with all solutions counted."""


def rows(page: Page, column: int) -> list[int]:
    """Return the nodes of all limits that the method in column `column`, from 0, has searched."""
    script = "(cells) => cells.map((cell) => Number(cell.dataset.nodes))"
    cells = page.locator(f".race-rows tbody tr td:nth-child({column + 2}):not(.none)")
    found: list[int] = cells.evaluate_all(script)
    return found


def start(page: Page) -> None:
    """Start the race."""
    page.get_by_role("button", name="Start the race").click()


def won(page: Page) -> None:
    """Wait until the race is decided."""
    expect(page.locator('.lane-state[data-state="won"]')).to_be_visible(timeout=60_000)
