"""Hints and solutions of the page need the published number of moves, counted by the naive rules."""

import pytest
from playwright.sync_api import Page, expect

from tests import naive
from tests.browser.answers.naive_player import (
    HOPPERS,
    IN_MID_CHAIN,
    PUBLISHED,
    Game,
    board,
    expect_verdict,
    hinted_step,
    is_trap,
    make_step,
    open_at,
    position_on,
)
from tests.browser.fixtures import click, press, verdict

pytestmark = pytest.mark.browser

PUBLISHED_LINES = 18
"""Published solutions of Hoppers that begin with 0-6; 72 with all four symmetric first jumps."""


def of_few_moves(game: Game) -> object:
    """Return a game for every run if it has few moves, each of which costs a third of a second."""
    assert game.fewest is not None
    return game if game.fewest < 10 else pytest.param(game, marks=pytest.mark.minutes)


@pytest.mark.parametrize("game", [*map(of_few_moves, PUBLISHED), *IN_MID_CHAIN], ids=str)
def test_hint_after_hint_needs_the_fewest_moves(page: Page, game: Game) -> None:
    """After each hinted step the page shows the verdict of the new position."""
    assert game.fewest is not None
    open_at(page, game)
    position, made = position_on(page), 0
    assert position == game.position
    while not game.is_solved(position):
        assert made <= game.fewest
        position, cost = make_step(page, game, position, hinted_step(page))
        made += cost
        expect_verdict(page, "solved" if game.is_solved(position) else "live", game.fewest - made)
    assert made == game.fewest


@pytest.mark.parametrize("game", [*PUBLISHED, IN_MID_CHAIN[0]], ids=str)
def test_solution_has_the_fewest_moves(page: Page, game: Game) -> None:
    open_at(page, game)
    steps, moves = replayed_solution(page, game)
    assert moves == game.fewest
    if game is HOPPERS:
        assert steps in published_lines()


def replayed_solution(page: Page, game: Game) -> tuple[list[tuple[int, int]], int]:
    """Press Solution, replay it step by step, and return its steps and their cost by the naive rules."""
    press(page, "Solution")
    expect(page.locator(".player")).to_be_visible()
    press(page, "First")
    expect(board(page)).to_have_attribute("data-position", game.position)
    steps, moves, position = [], 0, game.position
    while not game.is_solved(position):
        click(page, "[data-player=forward]")
        expect(board(page)).not_to_have_attribute("data-position", position)
        step, cost = game.step_to(position, position := position_on(page))
        steps.append(step)
        moves += cost
    expect(verdict(page)).to_have_attribute("data-verdict", "solved")
    return steps, moves


def published_lines() -> list[list[tuple[int, int]]]:
    """Return all solutions of Hoppers in seven moves, by exhaustive search."""
    assert HOPPERS.fewest is not None
    lines = naive.solutions(HOPPERS.rules, HOPPERS.position, HOPPERS.goal, HOPPERS.fewest)
    assert len(lines) == 4 * PUBLISHED_LINES
    assert sum(line[0] == (0, 6) for line in lines) == PUBLISHED_LINES
    return lines


@pytest.mark.parametrize("game", IN_MID_CHAIN, ids=str)
def test_last_legal_step_of_a_chain_is_a_mistake(game: Game) -> None:
    """Otherwise the tests above could pass with any legal step as the hint."""
    assert game.moves_left(game.position) == game.fewest
    assert is_trap(game)


@pytest.mark.parametrize("game", IN_MID_CHAIN[:1], ids=str)
def test_verdict_is_that_of_the_position_on_the_board(page: Page, game: Game) -> None:
    """A losing step changes the verdict, and Undo restores it. The expected moves are by the naive rules."""
    open_at(page, game)
    fatal = next(step for step in game.rules.steps(game.position) if game.moves_left(step[2]) is None)
    make_step(page, game, game.position, fatal[:2])
    expect_verdict(page, "dead", None)
    press(page, "Undo")
    expect(board(page)).to_have_attribute("data-position", game.position)
    expect_verdict(page, "live", game.fewest)
