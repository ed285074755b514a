"""Lost games: undoing what the sentence says leads to where the naive solver finds a solution."""

import random
import re
from functools import cache
from typing import NamedTuple

import pytest
from playwright.sync_api import Page, expect

from tests.browser.fixtures import by_clicks, verdict
from tests.naive import fewest_moves, rules
from tests.translations import LANGUAGES

pytestmark = pytest.mark.browser

BOARD, START, GOAL = "triangle-15-red", ".oooooooooroooo", "any"
NUMBERS = re.compile(r"(?P<moves>\d+)(?: moves?|手)(?![目前]).*?|(?P<jumps>\d+)(?: jumps?|回)")


class Game(NamedTuple):
    """A random game: its jumps, and its positions from the start on."""

    jumps: list[tuple[int, int]]
    positions: list[str]
    first_of_move: list[bool]

    @property
    def line(self) -> str:
        """The game as in links; a jump that continues a move is written so, too."""
        text = ""
        for (a, b), is_first in zip(self.jumps, self.first_of_move, strict=True):
            text += f".{a}-{b}" if is_first else f"-{b}"
        return text.removeprefix(".")

    def begun(self, jumps: int) -> "Game":
        """Return the first `jumps` of the game."""
        return Game(self.jumps[:jumps], self.positions[: jumps + 1], self.first_of_move[:jumps])

    def before(self, moves: int, jumps: int) -> str:
        """Return the position before the last whole moves, and jumps before these."""
        at = len(self.jumps)
        for _ in range(moves):
            at = max(index for index in range(at) if self.first_of_move[index])
        return self.positions[at - jumps]

    def until(self, move: int) -> str:
        """Return the position after the first whole moves."""
        starts = [at for at, is_first in enumerate(self.first_of_move) if is_first] + [len(self.jumps)]
        return self.positions[starts[move]]


@cache
def can_be_solved(position: str) -> bool:
    """Return whether the naive solver finds a solution."""
    return fewest_moves(rules(BOARD), position, GOAL) is not None


def random_game(rng: random.Random, ends: bool) -> Game:
    """Return a random lost game: to its end, or while a jump is left. Some moves have several jumps."""
    while True:
        game = Game([], [START], [])
        while steps := rules(BOARD).steps(game.positions[-1]):
            on = [step for step in steps if not step[3]]
            a, b, after, cost = rng.choice(on if on and rng.random() < 0.8 else steps)
            game.jumps.append((a, b))
            game.positions.append(after)
            game.first_of_move.append(bool(cost))
            is_late = not can_be_solved(after) and rng.random() < 0.2
            if not ends and is_late and rules(BOARD).steps(after):
                return game
        if ends and not can_be_solved(game.positions[-1]):
            return game


def is_lost_inside_a_move(game: Game) -> bool:
    """Return whether the jump that lost the game continues a move."""
    lost = next(at for at, position in enumerate(game.positions) if not can_be_solved(position))
    return not game.first_of_move[lost - 1]


def lost_games(ends: bool) -> list[Game]:
    """Return three games lost inside a move, and two lost by its first jump."""
    rng, kept = random.Random(41), {True: list[Game](), False: list[Game]()}
    while len(kept[True]) < 3 or len(kept[False]) < 2:
        game = random_game(rng, ends)
        kept[is_lost_inside_a_move(game)].append(game)
    return kept[True][:3] + kept[False][:2]


@pytest.mark.parametrize("language", LANGUAGES)
def test_way_back_leads_to_where_the_game_could_be_solved(page: Page, language: str) -> None:
    for game in lost_games(ends=False):
        query = f"start={START}&goal={GOAL}&line={game.line}&depth=study&lang={language}"
        page.goto(f"/puzzles/{BOARD}?{query}")
        expect(verdict(page)).to_have_attribute("data-verdict", "dead")
        expect(page.locator("main")).to_have_attribute("data-position", game.positions[-1])
        sentence = page.locator(".status .more, [role=status] .more").first
        expect(sentence).to_have_text(re.compile(r"\d"))
        numbers = {
            name: int(number)
            for found in NUMBERS.finditer(sentence.inner_text())
            for name, number in found.groupdict().items()
            if number
        }
        moves, jumps = numbers.get("moves", 0), numbers.get("jumps", 0)
        assert can_be_solved(game.before(moves, jumps)), sentence.inner_text()
        nearer = game.positions.index(game.before(moves, jumps)) + 1
        assert not can_be_solved(game.positions[nearer]), "one jump less is not enough"
        page.locator("#go-back").click()
        expect(page.locator("main")).to_have_attribute("data-position", game.before(moves, jumps))


@pytest.mark.parametrize("language", LANGUAGES)
def test_end_of_a_lost_game_names_the_losing_move(page: Page, language: str) -> None:
    """The first game is played whole, the others from a link to their last jump."""
    for number, game in enumerate(lost_games(ends=True)):
        begun = game.begun(len(game.jumps) - 1 if number else 0)
        line = f"&line={begun.line}" if begun.jumps else ""
        page.goto(f"/puzzles/{BOARD}?start={START}&goal={GOAL}{line}&depth=study&lang={language}")
        expect(page.locator("[data-movable]").first).to_be_attached()
        played = len(begun.jumps)
        for (a, b), after in zip(game.jumps[played:], game.positions[played + 1 :], strict=True):
            by_clicks(page, a, b)
            expect(page.locator("main")).to_have_attribute("data-position", after)
        for place in ("#result .sub", ".note"):
            told = page.locator(place).first
            expect(told).to_have_text(re.compile(r"\d"))
            (move,) = map(int, re.findall(r"\d+", told.inner_text()))
            assert can_be_solved(game.until(move - 1)) and not can_be_solved(game.until(move)), place
