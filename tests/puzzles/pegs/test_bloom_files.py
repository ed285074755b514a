"""Sieves on disk and at hand: made once, never read as another one, and asked for when they are needed."""

import itertools
import random
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from hoppers.core import kernels
from hoppers.core.model import DEAD, UNKNOWN, Position
from hoppers.core.puzzle import Puzzle
from hoppers.jobs.worker_process import WorkerProcess
from hoppers.puzzles import find
from hoppers.puzzles.pegs import bloom_files
from hoppers.puzzles.pegs.bloom_files import FORM, Sieves, name_of, probe
from hoppers.puzzles.pegs.closure import bloom_filter as sieve
from hoppers.puzzles.pegs.closure import hash_buckets
from hoppers.puzzles.pegs.closure.bloom_filter import bits_of, word_of
from hoppers.puzzles.pegs.closure.hash_buckets import hash_of, hashing_of
from hoppers.puzzles.pegs.source import ALONE_SECONDS, BigSource
from hoppers.tablebase import elsewhere
from hoppers.tablebase.builder import Wish, Workshop, finish
from hoppers.tablebase.solutions import Counter
from hoppers.tablebase.table_cache import Allowance, Shelf
from tests.jobs.workers import CONFIG
from tests.puzzles.pegs.test_bloom_filter import board_of, made
from tests.puzzles.pegs.test_closures import played, taken_back


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOPPERS_CACHE", str(tmp_path))
    monkeypatch.setattr(bloom_files, "LISTED", 1000)
    (tmp_path / "machine-code").symlink_to(kernels.FOLDER.parent)  # the process beside compiles nothing anew
    return tmp_path


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
            monkeypatch.setattr("hoppers.puzzles.pegs.source.SIEVES", held)
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


@pytest.mark.parametrize("beside", [False, True])
def test_a_sieve_is_made_once_and_kept(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch, beside: bool
) -> None:
    board = board_of(find("diamond-41"))
    ends, held = board.ends(-1, 1 << 3), Sieves()
    kept = name_of(board, ends), board.holes
    one = WorkerProcess(CONFIG) if beside else None
    elsewhere.use(one.run_build if one is not None else None)
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
    monkeypatch.setattr(bloom_files, "sieve_of", None)  # from now on nothing is made
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
        (hash_buckets, "MULTIPLIER", hash_buckets.MULTIPLIER + 2),
        (bloom_files, "hashing_of", lambda holes: hashing_of(holes + 1)),
        (
            bloom_files,
            "hash_of",
            kernels.kernel(lambda board, hashing: hash_of(board, hashing) + np.uint64(1 << 40)),
        ),
        (bloom_files, "bits_of", kernels.kernel(lambda code: bits_of(code) << np.uint64(1))),
        (bloom_files, "word_of", kernels.kernel(lambda code, words: word_of(code << np.uint64(1), words))),
    ]
    names = {name_of(board, [1 << 16])}
    for where, what, other in changes:
        with monkeypatch.context() as patch:
            patch.setattr(where, what, other)
            for kept in (probe, kernels.interpreted):
                kept.cache_clear()
            names.add(name_of(board, [1 << 16]))
    for kept in (probe, kernels.interpreted):
        kept.cache_clear()
    assert len(names) == 1 + len(changes)
    assert probe(33) == probe.__wrapped__(33) != probe(37)


def test_what_a_closure_made_beside_leaves_out_is_known_here(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    puzzle, rng = find("french-37"), random.Random(15)
    board, here, there = board_of(puzzle), Sieves(), Sieves()
    monkeypatch.setattr("hoppers.puzzles.pegs.source.SIEVES", here)
    monkeypatch.setattr("hoppers.puzzles.pegs.table_builds.SIEVES", there)  # as in another process
    monkeypatch.setattr("hoppers.puzzles.pegs.source.has_place", lambda: True)
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
    monkeypatch.setattr("hoppers.puzzles.pegs.source.SIEVES", held)
    monkeypatch.setattr("hoppers.puzzles.pegs.source.SMALL_BOARDS", 1)
    monkeypatch.setattr("hoppers.puzzles.pegs.source.HEAD_START_SECONDS", 0.0)
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


def test_with_a_sieve_and_no_crowd_larger_closures_are_made_at_once(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    puzzle, held, workshop, rng = find("french-37"), Sieves(), Workshop(), random.Random(2)
    monkeypatch.setattr("hoppers.puzzles.pegs.source.SIEVES", held)
    monkeypatch.setattr("hoppers.puzzles.pegs.source.SMALL_BOARDS", 1)
    monkeypatch.setattr("hoppers.puzzles.pegs.source.QUICK_BOARDS", 1000)
    monkeypatch.setattr(workshop, "ask", lambda wish, later=False: None)
    board, state = board_of(puzzle), taken_back(puzzle, 18, rng)

    def left(saved: float = 600.0) -> int:
        return BigSource(board, -1, workshop, Shelf(10**8), Allowance(saved, 0.0)).moves_left(Position(state))

    assert left() == UNKNOWN  # without a sieve
    finish(held.fetch(board, board.ends(-1, state)))
    assert left() > 0
    assert left(0.5 * ALONE_SECONDS) == UNKNOWN
    monkeypatch.setattr(workshop, "is_crowded", lambda: True)
    assert left() == UNKNOWN
    monkeypatch.setattr(workshop, "is_crowded", lambda: False)
    monkeypatch.setattr("hoppers.puzzles.pegs.source.ALONE_PEGS", 17)
    assert left() == UNKNOWN


@pytest.mark.parametrize("puzzle_id", ["english-33", "french-37", "diamond-41"])
def test_who_chooses_a_problem_has_its_sieve_made(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch, puzzle_id: str
) -> None:
    """From the first question about its start on, where no table will answer for it."""
    held, workshop, wishes = Sieves(), Workshop(), list[Wish]()
    monkeypatch.setattr("hoppers.puzzles.pegs.source.SIEVES", held)
    monkeypatch.setattr(workshop, "ask", lambda wish, later=False: wishes.append(wish))
    board = board_of(find(puzzle_id))
    source = BigSource(board, -1, workshop, Shelf(10**8), Allowance(0.0, 0.0))
    start = next(s for s in (board.every ^ 1 << hole for hole in range(9)) if board.ends(-1, s))
    assert source.moves_left(Position(start)) == UNKNOWN
    ends = board.ends(-1, start)
    sifts = [wish for wish in wishes if wish.name == (f"{board.name}--1", *ends)]
    assert [wish.heavy for wish in sifts] == ([] if board.has_tables else [True])
    for wish in sifts:
        finish(wish.build())
    assert (held.get(board, ends) is None) == board.has_tables


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
