"""Bidirectional breadth-first search by moves, one limit after the other.

Both directions prune by Merson regions: full ones cost moves to come, and those that were full at the start
and no longer are have cost moves already. Both leave out boards that pagoda functions prove dead or out of
reach (see `pagoda`). The direction with fewer boards always goes on, so neither gets very deep. Limits are
exhausted one by one; the first at which the directions meet is the fewest moves. The jumps are reconstructed
from the boards found, one board per move.
"""

import time
from collections.abc import Callable, Generator, Iterable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from hoppers.core.board import Permutation
from hoppers.core.events import Event, Exhausted, Progress, Solved, Stopped, Unsolvable
from hoppers.core.model import Position, Step, group_moves
from hoppers.core.puzzle import Question
from hoppers.puzzles.pegs.bidirectional.kernels import (
    ROOM,
    BidirectionalKernels,
    Direction,
    Ends,
    Images,
    bidirectional_kernels,
    image_tables,
    kept_symmetries,
)
from hoppers.puzzles.pegs.bitboards.jump_masks import (
    JumpList,
    Packing,
    full_regions,
    make_packing,
    packing_of,
    shift_groups,
)
from hoppers.puzzles.pegs.bitboards.pagoda import PagodaLearner, no_filter, pagoda_learners
from hoppers.search.hash_tables import SLOT_BYTES, insert_all, room_in
from hoppers.search.slicing import Pausable, map_progress, next_size, slices
from hoppers.tablebase.memory import BudgetExceeded, Lease

MIN_EXPANDED, MAX_EXPANDED = 1 << 5, 1 << 10
"""Least and greatest number of boards to expand per kernel call."""
ANY_BOUND = 1 << 10  # prunes no board
MIN_SLOTS = 1 << 14  # of a direction's set
COPY_BOARDS = 1 << 13  # copied into a larger set at a time: a few milliseconds
MAX_BOARDS = 10_000_000
"""Boards per direction and limit, about 20 bytes each with their set; beyond them the search gives up."""
BOARDS_PER_SLICE = 1 << 16  # between two pauses: a few milliseconds


class Frontier(NamedTuple):
    """One direction under one limit. `levels[n]` has the boards found after n moves (canonical forms)."""

    side: Direction
    levels: list[Any]


class Context(NamedTuple):
    """Tables, kernels and memory for one question, under the symmetries that keep start and goals."""

    images: Images
    kernels: BidirectionalKernels
    packing: Packing
    learners: tuple[PagodaLearner, PagodaLearner]
    lease: Lease
    most: int
    """Maximum boards per direction and limit."""


def bidirectional_search(
    jumps: JumpList,
    symmetries: tuple[Permutation, ...],
    ends: Callable[[Question], Ends],
    most: int | None = None,
) -> Callable[[Question], Generator[Event, None, None]]:
    """Return the bidirectional breadth-first search on a board.

    Args:
        jumps: jumps of the board.
        symmetries: symmetries of the board.
        ends: function that returns the starts and solved boards of a question.
        most: maximum boards per direction and limit; MAX_BOARDS if None.
    """
    shifts, holes = shift_groups(jumps), len(symmetries[0])

    def search(question: Question) -> Generator[Event, None, None]:
        both = ends(question)
        kept = kept_symmetries(symmetries, both)
        learners = pagoda_learners(shifts, holes, [start.state for start in both.starts], both.goals)
        images, kernels = image_tables(shifts, holes, kept), bidirectional_kernels(len(kept))
        context = Context(
            images,
            kernels,
            packing_of(jumps, holes),
            learners,
            Lease(question.puzzle.engine.memory),
            most or MAX_BOARDS,
        )
        return _deepen(question, both, context)

    return search


def precompile(jumps: JumpList, symmetries: tuple[Permutation, ...], width: int) -> None:
    """Compile all kernels of the bidirectional search, or load them from disk, for one number of symmetries.

    `width`: number of symmetries that keep the start and the goals.
    """
    shifts, nothing, none = shift_groups(jumps), np.zeros(2, np.uint64), np.empty(0, np.uint64)
    insert_all(none, nothing)
    packing, at_start = make_packing([1], len(symmetries[0])), np.array(0, np.uint32)
    side = Direction(False, nothing, packing, at_start, no_filter(len(shifts.lines)))
    images = image_tables(shifts, len(symmetries[0]), symmetries[:width])
    kernels = bidirectional_kernels(width)
    kernels.expand_moves(none, side, side, 0, np.empty(ROOM, np.uint64), 0, images)
    kernels.least_image(np.uint64(1), images)


def _deepen(question: Question, ends: Ends, context: Context) -> Generator[Event, None, None]:
    started, total = time.perf_counter(), 0
    limit = question.first_limit
    try:
        while True:
            began = time.perf_counter()
            result = yield from _search_limit(question, ends, context, limit - question.spent, began)
            total += result.nodes
            context.lease.release()
            seconds = time.perf_counter() - began
            if result.line:
                played = solution(question, result.line, partial(_least, context))
                moves = yield from map_progress(played, partial(_progress, limit, result.nodes, began))
                yield Solved(limit, result.nodes, seconds, moves, None, total)
                return
            yield Exhausted(limit, result.nodes, result.cut, seconds)
            if result.complete:
                yield Unsolvable("exhausted", total, time.perf_counter() - started)
                return
            limit += 1
    except BudgetExceeded:
        yield Stopped("limit", limit - 1, total, time.perf_counter() - started)
    finally:
        context.lease.release()


class Result(NamedTuple):
    """Result of the search of one limit.

    `line`: boards of a solution in canonical form, one per move, or empty. `nodes`, `cut`: boards found and
    boards pruned.
    """

    line: list[int]
    nodes: int
    cut: int
    complete: bool
    """Whether one direction has seen every board that it can reach, so that no higher limit would help."""


def _search_limit(
    question: Question, ends: Ends, context: Context, limit: int, began: float
) -> Generator[Event, None, Result]:
    forward, backward = _frontiers(ends, context)
    nodes, cuts = len(forward.levels[0]) + len(backward.levels[0]), [0, 0]
    common = np.intersect1d(forward.levels[0], backward.levels[0])
    if limit < 0 or len(common):
        return Result([int(board) for board in common[:1]] if limit >= 0 else [], nodes, 0, False)
    while len(forward.levels) + len(backward.levels) - 2 < limit:
        frontiers, index = [forward, backward], int(len(forward.levels[-1]) > len(backward.levels[-1]))
        frontier = frontiers[index]
        if not len(frontier.levels[-1]):
            return Result([], nodes, sum(cuts), cuts[index] == 0)
        steps = _advance(frontier, frontiers[1 - index], limit - len(frontier.levels), context)
        shown_limit = question.spent + limit
        frontiers[index], cut, met = yield from map_progress(
            steps, partial(_progress, shown_limit, nodes, began)
        )
        forward, backward = frontiers
        nodes, cuts[index] = nodes + len(frontiers[index].levels[-1]), cuts[index] + cut
        if met:
            back = _line(forward, backward, met, context)
            line = yield from map_progress(back, partial(_progress, shown_limit, nodes, began))
            return Result(line, nodes, sum(cuts), False)
    return Result([], nodes, sum(cuts), False)


def _progress(limit: int, nodes: int, began: float, found: int | None) -> Progress:
    """Return the progress event of a limit. `found`: boards of the current level so far, or None."""
    return Progress(limit, nodes + (found or 0), time.perf_counter() - began)


def _frontiers(ends: Ends, context: Context) -> tuple[Frontier, Frontier]:
    """Return the forward and the backward frontier, each with its first level."""
    full = [start.state & ~(1 << start.active if start.active >= 0 else 0) for start in ends.starts[:1]]
    at_start = np.array(full_regions(np.uint64(full[0] if full else 0), context.packing), np.uint32)
    frontiers = []
    for up, boards in ((False, [start.state for start in ends.starts]), (True, ends.goals)):
        least = [context.kernels.least_image(np.uint64(board), context.images) for board in boards]
        level = np.unique(np.array(least, np.uint64))
        seen = np.zeros(MIN_SLOTS, np.uint64)
        insert_all(level, seen)
        frontiers.append(
            Frontier(Direction(up, seen, context.packing, at_start, context.learners[up].current), [level])
        )
    return frontiers[0], frontiers[1]


def _advance(
    frontier: Frontier, other: Frontier, allowed: int, context: Context
) -> Generator[int, None, tuple[Frontier, int, int]]:
    """Add one level to a frontier. Yield the number of boards in the new level so far.

    Return the frontier, the number of boards pruned, and a board that both directions have, or 0. `allowed`:
    moves left after the new level.
    """
    boards, known = frontier.levels[-1], sum(map(len, frontier.levels))
    learner = context.learners[frontier.side.up]
    yield from map_progress(learner.learn(boards), lambda _: 0)
    side = frontier.side._replace(pagoda_filter=learner.current)
    reached = np.empty(context.most, np.uint64)  # pages are allocated when they are first written
    count, cuts, start, size = 0, 0, 0, MIN_EXPANDED
    while start < len(boards):
        if known + count + ROOM > context.most:
            raise BudgetExceeded
        if known + count + ROOM > room_in(side.seen):
            context.lease.take(3 * SLOT_BYTES * len(side.seen))  # a set four times as large
            side = yield from _quadrupled(side, [*frontier.levels, reached[:count]])
        part, began = boards[start : start + size], time.perf_counter()
        room = reached[: min(context.most, room_in(side.seen)) - known]
        done, count, cut, met = context.kernels.expand_moves(
            part, side, other.side, allowed, room, count, context.images
        )
        start, cuts = start + done, cuts + cut
        size = next_size(size, time.perf_counter() - began, MIN_EXPANDED, MAX_EXPANDED)
        if met:
            return Frontier(side, [*frontier.levels, reached[:count]]), cuts, int(met)
        yield count
    return Frontier(side, [*frontier.levels, reached[:count]]), cuts, 0


def _quadrupled(side: Direction, levels: list[Any]) -> Generator[int, None, Direction]:
    """Return the direction with a hash set four times as large. `levels`: all boards to insert."""
    seen = np.zeros(4 * len(side.seen), np.uint64)
    for level in levels:
        for start, stop in slices(len(level), COPY_BOARDS):
            insert_all(level[start:stop], seen)
            yield len(levels[-1])
    return side._replace(seen=seen)


def _line(
    forward: Frontier, backward: Frontier, met: int, context: Context
) -> Generator[None, None, list[int]]:
    """Return the boards (canonical forms) of a solution through `met`, which both directions have."""
    down = yield from _chain(forward, met, context)
    up = yield from _chain(backward, met, context)
    return [*reversed(down), met, *up]


def _chain(frontier: Frontier, met: int, context: Context) -> Generator[None, None, list[int]]:
    """Return one board per level on a path from `met`, excluded, back to the frontier's first level."""
    board, found = met, []
    first = next(number for number, level in enumerate(frontier.levels) if met in level)
    for level in reversed(frontier.levels[:first]):
        reached = np.empty(2 * ROOM, np.uint64)
        nothing_excluded = no_filter(len(context.images.shifts.lines))
        back = frontier.side._replace(
            up=not frontier.side.up, seen=np.zeros(2 * MIN_SLOTS, np.uint64), pagoda_filter=nothing_excluded
        )
        nowhere = back._replace(seen=np.zeros(2, np.uint64))
        part = np.array([board], np.uint64)
        _, count, _, _ = context.kernels.expand_moves(
            part, back, nowhere, ANY_BOUND, reached, 0, context.images
        )
        board = yield from first_wanted([level], reached[:count])
        found.append(board)
    return found


def _least(context: Context, state: int) -> int:
    return int(context.kernels.least_image(np.uint64(state), context.images))


def solution(question: Question, line: list[int], name: Callable[[int], int]) -> Pausable[list[list[int]]]:
    """Return the moves that lead from the question's root along `line`, which names one board per move.

    `name`: maps a board and all its symmetric images to the number that names the board in `line`.
    """
    steps: list[Step] = [question.first] if question.first is not None else []
    position = question.root
    for number, wanted in enumerate(line):
        run = _run(question, position, wanted, number == 0, name)
        yield
        steps += run
        position = Position(run[-1].after.state if run else position.state)
    return group_moves(steps)


def _run(
    question: Question, position: Position, wanted: int, free: bool, name: Callable[[int], int]
) -> list[Step]:
    """Return the jumps of one move from `position` to a board named `wanted`.

    `free`: whether only jumps of the active peg may be used, so that the current move is continued.

    Raises:
        LookupError: no move leads to such a board.
    """
    waiting: list[list[Step]] = [[]]
    while waiting:
        run = waiting.pop()
        end = run[-1].after if run else position
        if name(end.state) == wanted:
            return run
        steps = question.puzzle.legal_steps(end)
        first = not run and not free
        waiting += [[*run, step] for step in steps if first or step.cost == 0]
    raise LookupError("the ends met, but no move leads from one board of the line to the next")


def first_wanted(lists: Iterable[Any], wanted: Any) -> Generator[None, None, int]:
    """Return the first board in the arrays `lists` that is one of `wanted`. Yield between short steps.

    Raises:
        LookupError: no board in the arrays is one of `wanted`.
    """
    looked = 0
    for boards in lists:
        for start in range(0, len(boards), BOARDS_PER_SLICE):
            part = boards[start : start + BOARDS_PER_SLICE]
            both = part[np.isin(part, wanted)]
            if len(both):
                return int(both[0])
            looked += len(part)
            if looked >= BOARDS_PER_SLICE:
                looked = 0
                yield
    raise LookupError("none of the boards is wanted")


def rest_starts(question: Question) -> list[Position]:
    """Return the root, and every position that its active peg can reach by continuing its move."""
    found, waiting = [question.root], [question.root] if question.root.active >= 0 else []
    while waiting:
        steps = question.puzzle.legal_steps(waiting.pop())
        on = [step.after for step in steps if step.cost == 0]
        found, waiting = found + on, waiting + on
    return found
