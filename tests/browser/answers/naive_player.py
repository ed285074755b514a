"""A player that reads the board from the page and knows only the naive rules."""

from typing import NamedTuple
from urllib.parse import urlencode

from playwright.sync_api import Locator, Page, expect

from tests import naive
from tests.browser.fixtures import by_clicks, click

TIMEOUT_MILLISECONDS = 60_000
"""Milliseconds to wait for a verdict; the server loads kernels when they are first needed."""


class Game(NamedTuple):
    """A position to play from, and the fewest moves to its goal; None if the goal cannot be reached."""

    puzzle: str
    position: str
    goal: str
    fewest: int | None

    def __str__(self) -> str:
        return f"{self.puzzle} {self.position} {self.goal}"

    @property
    def rules(self) -> naive.Rules:
        """Naive rules of the puzzle."""
        return naive.rules(self.puzzle)

    def is_solved(self, position: str) -> bool:
        """Return whether `position` fulfils the goal."""
        return self.rules.solved(position, self.goal)

    def step(self, position: str, origin: int, target: int) -> tuple[str, int]:
        """Return the position after a step and its cost in moves; fail if the step is illegal."""
        found = [
            (after, cost) for a, b, after, cost in self.rules.steps(position) if (a, b) == (origin, target)
        ]
        assert found, f"{origin}-{target} is illegal in {position}"
        return found[0]

    def step_to(self, position: str, after: str) -> tuple[tuple[int, int], int]:
        """Return the step that leads from `position` to `after`, and its cost; fail if there is none."""
        found = [((a, b), cost) for a, b, text, cost in self.rules.steps(position) if text == after]
        assert found, f"no step leads from {position} to {after}"
        return found[0]

    def moves_left(self, position: str) -> int | None:
        """Return the fewest moves from `position`, by breadth-first search."""
        return naive.fewest_moves(self.rules, position, self.goal)


HOPPERS = Game("hoppers", "oooooo.oooooo", "6", 7)
PUBLISHED = [
    HOPPERS,
    Game("triangle-15", ".oooooooooooooo", "0", 10),
    Game("eight-puzzle", "867254301", "123456780", 31),
    Game("flip-it-6", "bb_bbb", "any", 8),
]
"""Published problems with their fewest moves."""
IN_MID_CHAIN = [
    Game("hoppers", "..oo..o.o.oo.:6", "6", 4),
    Game("triangle-15", "ooo.o..o.oooo.o:1", "0", 6),
]
"""Positions with an active peg whose last legal step is a mistake."""


def is_trap(game: Game) -> bool:
    """Return whether the position is solvable and its last legal step begins no shortest solution."""
    fewest = game.moves_left(game.position)
    _, _, after, cost = game.rules.steps(game.position)[-1]
    left = game.moves_left(after)
    return fewest is not None and (left is None or cost + left > fewest)


def open_at(page: Page, game: Game) -> None:
    """Open the page of a puzzle at a position in Study, and wait until its verdict is known."""
    query = {"position": game.position, "goal": game.goal, "lang": "en", "depth": "study"}
    page.goto(f"/puzzles/{game.puzzle}?{urlencode(query)}")
    expect_verdict(page, "dead" if game.fewest is None else "live", game.fewest)


def expect_verdict(page: Page, word: str, moves_left: int | None) -> None:
    """Check the verdict on the page and its number of moves."""
    left = "" if moves_left is None else str(moves_left)
    status = page.locator(f'[role="status"][data-verdict="{word}"][data-moves-left="{left}"]')
    expect(status).to_be_attached(timeout=TIMEOUT_MILLISECONDS)


def board(page: Page) -> Locator:
    """Return the element whose `data-position` is the position on the board."""
    return page.locator("main")


def position_on(page: Page) -> str:
    """Return the position on the board."""
    return board(page).get_attribute("data-position") or ""


def make_step(page: Page, game: Game, position: str, step: tuple[int, int]) -> tuple[str, int]:
    """Make a step by clicks, wait until the board shows it, and return the position after it and its cost."""
    after, cost = game.step(position, *step)
    by_clicks(page, *step)
    expect(board(page)).to_have_attribute("data-position", after)
    return after, cost


def hinted_step(page: Page) -> tuple[int, int]:
    """Press Hint twice and return the step that it marks on the board."""
    found = []
    for stage in ("from", "to"):
        click(page, "#hint")
        found.append(page.locator(f'[data-hint="{stage}"]').get_attribute("data-hole"))
    origin, target = found
    assert origin is not None and target is not None
    return int(origin), int(target)
