"""The region bounds, and the budget that both directions share, against naive twins and exact numbers."""

import itertools
import random
from collections import deque
from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple, TypeVar

import numpy as np
import pytest

from hoppers.core.events import Solved
from hoppers.core.model import Position
from hoppers.core.puzzle import Puzzle, Question
from hoppers.puzzles.pegs import region_bounds
from hoppers.puzzles.pegs.bidirectional import search as bidirectional
from hoppers.puzzles.pegs.bidirectional.kernels import DROP, KEEP, LOOK_UP, fate_of
from hoppers.puzzles.pegs.bidirectional.search import BidirectionalSearch
from hoppers.puzzles.pegs.jump_masks import shift_groups
from hoppers.puzzles.pegs.symmetries import apply_symmetry
from hoppers.tablebase.atlas_data import atlas_lines, vacated
from tests.puzzles.pegs.positions import LARGE_BOARDS, is_dense, solvable_board
from tests.support.engine import find

OUTSIDE = -1
RegionState = tuple[frozenset[int], int]
"""(pegs in a region, its active peg or OUTSIDE)."""
AT_REST = -1
Jumps = Sequence[tuple[int, int, int]]
State = TypeVar("State", bound=Hashable)
Edges = Mapping[State, Sequence[tuple[State, int]]]
"""State -> (state one step later, moves that the step costs)."""
NEVER = 10**6  # more moves than any line has


def naive_bounds(
    jumps: list[tuple[int, int, int]], cells: list[int], start: Position, goal: int
) -> tuple[dict[RegionState, int], dict[RegionState, int]]:
    """Return moves to come and moves made, both by state of the region, by breadth-first search.

    A jump is possible in a region whatever the holes outside contain.
    """
    inside, states = {*cells}, []
    for size in range(len(cells) + 1):
        for chosen in itertools.combinations(cells, size):
            states += [(frozenset(chosen), active) for active in (*chosen, OUTSIDE)]
    onward: dict[RegionState, list[tuple[RegionState, int]]] = {}
    for pegs, active in states:
        onward[pegs, active] = [((pegs, hole), 1) for hole in pegs if active == OUTSIDE]
        onward[pegs, active] += [((pegs, OUTSIDE), 0)] if active != OUTSIDE else []
        for origin, over, target in jumps:
            if (origin if origin in inside else OUTSIDE) != active or not {origin, over, target} & inside:
                continue
            gone = {origin, over} & inside
            if gone <= pegs and target not in pegs:
                after = (pegs - gone) | ({target} & inside)
                onward[pegs, active].append(((after, target if target in inside else OUTSIDE), 0))

    def pegs_of(board: int) -> frozenset[int]:
        return frozenset(hole for hole in cells if board >> hole & 1)

    ends = [(pegs_of(goal), active) for active in (*pegs_of(goal), OUTSIDE)]
    begins = [(pegs_of(start.state), OUTSIDE)]
    begins += [(pegs_of(start.state), start.active)] if start.active in inside else []
    return naive_distances(ends, reversed_edges(onward)), naive_distances(begins, onward)


def naive_distances(sources: list[State], edges: Edges[State]) -> dict[State, int]:
    """Return the least cost of each state from any source, by breadth-first search with costs 0 and 1."""
    found = dict.fromkeys(sources, 0)
    waiting = deque(sources)
    while waiting:
        state = waiting.popleft()
        for other, cost in edges.get(state, ()):
            if found[state] + cost < found.get(other, NEVER):
                found[other] = found[state] + cost
                (waiting.append if cost else waiting.appendleft)(other)
    return found


def reversed_edges(edges: Edges[State]) -> Edges[State]:
    """Return the edges of a graph, each from its end to its beginning."""
    back: dict[State, list[tuple[State, int]]] = {}
    for state, reached in edges.items():
        for other, cost in reached:
            back.setdefault(other, []).append((state, cost))
    return back


@pytest.mark.parametrize(("puzzle_id", "active"), [("hoppers", -1), ("triangle-15", 0), ("english-33", 14)])
def test_region_bounds_agree_with_naive_search(puzzle_id: str, active: int) -> None:
    puzzle = find(puzzle_id)
    jumps, shifts = puzzle.board.jumps, shift_groups(puzzle.board.jumps)
    root = Position(puzzle.parse(puzzle.start).state, active)
    goal = 1 << puzzle.parse_goal(None)
    divisions = region_bounds.divisions_of(puzzle.board.points)
    tables = region_bounds.region_tables(puzzle.board, root, [goal])
    naive = [[naive_bounds([*jumps], cells, root, goal) for cells in division] for division in divisions]
    rng, lines = random.Random(3), [int(line) for line in shifts.lines]
    for _ in range(300):
        before = rng.getrandbits(puzzle.holes)
        origin, over, target = rng.choice(jumps)
        line = 1 << origin | 1 << over | 1 << target
        before = before & ~line | 1 << origin | 1 << over
        after = before ^ line
        words = region_bounds.division_words(np.uint64(before), tables.words)
        row = np.uint64(lines.index(line))
        found = region_bounds.active_bounds(*words, row, np.uint64(target), tables)
        assert found == expected_bounds(divisions, naive, after, target)
        assert region_bounds.moves_to_come(np.uint64(after), target, tables) == found[0]
        assert region_bounds.bounds_of(np.uint64(after), tables) == expected_bounds(
            divisions, naive, after, OUTSIDE
        )


def expected_bounds(
    divisions: list[list[list[int]]],
    naive: list[list[tuple[dict[RegionState, int], dict[RegionState, int]]]],
    board: int,
    active: int,
) -> tuple[int, int]:
    """Return both bounds of a board: sums over regions, the larger of the two divisions."""
    sums = []
    for division, numbers in zip(divisions, naive, strict=True):
        states = [
            (frozenset(hole for hole in cells if board >> hole & 1), active if active in cells else OUTSIDE)
            for cells in division
        ]
        pairs, most = [*zip(numbers, states, strict=True)], region_bounds.MAX_BOUND
        sums.append([sum(min(both[kind].get(state, most), most) for both, state in pairs) for kind in (0, 1)])
    return max(to_come for to_come, _ in sums), max(made for _, made in sums)


class KernelBounds:
    """Both bounds of a problem, as the kernels compute them: (moves to come, moves that had to be made)."""

    def __init__(self, puzzle: Puzzle, root: Position, goals: list[int]) -> None:
        shifts = shift_groups(puzzle.board.jumps)
        self._tables = region_bounds.region_tables(puzzle.board, root, goals)
        self._lines = [int(line) for line in shifts.lines]

    def of(self, position: Position) -> tuple[int, int]:
        """Return the bounds of a position."""
        if position.active != AT_REST:
            return self.after(position.state, 0, position.active)
        bounds: tuple[int, int] = region_bounds.bounds_of(np.uint64(position.state), self._tables)
        return bounds

    def after(self, board: int, line: int, hole: int) -> tuple[int, int]:
        """Return the bounds after a jump that toggles `line` and leaves the peg in `hole` active.

        `line` is 0 for the board itself.
        """
        words = region_bounds.division_words(np.uint64(board), self._tables.words)
        row = np.uint64(self._lines.index(line))
        bounds: tuple[int, int] = region_bounds.active_bounds(*words, row, np.uint64(hole), self._tables)
        return bounds


def steps_from(jumps: Jumps, position: Position) -> list[tuple[Position, int]]:
    """Return (position, moves) after one step: a peg becomes active (one move), jumps, or comes to rest."""
    board, active = position
    if active == AT_REST:
        return [(Position(board, hole), 1) for hole in range(board.bit_length()) if board >> hole & 1]
    after = [
        (Position(board ^ mask_of((origin, over, target)), target), 0)
        for origin, over, target in jumps
        if origin == active and board >> over & 1 and not board >> target & 1
    ]
    return [(Position(board), 0), *after]


def mask_of(jump: tuple[int, int, int]) -> int:
    """Return the holes of a jump as a mask."""
    return sum(1 << hole for hole in jump)


def boards_before(jumps: Jumps, goal: int, taken_back: int) -> set[int]:
    """Return all boards from which `taken_back` jumps lead to `goal`."""
    boards = {goal}
    for _ in range(taken_back):
        boards = {
            board ^ mask_of(jump)
            for board in boards
            for jump in jumps
            if board & mask_of(jump) == 1 << jump[2]
        }
    return boards


def graph_from(jumps: Jumps, roots: Sequence[Position], least_pegs: int = 1) -> Edges[Position]:
    """Return the graph of all positions that follow from `roots` and have at least `least_pegs` pegs."""
    edges: dict[Position, list[tuple[Position, int]]] = {}
    waiting = [*roots]
    while waiting:
        position = waiting.pop()
        if position not in edges:
            steps = steps_from(jumps, position)
            edges[position] = [step for step in steps if step[0].state.bit_count() >= least_pegs]
            waiting += [after for after, _ in edges[position]]
    return edges


def check_bounds(puzzle: Puzzle, root: Position, goals: list[int], edges: Edges[Position]) -> tuple[int, int]:
    """Assert both bounds on a graph; return in how many positions each of them is exact and not 0."""
    kernel_bounds = KernelBounds(puzzle, root, goals)
    bounds = {position: kernel_bounds.of(position) for position in edges}
    left = naive_distances([Position(goal) for goal in goals], reversed_edges(edges))
    since = naive_distances([root], edges)
    for position, (to_come, made) in bounds.items():
        assert to_come <= left.get(position, NEVER) and made <= since.get(position, NEVER)
        for after, cost in edges[position]:
            to_come_after, made_after = bounds[after]
            assert to_come - to_come_after <= cost and made_after - made <= cost
            assert 2 * cost + to_come_after - made_after >= to_come - made
    exact_left = sum(left.get(position) == to_come > 0 for position, (to_come, _) in bounds.items())
    return exact_left, sum(since.get(position) == made > 0 for position, (_, made) in bounds.items())


@cache
def graph_of_hoppers() -> Edges[Position]:
    """Return the graph of all positions of Hoppers 13."""
    return graph_from(find("hoppers").board.jumps, [Position(board) for board in range(1 << 13)])


@pytest.mark.parametrize(("text", "holes"), [("oooooo.oooooo", [6]), ("oo.ooooo..ooo:6", [*range(13)])])
def test_bounds_of_every_position_of_hoppers(text: str, holes: list[int]) -> None:
    puzzle, edges = find("hoppers"), graph_of_hoppers()
    assert len(edges) == (1 << 13) + 13 * (1 << 12)
    exact = check_bounds(puzzle, puzzle.parse(text), [1 << hole for hole in holes], edges)
    assert min(exact) > 150


@pytest.mark.parametrize("puzzle_id", LARGE_BOARDS)
def test_bounds_near_both_ends_of_a_large_board(puzzle_id: str) -> None:
    """Positions at most three jumps after the start, and those after boards a few jumps before the goal.

    On a dense board no bound is exact so near the goal. On every board, a peg that nothing can jump over
    begins a move of its own, so the bound of the start is at least the number of these pegs.
    """
    puzzle = find(puzzle_id)
    own = (), int(puzzle.goal), puzzle.parse(puzzle.start)  # if the atlas has no line of the board
    (_, hole, start), jumps = next(iter(atlas_lines(puzzle)), own), puzzle.board.jumps
    goal, boards = 1 << hole, boards_before(jumps, 1 << hole, 4 if is_dense(puzzle) else 5)
    beginning = graph_from(jumps, [start], puzzle.holes - 4)
    end = graph_from(jumps, [Position(board) for board in boards])
    assert len(beginning) + len(end) > 10_000
    assert check_bounds(puzzle, start, [goal], beginning)[1] > 300
    exact = check_bounds(puzzle, start, [goal], end)[0]
    if not is_dense(puzzle):
        assert exact > 90
    never_over = {*range(puzzle.holes)} - {over for _, over, _ in jumps} - {hole}
    corner_pegs = [corner for corner in never_over if start.state >> corner & 1]
    bounds = KernelBounds(puzzle, start, [goal])
    assert bounds.of(start)[0] == bounds.of(Position(goal))[1] >= len(corner_pegs) > 2


@pytest.mark.parametrize("puzzle_id", LARGE_BOARDS)
@pytest.mark.parametrize("goal", [4, -1])
def test_bounds_of_all_that_follows_on_a_large_board(puzzle_id: str, goal: int) -> None:
    """The positions follow from a board of ten pegs, made by taking jumps back."""
    puzzle, rng = find(puzzle_id), random.Random(goal)
    holes = [goal] if goal >= 0 else [*range(puzzle.holes)]
    root = Position(solvable_board(puzzle, 10, rng, holes[0]))
    edges = graph_from(puzzle.board.jumps, [root])
    assert len(edges) > 1_500
    assert sum(check_bounds(puzzle, root, [1 << hole for hole in holes], edges)) > 20


class Solution(NamedTuple):
    """Jumps from a position to a goal (one peg)."""

    start: Position
    goal: int
    jumps: Jumps


def solutions_of(puzzle: Puzzle, rng: random.Random) -> Iterator[Solution]:
    """Yield the solutions of the atlas, and others, made by taking random jumps back from one peg."""
    over = {(origin, target): middle for origin, middle, target in puzzle.board.jumps}
    for problem, known in atlas_lines(puzzle).items():
        jumps = [(origin, over[origin, target], target) for origin, target in known.jumps]
        if jumps:
            yield Solution(problem.position, jumps[-1][-1], jumps)
    for goal in rng.sample(range(puzzle.holes), 12):
        board, taken_back = 1 << goal, list[tuple[int, int, int]]()
        while fitting := [jump for jump in puzzle.board.jumps if board & mask_of(jump) == 1 << jump[2]]:
            taken_back.append(rng.choice(fitting))
            board ^= mask_of(taken_back[-1])
        yield Solution(Position(board), goal, taken_back[::-1])


class Child(NamedTuple):
    """A position on a solution as generated by forward or backward search, with its cost and bounds."""

    cost: int  # moves from the start to the child, or from the child to the goal
    to_come: int
    made: int

    def fate(self, is_backward: bool, limit: int, share: int) -> int:
        """Return the fate of the child in one direction of a search."""
        fate: int = fate_of(self.cost, self.to_come, self.made, is_backward, limit, share)
        return fate


def children_on(puzzle: Puzzle, solution: Solution) -> tuple[list[Child], list[Child]]:
    """Return the children of forward search after each jump, and those of backward search before each jump.

    The peg that jumps is active in either; it has begun its move.
    """
    kernel_bounds = KernelBounds(puzzle, solution.start, [1 << solution.goal])
    board, active = solution.start
    forward_children, backward_children, moves, total = list[Child](), list[Child](), 0, moves_of(solution)
    for jump in solution.jumps:
        origin, _, target = jump
        moves, after = moves + (origin != active), board ^ mask_of(jump)
        forward_children.append(Child(moves, *kernel_bounds.after(board, mask_of(jump), target)))
        backward_children.append(Child(total - moves + 1, *kernel_bounds.after(after, mask_of(jump), origin)))
        board, active = after, target
    assert board == 1 << solution.goal
    return forward_children, backward_children


def moves_of(solution: Solution) -> int:
    """Return the number of moves of a solution."""
    actives = [solution.start.active, *(target for _, _, target in solution.jumps[:-1])]
    return sum(jump[0] != active for active, jump in zip(actives, solution.jumps, strict=True))


@pytest.mark.parametrize("puzzle_id", ["hoppers", *LARGE_BOARDS])
def test_no_solution_falls_between_the_directions(puzzle_id: str) -> None:
    """Every budget is tried along solutions; the limit is their number of moves, or one more.

    The moves counted along a solution are no fewer than the exact numbers, so no bound may exceed them.
    """
    puzzle = find(puzzle_id)
    solutions = [*solutions_of(puzzle, random.Random(5))]
    assert len(solutions) > 10  # without those of the atlas
    for solution in solutions:
        total, (forward_children, backward_children) = moves_of(solution), children_on(puzzle, solution)
        assert all(child.made <= child.cost <= total - child.to_come for child in forward_children)
        assert all(child.to_come <= child.cost - 1 <= total - child.made for child in backward_children)
        forward_numbers = [2 * child.cost + child.to_come - child.made for child in forward_children]
        backward_numbers = [2 * (child.cost - 1) + child.made - child.to_come for child in backward_children]
        assert forward_numbers == sorted(forward_numbers)
        assert backward_numbers == sorted(backward_numbers, reverse=True)
        for limit, share in itertools.product((total, total + 1), range(forward_numbers[-1] + 2)):
            kept, rest = sum(number <= share for number in forward_numbers), 2 * limit - 1 - share
            forward_fates = [child.fate(False, limit, share) for child in forward_children]
            backward_fates = [child.fate(True, limit, rest) for child in backward_children]
            assert forward_fates == [KEEP] * kept + [LOOK_UP] * (len(forward_children) - kept)
            assert backward_fates == [KEEP if number <= rest else DROP for number in backward_numbers]
            # forward search looks up the board after jump `kept`, which backward search has kept
            assert backward_fates[kept + 1 :] == [KEEP] * len(backward_fates[kept + 1 :])


@pytest.mark.parametrize("more", range(-8, 9))
def test_every_budget_finds_the_only_shortest_solution(more: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """`more`: how much more than an equal part of the budget forward search has."""
    equal = BidirectionalSearch._first_share
    monkeypatch.setattr(BidirectionalSearch, "_first_share", lambda run, moves: equal(run, moves) + more)
    monkeypatch.setattr(bidirectional, "_next_share", lambda share, *_: share + 1)  # half of each increase
    puzzle = find("hoppers")
    *_, end = bidirectional.search(Question(puzzle, 0, vacated(puzzle, 6)))
    assert isinstance(end, Solved) and end.limit == 7


@pytest.mark.parametrize("puzzle_id", ["english-33", "french-37", "diamond-41", "triangle-21"])
def test_mirrored_boards_have_equal_bounds(puzzle_id: str) -> None:
    puzzle, rng = find(puzzle_id), random.Random(7)
    images = bidirectional.usable_symmetries(puzzle.board)
    assert len(images) == (2 if puzzle_id == "triangle-21" else 8)
    fixed = next(hole for hole in range(puzzle.holes) if all(image[hole] == hole for image in images))
    root, goal = vacated(puzzle, fixed), 1 << fixed
    tables = region_bounds.region_tables(puzzle.board, root, [goal])
    for _ in range(200):
        board = rng.getrandbits(puzzle.holes)
        found = {region_bounds.bounds_of(np.uint64(apply_symmetry(board, image)), tables) for image in images}
        assert len(found) == 1


@pytest.mark.parametrize(
    "points",
    [
        [(x, y) for y in range(7) for x in range(7)],
        [(x, 0) for x in range(30)] + [(0, y) for y in range(1, 19)],
        [(2 * x + y, y) for y in range(6) for x in range(6 - y)],
    ],
    ids=["square 49", "corner 48", "triangle 21"],
)
def test_divisions_of_any_board_fit_their_words(points: list[tuple[int, int]]) -> None:
    for division in region_bounds.divisions_of(points):
        chosen = [hole for region in division for hole in region]
        assert len(division) == region_bounds.REGIONS
        assert len({*chosen}) == len(chosen)
        assert all(len(region) <= region_bounds.FIELD_BITS for region in division)
