"""Lower bounds for peg boards, and the deepening searches that use them.

A bound counts moves that have yet to start; the peg in hand may go on within its move, so it never counts.
With two pegs or more every bound holds for every goal: the last peg is the last that moved, so no peg may
stay where it is for ever.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from hoppers.core.events import Event, Marks, Visit
from hoppers.core.kernels import kernel
from hoppers.core.model import Position, Step, Words
from hoppers.core.puzzle import Method, Puzzle, Question
from hoppers.puzzles.pegs.bitboards.jump_masks import JumpList, popcount
from hoppers.puzzles.pegs.rules import RULES, Tables, jump_tables, never_jumped
from hoppers.search.iterative_deepening import Style, deepening_method, plain_method

STYLE = Style(chains=True)


@kernel
def at_rest(state: Any, active: int) -> Any:
    """The pegs that are not in hand; none where only one is left."""
    if state & (state - np.uint64(1)) == np.uint64(0):
        return np.uint64(0)
    return state & ~(np.uint64(1) << np.uint64(active)) if active >= 0 else state


@kernel
def corner_bound(state: Any, active: int, goal: int, tables: Any) -> int:
    """Pegs in corners: none can be captured, so each has to move."""
    return int(popcount(at_rest(state, active) & tables.corners[()]))


@kernel
def merson_bound(state: Any, active: int, goal: int, tables: Any) -> int:
    """Full Merson regions, taken disjointly, smallest first: each costs a move that starts in it."""
    left, count = at_rest(state, active), 0
    for region in tables.regions:
        if left & region == region:
            left ^= region
            count += 1
    return count


def holes_of(mask: int) -> tuple[int, ...]:
    """The holes of a set, in order."""
    return tuple(hole for hole in range(mask.bit_length()) if mask >> hole & 1)


def corner_marks(puzzle: Puzzle, position: Position, goal: int) -> Marks:
    """The corners that count, one move each."""
    resting = int(at_rest(np.uint64(position.state), position.active))
    return tuple((1, (hole,)) for hole in holes_of(resting & int(puzzle.tables.corners)))


def merson_marks(puzzle: Puzzle, position: Position, goal: int) -> Marks:
    """The regions that count, one move each."""
    left, found = int(at_rest(np.uint64(position.state), position.active)), []
    for region in puzzle.tables.regions.tolist():
        if left & region == region:
            left ^= region
            found.append((1, holes_of(region)))
    return tuple(found)


PLAIN = plain_method(RULES, STYLE)
CORNERS = deepening_method(
    Words("Corner bound", "隅の下界"),
    Words(
        "A peg in a corner cannot be captured, so each one still costs a move of its own.",
        "隅のペグは取られないので、それぞれ動かすのに一手かかります。",
    ),
    RULES,
    STYLE,
    "corners",
    corner_bound,
    marks=corner_marks,
)
MERSON = deepening_method(
    Words("Merson regions", "マーソン領域"),
    Words(
        "Where every jump over a group of holes also starts or lands in it, a full group cannot be broken "
        "from outside: each full group still costs a move.",
        "ある穴の組を跳び越すジャンプが必ずその組から始まるか組に着地するなら、満杯の組は外から崩せません。"
        "満杯の組ごとに一手かかります。",
    ),
    RULES,
    STYLE,
    "merson",
    merson_bound,
    marks=merson_marks,
)
MEMORY = deepening_method(
    Words("Merson regions with a memory", "マーソン領域と記憶"),
    Words(
        "A position below which nothing was found is remembered, and left at once when another line leads to "
        "it with no more moves to spare.",
        "その先に解がなかった局面を覚えておき、別の手順で同じか少ない残り手数で着いたら、すぐに打ち切ります。",
    ),
    RULES,
    STYLE,
    "memory",
    merson_bound,
    marks=merson_marks,
    use_transpositions=True,
)


def hole_classes(jumps: JumpList, holes: int) -> list[set[int]]:
    """The classes of holes that a peg can never leave."""
    classes = [{hole} for hole in range(holes)]
    for origin, _, target in jumps:
        first, second = (next(c for c in classes if hole in c) for hole in (origin, target))
        if first is not second:
            classes.remove(second)
            first |= second
    return classes


def useful_jumps(jumps: JumpList, holes: int, state: int, goal: int) -> JumpList:
    """The jumps that a solution of this position can contain, by counting captures.

    Take a class of holes and the corners that can only be left by capturing in it. A class never gains a
    peg, so if it has no more pegs than those corners, each of them is needed to empty a corner: any other
    capture in the class is fatal. Says nothing (all jumps) unless the goal is a hole outside those corners.
    """
    useful = jumps
    for group in hole_classes(jumps, holes):
        corners = {c for c in never_jumped(jumps, holes) if {b for a, b, _ in jumps if a == c} <= group}
        filled = sum(state >> corner & 1 for corner in corners)
        pegs = sum(state >> hole & 1 for hole in group)
        if goal >= 0 and goal not in corners and filled >= pegs > 0:
            useful = tuple(jump for jump in useful if jump[1] not in group or jump[0] in corners)
    return useful


def _with_useful_jumps(question: Question) -> Question:
    """The same question on a board that has only the jumps that a solution can contain."""
    puzzle = question.puzzle
    jumps = useful_jumps(puzzle.board.jumps, puzzle.holes, question.root.state, question.goal)
    tables = jump_tables(jumps, puzzle.holes)._replace(corners=puzzle.tables.corners)
    return question._replace(puzzle=replace(puzzle, tables=tables))


def fatal_captures(question: Question, position: Position) -> tuple[list[Step], Marks]:
    """The jumps that `_with_useful_jumps` leaves out here, and the class of the pegs that they take."""
    everything = _all_jumps(question.puzzle.board.jumps, question.puzzle.holes)
    steps = replace(question.puzzle, tables=everything).raw_steps(position)
    useful = {(step.origin, step.target) for step in question.puzzle.raw_steps(position)}
    fatal = [step for step in steps if (step.origin, step.target) not in useful]
    return fatal, ((0, _spared(question.puzzle.tables, everything)),) if fatal else ()


_all_jumps = cache(jump_tables)


def _spared(useful: Tables, everything: Tables) -> tuple[int, ...]:
    """The holes over which only some jumps are left, or none."""
    left_out = _jumps(everything) - _jumps(useful)
    return holes_of(sum({over for _, over in left_out}))


def _jumps(tables: Tables) -> set[tuple[int, int]]:
    """Origin and bit of the hole jumped over, of every jump."""
    pairs = zip(tables.origins.tolist(), tables.pegs.tolist(), strict=True)
    return {(origin, pegs & ~(1 << origin)) for origin, pegs in pairs}


def _search_useful_jumps(question: Question) -> Iterator[Event]:
    return CORNERS.search(_with_useful_jumps(question))


CORNERS_OF_CLASSES = deepening_method(
    CORNERS.title,
    CORNERS.note,
    RULES,
    STYLE,
    "corners",
    corner_bound,
    marks=corner_marks,
    skipped=fatal_captures,
)


def _trace_useful_jumps(question: Question, limit: int, nodes: int) -> Iterator[Visit]:
    if CORNERS_OF_CLASSES.trace is not None:
        yield from CORNERS_OF_CLASSES.trace(_with_useful_jumps(question), limit, nodes)


CLASSES = Method(
    Words("Classes of holes", "穴の組"),
    Words(
        "Pegs never leave their class of holes. Where emptying the corners takes every capture that a class "
        "can offer, all its other captures are left out; elsewhere this is the corner bound alone.",
        "ペグは自分の穴の組から出られません。隅を空けるために、ある組で取れる数をすべて使う場合、"
        "その組のほかの取り方は調べません。そうでなければ隅の下界だけを使います。",
    ),
    _search_useful_jumps,
    _trace_useful_jumps,
)
