"""Bloom filters on disk and in memory: built once, never mistaken for another, built when needed."""

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
from hoppers.jobs.worker_process import Beside
from hoppers.puzzles.pegs import bloom_files
from hoppers.puzzles.pegs.bloom_files import FORM, BloomFilters, name_of, probe
from hoppers.puzzles.pegs.closure import bloom_filter, hash_buckets
from hoppers.puzzles.pegs.closure.bloom_filter import bits_of, word_of
from hoppers.puzzles.pegs.closure.hash_buckets import hash_of, hashing_of
from hoppers.puzzles.pegs.source import ALONE_SECONDS, LargeBoardSource
from hoppers.tablebase import elsewhere
from hoppers.tablebase.builder import Builder, BuildRequest, finish
from hoppers.tablebase.solutions import SolutionCounter
from hoppers.tablebase.table_cache import Allowance, Shelf
from tests.engine import find
from tests.puzzles.pegs.test_bloom_filter import bloom_filter_for, large_board
from tests.puzzles.pegs.test_closures import random_board, solvable_board


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOPPERS_CACHE", str(tmp_path))
    monkeypatch.setattr(bloom_files, "LISTED", 1000)
    (tmp_path / "machine-code").symlink_to(kernels.FOLDER.parent)  # the worker process compiles nothing again
    return tmp_path


def test_answers_and_counts_are_equal_with_a_bloom_filter(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    puzzle = find("french-37")
    board, rng, count = large_board(puzzle), random.Random(13), 0
    at_hand = BloomFilters()
    for goal in (-1, 9, 36):
        states = (solvable_board(puzzle, 14, rng) for _ in itertools.count())
        state = next(s for s in states if board.ends(goal, s))
        sources = [
            LargeBoardSource(board, goal, Builder(), Shelf(10**8), Allowance(600.0, 0.0)) for _ in "ab"
        ]
        answers = []
        for source, held in zip(sources, (BloomFilters(), at_hand), strict=True):
            monkeypatch.setattr("hoppers.puzzles.pegs.source.SIEVES", held)
            if held is at_hand:
                finish(held.fetch(board, board.ends(goal, state)))
            answers.append([source.moves_left(Position(state)), *answers_of(puzzle, source, Position(state))])
            count += len(answers[-1])
        assert answers[0] == answers[1]
    assert count > 30


def answers_of(puzzle: Puzzle, source: LargeBoardSource, position: Position) -> Iterator[int]:
    """Yield the answers for every step of a game, and the numbers of shortest solutions."""
    counter = SolutionCounter(puzzle, source, -1)
    while steps := puzzle.raw_steps(position):
        yield from (source.moves_left(step.after) for step in steps)
        position = max(steps, key=lambda step: source.moves_left(step.after)).after
        if source.moves_left(position) > 0 and source.can_list(position):
            [*counter.walk(position)]
            yield counter.count(position)


@pytest.mark.parametrize("beside", [False, True])
def test_bloom_filter_is_built_once_and_stored(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch, beside: bool
) -> None:
    board = large_board(find("diamond-41"))
    ends, held = board.ends(-1, 1 << 3), BloomFilters()
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
    ours, theirs = bloom_filter_for(board, ends, 1000), held.get(board, ends)
    assert theirs is not None and theirs.levels.keys() == ours.levels.keys()
    assert all((theirs.levels[pegs] == words).all() for pegs, words in ours.levels.items())
    monkeypatch.setattr(bloom_files, "build_bloom_filter", None)  # from now on none is built
    assert finish(BloomFilters().kept(*kept)) is not None
    [path] = own_cache.glob("tables-*/sieve-*.table")
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    assert finish(BloomFilters().kept(*kept)) is None and not path.exists()


def test_stored_bloom_filters_keep_their_meaning() -> None:
    """A Bloom filter read with another hash, or as another filter, would give wrong proofs.

    A change of the content needs another FORM, and the new checksum here.
    """
    words = bloom_filter_for(large_board(find("english-33")), [1 << 16], 500).levels
    assert [*words] == [1, 2, 3, 4, 5, 6]
    assert (FORM, zlib.crc32(b"".join(level.tobytes() for level in words.values()))) == (1, 0x386E4F0F)


def test_other_hash_functions_give_other_file_names(monkeypatch: pytest.MonkeyPatch) -> None:
    board = large_board(find("english-33"))
    changes = [
        (bloom_filter, "MIXER", bloom_filter.MIXER + 2),
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


def test_boards_omitted_by_remote_closures_are_known_locally(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    puzzle, rng = find("french-37"), random.Random(15)
    board, here, there = large_board(puzzle), BloomFilters(), BloomFilters()
    monkeypatch.setattr("hoppers.puzzles.pegs.source.SIEVES", here)
    monkeypatch.setattr("hoppers.puzzles.pegs.table_builds.SIEVES", there)  # as in another process
    monkeypatch.setattr("hoppers.puzzles.pegs.source.has_place", lambda: True)
    state = next(s for s in iter(lambda: solvable_board(puzzle, 14, rng), 0) if board.ends(-1, s))
    source, ends = LargeBoardSource(board, -1, Builder(), Shelf(10**8)), board.ends(-1, state)
    whole = finish(source._closing(state))
    assert here.get(board, ends) is None and there.get(board, ends) is None
    finish(BloomFilters().fetch(board, ends))
    part = finish(source._closing(state))
    assert here.get(board, ends) is not None and there.get(board, ends) is not None
    assert whole is not None and part is not None and part.counts == whole.counts


def test_least_recently_used_bloom_filter_is_dropped(own_cache: Path) -> None:
    board = large_board(find("english-33"))
    first, second, third = ([end] for end in (1 << 16, 1 << 3, 1 << 8))
    size = bloom_filter_for(board, first, 1000).bytes
    held = BloomFilters(int(2.8 * size))
    for ends in (first, second, first, third):
        finish(held.fetch(board, ends))
        held.get(board, first)
    assert [held.get(board, ends) is None for ends in (first, second, third)] == [False, True, False]
    assert held.spares(board, second, (1 << 19) - 1) and not held.spares(board, second, (1 << 20) - 1)


def test_query_of_a_hard_position_builds_a_bloom_filter(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = BloomFilters()
    monkeypatch.setattr("hoppers.puzzles.pegs.source.SIEVES", held)
    monkeypatch.setattr("hoppers.puzzles.pegs.source.SMALL_BOARDS", 1)
    monkeypatch.setattr("hoppers.puzzles.pegs.source.HEAD_START_SECONDS", 0.0)
    puzzle = find("french-37")
    board, workshop = large_board(puzzle), Builder()
    source = LargeBoardSource(board, -1, workshop, Shelf(10**8), Allowance(0.0, 0.0))
    rng = random.Random(1)
    drawn = iter(lambda: random_board(puzzle, 24, rng), 0)
    state = next(s for s in drawn if source.moves_left(Position(s)) == UNKNOWN)
    assert workshop.wait(60)
    sieve = held.get(board, board.ends(-1, state))
    assert sieve is not None
    words = (sum(1 << hole for hole in holes) for holes in itertools.combinations(range(37), 6))
    dead = (w for w in words if board.parities(w) == board.parities(state) and sieve.proves_dead(w))
    assert all(source.moves_left(Position(word)) == DEAD for word in itertools.islice(dead, 20))


def test_idle_server_builds_larger_closures_with_a_bloom_filter(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    puzzle, held, workshop, rng = find("french-37"), BloomFilters(), Builder(), random.Random(2)
    monkeypatch.setattr("hoppers.puzzles.pegs.source.SIEVES", held)
    monkeypatch.setattr("hoppers.puzzles.pegs.source.SMALL_BOARDS", 1)
    monkeypatch.setattr("hoppers.puzzles.pegs.source.QUICK_BOARDS", 1000)
    monkeypatch.setattr(workshop, "ask", lambda wish, later=False: None)
    board, state = large_board(puzzle), solvable_board(puzzle, 18, rng)

    def left(saved: float = 600.0) -> int:
        return LargeBoardSource(board, -1, workshop, Shelf(10**8), Allowance(saved, 0.0)).moves_left(
            Position(state)
        )

    assert left() == UNKNOWN  # without a Bloom filter
    finish(held.fetch(board, board.ends(-1, state)))
    assert left() > 0
    assert left(0.5 * ALONE_SECONDS) == UNKNOWN
    monkeypatch.setattr(workshop, "is_crowded", lambda: True)
    assert left() == UNKNOWN
    monkeypatch.setattr(workshop, "is_crowded", lambda: False)
    monkeypatch.setattr("hoppers.puzzles.pegs.source.ALONE_PEGS", 17)
    assert left() == UNKNOWN


@pytest.mark.parametrize("puzzle_id", ["english-33", "french-37", "diamond-41"])
def test_query_of_a_start_builds_its_bloom_filter(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch, puzzle_id: str
) -> None:
    """From the first query of its start on, if no table will answer it."""
    held, workshop, wishes = BloomFilters(), Builder(), list[BuildRequest]()
    monkeypatch.setattr("hoppers.puzzles.pegs.source.SIEVES", held)
    monkeypatch.setattr(workshop, "ask", lambda wish, later=False: wishes.append(wish))
    board = large_board(find(puzzle_id))
    source = LargeBoardSource(board, -1, workshop, Shelf(10**8), Allowance(0.0, 0.0))
    start = next(s for s in (board.every ^ 1 << hole for hole in range(9)) if board.ends(-1, s))
    assert source.moves_left(Position(start)) == UNKNOWN
    ends = board.ends(-1, start)
    sifts = [wish for wish in wishes if wish.name == (f"{board.name}--1", *ends)]
    assert [wish.heavy for wish in sifts] == ([] if board.has_tables else [True])
    for wish in sifts:
        finish(wish.build())
    assert (held.get(board, ends) is None) == board.has_tables


def test_low_priority_builds_run_last() -> None:
    workshop, built = Builder(), []

    def building(name: str) -> Iterator[float]:
        yield 0.0
        if name == "first":
            for other in ("second", "third"):
                workshop.ask(wish(other))
            workshop.ask(wish("fourth"), later=True)
        built.append(name)

    def wish(name: str) -> BuildRequest:
        return BuildRequest(name, lambda: building(name))  # type: ignore[arg-type,return-value]

    workshop.ask(wish("first"))
    assert workshop.wait(60)
    assert built == ["first", "third", "second", "fourth"]
