"""A good solution soon, proved to be nothing but a solution: the most promising boards, jump by jump.

Boards are judged by the moves made, the moves that full Merson regions still cost, and how seldom their pegs
can be taken. Once few pegs are left, everything that can follow from the boards kept is listed, and the best
way to the end is exact from there.
"""

from collections.abc import Generator, Iterator
from typing import Any, NamedTuple

import numpy as np

from ..puzzle import Question
from ..records import DEAD, Position, Step
from ..search.jumps import JumpList, regions, shift_groups
from .closure import close

KEPT = 3000
"""Boards kept per jump."""
LISTED_FROM = 11
"""Pegs from which on everything is listed."""
MOST_LISTED = 3_000_000
WEIGHTS = (1.0, 2.0)
"""Weights of how hard the pegs are to take, against moves: tried in turn until one leads to a solution."""


class Layer(NamedTuple):
    """Boards (uint64) with the peg in hand (-1: none) and moves made, and the number of each one's parent."""

    boards: Any
    hands: Any
    moves: Any
    parents: Any


class Land(NamedTuple):
    """A board's jumps, regions (uint64) and how seldom pegs are taken in each hole (float64)."""

    jumps: JumpList
    regions: Any
    hardness: Any


def land_of(jumps: JumpList, holes: int) -> Land:
    """What the search reads, from the jumps."""
    over = np.bincount([over for _, over, _ in jumps], minlength=holes)
    return Land(jumps, np.array(regions(jumps, holes), np.uint64), (over.max() - over) / over.max())


def next_layer(layer: Layer, land: Land, weight: float) -> Layer:
    """The most promising boards one jump later, each once with the fewest moves."""
    parts = []
    for origin, over, target in land.jumps:
        line, end = np.uint64(1 << origin | 1 << over | 1 << target), np.uint64(1 << target)
        able = np.flatnonzero(layer.boards & line == line ^ end)
        moves = layer.moves[able] + (layer.hands[able] != origin)
        parts.append(Layer(layer.boards[able] ^ line, np.full(len(able), target), moves, able))
    every = Layer(*(np.concatenate(column) for column in zip(*parts, strict=True)))
    order = np.lexsort((every.moves, every.boards))
    first = np.flatnonzero(np.diff(every.boards[order], prepend=np.uint64(0)))
    every = Layer(*(column[order[first]] for column in every))
    if len(every.boards) <= KEPT:
        return every
    best = np.argpartition(costs(every, land, weight), KEPT)[:KEPT]
    return Layer(*(column[best] for column in every))


def costs(layer: Layer, land: Land, weight: float) -> Any:
    """How unpromising boards are (float64)."""
    cost = layer.moves.astype(np.float64)
    left = layer.boards.copy()
    for region in land.regions:
        full = left & region == region
        left[full] ^= region
        cost += full
    for hole, hard in enumerate(land.hardness):
        cost += weight * hard * (layer.boards >> np.uint64(hole) & np.uint64(1))
    return cost


def good_line(question: Question, land: Land) -> Generator[float, None, list[Step] | None]:
    """Find steps that solve the question from its root; few moves, but not proved to be the fewest.

    Yields now and then; returns None where no solution was found.
    """
    for weight in WEIGHTS:
        steps = yield from _line(question, land, weight)
        if steps is not None:
            return steps
    return None


def _line(question: Question, land: Land, weight: float) -> Generator[float, None, list[Step] | None]:
    root = question.root
    layers = [Layer(*(np.array([value]) for value in (np.uint64(root.state), root.active, 0, 0)))]
    while int(layers[-1].boards[0]).bit_count() > LISTED_FROM:
        layers.append(next_layer(layers[-1], land, weight))
        if not len(layers[-1].boards):
            return None
        yield 0.0
    last = layers[-1]
    closure = yield from close(last.boards, question.goal, shift_groups(land.jumps), MOST_LISTED)
    if closure is None:
        return None
    ends = [Position(int(board), int(hand)) for board, hand in zip(last.boards, last.hands, strict=True)]
    totals = [(closure.moves_left(end), number) for number, end in enumerate(ends)]
    live = [(left + int(last.moves[number]), number) for left, number in totals if left != DEAD]
    if not live:
        return None
    number = min(live)[1]
    line = list(_back(layers, number))[::-1] + list(_forward(question, closure, ends[number]))
    return _steps(question, line)


def _back(layers: list[Layer], number: int) -> Iterator[int]:
    """The boards from a board of the last layer back to the one behind the root."""
    for layer in layers[:0:-1]:
        yield int(layer.boards[number])
        number = int(layer.parents[number])


def _forward(question: Question, closure: Any, position: Position) -> Iterator[int]:
    """The boards of a shortest way on."""
    while not question.puzzle.is_solved(position, question.goal):
        left = closure.moves_left(position)
        steps = question.puzzle.raw_steps(position)
        values = {step.after: (closure.moves_left(step.after), step.cost) for step in steps}
        position = next(after for after, (on, cost) in values.items() if on != DEAD and on + cost == left)
        yield position.state


def _steps(question: Question, line: list[int]) -> list[Step]:
    steps, position = [], question.root
    for state in line:
        step = next(s for s in question.puzzle.raw_steps(position) if s.after.state == state)
        steps.append(step)
        position = step.after
    return steps
