"""Naive rules and searches, slow and simple, that share no code with the program.

Positions and goals are texts, as in the API. Peg boards are pictures of hole numbers; a jump is three equally
spaced holes on a straight line of the drawing with no other hole between. Searches are breadth-first or try
all lines of play.
"""

import math
from collections import deque
from collections.abc import Iterator
from functools import cache

from tests.support.numbered_boards import PEGS

Step = tuple[int, int, str, int]
"""(from, to, position after the step, cost in moves)."""


class Pegs:
    """Peg solitaire. `picture` has rows `height` columns apart and jumps at multiples of `angle` degrees.

    `last`: the sign of the peg that has to be left. Red pegs jump, but are not jumped over.
    """

    def __init__(self, picture: str, angle: int, height: float, last: str = "o") -> None:
        self.last = last
        rows = [row.split() for row in picture.strip().splitlines()]
        places = {
            int(mark): (x, y * height)
            for y, row in enumerate(rows)
            for x, mark in enumerate(row)
            if mark != "."
        }
        self.places = [places[hole] for hole in range(len(places))]
        self.jumps = [jump for jump in self._triples() if self._straight(jump, angle)]

    def _triples(self) -> Iterator[tuple[int, int, int]]:
        for a, (ax, ay) in enumerate(self.places):
            for c, (cx, cy) in enumerate(self.places):
                middle = [
                    b
                    for b, (x, y) in enumerate(self.places)
                    if math.dist((x, y), ((ax + cx) / 2, (ay + cy) / 2)) < 0.01
                ]
                if a != c and middle:
                    yield a, middle[0], c

    def _straight(self, jump: tuple[int, int, int], angle: int) -> bool:
        a, b, _ = (self.places[hole] for hole in jump)
        turn = math.degrees(math.atan2(b[1] - a[1], b[0] - a[0])) / angle
        between = [p for p in self.places if 0.01 < math.dist(a, p) < math.dist(a, b) - 0.01]
        blocked = any(abs(math.dist(a, p) + math.dist(p, b) - math.dist(a, b)) < 0.01 for p in between)
        return abs(turn - round(turn)) < 0.01 and not blocked

    def steps(self, text: str) -> list[Step]:
        cells, _, active = text.partition(":")
        found = []
        for a, b, c in self.jumps:
            if cells[a] in "or" and cells[b] == "o" and cells[c] == ".":
                after = list(cells)
                after[a] = after[b] = "."
                after[c] = cells[a]
                found.append((a, c, self.canonical("".join(after), c), 0 if active == str(a) else 1))
        return found

    def canonical(self, cells: str, active: int) -> str:
        goes_on = any(a == active and cells[b] == "o" and cells[c] == "." for a, b, c in self.jumps)
        return f"{cells}:{active}" if goes_on else cells

    def solved(self, text: str, goal: str) -> bool:
        cells = text.partition(":")[0]
        return cells.replace(".", "") == self.last and goal in ("any", str(cells.index(self.last)))


class Sliding:
    """Sliding tiles on a rectangle. `home`: the solved position. `places`: row and column of each cell."""

    def __init__(self, width: int, height: int) -> None:
        places = [divmod(cell, width) for cell in range(width * height)]
        self.places, self.home = places, "".join(f"{tile:x}" for tile in [*range(1, len(places)), 0])
        self.adjacent = [
            [cell for cell, (y, x) in enumerate(places) if abs(y - row) + abs(x - column) == 1]
            for row, column in places
        ]

    def steps(self, text: str) -> list[Step]:
        gap = text.index("0")
        found = []
        for cell in self.adjacent[gap]:
            after = list(text)
            after[gap], after[cell] = text[cell], "0"
            found.append((cell, gap, "".join(after), 1))
        return found

    def solved(self, text: str, goal: str) -> bool:
        return text == self.home


class Flips:
    """Flip It. Discs at least `least` cells from the gap may move: 2 by the classic rule, or 1."""

    def __init__(self, least: int) -> None:
        self.least = least

    def steps(self, text: str) -> list[Step]:
        gap = text.index("_")
        found = []
        for cell in range(len(text)):
            if cell != gap and abs(cell - gap) >= self.least:
                after = [
                    self.turned(c) if min(cell, gap) < i < max(cell, gap) else c for i, c in enumerate(text)
                ]
                after[gap], after[cell] = text[cell], "_"
                found.append((cell, gap, "".join(after), 1))
        return found

    def turned(self, disc: str) -> str:
        return {"b": "w", "w": "b"}[disc]

    def solved(self, text: str, goal: str) -> bool:
        return "b" not in text and (goal == "any" or text[int(goal)] == "_")


Rules = Pegs | Sliding | Flips


@cache
def rules(puzzle_id: str) -> Rules:
    """Return the naive rules of a puzzle."""
    if puzzle_id in PEGS:
        return Pegs(*PEGS[puzzle_id])
    match puzzle_id.split("-"):
        case ["eight", "puzzle"]:
            return Sliding(3, 3)
        case ["fifteen", "puzzle"]:
            return Sliding(4, 4)
        case ["tiles", size]:
            height, width = map(int, size.split("x"))
            return Sliding(width, height)
        case ["flip", "it", _]:
            return Flips(2)
        case ["flip", "it", _, "slide"]:
            return Flips(1)
    raise LookupError(f"no naive rules for {puzzle_id}")


def fewest_moves(game: Rules, start: str, goal: str) -> int | None:
    """Return the fewest moves from `start`, by 0-1 breadth-first search, or None if there is no solution."""
    distances, queue = {start: 0}, deque([start])
    while queue:
        text = queue.popleft()
        if game.solved(text, goal):
            return distances[text]
        for _, _, after, cost in game.steps(text):
            if distances[text] + cost < distances.get(after, 10**9):
                distances[after] = distances[text] + cost
                (queue.append if cost else queue.appendleft)(after)
    return None


def fewest_moves_to_goals(game: Rules, start: str, goals: list[str]) -> dict[str, int]:
    """Return the fewest moves from `start` to each goal that can be reached, by one search."""
    distances, queue, found = {start: 0}, deque([start]), dict[str, int]()
    while queue:
        text = queue.popleft()
        for goal in goals:
            if game.solved(text, goal):
                found[goal] = min(distances[text], found.get(goal, distances[text]))
        for _, _, after, cost in game.steps(text):
            if distances[text] + cost < distances.get(after, 10**9):
                distances[after] = distances[text] + cost
                (queue.append if cost else queue.appendleft)(after)
    return found


def solutions(game: Rules, start: str, goal: str, moves: int) -> list[list[tuple[int, int]]]:
    """Return all solutions of at most `moves` moves, as lists of steps (from, to), by exhaustive search."""
    if game.solved(start, goal):
        return [[]]
    found = []
    for origin, target, after, cost in game.steps(start):
        if cost <= moves:
            found += [[(origin, target), *rest] for rest in solutions(game, after, goal, moves - cost)]
    return found


def count_shortest(game: Rules, start: str, goal: str) -> int:
    """Return the number of shortest solutions by breadth-first search; every step must cost one move."""
    layer, seen = {start: 1}, {start}
    while layer:
        arrived = sum(count for text, count in layer.items() if game.solved(text, goal))
        if arrived:
            return arrived
        below: dict[str, int] = {}
        for text, count in layer.items():
            for _, _, after, _ in game.steps(text):
                if after not in seen:
                    below[after] = below.get(after, 0) + count
        seen |= below.keys()
        layer = below
    return 0


@cache
def eight_puzzle_distances() -> dict[str, int]:
    """Return the fewest moves to the goal from every solvable position of the 8-puzzle."""
    return all_distances(rules("eight-puzzle"), ["123456780"])


def all_distances(game: Rules, solved: list[str]) -> dict[str, int]:
    """Return the fewest moves from each position to the nearest of `solved`; steps must be reversible."""
    distances, queue = dict.fromkeys(solved, 0), deque(solved)
    while queue:
        text = queue.popleft()
        for _, _, after, _ in game.steps(text):
            if after not in distances:
                distances[after] = distances[text] + 1
                queue.append(after)
    return distances
