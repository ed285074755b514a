"""Bloom filters on disk and in memory: built once, never mistaken for another, built when needed."""

import itertools
import random
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from hoppers import puzzles
from hoppers.core import kernels
from hoppers.core.model import DEAD, UNKNOWN, Position
from hoppers.core.puzzle import Puzzle
from hoppers.puzzles.pegs import bloom_files
from hoppers.puzzles.pegs import source as pegs_source
from hoppers.puzzles.pegs.bloom_files import FORMAT, BloomFilters, name_of
from hoppers.puzzles.pegs.source import LIMITS, LargeBoardSource
from hoppers.runtime.load import Load
from hoppers.runtime.token_bucket import TokenBucket
from hoppers.tablebase.builder import BuildRequest, finish
from hoppers.tablebase.engine import Engine
from hoppers.tablebase.solutions import finished_graph
from tests.engine import find
from tests.puzzles.pegs.positions import large_board, random_board, solvable_board
from tests.puzzles.pegs.test_bloom_filter import bloom_filter_for
from tests.remote_builds import RemoteBuilds


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOPPERS_CACHE", str(tmp_path))
    monkeypatch.setattr(bloom_files, "MAX_LISTED", 1000)
    (tmp_path / "machine-code").symlink_to(
        kernels.FOLDER.parent
    )  # the worker process compiles no kernel again
    return tmp_path


def new_engine(load: Load | None = None) -> Engine:
    return Engine(puzzles.PUZZLES, load)


def filters_of(engine: Engine) -> BloomFilters:
    return engine.resource(BloomFilters)


def test_answers_and_counts_are_equal_with_a_bloom_filter(own_cache: Path) -> None:
    puzzle = find("french-37")
    board, rng, count = large_board(puzzle), random.Random(13), 0
    for goal in (-1, 9, 36):
        states = (solvable_board(puzzle, 14, rng) for _ in itertools.count())
        state = next(s for s in states if board.ends(goal, s))
        answers = []
        for has_filter in (False, True):
            engine = new_engine()
            source = LargeBoardSource(engine, board, goal, budget=TokenBucket(600.0, 0.0))
            if has_filter:
                finish(filters_of(engine).fetch(board, board.ends(goal, state)))
            answers.append([source.moves_left(Position(state)), *answers_of(puzzle, source, Position(state))])
            count += len(answers[-1])
        assert answers[0] == answers[1]
    assert count > 30


def answers_of(puzzle: Puzzle, source: LargeBoardSource, position: Position) -> Iterator[int]:
    """Yield the answers for every step of a game, and the numbers of shortest solutions."""
    while steps := puzzle.legal_steps(position):
        yield from (source.moves_left(step.after) for step in steps)
        position = max(steps, key=lambda step: source.moves_left(step.after)).after
        if source.moves_left(position) > 0 and source.lister(position):
            yield finished_graph(puzzle, source, -1, position).count(0)


@pytest.mark.parametrize("is_remote", [False, True])
def test_bloom_filter_is_built_once_and_stored(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch, is_remote: bool
) -> None:
    board = large_board(find("diamond-41"))
    ends = board.ends(-1, 1 << 3)
    stored = name_of(board, ends), board.holes
    worker = RemoteBuilds() if is_remote else None
    filters = BloomFilters(Engine(puzzles.PUZZLES, run_build=worker.run_build if worker else None))
    try:
        assert finish(filters.load(*stored)) is None
        progress = [*filters.fetch(board, ends)]
    finally:
        if worker is not None:
            worker.close()
    assert progress == sorted(progress) and progress[-1] == 1
    ours, theirs = bloom_filter_for(board, ends, 1000), filters.get(board, ends)
    assert theirs is not None and theirs.levels.keys() == ours.levels.keys()
    assert all((theirs.levels[pegs] == words).all() for pegs, words in ours.levels.items())
    monkeypatch.setattr(bloom_files, "build_bloom_filter", None)  # from now on none is built
    assert finish(BloomFilters(new_engine()).load(*stored)) is not None
    [path] = own_cache.glob("tables-*/bloom-*.table")
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    assert finish(BloomFilters(new_engine()).load(*stored)) is None and not path.exists()


@pytest.mark.parametrize(
    ("puzzle_id", "finish_hole", "checksum"),
    [("english-33", 16, 0x386E4F0F), ("french-37", 19, 0x9D2E3953), ("diamond-41", 3, 0xB3C3E8C6)],
)
def test_stored_bloom_filters_keep_their_meaning(puzzle_id: str, finish_hole: int, checksum: int) -> None:
    """A Bloom filter read with another hash, or as another filter, would give wrong proofs.

    A change of the content, or of the hash function, needs another FORMAT and new checksums here.
    """
    words = bloom_filter_for(large_board(find(puzzle_id)), [1 << finish_hole], 500).levels
    assert [*words] == [1, 2, 3, 4, 5, 6]
    assert (FORMAT, zlib.crc32(b"".join(level.tobytes() for level in words.values()))) == (2, checksum)


def test_boards_omitted_by_remote_closures_are_known_locally(own_cache: Path) -> None:
    puzzle, rng, there = find("french-37"), random.Random(15), new_engine()
    here = Engine(puzzles.PUZZLES, run_build=lambda function, *arguments: function(there, *arguments))
    board = large_board(puzzle)
    state = next(s for s in iter(lambda: solvable_board(puzzle, 14, rng), 0) if board.ends(-1, s))
    source, ends = LargeBoardSource(here, board, -1), board.ends(-1, state)
    whole = finish(source._closure(state))
    assert filters_of(here).get(board, ends) is None and filters_of(there).get(board, ends) is None
    finish(filters_of(new_engine()).fetch(board, ends))
    part = finish(source._closure(state))
    assert filters_of(here).get(board, ends) is not None and filters_of(there).get(board, ends) is not None
    assert whole is not None and part is not None and part.counts == whole.counts


def test_least_recently_used_bloom_filter_is_dropped(own_cache: Path) -> None:
    board = large_board(find("english-33"))
    first, second, third = ([end] for end in (1 << 16, 1 << 3, 1 << 8))
    size = bloom_filter_for(board, first, 1000).bytes
    filters = BloomFilters(new_engine(), int(2.8 * size))
    for ends in (first, second, first, third):
        finish(filters.fetch(board, ends))
        filters.get(board, first)
    assert [filters.get(board, ends) is None for ends in (first, second, third)] == [False, True, False]
    assert filters.is_needless(board, second, (1 << 19) - 1)
    assert not filters.is_needless(board, second, (1 << 20) - 1)


def test_query_of_a_hard_position_builds_a_bloom_filter(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pegs_source, "LIMITS", LIMITS._replace(small_boards=1, head_start_seconds=0.0))
    puzzle, engine = find("french-37"), new_engine()
    board = large_board(puzzle)
    source = LargeBoardSource(engine, board, -1, budget=TokenBucket(0.0, 0.0))
    rng = random.Random(1)
    drawn = iter(lambda: random_board(puzzle, 24, rng), 0)
    state = next(s for s in drawn if source.moves_left(Position(s)) == UNKNOWN)
    assert engine.builder.join(60)
    bloom = filters_of(engine).get(board, board.ends(-1, state))
    assert bloom is not None
    words = (sum(1 << hole for hole in holes) for holes in itertools.combinations(range(37), 6))
    dead = (w for w in words if board.parities(w) == board.parities(state) and bloom.proves_dead(w))
    assert all(source.moves_left(Position(word)) == DEAD for word in itertools.islice(dead, 20))


@pytest.mark.parametrize("puzzle_id", ["english-33", "french-37", "diamond-41"])
def test_query_of_a_start_builds_its_bloom_filter(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch, puzzle_id: str
) -> None:
    """From the first query of the start on, unless a table will answer for it."""
    engine, requests = new_engine(), list[BuildRequest]()
    monkeypatch.setattr(
        engine.builder, "submit", lambda request, low_priority=False: requests.append(request)
    )
    board = large_board(find(puzzle_id))
    source = LargeBoardSource(engine, board, -1, budget=TokenBucket(0.0, 0.0))
    start = next(s for s in (board.every ^ 1 << hole for hole in range(9)) if board.ends(-1, s))
    assert source.moves_left(Position(start)) == UNKNOWN
    ends = board.ends(-1, start)
    of_filters = [request for request in requests if request.key == (f"{board.name}--1", *ends)]
    assert [request.large for request in of_filters] == ([] if board.has_tables else [True])
    for request in of_filters:
        finish(request.start())
    assert (filters_of(engine).get(board, ends) is None) == board.has_tables
