"""A good solution soon, proved to be nothing but a solution: the most promising boards, jump by jump.

Boards are judged by the moves made, the moves that full Merson regions still cost, and how seldom their pegs
can be taken. Once few pegs are left, everything that can follow from the boards kept is listed, and the best
way to the end is exact from there. Narrow beams come first, then wider ones with other weights.

Of each board the fewest moves that lead to it are kept, and a mask of the pegs that may have made the last of
them. As in `exact.pegs`, more moves with another peg in hand are never worth more.
"""

from collections.abc import Generator, Iterator
from typing import Any, NamedTuple

import numpy as np

from hoppers.core.model import DEAD, Position, Step
from hoppers.core.puzzle import Question
from hoppers.puzzles.pegs.beam.kernels import (
    COST_OF_MOVE,
    HOPELESS,
    Scales,
    judge,
    nearest,
    spread,
)
from hoppers.puzzles.pegs.bitboards.jump_masks import JumpList, Shifts, regions, shift_groups
from hoppers.puzzles.pegs.closure.backward_values import MOVES_SHIFT
from hoppers.puzzles.pegs.closure.closure import Closure, close
from hoppers.search.hash_set import MAX_LOAD
from hoppers.search.memory_budget import MEMORY_BUDGET, SLOT_BYTES, BudgetExceeded, Lease
from hoppers.search.slicing import map_progress, slices

LISTED_FROM = 11
"""Pegs from which on everything is listed."""
LISTED_PER_BOARD = 400
"""Boards listed at most for each board kept: of thousands kept there are at most 100 each."""
LISTED_ANYHOW = 100_000
"""Boards listed besides: where few are kept, few of what they lead to are the same."""
SLOTS_PER_BOARD = 32
"""Of the table of a layer, for each board kept; boards beyond them are left out."""
SLICE = 1 << 11
"""Boards per kernel call: a few milliseconds."""


class Beam(NamedTuple):
    """How many boards are kept per jump, and how much hard pegs weigh against moves."""

    width: int
    weight: float


BEAMS = (Beam(3_000, 1.0), Beam(3_000, 3.0), Beam(20_000, 0.5), Beam(20_000, 2.0))
"""Tried in turn: a small weight makes for few moves, a large one for any solution at all."""


class Layer(NamedTuple):
    """Boards with equally many pegs (uint64), and of each the moves made above the mask of last movers."""

    boards: Any
    values: Any


class Land(NamedTuple):
    """What the search reads of a board. `hard`: how seldom a peg is taken -> the mask of such holes."""

    jumps: JumpList
    shifts: Shifts
    regions: Any
    hard: dict[float, int]


def land_of(jumps: JumpList, holes: int) -> Land:
    """What the search reads, from the jumps."""
    over = np.bincount([over for _, over, _ in jumps], minlength=holes).tolist()
    hard: dict[float, int] = {}
    for hole, times in enumerate(over):
        seldom = 1 - times / max(over)
        hard[seldom] = hard.get(seldom, 0) | 1 << hole
    return Land(jumps, shift_groups(jumps), np.array(regions(jumps, holes), np.uint64), hard)


def good_line(
    question: Question, land: Land, beams: tuple[Beam, ...] = BEAMS
) -> Generator[list[Step] | None, None, None]:
    """Find steps that solve the question from its root; few moves, but not proved to be the fewest.

    Yields None now and then, and each solution that has fewer moves than those before it.
    """
    fewest, lease = HOPELESS, Lease(MEMORY_BUDGET)
    try:
        for beam in beams:
            slots = 4 * SLOTS_PER_BOARD * beam.width  # what the table and the list of the end will have
            lease.take(SLOT_BYTES * slots)
            for steps in _line(question, land, beam):
                moves = HOPELESS if steps is None else sum(step.cost for step in steps)
                yield steps if moves < fewest else None
                fewest = min(moves, fewest)
            lease.release()
    except BudgetExceeded:
        return
    finally:
        lease.release()


def _line(question: Question, land: Land, beam: Beam) -> Generator[list[Step] | None, None, None]:
    """The solution found by one beam, last, if it finds one."""
    root = question.root
    hand = 1 << root.active if root.active >= 0 else 0
    layers = [Layer(np.array([root.state], np.uint64), np.array([hand], np.uint64))]
    while int(layers[-1].boards[0]).bit_count() > LISTED_FROM:
        layers.append((yield from _next_layer(layers[-1], land, beam)))
        if not len(layers[-1].boards):
            return
    last = layers[-1]
    most = LISTED_PER_BOARD * beam.width + LISTED_ANYHOW
    closure = yield from map_progress(close(last.boards, question.goal, land.shifts, most), lambda _: None)
    number, pegs = (-1, 0)
    if closure is not None:
        number, pegs = nearest(last.boards, last.values, closure.levels[int(last.boards[0]).bit_count()])
    if closure is not None and number >= 0:
        hand = _a_hand(int(pegs or last.values[number]))
        yield None
        line = [*reversed(list(_back(layers, number, hand, land.jumps)))]
        for state in _forward(question, closure, Position(int(last.boards[number]), hand)):
            line.append(state)
            yield None
        yield _steps(question, line)


def _next_layer(layer: Layer, land: Land, beam: Beam) -> Generator[None, None, Layer]:
    """The most promising boards one jump later, each once."""
    size = 1 << (SLOTS_PER_BOARD * min(beam.width, 4 * len(layer.boards))).bit_length()
    slots, known = np.zeros(size, np.uint64), np.zeros(size, np.uint64)
    order, count = np.empty(int(size * MAX_LOAD), np.int64), 0
    for start, stop in slices(len(layer.boards), SLICE):
        part = slice(start, stop)
        count = spread(layer.boards[part], layer.values[part], order, count, slots, known, land.shifts)
        yield None
    every = Layer(np.empty(count, np.uint64), np.empty(count, np.uint64))
    for start, stop in slices(count, 8 * SLICE):
        every.boards[start:stop] = slots[order[start:stop]]
        every.values[start:stop] = known[order[start:stop]]
        yield None
    if count <= beam.width:
        return every
    costs, scales = np.empty(count, np.int64), _scales(land, beam.weight)
    for start, stop in slices(count, 8 * SLICE):
        part = slice(start, stop)
        judge(every.boards[part], every.values[part], scales, costs[part])
        yield None
    best = np.argpartition(costs, beam.width)[: beam.width]
    return Layer(every.boards[best], every.values[best])


def _scales(land: Land, weight: float) -> Scales:
    weights = [int(weight * COST_OF_MOVE * seldom) for seldom in land.hard]
    return Scales(land.regions, np.array([*land.hard.values()], np.uint64), np.array(weights, np.int64))


def _a_hand(value: int) -> int:
    """One of the pegs that may have moved last; -1 where none has."""
    return (value & (1 << MOVES_SHIFT) - 1).bit_length() - 1


def _back(layers: list[Layer], number: int, hand: int, jumps: JumpList) -> Iterator[int]:
    """The boards from a board of the last layer, with this peg in hand, back to the one behind the root."""
    board, value = int(layers[-1].boards[number]), int(layers[-1].values[number])
    for before in reversed(layers[:-1]):
        yield board
        moves = value >> MOVES_SHIFT
        for origin, over, target in jumps:
            earlier = board ^ (1 << origin | 1 << over | 1 << target)
            found = (
                np.flatnonzero(before.boards == np.uint64(earlier)) if target == hand else before.boards[:0]
            )
            if not len(found):
                continue
            value = int(before.values[int(found[0])])
            if (value >> MOVES_SHIFT) + 1 - (value >> origin & 1) == moves:
                board, hand = earlier, origin if value >> origin & 1 else _a_hand(value)
                break


def _forward(question: Question, closure: Closure, position: Position) -> Iterator[int]:
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
