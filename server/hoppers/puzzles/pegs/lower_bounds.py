"""Lower bounds of peg boards, methods that search with them, and marks that show bounds.

A bound counts moves that have yet to start. The active peg may continue its move for free, so the corner and
Merson bounds ignore it. With two pegs or more, both bounds hold for every goal: the last peg on the board is
the one that moved last, so no resting peg can stay in its hole.

A red peg only forbids jumps, so what holds for every jump of the board still holds: position classes,
pagoda functions, peg types and Merson regions. The red peg is never captured, wherever it is, so its hole
counts as a corner.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from hoppers.core.events import Marks
from hoppers.core.kernels import kernel
from hoppers.core.model import Position, Step
from hoppers.core.puzzle import ChosenBound, Puzzle, Question, cached_in_puzzle
from hoppers.core.texts import Text
from hoppers.puzzles.pegs.jump_masks import JumpList, holes_of, popcount
from hoppers.puzzles.pegs.region_bounds import divisions_of, moves_to_come, region_numbers, region_tables
from hoppers.puzzles.pegs.rules import ANYWHERE, JumpTables, never_jumped, red_hole
from hoppers.search.iterative_deepening import PLAIN, deepening_method


@kernel
def resting_pegs(state: Any, active: int, tables: Any) -> Any:
    """Return a mask (uint64) of all pegs except the active peg, or 0 if only one peg is left."""
    pegs = state & tables.every[()]
    if pegs & (pegs - np.uint64(1)) == np.uint64(0):
        return np.uint64(0)
    return pegs & ~(np.uint64(1) << np.uint64(active)) if active >= 0 else pegs


@kernel
def never_captured(state: Any, tables: Any) -> Any:
    """Return a mask (uint64) of the holes where no peg can be captured: corners, and that of the red peg."""
    return tables.corners[()] | red_hole(state, tables)


@kernel
def corner_bound(state: Any, active: int, goal: int, tables: Any) -> int:
    """Return the number of `resting_pegs` in corners, and one for a resting red peg elsewhere.

    Each must move: none can be captured.
    """
    return int(popcount(resting_pegs(state, active, tables) & never_captured(state, tables)))


@kernel
def merson_bound(state: Any, active: int, goal: int, tables: Any) -> Any:
    """Return the number of disjoint Merson regions full of `resting_pegs`, chosen greedily, smallest first.

    Each full region costs a move, which starts in the region. The hole of the red peg is a region, too.
    """
    left, safe = resting_pegs(state, active, tables), never_captured(state, tables)
    # The regions of one hole, which come first, are the corners. No other region contains a corner.
    count = popcount(left & safe)
    left &= ~safe
    for number in range(np.uint64(popcount(tables.corners[()])), np.uint64(len(tables.regions))):
        region = tables.regions[number]
        is_full = np.uint64(left & region == region)
        left ^= region * is_full
        count += np.int64(is_full)
    return count


@kernel
def misprinted_corner_bound(state: Any, active: int, goal: int, tables: Any) -> int:
    """Return the corner bound in a published form that is not admissible, as one lesson shows.

    The active peg counts, too, although it may continue its move, so the bound can be too high.
    """
    return int(popcount(state & tables.corners[()]))


def corner_marks(puzzle: Puzzle, position: Position, goal: int) -> Marks:
    """Return a mark of one move for each corner that the corner bound counts."""
    state, tables = np.uint64(position.state), puzzle.rules.tables
    counted = resting_pegs(state, position.active, tables) & never_captured(state, tables)
    return tuple((1, (hole,)) for hole in holes_of(int(counted)))


def merson_marks(puzzle: Puzzle, position: Position, goal: int) -> Marks:
    """Return a mark of one move for each region that the Merson bound counts."""
    state, tables, found = np.uint64(position.state), puzzle.rules.tables, []
    left, red = int(resting_pegs(state, position.active, tables)), int(red_hole(state, tables))
    for region in [*([red] if red else []), *tables.regions.tolist()]:
        if left & region == region:
            left ^= region
            found.append((1, holes_of(region)))
    return tuple(found)


def chosen_regions(puzzle: Puzzle, position: Position, holes: frozenset[int]) -> ChosenBound:
    """Return the bound of regions that a person has chosen, as one set of holes.

    Every jump over a hole of the set must start or end in the set; then so do its connected parts, and each
    part full of `resting_pegs` costs a move of its own.
    """
    jumps = [jump for jump in puzzle.board.jumps if jump[1] in holes]
    faults = tuple((a, c) for a, _, c in jumps if not {a, c} & holes)
    if faults:
        return ChosenBound(0, ((0, tuple(sorted(holes))),), faults)
    state = np.uint64(position.state)
    resting = set(holes_of(int(resting_pegs(state, position.active, puzzle.rules.tables))))
    marks = tuple((int(part <= resting), tuple(sorted(part))) for part in connected_parts(jumps, holes))
    return ChosenBound(sum(number for number, _ in marks), marks, ())


def connected_parts(jumps: Iterable[tuple[int, int, int]], holes: frozenset[int]) -> list[set[int]]:
    """Return the parts of a set of holes, joined by the jumps over one hole of it that start or end in it."""
    parts = [{hole} for hole in sorted(holes)]
    for a, b, c in jumps:
        joined = [part for part in parts if part & {a, b, c}]
        parts = [part for part in parts if part not in joined]
        parts.append(set[int]().union(*joined))
    return sorted(parts, key=min)


@cached_in_puzzle
def region_rules(puzzle: Puzzle, goal: int) -> JumpTables:
    """Return the arrays that the rules and the region bound read. The tables of the goal take some 0.4 MB."""
    goals = [1 << hole for hole in range(puzzle.holes) if goal in (ANYWHERE, hole)]
    full = Position((1 << puzzle.holes) - 1)
    tables: JumpTables = puzzle.rules.tables
    return tables._replace(to_goal=region_tables(puzzle.board, full, goals))


@kernel
def region_bound(state: Any, active: int, goal: int, tables: Any) -> Any:
    """Return the larger of the bound from the tables of regions and the Merson bound.

    `tables`: those that `region_rules` returns for `goal`.
    """
    return max(moves_to_come(state, active, tables.to_goal), merson_bound(state, active, goal, tables))


def region_marks(puzzle: Puzzle, position: Position, goal: int) -> Marks:
    """Return the marks of the highest of three bounds: those of both divisions, and the Merson bound.

    A mark of a division has the moves that must still begin in a region, if any, and the pegs there.
    """
    tables, divisions = region_rules(puzzle, goal).to_goal, divisions_of(puzzle.board.points)
    every = [merson_marks(puzzle, position, goal)]
    for number, regions in enumerate(divisions):
        moves = region_numbers(position, number, regions, tables)
        pegs = [tuple(hole for hole in cells if position.state >> hole & 1) for cells in regions]
        every.append(tuple(mark for mark in zip(moves, pegs, strict=True) if mark[0]))
    return max(every, key=lambda marks: sum(moves for moves, _ in marks))


def bound_of_regions(puzzle: Puzzle, position: Position, goal: int) -> int:
    """Return the region bound of a position: a number of moves that every solution must still begin.

    It is 0 while the kernels are not compiled.
    """
    if not puzzle.is_compiled:
        return 0
    return int(region_bound(np.uint64(position.state), position.active, goal, region_rules(puzzle, goal)))


def peg_types(jumps: JumpList, holes: int) -> list[set[int]]:
    """Return the peg types of a board: minimal sets of holes that a peg can never leave by jumping."""
    classes = [{hole} for hole in range(holes)]
    for origin, _, target in jumps:
        first, second = (next(c for c in classes if hole in c) for hole in (origin, target))
        if first is not second:
            classes.remove(second)
            first |= second
    return classes


def useful_jumps(jumps: JumpList, holes: int, state: int, goal: int) -> JumpList:
    """Return `jumps` without those that, by counting captures, no solution of the board `state` can contain.

    Take a peg type and the corners that can only be left by capturing pegs of that type. A type never gains a
    peg. If the type has no more pegs than those corners have, each of its pegs is needed to empty a corner,
    and any other capture of the type is fatal. Unless the goal is a hole outside those corners, the type
    excludes no jump.
    """
    useful = jumps
    for group in peg_types(jumps, holes):
        corners = {c for c in never_jumped(jumps, holes) if {b for a, b, _ in jumps if a == c} <= group}
        filled = sum(state >> corner & 1 for corner in corners)
        pegs = sum(state >> hole & 1 for hole in group)
        if goal >= 0 and goal not in corners and filled >= pegs > 0:
            useful = tuple(jump for jump in useful if jump[1] not in group or jump[0] in corners)
    return useful


def useful_tables(question: Question) -> JumpTables:
    """Return the arrays of the rules for the `useful_jumps` of a question, with the corners of the board."""
    tables: JumpTables = question.puzzle.rules.tables
    useful = {(origin, target) for origin, _, target in useful_jumps_of(question)}
    jumps = zip(tables.origins.tolist(), tables.targets.tolist(), strict=True)
    kept = [number for number, jump in enumerate(jumps) if jump in useful]
    fields = ("masks", "pegs", "flips", "origins", "targets")
    return tables._replace(**{field: getattr(tables, field)[kept] for field in fields})


def useful_jumps_of(question: Question) -> JumpList:
    """Return the `useful_jumps` of the root of a question."""
    puzzle = question.puzzle
    board = question.root.state & int(puzzle.rules.tables.every)
    return useful_jumps(puzzle.board.jumps, puzzle.holes, board, question.goal)


def fatal_captures(question: Question, position: Position) -> tuple[list[Step], Marks]:
    """Return the legal steps that are not among the `useful_jumps` of the root, and marks.

    No solution from the root contains such a step. If there is one, the marks show every hole over which a
    jump leads that is not useful, whether it is legal now or not. Otherwise there are no marks.
    """
    puzzle, useful = question.puzzle, useful_jumps_of(question)
    fatal = {(jump[0], jump[2]): jump[1] for jump in puzzle.board.jumps if jump not in useful}
    removed = [step for step in puzzle.legal_steps(position) if (step.origin, step.target) in fatal]
    return removed, ((0, tuple(sorted(set(fatal.values())))),) if removed else ()


METHODS = {
    "deepening": PLAIN,
    "corners": deepening_method(
        Text("Corner bound"),
        Text("A peg in a corner cannot be captured, so each one needs a move of its own."),
        "corners",
        corner_bound,
        marks=corner_marks,
    ),
    "merson": deepening_method(
        Text("Merson regions"),
        Text(
            "Where every jump over a group of holes also starts or lands in it, a full group cannot be "
            "broken from outside: each full group still costs a move."
        ),
        "merson",
        merson_bound,
        marks=merson_marks,
    ),
    "regions": deepening_method(
        Text("Tables of regions"),
        Text(
            "The board is divided into four parts. A table has the fewest moves that must still begin in "
            "each; a move begins in one part only, so the four numbers are added. Where the Merson bound is "
            "higher, it counts."
        ),
        "regions",
        region_bound,
        tables=lambda question: region_rules(question.puzzle, question.goal),
        marks=region_marks,
    ),
    "memory": deepening_method(
        Text("Merson regions + transposition table"),
        Text(
            "A position from which no solution was found is stored. It is pruned when it is reached again "
            "with as many moves left or fewer."
        ),
        "memory",
        merson_bound,
        marks=merson_marks,
        use_transpositions=True,
    ),
    "classes": deepening_method(
        Text("Peg types"),
        Text(
            "A peg only ever reaches holes of its own type. Where all pegs of a type are needed to empty "
            "the corners, jumps that capture one for anything else are skipped; elsewhere this is the "
            "corner bound."
        ),
        "corners",
        corner_bound,
        tables=useful_tables,
        marks=corner_marks,
        skipped=fatal_captures,
    )._replace(groups=lambda puzzle: peg_types(puzzle.board.jumps, puzzle.holes)),
}
"""Methods of iterative deepening, by id. A puzzle omits those that make no difference on its board."""
MISPRINT = deepening_method(
    Text("Corner bound, active peg counted (too high)"),
    Text("It also counts the active peg, which may continue in the same move, and so can prune solutions."),
    "misprint",
    misprinted_corner_bound,
    is_admissible=False,
)
