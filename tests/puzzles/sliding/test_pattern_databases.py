"""Pattern databases and duplicate pruning of tiles in rows of four, compared with naive searches."""

import math
import random
from collections import deque
from collections.abc import Iterator

import numpy as np
import pytest

from hoppers.puzzles.sliding import pattern_databases, pattern_search
from tests import naive
from tests.support.engine import find
from tests.support.sliding_positions import naive_manhattan, near_home, walk

GAMES = {"fifteen-puzzle": naive.Sliding(4, 4), "tiles-3x4": naive.Sliding(4, 3)}
each_board = pytest.mark.parametrize("puzzle_id", GAMES)


def pattern_sums(puzzle_id: str, text: str) -> tuple[int, int]:
    """Return the first and the second sum of the tables for a position."""
    puzzle = find(puzzle_id)
    state, patterns = np.uint64(puzzle.parse(text).state), pattern_databases.load(puzzle.board)
    own, mirror = (pattern_search.pack_index(state, mirror, patterns)[1] for mirror in (False, True))
    return int(own), int(mirror)


@each_board
def test_pattern_sums_exceed_manhattan_by_an_even_number(puzzle_id: str) -> None:
    for text in walk(GAMES[puzzle_id], 7, 2000):
        sums, least = pattern_sums(puzzle_id, text), naive_manhattan(GAMES[puzzle_id], text)
        assert least <= min(sums)
        assert {value % 2 for value in sums} == {least % 2}


def test_second_sum_of_a_square_mirrors_the_first() -> None:
    for text in walk(GAMES["fifteen-puzzle"], 7, 500):
        sums = pattern_sums("fifteen-puzzle", text)
        assert pattern_sums("fifteen-puzzle", reflected(text)) == sums[::-1]


@each_board
def test_pattern_sums_and_their_maximum_are_consistent(puzzle_id: str) -> None:
    for text in walk(GAMES[puzzle_id], 8, 1500):
        here = pattern_sums(puzzle_id, text)
        for _, _, after, _ in GAMES[puzzle_id].steps(text):
            there = pattern_sums(puzzle_id, after)
            assert {abs(a - b) for a, b in zip(here, there, strict=True)} == {1}
            assert abs(max(here) - max(there)) <= 1


@pytest.mark.parametrize(
    ("puzzle_id", "bounds"),
    [
        ("fifteen-puzzle", {"e80921f3cd645b7a": 42, "0c9dfbae37624851": 64}),
        ("tiles-3x4", {"b2037658941a": 29, "43218b6507a9": 43}),
    ],
)
def test_pattern_sums_are_admissible(puzzle_id: str, bounds: dict[str, int]) -> None:
    distances = near_home(GAMES[puzzle_id], 12)
    assert all(max(pattern_sums(puzzle_id, text)) <= moves for text, moves in distances.items())
    assert {text: max(pattern_sums(puzzle_id, text)) for text in bounds} == bounds


def naive_own_moves(game: naive.Sliding, group: tuple[int, ...]) -> dict[str, int]:
    """Return the fewest moves of the tiles in `group` from home, by text with the other tiles as '*'."""
    start = "".join(tile if int(tile, 16) in (0, *group) else "*" for tile in game.home)
    distances, queue = {start: 0}, deque([start])
    while queue:
        text = queue.popleft()
        for origin, _, after, _ in game.steps(text):
            cost = int(text[origin] != "*")
            if distances[text] + cost < distances.get(after, 99):
                distances[after] = distances[text] + cost
                (queue.append if cost else queue.appendleft)(after)
    return distances


@pytest.mark.parametrize(("puzzle_id", "group"), [("fifteen-puzzle", (1, 5, 9)), ("tiles-3x4", (3, 7, 10))])
def test_region_table_matches_the_naive_search(puzzle_id: str, group: tuple[int, ...]) -> None:
    board = find(puzzle_id).board
    table = pattern_databases.fewest_own_moves(board, group)
    numbers = pattern_databases.entry_numbers(board, 3)
    orders = numbers.orders.tolist()
    expected = naive_own_moves(GAMES[puzzle_id], group)
    assert len(expected) == math.perm(len(board.points), 4)
    for text, moves in expected.items():
        cells = [cell for cell, tile in enumerate(text) if tile not in "*0"]
        block = numbers.blocks[sum(1 << cell for cell in cells), text.index("0")]
        assert table[block, orders.index([group.index(int(text[cell], 16)) for cell in cells])] == moves


@each_board
def test_descent_by_stored_bits_gives_the_table_value(puzzle_id: str) -> None:
    board, rng = find(puzzle_id).board, random.Random(9)
    loaded, groups = pattern_databases.load(board), pattern_databases.GROUPS[board][1]
    for group, (size, _, base) in zip(groups, loaded.groups[1].tolist(), strict=True):
        table = pattern_databases.fewest_own_moves(board, group)
        numbers = pattern_databases.entry_numbers(board, len(group))
        marks = loaded.bits[base : base + 16**size]
        for _ in range(500):
            block, order = rng.randrange(len(table)), rng.randrange(table.shape[1])
            cells = [cell for cell in range(16) if numbers.taken[block] >> cell & 1]
            blank = rng.choice([cell for cell in range(16) if numbers.regions[block] >> cell & 1])
            placed = zip(cells, numbers.orders[order].tolist(), strict=True)
            placement = sum(cell << 4 * tile for cell, tile in placed)
            left = pattern_databases.own_moves_left(placement, size, blank, loaded.closed, marks)
            assert left == table[block, order]


@pytest.mark.parametrize(
    ("puzzle_id", "start"), [*(("fifteen-puzzle", start) for start in (0, 5, 15)), ("tiles-3x4", 5)]
)
def test_duplicate_pruning_loses_no_position_and_no_move(puzzle_id: str, start: int) -> None:
    """Breadth-first search, the blank in some cell, with and without the finite-state machine."""
    game, rows = GAMES[puzzle_id], pattern_databases.load(find(puzzle_id).board).machines.tolist()
    text = game.home[:start] + "0" + game.home[start:-1]
    plain = {text: 0}
    layer, pruned = [text], {(text, 0)}
    for moves in range(1, 13):
        layer = list({a: 0 for t in layer for _, _, a, _ in game.steps(t) if a not in plain})
        plain.update(dict.fromkeys(layer, moves))
        pruned = {pair for at in pruned for pair in allowed(*at, rows, game)}
        assert set(layer) <= {after for after, _ in pruned}
    assert len(pruned) < 1.05 * len(layer)


def allowed(text: str, state: int, rows: list[int], game: naive.Sliding) -> Iterator[tuple[str, int]]:
    """Yield the positions after each slide that the machine allows, with the machine's next state."""
    for cell, gap, after, _ in game.steps(text):
        direction = {-4: 0, -1: 1, 1: 2, 4: 3}[cell - gap]
        if rows[state] >> 48 + direction & 1:
            yield after, rows[state] >> 12 * direction & 4095


def reflected(text: str) -> str:
    """Return the position reflected in the main diagonal, with its tiles renumbered accordingly."""
    tile = {
        f"{4 * row + column + 1:x}": f"{4 * column + row + 1:x}"
        for row in range(4)
        for column in range(4)
        if (row, column) != (3, 3)
    }
    cells = [text[4 * (cell % 4) + cell // 4] for cell in range(16)]
    return "".join(tile.get(cell, "0") for cell in cells)
