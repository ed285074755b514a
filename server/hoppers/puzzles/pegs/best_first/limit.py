"""One limit of the bidirectional A*: level by level until the directions meet.

The search can be stopped between two steps, so every step is short. This includes the first boards, which
touch a new page of memory each, and the work on millions of boards when a limit ends.
"""

import time
from collections.abc import Generator
from typing import Any, NamedTuple

import numpy as np

from hoppers.puzzles.pegs.best_first.frontier import (
    NONE,
    AStarFrontier,
    LimitCounts,
    find_meeting,
    sort_output,
)
from hoppers.puzzles.pegs.best_first.kernels import MAX_RISE, ExpandingKernels, ExpansionOutput, Scratch
from hoppers.puzzles.pegs.bidirectional.search import first_wanted
from hoppers.puzzles.pegs.bitboards.class_keys import Numbering
from hoppers.search.slicing import Pausable
from hoppers.tablebase.memory import BudgetExceeded, Lease

BOARDS_PER_SLICE = 1 << 10  # boards expanded before the output is distributed
SLICES_PER_CHECK = 256
"""Slices between two checks whether the directions have met, on the last level of a limit."""
LISTED_BYTES = 6
"""Bytes per listed board: its key, and half a copy while its level is expanded."""
OUTPUT_BOARDS = 1 << 18  # room for the output of a slice


class AStarContext(NamedTuple):
    """Tables, kernels and buffers for one question, under the symmetries that keep start and goals."""

    numbering: Numbering
    kernels: ExpandingKernels
    scratch: Scratch
    found: ExpansionOutput
    lease: Lease


def make_output() -> ExpansionOutput:
    """Return empty arrays for the boards that a slice of an expansion finds."""
    return ExpansionOutput(
        np.empty((MAX_RISE + 1, OUTPUT_BOARDS), np.uint32), np.zeros(MAX_RISE + 1, np.int64)
    )


def search_limit(
    counts: LimitCounts, context: AStarContext, frontiers: list[AStarFrontier]
) -> Pausable[list[int]]:
    """Search one limit. Return the boards (keys) of a solution, one per move, or [] if there is none."""
    levels = [0, 0]
    for frontier in frontiers:
        counts.nodes += yield from frontier.open(counts.limit, 0)
    while sum(levels) < counts.limit:
        index = int(frontiers[0].size(levels[0]) > frontiers[1].size(levels[1]))
        steps = _expand(frontiers[index], levels[index], counts, context)
        levels[index] += 1
        for slices in steps:
            yield
            if slices and slices % SLICES_PER_CHECK == 0 and sum(levels) == counts.limit:
                met = yield from find_meeting(counts, frontiers)
                if met >= 0:
                    return (yield from _line(met, frontiers, context))
    met = yield from find_meeting(counts, frontiers)
    return (yield from _line(met, frontiers, context)) if met >= 0 else []


def _expand(
    frontier: AStarFrontier, level: int, counts: LimitCounts, context: AStarContext
) -> Generator[int | None, None, None]:
    """Expand the opened boards of a level that are not expanded yet, then open boards of the next level.

    Yield the number of finished slices after each slice, and None within slices.
    """
    while level >= frontier.deepest:
        frontier.opened.append([])
        frontier.fresh.append([])
    keys, start, slices = np.concatenate([NONE, *frontier.fresh[level]]), 0, 0
    frontier.fresh[level] = []
    yield from frontier.learn(keys, context.numbering)
    while start < len(keys):
        start = yield from _expand_slice(frontier, keys, start, level + 1, counts.limit, context)
        context.lease.take(LISTED_BYTES * int(context.found.counts.sum()))
        sort_output(context.found, frontier, level + 1, counts)
        slices += 1
        yield slices
    counts.nodes += yield from frontier.open(counts.limit, level + 1)


def _expand_slice(
    frontier: AStarFrontier, keys: Any, start: int, made: int, limit: int, context: AStarContext
) -> Pausable[int]:
    """Expand `keys[start:]` until the output is full or a slice is done. Return the index of the next key.

    Raises:
        BudgetExceeded: one board has more moves than `Scratch` has room for.
    """
    stop = min(start + BOARDS_PER_SLICE, len(keys))
    while start < stop:
        part, began = keys[start:stop], time.perf_counter()
        done = context.kernels.expand(
            part,
            frontier.batches,
            made,
            limit,
            frontier.side,
            context.numbering,
            context.scratch,
            context.found,
        )
        if done < 0:
            raise BudgetExceeded
        if done == 0:
            break
        start += done
        frontier.adapt_batches(time.perf_counter() - began)
        yield
    return start


def _line(met: int, frontiers: list[AStarFrontier], context: AStarContext) -> Pausable[list[int]]:
    """Return the boards (keys) of a solution through the board `met`, which both directions have opened."""
    down = yield from _chain(frontiers[0], met, context)
    up = yield from _chain(frontiers[1], met, context)
    return [*reversed(down), met, *up]


def _chain(frontier: AStarFrontier, met: int, context: AStarContext) -> Pausable[list[int]]:
    """Return one board (key) per level on a path from `met`, excluded, back to the frontier's first level."""
    key, found = met, []
    level = yield from frontier.level_of(met)
    back = frontier.side._replace(up=not frontier.side.up, continuations=frontier.back)
    for lists in reversed(frontier.opened[:level]):
        part = np.array([key], np.uint32)
        _, end = context.kernels.reach(part, 0, back, context.numbering, context.scratch)
        key = yield from first_wanted(lists, context.scratch.keys[:end].copy())
        found.append(key)
    return found
