"""Kernels of breadth-first search: the positions reached so far, and the steps from one level to the next.

A level holds the positions that need equally many moves from the first ones. Positions are entries of
parallel arrays, in the order in which they were found, so a level is a range of entries. A hash table finds
the entry of a position. The kernels run in slices; all that they know is in the arrays.
"""

from typing import Any, NamedTuple

import numpy as np

from hoppers.core.kernels import kernel
from hoppers.core.puzzle import MAX_STEPS
from hoppers.core.rules import is_solved, next_step
from hoppers.search.hash_tables import MIXER, key_of

SIZE, CURSOR, SOLVED, UNCOUNTED = range(4)  # indices into `Reached.counters`
CHAINS = True
"""Whether a step may continue a move at cost 0 (placeholder for `specialise`)."""


class Reached(NamedTuple):
    """Positions that a search has reached in one direction, and the hash table of their entries."""

    states: Any  # uint64[room]: packed states
    actives: Any  # int8[room]: active holes
    parents: Any  # int32[room]: entry of the position before, -1 for a first position
    steps: Any  # uint8[room]: steps from a first position; without chains uint8[0], because a move is a step
    counts: Any  # int64[room]: shortest lines from the first positions; int64[0] if they are not counted
    slots: Any  # int32[2**n], at least twice as many as room: entry + 1, or 0 in a free slot
    counters: Any
    """int64[4]: SIZE, the number of entries; CURSOR, the entry to expand next; SOLVED, 1 + the first
    solved entry, or 0; UNCOUNTED, 1 if `counts` are not exact: a number became too large, or a position was
    reached by lines of equally many moves but different numbers of steps."""


@kernel
def slot_of_position(reached: Any, state: Any, active: int, chains: bool) -> Any:
    """Return the slot that holds the entry of a position, or the free slot where it belongs."""
    mask = np.uint64(len(reached.slots) - 1)
    # the high half of the product depends on all bits of the key, and tables have at most 2**32 slots
    slot = (key_of(state, active, chains) * np.uint64(MIXER) >> np.uint64(32)) & mask
    while reached.slots[slot]:
        entry = reached.slots[slot] - 1
        if reached.states[entry] == state and reached.actives[entry] == active:
            break
        slot = (slot + np.uint64(1)) & mask
    return slot


@kernel
def add_position(reached: Any, slot: Any, state: Any, active: int, parent: int) -> int:
    """Add a position that was not reached before, with its free slot; return its entry."""
    entry = reached.counters[SIZE]
    reached.states[entry], reached.actives[entry], reached.parents[entry] = state, active, parent
    if len(reached.steps):
        reached.steps[entry] = reached.steps[parent] + 1 if parent >= 0 else 0
    if len(reached.counts):
        reached.counts[entry] = reached.counts[parent] if parent >= 0 else 1
    reached.slots[slot] = entry + 1
    reached.counters[SIZE] = entry + 1
    return int(entry)


@kernel
def count_again(reached: Any, entry: int, parent: int) -> None:
    """Count the shortest lines by another position, `parent`, to an entry of the level in the making."""
    if len(reached.counts):
        reached.counts[entry] += reached.counts[parent]
        is_uneven = len(reached.steps) > 0 and reached.steps[entry] != reached.steps[parent] + 1
        if is_uneven or reached.counts[entry] < 0:
            reached.counters[UNCOUNTED] = 1


@kernel
def add_first(reached: Any, state: Any, active: int, chains: bool) -> None:
    """Add a first position, which must not have been added before."""
    add_position(reached, slot_of_position(reached, state, active, chains), state, active, -1)


@kernel
def place_again(old: Any, reached: Any, start: int, stop: int, chains: bool) -> None:
    """Copy the entries `start` to `stop` of `old` to larger arrays, and enter them into their hash table."""
    for entry in range(start, stop):
        state, active = old.states[entry], old.actives[entry]
        slot = slot_of_position(reached, state, active, chains)
        reached.states[entry], reached.actives[entry] = state, active
        reached.parents[entry] = old.parents[entry]
        if len(old.steps):
            reached.steps[entry] = old.steps[entry]
        if len(old.counts):
            reached.counts[entry] = old.counts[entry]
        reached.slots[slot] = entry + 1


def settle(state: Any, active: int, tables: Any) -> int:
    """Return the active hole, or -1 if its peg cannot continue the move (generic kernel).

    It brings together the positions in which the active peg makes no difference.
    """
    cursor = 0
    while True:
        cursor, _, _, _, _, cost = next_step(state, active, cursor, tables)
        if cursor < 0:
            return -1
        if cost == 0:
            return active


def reach(
    reached: Reached, level: int, stop: int, cost: int, steps: int, budget: int, goal: int, tables: Any
) -> bool:
    """Make the steps of one cost from the entries CURSOR to `stop` (generic kernel).

    Stop early after `budget` entries, or if there is no room. Return whether all entries were expanded.

    Args:
        reached: positions reached in this direction.
        level: first entry of the level to which the steps lead.
        stop: end of the entries to expand.
        cost: cost of the steps to make, 0 or 1; without chains it must be 1.
        steps: with cost 0, number of steps from a first position to the entries to expand; others
            are skipped. In this order every line to an entry is counted before the entry is expanded.
        budget: most entries to expand.
        goal: goal of the search, or a goal that no position reaches.
        tables: tables of the rules.
    """
    cursor, room = reached.counters[CURSOR], len(reached.states) - MAX_STEPS
    while cursor < stop and budget > 0 and reached.counters[SIZE] <= room:
        parent, cursor = cursor, cursor + 1
        if CHAINS and cost == 0 and reached.steps[parent] != steps:
            continue
        budget -= 1
        state, active, step = reached.states[parent], reached.actives[parent], 0
        # a line ends at its first solved position
        while step >= 0 and not (CHAINS and is_solved(state, active, goal, tables)):
            step, _, _, after, active_after, step_cost = next_step(state, active, step, tables)
            if step < 0 or step_cost != cost:
                continue
            if CHAINS:
                active_after = settle(after, active_after, tables)
            slot = slot_of_position(reached, after, active_after, CHAINS)
            entry = reached.slots[slot] - 1
            if entry >= level:
                count_again(reached, entry, parent)
            if entry >= 0:
                continue
            entry = add_position(reached, slot, after, active_after, parent)
            if reached.counters[SOLVED] == 0 and is_solved(after, active_after, goal, tables):
                reached.counters[SOLVED] = entry + 1
    reached.counters[CURSOR] = cursor
    return bool(cursor >= stop)


def count_solved(reached: Reached, start: int, stop: int, goal: int, tables: Any) -> int:
    """Return the number of counted lines to the solved entries `start` to `stop` (generic kernel).

    It is negative if it is too large.
    """
    total = 0
    for entry in range(start, stop):
        if is_solved(reached.states[entry], reached.actives[entry], goal, tables):
            total += reached.counts[entry]
            if total < 0:
                break
    return total


@kernel
def count_meetings(reached: Any, other: Any, start: int, stop: int) -> tuple[int, int, int]:
    """Look the entries `start` to `stop` up among those of the other direction.

    The rules must have no chains. Return the first entry that both have reached, its entry there (-1 for
    none), and the number of shortest lines through all such entries, 0 if lines are not counted; it is
    negative if it is too large.
    """
    found, there, total = -1, -1, 0.0
    for entry in range(start, stop):
        slot = slot_of_position(other, reached.states[entry], reached.actives[entry], False)
        opposite = other.slots[slot] - 1
        if opposite < 0:
            continue
        if found < 0:
            found, there = entry, opposite
        if len(reached.counts):
            total += float(reached.counts[entry]) * float(other.counts[opposite])
    return found, there, int(total) if total < 2.0**53 else -1
