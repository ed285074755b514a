"""Positions of sliding puzzles by the naive rules."""

import random
from collections.abc import Iterator

from tests import naive


def walk(game: naive.Sliding, seed: int, steps: int) -> Iterator[str]:
    """Yield the positions of a random walk from home that never undoes a slide."""
    rng, text, before = random.Random(seed), game.home, ""
    for _ in range(steps):
        choices = [after for _, _, after, _ in game.steps(text) if after != before]
        before, text = text, rng.choice(choices)
        yield text


def near_home(game: naive.Sliding, moves: int) -> dict[str, int]:
    """Return all positions at most `moves` moves from home, with their distances."""
    distances, layer = {game.home: 0}, [game.home]
    for distance in range(1, moves + 1):
        layer = [after for text in layer for _, _, after, _ in game.steps(text) if after not in distances]
        distances.update(dict.fromkeys(layer, distance))
        layer = list(dict.fromkeys(layer))
    return distances


def naive_manhattan(game: naive.Sliding, text: str) -> int:
    apart = 0
    for (row, column), tile in zip(game.places, text, strict=True):
        home_row, home_column = game.places[game.home.index(tile)]
        apart += (abs(row - home_row) + abs(column - home_column)) * (tile != "0")
    return apart
