"""IDA* search of tiles in rows of four with two pattern-database sums, one look-up in each per slide.

The kernel is written for these boards only, unlike `search.dfs_kernel`. A position on the stack consists of

- its tiles, 4 bits per cell;
- its packed index: the cells of the tiles by pattern group, and above them the groups' stored bits (see
  `pattern_databases`);
- the packed index of the second sum: on a square that of its mirror image;
- a word with the blank's cell, the slack of both sums, the depth, and the state of the finite-state machine
  that prunes duplicates. The slack is half of the moves by which depth plus sum is below the limit.

All children of a position are generated at once and written to the stack without a conditional jump. A child
beyond the limit is overwritten by the next child.

A long search is divided between threads. The positions on its stack are expanded to a fixed depth. The
positions at this depth are roots of independent subtrees, and each thread that becomes idle takes the next.
"""

import threading
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from hoppers.core.kernels import KernelThreads, kernel, kernel_threads
from hoppers.puzzles.sliding.duplicate_pruning import ALLOWED, STATE_BITS
from hoppers.puzzles.sliding.pattern_databases import (
    BASE,
    FIRST_STORED_BIT,
    GROUP,
    MASK,
    MIRRORED,
    NIBBLE,
    STORED_BIT,
    PatternTables,
    own_moves_left,
)

PAUSED, FINISHED = 0, 1
TOP, NODES, SOLUTIONS, CUT = range(4)
TILES, INDEX, MIRROR, WORD = range(4)
SPARE, MIRROR_SPARE, DEPTH, STATE = 8, 16, 24, 32
"""Shifts of the parts of an entry's word; the blank's cell is in the lowest bits."""
SHARED_NODES = 1 << 20  # nodes after which a search is divided between threads; fewer take under 0.1 s
TURN_SECONDS = 0.015  # between two pauses of a divided search; not in nodes, as some cost more time
TURN_NODES = 1 << 14  # nodes between two readings of the clock: one or two milliseconds
DIVIDED_DEPTH = 12  # depth at which a search is divided: about a thousand subtrees keep all threads busy
MAX_MOVES = 100  # more moves than any position needs: the hardest need 80
HIGHEST_BIT = 0x3333333322221100
"""Table of 16 entries of 4 bits: the number of the highest bit set in a 4-bit number."""


class PatternSearch(NamedTuple):
    """Arrays of one search: the stack of positions to visit, the path to the current one, and counters."""

    stack: Any  # uint64[entries, 4]: columns TILES, INDEX, MIRROR and WORD (see the module)
    path: Any  # uint64[depth]: tiles of each position from the root to the current one
    counters: Any  # int64[4]: TOP (entries on the stack), NODES, SOLUTIONS, CUT (pruned positions)
    solutions: Any  # uint64[solutions, moves]: tiles after each move of the first solutions found


@kernel
def slide_index(
    index: Any, tile: int, cell: Any, blank: Any, forward: Any, tiles: Any, bits: Any
) -> tuple[Any, Any]:
    """Return the packed index after a slide, and 1 if the sum of the groups' values has risen, else 0.

    `index`: packed index before the slide. `tile`: row of the tile in `tiles`: its number, plus MIRRORED for
    the second sum. `cell`, `blank`: cells of the tile and the blank before the slide. `forward`: 1 if the
    tile moves right or down. `tiles`, `bits`: see `PatternTables`.
    """
    one = np.uint64(1)
    after = index ^ ((cell ^ blank) << tiles[tile, NIBBLE])
    placement = (after >> tiles[tile, GROUP]) & tiles[tile, MASK]
    stored = np.uint64(bits[tiles[tile, BASE] + placement]) >> cell
    changed = (index >> tiles[tile, STORED_BIT] ^ stored) & one
    # By the rule in `pattern_databases` a slide forward raises the value if the stored bit has not changed, a
    # slide backward if it has. The values of the other two groups do not change.
    return after ^ (changed << tiles[tile, STORED_BIT]), changed ^ forward


@kernel
def pack_index(tiles: Any, mirror: bool, patterns: Any) -> tuple[Any, int]:
    """Return the packed index of a position for the first or the second sum, and that sum."""
    index, total, blank = np.uint64(0), 0, np.uint64(0)
    for cell in range(len(patterns.inside)):
        tile = np.int64(tiles >> np.uint64(4 * cell) & np.uint64(15))
        seen = patterns.mirrored[cell] if mirror else np.uint64(cell)
        if tile == 0:
            blank = seen
        else:
            index |= seen << patterns.tiles[tile + MIRRORED if mirror else tile, NIBBLE]
    cells, groups = index, patterns.groups[int(mirror)]
    for group in range(len(groups)):
        size, first, base = groups[group]
        placement = np.int64(cells >> np.uint64(first)) & ((1 << 4 * size) - 1)
        bits = patterns.bits[base : base + (1 << 4 * size)]
        total += own_moves_left(placement, size, np.int64(blank), patterns.closed, bits)
        index |= np.uint64(bits[placement] >> np.int64(blank) & 1) << np.uint64(FIRST_STORED_BIT + group)
    return index, total


@kernel
def begin(tiles: Any, limit: int, find_all: bool, search: Any, patterns: Any) -> None:
    """Clear the counters and push the position, or count it as pruned if a lower bound exceeds the limit.

    `limit`: at most MAX_MOVES; it must differ from the position's `pattern_bound` by an even number.
    """
    index, left = pack_index(tiles, False, patterns)
    mirror, mirror_left = pack_index(tiles, True, patterns)
    search.counters[:] = 0
    if max(left, mirror_left) > limit:
        search.counters[CUT] = 1
        return
    blank = 0
    while tiles >> np.uint64(4 * blank) & np.uint64(15):
        blank += 1
    # the last five rows are the machine for searches that count all solutions
    state = len(patterns.machines) - 5 if find_all else 0
    # Every slide changes each sum by one and uses one of the moves, so the moves left under the limit and the
    # sum always differ by an even number. The stack holds half of it, the slack. A rising sum lowers the
    # slack by one, a falling sum leaves it unchanged.
    spare = ((limit - left) >> 1) << SPARE | ((limit - mirror_left) >> 1) << MIRROR_SPARE
    search.stack[0, TILES], search.stack[0, INDEX], search.stack[0, MIRROR] = tiles, index, mirror
    search.stack[0, WORD] = blank | spare | state << STATE
    search.counters[TOP] = 1


@kernel
def record_solution(search: Any, depth: int) -> None:
    """Count a solution of `depth` moves, and store its path if `solutions` has room."""
    if search.counters[SOLUTIONS] < len(search.solutions):
        search.solutions[search.counters[SOLUTIONS], :depth] = search.path[1 : depth + 1]
    search.counters[SOLUTIONS] += 1


@kernel
def descend(search: Any, find_all: bool, budget: int, patterns: Any) -> int:
    """Continue the depth-first search for at most `budget` nodes. Return PAUSED or FINISHED.

    The search finishes when the stack is empty, or at the first solution unless `find_all`. All numbers are
    unsigned: with signed ones the compiler would test every index for being negative.
    """
    home = patterns.home[()]
    none, one, two, fifteen = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(15)
    byte, row_bits = np.uint64(255), np.uint64((1 << STATE_BITS) - 1)
    stack, bits, rows, near = search.stack, patterns.bits, patterns.tiles, patterns.near
    top, nodes, cut = np.uint64(search.counters[TOP]), search.counters[NODES], search.counters[CUT]
    last = nodes + budget
    while top > none and nodes < last:
        top -= one
        nodes += 1
        tiles, index, mirror, word = (
            stack[top, TILES],
            stack[top, INDEX],
            stack[top, MIRROR],
            stack[top, WORD],
        )
        depth = word >> np.uint64(DEPTH) & byte
        search.path[depth] = tiles
        if tiles == home:
            record_solution(search, np.int64(depth))
            top = top if find_all else none
            continue
        blank = word & fifteen
        there = patterns.mirrored[blank]
        spare, spare_there = word >> np.uint64(SPARE) & byte, word >> np.uint64(MIRROR_SPARE) & byte
        row = patterns.machines[word >> np.uint64(STATE)]
        # bit mask of the slides that stay on the board and complete no duplicate
        directions = row >> np.uint64(ALLOWED) & patterns.inside[blank]
        while directions != none:
            # from the highest direction down, so that the lowest is on top of the stack and is followed first
            direction = np.uint64(HIGHEST_BIT) >> (directions << two) & np.uint64(3)
            directions ^= one << direction
            cell = near[blank << two | direction]
            tile = tiles >> (cell << two) & fifteen
            forward = one ^ direction >> one
            after, rise = slide_index(index, tile, cell, blank, forward, rows, bits)
            after_there, rise_there = slide_index(
                mirror, tile + np.uint64(MIRRORED), patterns.mirrored[cell], there, forward, rows, bits
            )
            # The child is always written at `top`, and `top` moves up only if the child is within the limit:
            # no branch, which the processor could not predict. If a slack is 0 and the sum rises, the
            # subtraction below wraps around, but then the entry is overwritten by the next child.
            stack[top, TILES] = tiles ^ (tile << (cell << two)) ^ (tile << (blank << two))
            stack[top, INDEX], stack[top, MIRROR] = after, after_there
            left = (spare - rise) << np.uint64(SPARE) | (spare_there - rise_there) << np.uint64(MIRROR_SPARE)
            state = row >> direction * np.uint64(STATE_BITS) & row_bits
            stack[top, WORD] = cell | left | (depth + one) << np.uint64(DEPTH) | state << np.uint64(STATE)
            fits = np.uint64(spare >= rise) & np.uint64(spare_there >= rise_there)
            top += fits
            cut += np.int64(one - fits)
    search.counters[TOP], search.counters[NODES], search.counters[CUT] = np.int64(top), nodes, cut
    return PAUSED if top > none else FINISHED


def new_search(solutions: int = 1) -> PatternSearch:
    """Return the arrays for a search from any position, with room for `solutions` solutions."""
    # A position has at most three slides without the one that undoes the last.
    stack, path = np.zeros((3 * (MAX_MOVES + 2), 4), np.uint64), np.zeros(MAX_MOVES + 2, np.uint64)
    counters, found = np.zeros(4, np.int64), np.zeros((solutions, MAX_MOVES), np.uint64)
    return PatternSearch(stack, path, counters, found)


def pattern_bound(patterns: PatternTables, tiles: int) -> int:
    """Return the greater pattern-database sum of a position: a lower bound on the moves left."""
    return max(int(pack_index(np.uint64(tiles), mirror, patterns)[1]) for mirror in (False, True))


def search_limit(
    patterns: PatternTables,
    search: PatternSearch,
    tiles: int,
    limit: int,
    find_all: bool,
    size: int,
    threads: int = 1,
) -> Iterator[int]:
    """Search one limit (see `begin`) in slices of `size` nodes. Yield the nodes so far between slices.

    With several `threads`, a search is divided between them after `SHARED_NODES` nodes, in turns of
    `TURN_SECONDS`. At the end, the counters and solutions of `search` equal those of one thread.
    """
    begin(np.uint64(tiles), limit, find_all, search, patterns)
    while descend(search, find_all, size, patterns) == PAUSED:
        yield int(search.counters[NODES])
        if threads > 1 and search.counters[NODES] >= SHARED_NODES:
            with kernel_threads(threads) as crew:
                yield from _Division(patterns, search, find_all).run(crew)


class _Division:
    """The rest of a search, divided into subtrees (parts) that several threads start in depth-first order.

    A search for one solution ends with the first part, in this order, that has a solution. Parts before it
    are searched to their end and counted; parts after it are not counted. The counts are therefore those of
    one thread, in every run and with any number of threads.
    """

    def __init__(self, patterns: PatternTables, search: PatternSearch, find_all: bool) -> None:
        self._patterns, self._search, self._find_all = patterns, search, find_all
        self._lock = threading.Lock()
        self._parts = list(self._divide())
        self._queue = iter(range(len(self._parts)))
        self._ended: dict[int, tuple[Any, Any]] = {}
        """Part -> its counters and its solutions. Parts given up are here, too, but are not counted."""
        self._nodes_ended = 0
        self._last = len(self._parts) - 1
        """Number of the last part to count; lowered to a part with a solution, unless all are counted."""

    def _divide(self) -> Iterator[PatternSearch]:
        """Expand the positions less than `DIVIDED_DEPTH` deep, and yield the others, in depth-first order.

        A part is a search that cannot be continued. Its `stack` has only the root of the part, its `path` is
        the path to the root. NODES and CUT in its `counters` are those positions outside all parts that the
        search of one thread visits and prunes before this part.
        """
        stack, path, counters, _ = self._search
        while top := int(counters[TOP]):
            depth = int(stack[top - 1, WORD]) >> DEPTH & 255
            if depth < DIVIDED_DEPTH:
                descend(self._search, self._find_all, 1, self._patterns)
            else:
                yield PatternSearch(stack[top - 1 : top].copy(), path[:depth].copy(), counters.copy(), None)
                counters[TOP] -= 1

    def run(self, crew: KernelThreads) -> Iterator[int]:
        """Search the parts in turns of `TURN_SECONDS`, and add their results to the search.

        Yield the nodes so far between turns, including those of parts that are not counted in the end.
        """
        searches = [new_search(len(self._search.solutions)) for _ in range(crew.size)]
        workers = [self._search_parts(search) for search in searches]
        while True:
            until = time.perf_counter() + TURN_SECONDS
            if not any(crew.run(_run_turn, [(worker, until) for worker in workers])):
                break
            now = sum(int(search.counters[NODES]) for search in searches)
            yield int(self._search.counters[NODES]) + self._nodes_ended + now
        self._merge()

    def _search_parts(self, search: PatternSearch) -> Iterator[None]:
        """Search one part after another in the arrays `search`, until none is left. Yield in between.

        Yield every `TURN_NODES` nodes, and when a part is finished. Parts after `_last` are given up.
        """
        for part in self._queue:
            stack, path, _, _ = self._parts[part]
            search.counters[TOP], search.stack[:1], search.path[: len(path)] = 1, stack, path
            state = PAUSED
            while state == PAUSED and part <= self._last:
                state = int(descend(search, self._find_all, TURN_NODES, self._patterns))
                yield
            self._end(search, part)

    def _end(self, search: PatternSearch, part: int) -> None:
        counters, found = search.counters.copy(), int(search.counters[SOLUTIONS])
        self._ended[part] = counters, search.solutions[:found].copy()
        search.counters[:] = 0
        with self._lock:
            self._nodes_ended += int(counters[NODES])
            if found and not self._find_all:
                self._last = min(self._last, part)

    def _merge(self) -> None:
        """Add the counters and solutions of parts 0 to `_last` to those of the search.

        If a solution ended the search, positions outside the parts count only before part `_last`.
        """
        counters, solutions = self._search.counters, self._search.solutions
        if not self._find_all and self._last in self._ended and self._ended[self._last][0][SOLUTIONS]:
            outside = self._parts[self._last].counters
            counters[NODES], counters[CUT] = outside[NODES], outside[CUT]
        for part in range(self._last + 1):
            counted, found = self._ended[part]
            first = min(int(counters[SOLUTIONS]), len(solutions))
            solutions[first : first + len(found)] = found[: len(solutions) - first]
            for count in (NODES, SOLUTIONS, CUT):
                counters[count] += counted[count]


def _run_turn(worker: Iterator[None], until: float) -> bool:
    """Advance `worker` at least once, until `time.perf_counter()` > `until`; return False at its end."""
    for _ in worker:
        if time.perf_counter() > until:
            return True
    return False
