"""Sieves let through every board that can be solved, and closures are the same with them as without."""

import itertools
import random
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from server import compiled, elsewhere
from server.beside import Beside
from server.exact import buckets, sieve, sieves, sieving
from server.exact.big_board import BigBoard
from server.exact.big_sources import BigSource
from server.exact.buckets import hash_of, hashing_of, some_of
from server.exact.closure import Closure, close
from server.exact.lines import Counter
from server.exact.shelf import Allowance, Shelf
from server.exact.sieve import Sieve, bits_of, word_of
from server.exact.sieves import FORM, Sieves, name_of, probe
from server.exact.sieving import sieve_of
from server.exact.workshop import Wish, Workshop, finish
from server.puzzle import Puzzle
from server.puzzles import find
from server.records import DEAD, UNKNOWN, Position

from .test_closures import BIG, played, taken_back
from .test_slices import Work, listed


def board_of(puzzle: Puzzle) -> BigBoard:
    return BigBoard(puzzle.board.jumps, puzzle.board.symmetries)


def made(board: BigBoard, ends: list[int], most: int = 3000) -> Sieve:
    sieve = finish(sieve_of(ends, board.holes, board.shifts, most))
    assert sieve is not None
    return sieve


def closed(board: BigBoard, goal: int, state: int, sieve: Sieve | None) -> Closure:
    ends = board.ends(goal, state)
    closure = finish(close([state], goal, board.shifts, 10**6, None, ends, sieve))
    assert closure is not None
    return closure


def solvable(puzzle: Puzzle, ends: list[int], pegs: int) -> Iterator[set[int]]:
    """The boards with 1, 2, … pegs that jumps taken back from an end lead to, found one by one."""
    level = set(ends)
    for _ in range(pegs):
        yield level
        lines = [(1 << a | 1 << b | 1 << c, 1 << c) for a, b, c in puzzle.board.jumps]
        level = {state ^ line for state in level for line, end in lines if state & line == end}


@pytest.mark.parametrize("puzzle_id", ["hoppers", "triangle-15"])
@pytest.mark.parametrize("most", [0, 50, 10**6])
def test_every_board_that_can_be_solved_passes(puzzle_id: str, most: int) -> None:
    puzzle = find(puzzle_id)
    board, fallen = board_of(puzzle), 0
    for goal in (-1, 0, 4):
        for end in [1 << hole for hole in range(puzzle.holes) if goal in (-1, hole)][:3]:
            ends = board.ends(goal, end)
            sieve = made(board, ends, most)
            for state in range(1, 1 << puzzle.holes):
                if board.parities(state) == board.parities(end) and sieve.proves_dead(state):
                    fallen += 1
                    assert puzzle.source(goal).moves_left(Position(state)) == DEAD
    assert fallen > (1000 if most else 10)


@pytest.mark.parametrize("puzzle_id", BIG)
def test_few_others_pass(puzzle_id: str) -> None:
    puzzle = find(puzzle_id)
    board, rng = board_of(puzzle), random.Random(11)
    ends = board.ends(-1, 1 << 7)
    sieve, passed, tried = made(board, ends), 0, 0
    levels = [*solvable(puzzle, ends, max(sieve.levels))]
    assert len(levels[-1]) > 3000  # one more level than is listed
    for pegs, level in enumerate(levels, 1):
        assert not any(sieve.proves_dead(state) for state in level)
        others = (sum(1 << hole for hole in rng.sample(range(puzzle.holes), pegs)) for _ in range(200))
        dead = [s for s in others if s not in level and board.parities(s) == board.parities(ends[0])]
        passed, tried = passed + sum(not sieve.proves_dead(state) for state in dead), tried + len(dead)
    assert tried > 0 and passed < 0.1 * tried


@pytest.mark.parametrize("puzzle_id", BIG)
@pytest.mark.parametrize("draw", [played, taken_back])
def test_closures_with_a_sieve_leave_out_only_what_is_dead(puzzle_id: str, draw: object) -> None:
    puzzle = find(puzzle_id)
    board, rng, saved = board_of(puzzle), random.Random(12), 0
    for anywhere in (True, False, True, False):
        drawn = ((played if draw is played else taken_back)(puzzle, 17, rng) for _ in itertools.count())
        state, every = next((s, board.ends(-1, s)) for s in drawn if board.ends(-1, s))
        goal = -1 if anywhere else rng.choice(every).bit_length() - 1
        ends = board.ends(goal, state)
        sieve = made(board, ends)
        whole, part = closed(board, goal, state, None), closed(board, goal, state, sieve)
        assert part.counts == whole.counts
        saved += whole.size - part.size
        for level in whole.levels.values():
            for word in some_of(level.rows, 40):
                for hand in [-1, *(hole for hole in range(puzzle.holes) if word >> hole & 1)][:3]:
                    left = part.moves_left(Position(word, hand))
                    if left == UNKNOWN:
                        assert is_left_out(board, word, state, sieve, part)
                        left = DEAD
                    assert left == whole.moves_left(Position(word, hand))
    assert saved > 500 or draw is played


def is_left_out(board: BigBoard, word: int, state: int, sieve: Sieve, part: Closure) -> bool:
    """Whether a board falls through, or all ways to it lead over such ones."""
    if sieve.proves_dead(word):
        return True
    lines = [(1 << a | 1 << b | 1 << c, 1 << c) for a, b, c in board.jumps]
    before = [word ^ line for line, end in lines if word & line == end]
    return all(part.moves_left(Position(one)) == UNKNOWN for one in before)


def test_answers_steps_and_counts_are_the_same(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = find("french-37")
    board, rng, asked = board_of(puzzle), random.Random(13), 0
    at_hand = Sieves()
    for goal in (-1, 9, 36):
        states = (taken_back(puzzle, 14, rng) for _ in itertools.count())
        state = next(s for s in states if board.ends(goal, s))
        sources = [BigSource(board, goal, Workshop(), Shelf(10**8), Allowance(600.0, 0.0)) for _ in "ab"]
        told = []
        for source, held in zip(sources, (Sieves(), at_hand), strict=True):
            monkeypatch.setattr("server.exact.big_sources.SIEVES", held)
            if held is at_hand:
                finish(held.fetch(board, board.ends(goal, state)))
            told.append([source.moves_left(Position(state)), *judged(puzzle, source, Position(state))])
            asked += len(told[-1])
        assert told[0] == told[1]
    assert asked > 30


def judged(puzzle: Puzzle, source: BigSource, position: Position) -> Iterator[int]:
    """What every step of a game leads to, and how many shortest solutions there are."""
    counter = Counter(puzzle, source, -1)
    while steps := puzzle.raw_steps(position):
        yield from (source.moves_left(step.after) for step in steps)
        position = max(steps, key=lambda step: source.moves_left(step.after)).after
        if source.moves_left(position) > 0 and source.can_list(position):
            [*counter.walk(position)]
            yield counter.count(position)


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOPPERS_CACHE", str(tmp_path))
    monkeypatch.setattr(sieves, "LISTED", 1000)
    (tmp_path / "machine-code").symlink_to(compiled.FOLDER.parent)  # the process beside compiles nothing anew
    return tmp_path


@pytest.mark.parametrize("beside", [False, True])
def test_a_sieve_is_made_once_and_kept(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch, beside: bool
) -> None:
    board = board_of(find("diamond-41"))
    ends, held = board.ends(-1, 1 << 3), Sieves()
    kept = name_of(board, ends), board.holes
    one = Beside(1) if beside else None
    elsewhere.use(one)
    try:
        assert finish(held.kept(*kept)) is None
        progress = [*held.fetch(board, ends)]
    finally:
        elsewhere.use(None)
        if one is not None:
            one.close()
    assert progress == sorted(progress) and progress[-1] == 1
    ours, theirs = made(board, ends, 1000), held.get(board, ends)
    assert theirs is not None and theirs.levels.keys() == ours.levels.keys()
    assert all((theirs.levels[pegs] == words).all() for pegs, words in ours.levels.items())
    monkeypatch.setattr(sieves, "sieve_of", None)  # from now on nothing is made
    assert finish(Sieves().kept(*kept)) is not None
    [path] = own_cache.glob("tables-*/sieve-*.table")
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    assert finish(Sieves().kept(*kept)) is None and not path.exists()


def test_what_is_kept_means_what_it_meant() -> None:
    """A sieve read with another hash, or as another one, would prove what is not so.

    Whoever changes what is in one gives it another FORM, and then writes down here what is in it now.
    """
    words = made(board_of(find("english-33")), [1 << 16], 500).levels
    assert [*words] == [1, 2, 3, 4, 5, 6]
    assert (FORM, zlib.crc32(b"".join(level.tobytes() for level in words.values()))) == (1, 0x386E4F0F)


def test_another_hash_has_other_names(monkeypatch: pytest.MonkeyPatch) -> None:
    board = board_of(find("english-33"))
    changes = [
        (sieve, "MIXER", sieve.MIXER + 2),
        (buckets, "MULTIPLIER", buckets.MULTIPLIER + 2),
        (sieves, "hashing_of", lambda holes: hashing_of(holes + 1)),
        (
            sieves,
            "hash_of",
            compiled.kernel(lambda board, hashing: hash_of(board, hashing) + np.uint64(1 << 40)),
        ),
        (sieves, "bits_of", compiled.kernel(lambda code: bits_of(code) << np.uint64(1))),
        (sieves, "word_of", compiled.kernel(lambda code, words: word_of(code << np.uint64(1), words))),
    ]
    names = {name_of(board, [1 << 16])}
    for where, what, other in changes:
        with monkeypatch.context() as patch:
            patch.setattr(where, what, other)
            for kept in (probe, compiled.interpreted):
                kept.cache_clear()
            names.add(name_of(board, [1 << 16]))
    for kept in (probe, compiled.interpreted):
        kept.cache_clear()
    assert len(names) == 1 + len(changes)
    assert probe(33) == probe.__wrapped__(33) != probe(37)


def test_a_closure_takes_the_hash_of_its_sieve() -> None:
    puzzle, rng = find("english-33"), random.Random(14)
    board = board_of(puzzle)
    state = next(s for s in iter(lambda: taken_back(puzzle, 12, rng), 0) if board.ends(-1, s))
    wider = finish(sieve_of(board.ends(-1, state), board.holes + 1, board.shifts, 3000))
    whole, part = closed(board, -1, state, None), closed(board, -1, state, wider)
    assert part.counts == whole.counts and part.size < whole.size


def test_what_a_closure_made_beside_leaves_out_is_known_here(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    puzzle, rng = find("french-37"), random.Random(15)
    board, here, there = board_of(puzzle), Sieves(), Sieves()
    monkeypatch.setattr("server.exact.big_sources.SIEVES", here)
    monkeypatch.setattr("server.exact.making.SIEVES", there)  # as in another process
    monkeypatch.setattr("server.exact.big_sources.has_place", lambda: True)
    state = next(s for s in iter(lambda: taken_back(puzzle, 14, rng), 0) if board.ends(-1, s))
    source, ends = BigSource(board, -1, Workshop(), Shelf(10**8)), board.ends(-1, state)
    whole = finish(source._closing(state))
    assert here.get(board, ends) is None and there.get(board, ends) is None
    finish(Sieves().fetch(board, ends))
    part = finish(source._closing(state))
    assert here.get(board, ends) is not None and there.get(board, ends) is not None
    assert whole is not None and part is not None and part.counts == whole.counts


def test_the_least_used_sieve_goes(own_cache: Path) -> None:
    board = board_of(find("english-33"))
    first, second, third = ([end] for end in (1 << 16, 1 << 3, 1 << 8))
    size = made(board, first, 1000).bytes
    held = Sieves(int(2.8 * size))
    for ends in (first, second, first, third):
        finish(held.fetch(board, ends))
        held.get(board, first)
    assert [held.get(board, ends) is None for ends in (first, second, third)] == [False, True, False]
    assert held.spares(board, second, (1 << 19) - 1) and not held.spares(board, second, (1 << 20) - 1)


def test_who_asks_for_a_hard_position_has_a_sieve_made(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = Sieves()
    monkeypatch.setattr("server.exact.big_sources.SIEVES", held)
    monkeypatch.setattr("server.exact.big_sources.SMALL_BOARDS", 1)
    monkeypatch.setattr("server.exact.big_sources.HEAD_START_SECONDS", 0.0)
    puzzle = find("french-37")
    board, workshop = board_of(puzzle), Workshop()
    source = BigSource(board, -1, workshop, Shelf(10**8), Allowance(0.0, 0.0))
    rng = random.Random(1)
    drawn = iter(lambda: played(puzzle, 24, rng), 0)
    state = next(s for s in drawn if source.moves_left(Position(s)) == UNKNOWN)
    assert workshop.wait(60)
    sieve = held.get(board, board.ends(-1, state))
    assert sieve is not None
    words = (sum(1 << hole for hole in holes) for holes in itertools.combinations(range(37), 6))
    dead = (w for w in words if board.parities(w) == board.parities(state) and sieve.proves_dead(w))
    assert all(source.moves_left(Position(word)) == DEAD for word in itertools.islice(dead, 20))


def test_what_can_wait_is_built_last() -> None:
    workshop, built = Workshop(), []

    def building(name: str) -> Iterator[float]:
        yield 0.0
        if name == "first":
            for other in ("second", "third"):
                workshop.ask(wish(other))
            workshop.ask(wish("fourth"), later=True)
        built.append(name)

    def wish(name: str) -> Wish:
        return Wish(name, lambda: building(name))  # type: ignore[arg-type,return-value]

    workshop.ask(wish("first"))
    assert workshop.wait(60)
    assert built == ["first", "third", "second", "fourth"]


def test_how_much_of_a_sieve_is_made_between_two_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    board, work = board_of(find("english-33")), Work()
    whole = made(board, [1 << 16], 500)
    for name in ("put_rows", "put_next"):
        work.count(monkeypatch, sieving, name, lambda given, made: listed(given[1:], made))
    monkeypatch.setattr(sieving, "SLICE", 100)
    most = work.most_between_two_looks(sieve_of([1 << 16], board.holes, board.shifts, 500))
    assert most == {"put_rows": 100, "put_next": 100}
    cut = made(board, [1 << 16], 500)
    assert all(np.array_equal(cut.levels[pegs], words) for pegs, words in whole.levels.items())
