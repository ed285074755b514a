"""The question of every lesson, answered as its reader would: by what the lesson says, not by "Solution".

A reader here knows the rules (by `tests/naive.py`) and the idea of the lesson; what is wrong is tried first.
"""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from hoppers.web.pages.lessons import Exercise, all_lessons
from tests import naive
from tests.browser.fixtures import hole, play, press, steps_of, verdict

Steps = list[tuple[int, int]]
HOPPERS, TILES = naive.rules("hoppers"), naive.rules("eight-puzzle")


def question(number: int) -> Exercise:
    return all_lessons()[number - 1].question


def test_there_is_a_reader_for_every_lesson() -> None:
    assert list(READERS) == list(range(1, len(all_lessons()) + 1))


def keeps_pegs_jumping() -> Steps:
    """Lesson 1: six jumps in three moves, so every peg that is taken up has to jump on."""
    moves = [[0, 2, 12], [5, 1, 11], [12, 10, 6]]
    asked = question(1)
    assert asked.position.count("o") - 1 == len(steps_of(moves)) == 6
    assert naive.fewest_moves(HOPPERS, asked.position, asked.goal) == len(moves)
    return steps_of(moves)


def deepens() -> Steps:
    """Lesson 2: no way of one move, none of two, and exactly one of three, after one of four jumps."""
    asked = question(2)
    assert len(HOPPERS.steps(asked.position)) == 4
    ways = [naive.solutions(HOPPERS, asked.position, asked.goal, limit) for limit in (1, 2, 3)]
    assert [len(found) for found in ways] == [0, 0, 1]
    return ways[2][0]


def runs_through_corners() -> Steps:
    """Lesson 3: pegs stand in two corners, and one of them takes two more corners on its way."""
    moves = [[0, 6], [4, 8], [2, 0, 10, 6]]
    asked = question(3)
    assert {0, 10} < {*moves[2]} & {0, 2, 10, 12}
    assert naive.fewest_moves(HOPPERS, asked.position, asked.goal) == len(moves)
    return steps_of(moves)


def counts_swaps() -> Steps:
    """Lesson 4: what an even number of swaps puts in order; then round the ring of what is out of place."""
    asked = question(4)
    assert [swaps(text) % 2 for text in (asked.beside, asked.position)] == [1, 0]
    ring = [8, 5, 2, 1, 4, 7]
    wrong = {cell for cell, tile in enumerate(asked.position) if int(tile) != (cell + 1) % 9}
    assert wrong < {*ring}
    rounds = [list(zip(way[1:] + way[:1], way, strict=True)) for way in (ring, [8, *ring[:0:-1]])]
    (way,) = [steps for steps in rounds if TILES.solved(carried_out(asked.position, steps), "")]
    return way


def swaps(text: str) -> int:
    """How many swaps of two tiles put all of them home."""
    cells, count = list(text), 0
    for home, tile in enumerate("123456780"):
        if cells[home] != tile:
            other = cells.index(tile)
            cells[home], cells[other] = cells[other], cells[home]
            count += 1
    return count


def carried_out(text: str, steps: Steps) -> str:
    for origin, target in steps:
        text = next(after for a, b, after, _ in TILES.steps(text) if (a, b) == (origin, target))
    return text


def brings_tiles_home() -> Steps:
    """Lesson 5: the distances are the answer, so there is just one slide each time that wastes nothing."""
    text, steps = question(5).position, Steps()
    while distance(text):
        ((origin, target, text, _),) = [
            step for step in TILES.steps(text) if distance(step[2]) < distance(text)
        ]
        steps.append((origin, target))
    assert len(steps) == distance(question(5).position) == 12
    return steps


def distance(text: str) -> int:
    """Rows and columns from home, of all tiles."""
    pairs = [(divmod(cell, 3), divmod(int(tile) - 1, 3)) for cell, tile in enumerate(text) if tile != "0"]
    return sum(abs(row - home_row) + abs(column - home) for (row, column), (home_row, home) in pairs)


READERS: dict[int, Callable[[], Steps] | None] = {
    1: keeps_pegs_jumping,
    2: deepens,
    3: runs_through_corners,
    4: counts_swaps,
    5: brings_tiles_home,
    6: None,  # looks every position up: see below
}
WRONG = {1: ((0, 10), "5 in all"), 3: ((0, 10), "4 in all"), 5: ((7, 6), "14 in all")}
"""Steps that cost moves, and what the page says."""


def go_to_the_board(page: Page, number: int, which: int = -1) -> None:
    page.goto(f"/lessons/{number}")
    page.locator(".choices a").nth(which).click()
    expect(page.locator(".count")).not_to_be_empty()


@pytest.mark.browser
@pytest.mark.parametrize("number", WRONG)
def test_a_step_that_costs_a_move_is_told_and_can_be_taken_back(page: Page, number: int) -> None:
    step, said = WRONG[number]
    go_to_the_board(page, number)
    make(page, number, [step])
    expect(verdict(page)).to_contain_text(said)
    expect(verdict(page)).to_have_attribute("data-verdict", "live")
    press(page, "Undo")
    answer(page, number)


def make(page: Page, number: int, steps: Steps) -> None:
    """Make steps: a tile slides as soon as it is pressed."""
    if question(number).puzzle == "hoppers":
        play(page, steps)
    else:
        for origin, _ in steps:
            hole(page, origin).click()


def answer(page: Page, number: int) -> None:
    """Play what the reader has found; the page calls it the best there is."""
    reader = READERS[number]
    assert reader is not None
    make(page, number, reader())
    expect(verdict(page)).to_contain_text("OPTIMAL")


@pytest.mark.browser
def test_a_step_that_loses_is_told_and_one_key_leads_back(page: Page) -> None:
    go_to_the_board(page, 2)
    play(page, [(1, 5)])
    expect(verdict(page)).to_contain_text("the last live position was 1 move ago")
    press(page, "Go back")
    expect(verdict(page)).to_have_attribute("data-verdict", "live")
    answer(page, 2)


@pytest.mark.browser
def test_a_wrong_choice_is_told_and_leads_back_to_the_lesson(page: Page) -> None:
    go_to_the_board(page, 4, 0)
    expect(verdict(page)).to_contain_text("half of all orders can never be reached")
    page.get_by_role("link", name="Back to the lesson").first.click()
    page.locator(".choices a").nth(1).click()
    expect(page.locator(".count")).not_to_be_empty()  # the scripts are there: a slide is not lost
    expect(verdict(page)).to_have_attribute("data-verdict", "live")
    answer(page, 4)


@pytest.mark.browser
def test_with_the_table_at_hand_the_usual_start_is_solved_in_seven(page: Page) -> None:
    """Any jump is tried; where the best total has grown, or nothing leads on, it is taken back."""
    go_to_the_board(page, 6)
    line, refused = [(question(6).position, 0)], set[str]()
    while not HOPPERS.solved(line[-1][0], question(6).goal):
        after, spent = try_a_jump(page, *line[-1], refused)
        left = looked_up(page, after)
        if left is not None and spent + left == 7:
            line.append((after, spent))
            continue
        refused.add(after)
        press(page, "Undo")  # the jump, or with it the whole move
        while line[-1][0] != page.locator("main").get_attribute("data-position"):
            line.pop()
    expect(verdict(page)).to_contain_text("OPTIMAL")
    assert len(refused) > 3


def try_a_jump(page: Page, text: str, spent: int, refused: set[str]) -> tuple[str, int]:
    """One that has not been refused, if possible of the peg in hand, for that is free."""
    steps = sorted(HOPPERS.steps(text), key=lambda step: (step[3], -step[1]))
    origin, target, after, cost = next(step for step in steps if step[2] not in refused)
    play(page, [(origin, target)])
    return after, spent + cost


def looked_up(page: Page, text: str) -> int | None:
    """What the line under the board says of the position: moves left, or that there is no way."""
    expect(page.locator("main")).to_have_attribute("data-position", text)
    expect(verdict(page)).to_have_attribute("data-verdict", re.compile("live|dead|solved"))
    left = verdict(page).get_attribute("data-moves-left")
    return int(left) if left else None
