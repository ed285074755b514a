"""Questions of the lessons, answered by the idea of each lesson, without the "Solution" button.

Each answer uses the rules (`tests/naive.py`) and the lesson's idea only. Wrong answers are tried first.
"""

from collections.abc import Callable

import pytest
from flask.testing import FlaskClient
from playwright.sync_api import Page, expect

from hoppers.web.pages.lessons import Exercise, all_lessons
from tests import naive
from tests.browser.fixtures import hole, play, press, steps_of, verdict

Steps = list[tuple[int, int]]
HOPPERS, TILES = naive.rules("hoppers"), naive.rules("eight-puzzle")


def question(number: int) -> Exercise:
    return all_lessons()[number - 1].question


def test_every_lesson_has_an_answer_here() -> None:
    assert list(ANSWERS) == list(range(1, len(all_lessons()) + 1))


def answer_by_long_chains() -> Steps:
    """Answer lesson 1: six jumps in three moves, so every peg that moves must continue its chain."""
    moves = [[0, 2, 12], [5, 1, 11], [12, 10, 6]]
    exercise = question(1)
    assert exercise.position.count("o") - 1 == len(steps_of(moves)) == 6
    assert naive.fewest_moves(HOPPERS, exercise.position, exercise.goal) == len(moves)
    return steps_of(moves)


def answer_by_iterative_deepening() -> Steps:
    """Answer lesson 2: of four jumps, one begins the only solution in three moves; fewer do not suffice."""
    exercise = question(2)
    assert len(HOPPERS.steps(exercise.position)) == 4
    solutions = [naive.solutions(HOPPERS, exercise.position, exercise.goal, limit) for limit in (1, 2, 3)]
    assert [len(found) for found in solutions] == [0, 0, 1]
    return solutions[2][0]


def answer_by_corners() -> Steps:
    """Answer lesson 3: pegs are in two corners, and one of them visits two more corners in its chain."""
    moves = [[0, 6], [4, 8], [2, 0, 10, 6]]
    exercise = question(3)
    assert {0, 10} < {*moves[2]} & {0, 2, 10, 12}
    assert naive.fewest_moves(HOPPERS, exercise.position, exercise.goal) == len(moves)
    return steps_of(moves)


def answer_by_parity() -> Steps:
    """Answer lesson 4: choose the position that an even number of swaps solves; slide tiles round a ring."""
    exercise = question(4)
    assert [swaps(text) % 2 for text in (exercise.unsolvable, exercise.position)] == [1, 0]
    ring = [8, 5, 2, 1, 4, 7]
    wrong = {cell for cell, tile in enumerate(exercise.position) if int(tile) != (cell + 1) % 9}
    assert wrong < {*ring}
    rounds = [
        list(zip(ring_order[1:] + ring_order[:1], ring_order, strict=True))
        for ring_order in (ring, [8, *ring[:0:-1]])
    ]
    (ring_order,) = [steps for steps in rounds if TILES.solved(play_steps(exercise.position, steps), "")]
    return ring_order


def swaps(text: str) -> int:
    """Return the number of swaps of two tiles that bring all tiles home."""
    cells, count = list(text), 0
    for home, tile in enumerate("123456780"):
        if cells[home] != tile:
            other = cells.index(tile)
            cells[home], cells[other] = cells[other], cells[home]
            count += 1
    return count


def play_steps(text: str, steps: Steps, game: naive.Rules = TILES) -> str:
    for origin, target in steps:
        text = next(after for a, b, after, _ in game.steps(text) if (a, b) == (origin, target))
    return text


def answer_by_manhattan_distance() -> Steps:
    """Answer lesson 5: the Manhattan distance is exact, so exactly one slide lowers it each time."""
    text, steps = question(5).position, Steps()
    while distance(text):
        ((origin, target, text, _),) = [
            step for step in TILES.steps(text) if distance(step[2]) < distance(text)
        ]
        steps.append((origin, target))
    assert len(steps) == distance(question(5).position) == 12
    return steps


def distance(text: str) -> int:
    """Return the Manhattan distance of a position of the 8-puzzle from its goal."""
    pairs = [(divmod(cell, 3), divmod(int(tile) - 1, 3)) for cell, tile in enumerate(text) if tile != "0"]
    return sum(abs(row - home_row) + abs(column - home) for (row, column), (home_row, home) in pairs)


ANSWERS: dict[int, Callable[[], Steps] | None] = {
    1: answer_by_long_chains,
    2: answer_by_iterative_deepening,
    3: answer_by_corners,
    4: answer_by_parity,
    5: answer_by_manhattan_distance,
    6: None,  # by looking up every position, see below
}
WRONG = {1: ((0, 10), "5 in all"), 5: ((7, 6), "14 in all")}
"""Lesson -> a first step that wastes moves, and the part of the page's message about it."""


@pytest.mark.parametrize("number", range(1, 6))
def test_answers_solve_their_questions(number: int) -> None:
    """The answer to lesson 6 has a test of its own."""
    find_answer, exercise = ANSWERS[number], question(number)
    assert find_answer is not None
    game = TILES if exercise.puzzle == "eight-puzzle" else HOPPERS
    assert game.solved(play_steps(exercise.position, find_answer(), game), exercise.goal)


def open_question(page: Page, number: int, index: int = -1) -> None:
    page.goto(f"/lessons/{number}")
    page.locator(".choices a").nth(index).click()
    expect(page.locator(".count")).not_to_be_empty()
    expect(page.locator("[data-sent]")).to_have_count(0)  # the scripts have run


@pytest.mark.browser
@pytest.mark.parametrize("number", WRONG)
def test_a_wasted_move_is_reported_and_can_be_undone(page: Page, number: int) -> None:
    step, message = WRONG[number]
    open_question(page, number)
    make(page, number, [step])
    expect(verdict(page)).to_contain_text(message)
    expect(verdict(page)).to_have_attribute("data-verdict", "live")
    press(page, "Undo")
    answer(page, number)


def make(page: Page, number: int, steps: Steps) -> None:
    """Make steps on the page; a tile slides when it is pressed once."""
    if question(number).puzzle == "hoppers":
        play(page, steps)
    else:
        for origin, _ in steps:
            hole(page, origin).click()


def answer(page: Page, number: int) -> None:
    """Play the answer; the page must call it optimal."""
    find_answer = ANSWERS[number]
    assert find_answer is not None
    make(page, number, find_answer())
    expect(verdict(page)).to_contain_text("OPTIMAL")


@pytest.mark.browser
def test_a_losing_step_is_reported_and_can_be_undone(page: Page) -> None:
    open_question(page, 2)
    play(page, [(1, 5)])
    expect(verdict(page)).to_contain_text("the last live position was 1 move ago")
    press(page, "Go back")
    expect(verdict(page)).to_have_attribute("data-verdict", "live")
    answer(page, 2)


@pytest.mark.browser
def test_a_wrong_choice_leads_back_to_the_lesson(page: Page) -> None:
    open_question(page, 4, 0)
    expect(verdict(page)).to_contain_text("half of all orders can never be reached")
    page.get_by_role("link", name="Back to the lesson").first.click()
    page.locator(".choices a").nth(1).click()
    expect(page.locator(".count")).not_to_be_empty()
    expect(page.locator("[data-sent]")).to_have_count(0)  # the scripts have run
    expect(verdict(page)).to_have_attribute("data-verdict", "live")
    answer(page, 4)


def test_looking_up_every_jump_solves_hoppers_in_seven(client: FlaskClient) -> None:
    """Try jumps; undo a jump if the position is dead or the total exceeds seven."""
    exercise, refused = question(6), set[str]()
    line = [(exercise.position, 0)]
    while not HOPPERS.solved(line[-1][0], exercise.goal):
        after, spent = next_jump(*line[-1], refused)
        left = moves_left(client, after, exercise.goal)
        if left is not None and spent + left == 7:
            line.append((after, spent))
        else:
            refused.add(after)
    assert line[-1][1] == 7 and len(refused) > 3


def next_jump(text: str, spent: int, refused: set[str]) -> tuple[str, int]:
    """Return the position after a jump that has not been refused, if possible with the active peg."""
    steps = sorted(HOPPERS.steps(text), key=lambda step: (step[3], -step[1]))
    _, _, after, cost = next(step for step in steps if step[2] not in refused)
    return after, spent + cost


def moves_left(client: FlaskClient, text: str, goal: str) -> int | None:
    """Return the moves left that the server shows, or None if the position is dead."""
    answer = client.get(f"/api/puzzles/hoppers/positions/{text}?goal={goal}").get_json()
    left: int | None = answer["moves_left"]
    assert (left is None) == (answer["verdict"] == "dead")
    return left
