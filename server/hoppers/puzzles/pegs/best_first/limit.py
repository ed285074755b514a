"""The work under one limit of a best-first search: level by level until both ends meet.

After each step somebody may stop the search, so nothing here takes long at a time, neither the first boards,
which touch a new page of memory each, nor what is done to millions of boards when a limit ends.
"""

import time
from collections.abc import Generator
from typing import Any, NamedTuple

import numpy as np

from hoppers.puzzles.pegs.best_first.frontier import NONE, Tally, Wave, meeting, take
from hoppers.puzzles.pegs.best_first.kernels import STEEPEST, ExpandingKernels, Found, Scratch
from hoppers.puzzles.pegs.bidirectional.path import first_of
from hoppers.puzzles.pegs.bitboards.class_keys import Numbering
from hoppers.search.memory_budget import BudgetExceeded, Lease
from hoppers.search.slicing import Pausable

SLICE = 1 << 10
"""Boards expanded before what came of them is sorted."""
LOOKED = 256
"""Slices between two looks whether the ends have met, once they can."""
LISTED_BYTES = 6
"""Of a board in the lists: its key, and half a copy while its level is expanded."""
FOUND = 1 << 18
"""Room for what comes of a slice."""


class World(NamedTuple):
    """The tables of one question's class under the symmetries that keep both ends."""

    numbering: Numbering
    kernels: ExpandingKernels
    scratch: Scratch
    found: Found
    lease: Lease


def make_room() -> Found:
    """Room for what comes of a slice."""
    return Found(np.empty((STEEPEST + 1, FOUND), np.uint32), np.zeros(STEEPEST + 1, np.int64))


def search_limit(tally: Tally, world: World, waves: list[Wave]) -> Pausable[list[int]]:
    """Everything within a limit; returns the boards (keys) of a solution, if there is one."""
    levels = [0, 0]
    for wave in waves:
        tally.nodes += yield from wave.open(tally.limit, 0)
    while sum(levels) < tally.limit:
        index = int(waves[0].size(levels[0]) > waves[1].size(levels[1]))
        steps = _expand(waves[index], levels[index], tally, world)
        levels[index] += 1
        for slices in steps:
            yield
            if slices and slices % LOOKED == 0 and sum(levels) == tally.limit:
                met = yield from meeting(tally, waves)
                if met >= 0:
                    return (yield from _line(met, waves, world))
    met = yield from meeting(tally, waves)
    return (yield from _line(met, waves, world)) if met >= 0 else []


def _expand(wave: Wave, level: int, tally: Tally, world: World) -> Generator[int | None, None, None]:
    """Expand all boards of a level that are opened and not expanded, and open the next for this limit.

    Yields how many slices are done after each of them, None in between.
    """
    while level >= wave.deepest:
        wave.opened.append([])
        wave.fresh.append([])
    keys, start, slices = np.concatenate([NONE, *wave.fresh[level]]), 0, 0
    wave.fresh[level] = []
    yield from wave.learn(keys, world.numbering)
    while start < len(keys):
        start = yield from _expand_slice(wave, keys, start, level + 1, tally.limit, world)
        world.lease.take(LISTED_BYTES * int(world.found.counts.sum()))
        take(world.found, wave, level + 1, tally)
        slices += 1
        yield slices
    tally.nodes += yield from wave.open(tally.limit, level + 1)


def _expand_slice(wave: Wave, keys: Any, start: int, made: int, limit: int, world: World) -> Pausable[int]:
    """Expand boards from `start` on, until there is no room for more or a slice is done; returns where."""
    stop = min(start + SLICE, len(keys))
    while start < stop:
        part, began = keys[start:stop], time.perf_counter()
        done = world.kernels.expand(
            part, wave.batches, made, limit, wave.side, world.numbering, world.scratch, world.found
        )
        if done < 0:
            raise BudgetExceeded
        if done == 0:
            break
        start += done
        wave.hasten(time.perf_counter() - began)
        yield
    return start


def _line(met: int, waves: list[Wave], world: World) -> Pausable[list[int]]:
    """The boards (keys) of a solution through a board that both ends have."""
    down = yield from _chain(waves[0], met, world)
    up = yield from _chain(waves[1], met, world)
    return [*reversed(down), met, *up]


def _chain(wave: Wave, met: int, world: World) -> Pausable[list[int]]:
    """From next to `met` back to where the wave began, one board per level."""
    key, found = met, []
    level = yield from wave.level_of(met)
    back = wave.side._replace(up=not wave.side.up, ways=wave.back)
    for lists in reversed(wave.opened[:level]):
        part = np.array([key], np.uint32)
        _, end = world.kernels.reach(part, 0, back, world.numbering, world.scratch)
        key = yield from first_of(lists, world.scratch.keys[:end].copy())
        found.append(key)
    return found
