"""Pattern databases and duplicate pruning of the 15-puzzle, compared with naive searches."""

import random
from collections import deque
from collections.abc import Iterator

import numpy as np
import pytest

from hoppers.puzzles.sliding import pattern_databases, pattern_search
from tests import naive
from tests.support.engine import find
from tests.support.sliding_positions import HOME_15, naive_manhattan, near_home, walk


def pattern_sums(text: str) -> tuple[int, int]:
    """Return the sum of the three tables for a position, and their sum for its mirror image."""
    state, patterns = np.uint64(find("fifteen-puzzle").parse(text).state), pattern_databases.load()
    own, mirror = (pattern_search.pack_index(state, mirror, patterns)[1] for mirror in (False, True))
    return int(own), int(mirror)


def test_pattern_sums_exceed_manhattan_by_an_even_number() -> None:
    for text in walk(4, 7, 2000):
        sums, least = pattern_sums(text), naive_manhattan(text)
        assert least <= min(sums)
        assert {value % 2 for value in sums} == {least % 2}
        assert pattern_sums(reflected(text)) == sums[::-1]


def test_pattern_sums_and_their_maximum_are_consistent() -> None:
    game = naive.Sliding(4, 4)
    for text in walk(4, 8, 1500):
        here = pattern_sums(text)
        for _, _, after, _ in game.steps(text):
            there = pattern_sums(after)
            assert {abs(a - b) for a, b in zip(here, there, strict=True)} == {1}
            assert abs(max(here) - max(there)) <= 1


def test_pattern_sums_are_admissible() -> None:
    distances = near_home(12)
    assert all(max(pattern_sums(text)) <= moves for text, moves in distances.items())
    assert [max(pattern_sums(text)) for text in ("e80921f3cd645b7a", "0c9dfbae37624851")] == [42, 64]


def naive_own_moves(group: tuple[int, ...]) -> dict[str, int]:
    """Return the fewest moves of the tiles in `group` from home, by text with the other tiles as '*'."""
    start = "".join(f"{t:x}" if t in group else "*" for t in range(1, 16)) + "0"
    game, distances, queue = naive.Sliding(4, 4), {start: 0}, deque([start])
    while queue:
        text = queue.popleft()
        for origin, _, after, _ in game.steps(text):
            cost = int(text[origin] != "*")
            if distances[text] + cost < distances.get(after, 99):
                distances[after] = distances[text] + cost
                (queue.append if cost else queue.appendleft)(after)
    return distances


def test_region_table_matches_the_naive_search() -> None:
    group = pattern_databases.GROUPS[2]
    table, numbers = pattern_databases.fewest_own_moves(group), pattern_databases.entry_numbers(3)
    orders = numbers.orders.tolist()
    expected = naive_own_moves(group)
    assert len(expected) == 16 * 15 * 14 * 13
    for text, moves in expected.items():
        cells = [cell for cell in range(16) if text[cell] not in "*0"]
        block = numbers.blocks[sum(1 << cell for cell in cells), text.index("0")]
        assert table[block, orders.index([group.index(int(text[cell], 16)) for cell in cells])] == moves


def test_descent_by_stored_bits_gives_the_table_value() -> None:
    loaded, rng = pattern_databases.load(), random.Random(9)
    for group, (size, _, base) in zip(pattern_databases.GROUPS, loaded.groups.tolist(), strict=True):
        table = pattern_databases.fewest_own_moves(group)
        numbers = pattern_databases.entry_numbers(len(group))
        marks = loaded.bits[base : base + 16**size]
        for _ in range(500):
            block, order = rng.randrange(len(table)), rng.randrange(table.shape[1])
            cells = [cell for cell in range(16) if numbers.taken[block] >> cell & 1]
            blank = rng.choice([cell for cell in range(16) if numbers.regions[block] >> cell & 1])
            placed = zip(cells, numbers.orders[order].tolist(), strict=True)
            placement = sum(cell << 4 * tile for cell, tile in placed)
            assert pattern_databases.own_moves_left(placement, size, blank, marks) == table[block, order]


@pytest.mark.parametrize("start", [0, 5, 15])
def test_duplicate_pruning_loses_no_position_and_no_move(start: int) -> None:
    """Breadth-first search, the blank in one of three cells, with and without the finite-state machine."""
    game, rows = naive.Sliding(4, 4), pattern_databases.load().machines.tolist()
    text = HOME_15[:start] + "0" + HOME_15[start:15]
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
