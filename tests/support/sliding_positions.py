"""Positions of sliding puzzles by the naive rules."""

import random
from collections.abc import Iterator

from tests import naive

HOME_15 = "123456789abcdef0"


def walk(side: int, seed: int, steps: int) -> Iterator[str]:
    """Yield the positions of a random walk from home that never undoes a slide."""
    rng, game = random.Random(seed), naive.Sliding(side, side)
    text = HOME_15 if side == 4 else "123456780"
    before = ""
    for _ in range(steps):
        choices = [after for _, _, after, _ in game.steps(text) if after != before]
        before, text = text, rng.choice(choices)
        yield text


def near_home(moves: int) -> dict[str, int]:
    """Return all 4x4 positions at most `moves` moves from home, with their distances."""
    game, distances, layer = naive.Sliding(4, 4), {HOME_15: 0}, [HOME_15]
    for distance in range(1, moves + 1):
        layer = [after for text in layer for _, _, after, _ in game.steps(text) if after not in distances]
        distances.update(dict.fromkeys(layer, distance))
        layer = list(dict.fromkeys(layer))
    return distances


def naive_manhattan(text: str) -> int:
    side = int(len(text) ** 0.5)
    homes = {f"{tile:x}": divmod(tile - 1, side) for tile in range(1, len(text))}
    places = {tile: divmod(cell, side) for cell, tile in enumerate(text) if tile != "0"}
    return sum(
        abs(places[tile][0] - homes[tile][0]) + abs(places[tile][1] - homes[tile][1]) for tile in places
    )
