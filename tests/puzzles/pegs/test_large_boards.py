"""Closures and winning tables, compared with complete tables, each other and the reference solver."""

import itertools
import lzma
import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from hoppers.analysis import verdicts
from hoppers.core.kernels import kernel_threads
from hoppers.core.model import DEAD, UNKNOWN, Position
from hoppers.core.puzzle import Puzzle
from hoppers.puzzles import PUZZLES
from hoppers.puzzles.pegs.background_proofs import BackgroundProofs
from hoppers.puzzles.pegs.boards import ENGLISH_33
from hoppers.puzzles.pegs.jump_masks import jumps_into, mapped
from hoppers.puzzles.pegs.large_tables.table_builds import WinningTable, load_or_build_table
from hoppers.puzzles.pegs.large_tables.tables_in_memory import GoalTables, tables_in_memory
from hoppers.puzzles.pegs.peg_board import PegBoard
from hoppers.puzzles.pegs.rules import ANYWHERE
from hoppers.puzzles.pegs.source import LargeBoardSource
from hoppers.puzzles.pegs.tables import winning_table
from hoppers.puzzles.pegs.tables.closure import build_closure
from hoppers.puzzles.pegs.tables.complete_table import UNSOLVED, PegTable, complete_table
from hoppers.puzzles.pegs.tables.level_kernels import least_key, number_class
from hoppers.puzzles.pegs.tables.winning_table import Workspace, neighbour_level
from hoppers.runtime.builder import finish
from hoppers.tablebase.engine import Engine
from tests import naive
from tests.puzzles.pegs.positions import LARGE_BOARDS, all_but
from tests.support.engine import find


def winning(puzzle: Puzzle, start: int, goal: int) -> WinningTable:
    """Build a winning table with two threads, not from a file, and return it."""
    board = PegBoard(puzzle.board)
    return finish(load_or_build_table(board, goal, start, from_file=False, threads=2))


def games(puzzle: Puzzle, seeds: range) -> Iterator[list[Position]]:
    for seed in seeds:
        rng = random.Random(seed)
        position = puzzle.parse(rng.choice(list(puzzle.starts.values())))
        game = [position]
        while steps := puzzle.steps(position):
            position = rng.choice(steps).after
            game.append(position)
        yield game


@pytest.mark.parametrize("puzzle_id", LARGE_BOARDS)
def test_closures_agree_with_the_reference_solver_near_the_end(puzzle_id: str) -> None:
    puzzle, game = find(puzzle_id), naive.rules(puzzle_id)
    board = PegBoard(puzzle.board)
    for line in games(puzzle, range(6)):
        closure = finish(build_closure([line[-6].state], -1, board.shifts, 10**6))
        assert closure is not None
        for position in line[-6:]:
            fewest = naive.fewest_moves(game, puzzle.format(position), "any")
            assert closure.moves_left(position) == (DEAD if fewest is None else fewest)


@pytest.mark.parametrize("puzzle_id", LARGE_BOARDS)
def test_positions_made_backwards_are_solvable_and_verdicts_agree(puzzle_id: str) -> None:
    puzzle, game, rng = find(puzzle_id), naive.rules(puzzle_id), random.Random(7)
    for goal in rng.sample(range(puzzle.holes), 6):
        state = 1 << goal
        while state.bit_count() < 8:
            lines = [(1 << a | 1 << b | 1 << c, 1 << c) for a, b, c in puzzle.board.jumps]
            state = rng.choice([state ^ line for line, end in lines if state & line == end])
        position = Position(state)
        fewest = naive.fewest_moves(game, puzzle.format(position), str(goal))
        assert verdicts.find_verdict(puzzle, goal, position).moves_left == fewest
        for step in verdicts.graded(puzzle, goal, position)[1]:
            after = naive.fewest_moves(game, puzzle.format(step.step.after), str(goal))
            assert step.verdict.moves_left == (None if step.verdict.verdict == verdicts.DEAD_END else after)
            assert (after is None) == (step.verdict.verdict == verdicts.DEAD_END)


@pytest.mark.parametrize("puzzle_id", ["hoppers", "triangle-15", "triangle-21"])
@pytest.mark.parametrize("goal", [0, 6, -1])
def test_winning_tables_agree_with_complete_tables(puzzle_id: str, goal: int) -> None:
    puzzle = find(puzzle_id)
    complete = complete_table(puzzle.board, goal)
    assert isinstance(complete, PegTable)
    rng = random.Random(goal)
    for vacancy in rng.sample(range(puzzle.holes), 3):
        start = all_but(puzzle, vacancy)
        board = PegBoard(puzzle.board)
        if not board.ends(goal, start):
            assert complete.moves_left(Position(start)) == DEAD
            continue
        table = winning(puzzle, start, goal)
        for line in (game_from(puzzle, start, seed) for seed in range(12)):
            for position in line:
                assert table.moves_left(position) == complete.moves_left(position)
                assert table.stored_moves_left(position) in (complete.moves_left(position), UNKNOWN)
        assert len(table.keys) <= int((complete.entries != UNSOLVED).sum())


def reachable(game: naive.Pegs, cells: str) -> set[str]:
    """Return `cells` and all boards that jumps from it lead to, by the naive rules."""
    reached, level = {cells}, [cells]
    while level:
        level = [after.partition(":")[0] for cells in level for _, _, after, _ in game.steps(cells)]
        level = [*set(level) - reached]
        reached.update(level)
    return reached


def test_boards_are_reachable_from_starts_of_the_naive_rules() -> None:
    puzzle, game = find("triangle-15"), naive.rules("triangle-15")
    assert isinstance(game, naive.Pegs)
    starts = [all_but(puzzle, hole) for hole in range(15)]
    reached = {start: reachable(game, puzzle.format(Position(start))) for start in starts}
    rng, board = random.Random(3), PegBoard(puzzle.board)
    played = [position.state for seed in range(6) for position in game_from(puzzle, rng.choice(starts), seed)]
    drawn = [sum(1 << hole for hole in rng.sample(range(15), 8 + seed % 7)) for seed in range(40)]
    for state in (state for state in played + drawn if state.bit_count() >= 8):
        expected = [start for start in starts if puzzle.format(Position(state)) in reached[start]]
        assert board.starts(state) == expected
        assert [start for start in starts if board.reaches(start, state)] == expected


def game_from(puzzle: Puzzle, start: int, seed: int) -> list[Position]:
    rng, position = random.Random(seed), Position(start)
    line = [position]
    while steps := puzzle.legal_steps(position):
        position = rng.choice(steps).after
        line.append(position)
    return line


@pytest.fixture(scope="module")
def centre() -> WinningTable:
    puzzle = find("english-33")
    return winning(puzzle, all_but(puzzle, 16), 16)


def test_number_of_winning_positions_of_the_central_game(centre: WinningTable) -> None:
    sizes = np.diff(centre.first).tolist()
    assert sum(sizes) == 1_679_072
    assert sizes[1:33] == sizes[32:0:-1]  # the complements of winning boards win
    start = all_but(find("english-33"), 16)
    assert centre.moves_left(Position(start)) == 18


def test_bundled_table_equals_a_newly_built_one(
    centre: WinningTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compares the contents; compression would take most of the time and is skipped."""
    monkeypatch.setattr(lzma, "compress", lambda content, preset: content)
    board = PegBoard(find("english-33").board)
    path = winning_table.bundled_path(board.table_name(16, all_but(find("english-33"), 16)))
    arrays = {"first": centre.first, "keys": centre.keys, "fewest": centre.fewest}
    assert winning_table.pack_table(arrays, 33) == lzma.decompress(path.read_bytes())
    assert path.stat().st_size < 2_000_000
    loaded = finish(winning_table.load_bundled(path.stem.removeprefix("pegs-"), centre.numbering))
    assert loaded is not None and loaded.keys() == arrays.keys()
    assert all((loaded[name] == array).all() for name, array in arrays.items())


def flipped(content: bytes) -> bytes:
    """Return `content` with one bit inverted in its middle."""
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


BUNDLED_DAMAGE: dict[str, Callable[[Path, bytes], object]] = {
    "empty": lambda path, content: path.touch(),
    "cut": lambda path, content: path.write_bytes(content[:-1000]),
    "flipped": lambda path, content: path.write_bytes(flipped(content)),
    "other table": lambda path, content: path.write_bytes(lzma.compress(b"another table")),
    "pipe": lambda path, content: os.mkfifo(path),
    "folder": lambda path, content: path.mkdir(),
}


@pytest.mark.parametrize("damage", BUNDLED_DAMAGE.values(), ids=BUNDLED_DAMAGE)
def test_damaged_bundled_table_is_logged_in_one_line(
    damage: Callable[[Path, bytes], object],
    centre: WinningTable,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    board = PegBoard(find("english-33").board)
    name = board.table_name(16, all_but(find("english-33"), 16))
    damage(tmp_path / "table", winning_table.bundled_path(name).read_bytes())
    monkeypatch.setattr(winning_table, "bundled_path", lambda name: tmp_path / "table")
    assert finish(winning_table.load_bundled(name, centre.numbering)) is None
    [record] = caplog.records
    assert "is damaged" in record.getMessage() and record.exc_info is None


def test_start_without_a_jump_has_an_empty_table() -> None:
    board = PegBoard(ENGLISH_33)
    corners = [
        1 << a | 1 << b | 1 << c for a, b, c in itertools.combinations((0, 2, 6, 12, 20, 26, 30, 32), 3)
    ]
    state = next(state for state in corners if board.ends(-1, state))
    numbering = number_class(board.jumps, board.holes, state, [tuple(range(board.holes))])
    arrays = finish(winning_table.build(state, board.ends(-1, state), board.holes, numbering))
    table = WinningTable(board, state, numbering, **arrays)
    assert len(table.keys) == 0 and table.stored_moves_left(Position(state)) == UNKNOWN


def test_two_threads_build_the_table_of_one() -> None:
    puzzle = find("triangle-21")
    board, start = PegBoard(puzzle.board), all_but(puzzle, 6)
    one, two = (
        finish(load_or_build_table(board, 6, start, from_file=False, threads=threads)) for threads in (1, 2)
    )
    assert (one.keys == two.keys).all() and (one.fewest == two.fewest).all()


def test_complements_are_the_complements_of_the_boards(centre: WinningTable) -> None:
    puzzle, first = find("english-33"), centre.first
    numbering = centre.numbering
    level = centre.keys[first[9] : first[10]][::997]
    every = (1 << puzzle.holes) - 1

    def least_key(board: int) -> int:
        holes = [hole for hole in range(puzzle.holes) if board >> hole & 1]
        turned = [sum(1 << image[hole] for hole in holes) for image in puzzle.board.symmetries]
        return min(int(mapped(np.uint64(board), numbering.keys)) for board in turned)

    expected = sorted(least_key(every ^ int(mapped(np.uint64(key), numbering.boards))) for key in level)
    complements = finish(winning_table.complement(level, numbering))
    assert complements.tolist() == expected


def test_central_game_table_agrees_with_closures(centre: WinningTable) -> None:
    puzzle = find("english-33")
    board, start = PegBoard(puzzle.board), all_but(puzzle, 16)
    for seed in range(5):
        line = game_from(puzzle, start, seed)
        late = [position for position in line if position.state.bit_count() <= 21]
        closure = finish(build_closure([late[0].state], 16, board.shifts, 10**6))
        assert closure is not None
        for position in late:
            assert centre.moves_left(position) == closure.moves_left(position)
            if closure.moves_left(position) == DEAD:
                assert centre.stored_moves_left(position) == UNKNOWN


def test_table_answers_active_pegs_on_boards_that_it_lacks(centre: WinningTable) -> None:
    """The start may not reach a board, but the boards after more jumps of the active peg."""
    board, rng, missing = centre.board, random.Random(4), 0
    levels = [slice(*centre.first[pegs : pegs + 2]) for pegs in range(11, 17)]
    for key in (key for level in levels for key in rng.sample(centre.keys[level].tolist(), 8)):
        after = int(mapped(np.uint64(key), centre.numbering.boards))
        for origin, _, before in jumps_into(board.jumps, after):
            position = Position(before, origin)
            closure = finish(build_closure([before], 16, board.shifts, 10**6))
            assert closure is not None
            assert centre.moves_left(position) in (closure.moves_left(position), UNKNOWN)
            assert centre.moves_left(Position(before)) in (closure.moves_left(Position(before)), UNKNOWN)
            missing += centre.stored_moves_left(Position(before)) == UNKNOWN
    assert missing > 20


def test_table_has_no_answer_for_boards_of_another_class() -> None:
    """Two position classes may give different boards the same key."""
    puzzle, goal = Engine(PUZZLES).find("english-33"), ANYWHERE
    source = LargeBoardSource(puzzle, goal)
    finish(BackgroundProofs(puzzle, goal, GoalTables(puzzle, goal)).build(0x39600F3C))
    ((_, table),) = puzzle.engine.resource(tables_in_memory).items()
    assert isinstance(table, WinningTable)
    for state in (0x118000698, 0x91818000, 0x91800418):
        position = Position(state)
        closure = finish(build_closure([state], goal, PegBoard(puzzle.board).shifts, 10**6))
        assert closure is not None
        assert table.stored_moves_left(position) not in (UNKNOWN, closure.moves_left(position))
        assert table.moves_left(position) == UNKNOWN
        assert source.moves_left(position) == closure.moves_left(position)


def test_table_is_consistent_along_a_shortest_solution(centre: WinningTable) -> None:
    """A position's value is the cost and value of its best step, and closures agree."""
    puzzle, position, left = find("english-33"), Position(all_but(find("english-33"), 16)), 18
    board = PegBoard(puzzle.board)
    while position.state != 1 << 16:
        steps = puzzle.legal_steps(position)
        values = {step: centre.moves_left(step.after) for step in steps}
        live = {step: step.cost + value for step, value in values.items() if value >= 0}
        assert min(live.values()) == left
        if position.state.bit_count() <= 21:
            closure = finish(build_closure([position.state], 16, board.shifts, 10**6))
            assert closure is not None
            assert {step: closure.moves_left(step.after) for step in live} == {s: values[s] for s in live}
        step = min(live, key=live.__getitem__)
        left, position = values[step], step.after
    assert left == 0


def level_sizes_of_the_central_game() -> Iterator[int]:
    """Yield the numbers of boards that 0, 1, 2, … jumps from the start lead to, up to symmetry."""
    puzzle = find("english-33")
    symmetries = [image for image in puzzle.board.symmetries if image[16] == 16]
    numbering = number_class(puzzle.board.jumps, 33, all_but(puzzle, 16), symmetries)
    with kernel_threads(2) as crew:
        space = Workspace(numbering, crew)
        level = np.array(
            [numbering.compiled(least_key)(np.uint64(all_but(puzzle, 16)), numbering)], np.uint32
        )
        while len(level):
            yield len(level)
            level = finish(neighbour_level(level, False, space))


def test_first_levels_of_the_central_game_have_known_sizes() -> None:
    sizes = itertools.islice(level_sizes_of_the_central_game(), 10)
    assert [*sizes] == [1, 1, 2, 8, 39, 171, 719, 2757, 9751, 31312]


@pytest.mark.minutes
def test_number_of_reachable_positions_of_the_central_game() -> None:
    assert sum(level_sizes_of_the_central_game()) == 23_475_688


@pytest.mark.parametrize(
    ("puzzle_id", "problems"), [("english-33", 21), ("french-37", 10), ("diamond-41", 17)]
)
def test_number_of_problems_allowed_by_the_position_class(puzzle_id: str, problems: int) -> None:
    puzzle = find(puzzle_id)
    allowed = {
        min((image[start], image[end]) for image in puzzle.board.symmetries)
        for start in range(puzzle.holes)
        for end in range(puzzle.holes)
        if puzzle.rules.obstruction(Position(all_but(puzzle, start)), end) != "class"
    }
    assert len(allowed) == problems
