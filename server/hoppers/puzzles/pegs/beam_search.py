"""Beam search for good solutions: keep the most promising boards after each jump. Nothing is proved.

Boards are rated by the moves made, the moves that full Merson regions still cost, and how seldom their pegs
can be captured. Once few pegs are left, the closure (table of everything reachable) of the beam's boards
gives the exact best continuation. Narrow beams are run before wide beams.

The value of a board (uint64) has the fewest moves found to the board in the bits from MOVES_SHIFT on, and
below them a mask of the pegs that may have made the last of these moves. A line with more moves and another
active peg is never better (see `complete_table`).
"""

import time
from collections.abc import Callable, Generator, Iterator
from typing import Any, NamedTuple

import numpy as np

from hoppers.core.events import Event, Exhausted, Failed, Found, Progress, Solved, Stopped
from hoppers.core.kernels import kernel
from hoppers.core.model import Position, Step, cost_of
from hoppers.core.puzzle import Puzzle, Question, cached_in_puzzle, moves_of
from hoppers.puzzles.pegs.jump_masks import (
    JumpList,
    forward_jumps,
    jumps_into,
    line_ends,
    lowest_bit,
    popcount,
)
from hoppers.puzzles.pegs.peg_board import peg_board
from hoppers.puzzles.pegs.tables.closure import MOVES_SHIFT, Closure, build_closure, value_of
from hoppers.runtime.memory_budget import BudgetExceeded, Lease
from hoppers.search.hash_tables import slot_of
from hoppers.search.iterative_deepening import Search
from hoppers.search.slicing import map_progress, slices

CLOSURE_PEGS = 11  # number of pegs at which the closure of the beam's boards is built
CLOSURE_PER_BOARD, CLOSURE_BASE = 400, 100_000
"""Maximum boards of the closure: 400 per board of the beam, and 100,000 more. A beam of thousands of boards
needs at most 100 per board; narrow beams need more, because few of their successors coincide."""
SLOTS_PER_BOARD = 32  # slots of a layer's hash set per board of the beam
MAX_LOAD = 0.6  # largest share of a layer's slots in use; beyond it further boards are ignored
BOARD_BYTES = 14 * 4 * SLOTS_PER_BOARD
"""Bytes that a beam takes from the memory budget per board: an estimate for a layer's set and the closure."""
BOARDS_PER_SLICE = 1 << 11  # boards per kernel call, which takes a few milliseconds
COST_OF_MOVE = 12  # cost of one move in the rating of a board
NO_SOLUTION_COST = 1 << 30  # more moves than any solution has


class Beam(NamedTuple):
    """Settings of one beam: maximum boards after each jump, and weight of pegs that are hard to capture.

    The weight is the cost, in moves, of a peg of difficulty 1 (see `difficulties`).
    """

    width: int
    weight: float


BEAMS = (Beam(3_000, 1.0), Beam(3_000, 3.0), Beam(20_000, 0.5), Beam(20_000, 2.0))
"""Default beams, run in turn. A small weight favours few moves, a large weight finding a solution at all."""


Layer = Any
"""uint64[2, boards]: a row of boards with equally many pegs, and a row of their values (see the module)."""


@cached_in_puzzle
def difficulties(puzzle: Puzzle) -> tuple[Any, Any]:
    """Return masks (uint64) of holes with pegs equally hard to capture, and their difficulty, 0 to 1."""
    jumps = puzzle.board.jumps
    over = np.bincount([over for _, over, _ in jumps], minlength=puzzle.holes)
    masks: dict[float, int] = {}
    for hole, difficulty in enumerate((1 - over / max(over)).tolist()):
        masks[difficulty] = masks.get(difficulty, 0) | 1 << hole
    return np.array([*masks.values()], np.uint64), np.array([*masks])


@kernel
def expand_layer(
    boards: Any, values: Any, order: Any, count: int, slots: Any, known: Any, shifts: Any
) -> int:
    """Insert the boards one jump after `boards` into the hash set `slots`, and their values into `known`.

    Append the slot of each new board to `order[count:]`, and return the new count. When `order` is full,
    further jumps are ignored. `slots`: uint64[2**n], all 0 before the first call, and longer than `order`, so
    that a slot stays free.
    """
    one, room = np.uint64(1), len(order)
    for index in range(len(boards)):
        board, moves = boards[index], values[index] >> np.uint64(MOVES_SHIFT)
        for slot in range(len(shifts.first) - 1):
            lows = forward_jumps(board, slot, shifts)
            while lows != np.uint64(0) and count < room:
                low = lowest_bit(lows)
                lows &= lows - one
                line = np.uint64(64 * slot) + low
                origin, target = line_ends(board, low, line, shifts)
                made = moves + one - (values[index] >> origin & one)
                value = made << np.uint64(MOVES_SHIFT) | one << target
                after = board ^ shifts.lines[line]
                place = slot_of(after, slots)
                if slots[place] == np.uint64(0):
                    slots[place], known[place], order[count] = after, value, place
                    count += 1
                elif made < known[place] >> np.uint64(MOVES_SHIFT):
                    known[place] = value
                elif made == known[place] >> np.uint64(MOVES_SHIFT):
                    known[place] |= value
    return count


@kernel
def rate_boards(boards: Any, values: Any, regions: Any, masks: Any, weights: Any, costs: Any) -> None:
    """Write the cost of each board into `costs` (int64). The boards of lowest cost stay in the beam.

    The cost is COST_OF_MOVE for each move made and each disjoint full Merson region, plus `weights[i]` for
    each peg in a hole of `masks[i]`.
    """
    for index in range(len(boards)):
        board = boards[index]
        cost = np.int64(values[index] >> np.uint64(MOVES_SHIFT)) * COST_OF_MOVE
        for number in range(len(masks)):
            cost += weights[number] * popcount(board & masks[number])
        for region in regions:
            if board & region == region:
                board ^= region
                cost += COST_OF_MOVE
        costs[index] = cost


@kernel
def best_board(boards: Any, values: Any, level: Any) -> tuple[int, Any]:
    """Return the index of the board with the fewest moves made and left in all, or -1 if all are dead.

    The second result is a mask of the pegs that may have moved last on that board and can begin a shortest
    solution of it, perhaps 0. `level`: level of a closure that contains the boards.
    """
    least, best, pegs = np.int64(NO_SOLUTION_COST), -1, np.uint64(0)
    for number in range(len(boards)):
        entry = value_of(boards[number], level)
        left = np.int64(entry >> np.uint64(MOVES_SHIFT)) - 1
        going_on = entry & values[number] & (np.uint64(1) << np.uint64(MOVES_SHIFT)) - np.uint64(1)
        total = np.int64(values[number] >> np.uint64(MOVES_SHIFT)) + left - int(going_on != np.uint64(0))
        if left >= 0 and total < least:
            least, best, pegs = total, number, going_on
    return best, pegs


def beam_search(
    question: Question, beams: tuple[Beam, ...] = BEAMS, lease: Lease | None = None
) -> Generator[list[Step] | None, None, None]:
    """Search for solutions from the question's root by beam search, without a proof that any is shortest.

    Yield None between slices, and the steps of each solution that has fewer moves than all before it. The
    search ends early if other searches hold the memory that a beam needs. It waits for memory that other
    parts of the same search hold. A beam that is too wide for the whole budget is made narrower.

    `lease`: lease of memory, if the search is a part of another; by default a new one.
    """
    fewest, memory = NO_SOLUTION_COST, question.puzzle.engine.memory
    lease = lease or Lease(memory)
    try:
        for beam in beams:
            width = min(beam.width, memory.size // BOARD_BYTES)
            yield from lease.wait_and_take(BOARD_BYTES * width, 0.0)
            for steps in _line(question, beam._replace(width=width)):
                moves = NO_SOLUTION_COST if steps is None else cost_of(steps)
                yield steps if moves < fewest else None
                fewest = min(moves, fewest)
            lease.release()
    except (BudgetExceeded, TimeoutError):
        return
    finally:
        lease.release()


def _line(question: Question, beam: Beam) -> Generator[list[Step] | None, None, None]:
    """Run one beam: yield None between slices, and at the end the steps of its solution if it finds one."""
    root, puzzle = question.root, question.puzzle
    active = 1 << root.active if root.active >= 0 else 0
    layers = [np.array([[root.state], [active]], np.uint64)]
    while int(layers[-1][0, 0]).bit_count() > CLOSURE_PEGS:
        layers.append((yield from _next_layer(puzzle, layers[-1], beam)))
        if not layers[-1].size:
            return
    boards, values = layers[-1]
    most = CLOSURE_PER_BOARD * beam.width + CLOSURE_BASE
    steps = build_closure(boards, question.goal, peg_board(puzzle).shifts, most)
    closure = yield from map_progress(steps, lambda _: None)
    if closure is None:
        return
    level = closure.levels[int(boards[0]).bit_count()]
    number, pegs = best_board(boards, values, level)
    if number < 0:
        return
    active = _some_mover(int(pegs or values[number]))
    yield None
    line = [*reversed(list(_back(layers, number, active, puzzle.board.jumps)))]
    for state in _forward(question, closure, Position(int(boards[number]), active)):
        line.append(state)
        yield None
    yield puzzle.steps_along(root, line)


def _next_layer(puzzle: Puzzle, layer: Layer, beam: Beam) -> Generator[None, None, Layer]:
    """Return the boards one jump after `layer`, without repeats: at most the `beam.width` of lowest cost."""
    boards, values = layer
    shifts = peg_board(puzzle).shifts
    size = 1 << (SLOTS_PER_BOARD * min(beam.width, 4 * len(boards))).bit_length()
    slots, known = np.zeros(size, np.uint64), np.zeros(size, np.uint64)
    order, count = np.empty(int(size * MAX_LOAD), np.int64), 0
    for start, stop in slices(len(boards), BOARDS_PER_SLICE):
        part = slice(start, stop)
        count = expand_layer(boards[part], values[part], order, count, slots, known, shifts)
        yield None
    every = np.empty((2, count), np.uint64)
    for start, stop in slices(count, 8 * BOARDS_PER_SLICE):
        every[0, start:stop] = slots[order[start:stop]]
        every[1, start:stop] = known[order[start:stop]]
        yield None
    if count <= beam.width:
        return every
    costs, (masks, hardness) = np.empty(count, np.int64), difficulties(puzzle)
    regions, weights = puzzle.rules.tables.regions, (beam.weight * COST_OF_MOVE * hardness).astype(np.int64)
    for start, stop in slices(count, 8 * BOARDS_PER_SLICE):
        part = slice(start, stop)
        rate_boards(every[0, part], every[1, part], regions, masks, weights, costs[part])
        yield None
    return every.take(_lowest(costs, beam.width), axis=1)


def _lowest(costs: Any, count: int) -> Any:
    """Return the indices of the `count` lowest costs. Among equal costs, evenly spaced indices are chosen.

    With `np.argpartition`, whose choice among equal costs depends on the processor's instruction set,
    different machines would find different solutions.
    """
    highest = np.partition(costs, count - 1)[count - 1]
    lower, equal = np.flatnonzero(costs < highest), np.flatnonzero(costs == highest)
    number = count - len(lower)
    return np.concatenate((lower, equal[np.arange(number) * len(equal) // number]))


def _some_mover(value: int) -> int:
    """Return the highest hole in a value's mask of pegs that may have moved last, or -1 for an empty mask."""
    return (value & (1 << MOVES_SHIFT) - 1).bit_length() - 1


def _back(layers: list[Layer], number: int, active: int, jumps: JumpList) -> Iterator[int]:
    """Yield the boards of a line backwards, from board `number` of the last layer to the one after the root.

    `active`: hole of the peg that moved last on board `number`, or -1.
    """
    board, value = layers[-1][:, number].tolist()
    for boards, values in reversed(layers[:-1]):
        yield board
        moves = value >> MOVES_SHIFT
        for origin, target, before in jumps_into(jumps, board):
            if target != active or not len(found := np.flatnonzero(boards == np.uint64(before))):
                continue
            value = int(values[int(found[0])])
            if (value >> MOVES_SHIFT) + 1 - (value >> origin & 1) == moves:
                board, active = before, origin if value >> origin & 1 else _some_mover(value)
                break


def _forward(question: Question, closure: Closure, position: Position) -> Iterator[int]:
    """Yield the board after each step of a shortest solution from `position`, read from `closure`."""
    while not question.puzzle.is_solved(position, question.goal):
        left, steps = closure.moves_left(position), question.puzzle.legal_steps(position)
        best = (step for step in steps if 0 <= closure.moves_left(step.after) == left - step.cost)
        position = next(best).after
        yield position.state


def with_beam_search(search: Callable[[Question, Lease], Iterator[Event]]) -> Search:
    """Return a search that alternates `search` with a beam search, whose solutions it yields as `Found`.

    Both take their memory from one lease, of which `search` gets a part.

    A solution of the beam search is proved shortest when all limits below its moves are exhausted. The
    returned search then yields `Solved` and skips that solution's limit, unless all solutions are requested.
    """

    def events(question: Question) -> Iterator[Event]:
        best: Found | None = None
        exhausted, total, lease = NO_SOLUTION_COST, 0, Lease(question.puzzle.engine.memory)
        for event in _in_turn(search(question, lease.part()), _find_solutions(question, lease.part())):
            yield event
            if isinstance(event, Found):
                best = event
            elif isinstance(event, Exhausted):
                exhausted, total = event.limit, total + event.nodes
            if best is not None and best.limit == exhausted + 1 and not question.find_all:
                yield Solved(best.limit, 0, 0.0, best.moves, None, total)
                return

    return events


def _in_turn(proof: Iterator[Event], solutions: Iterator[Found | None]) -> Iterator[Event]:
    """Yield the events of the search `proof`, and run one slice of the beam search `solutions` after each.

    If `proof` ends after a `Progress` event without an answer, the beam search is run to its end before the
    last event is yielded. The last `Progress` event is then repeated between slices.
    """
    progress: Event | None = None
    for event in proof:
        progress = event if isinstance(event, Progress) else progress
        if isinstance(event, Stopped | Failed) and progress is not None:
            yield from (found or progress for found in solutions)
        yield event
        if (found := next(solutions, None)) is not None:
            yield found


def _find_solutions(question: Question, lease: Lease) -> Iterator[Found | None]:
    """Yield None between slices of a beam search, and each solution with fewer moves than all before it."""
    began = time.perf_counter()
    for steps in beam_search(question, lease=lease):
        moves = None if steps is None else moves_of(question, steps)
        yield None if moves is None else Found(len(moves), time.perf_counter() - began, moves)
