"""The search by levels decides as tables do, replays its solutions, and goes on where it was interrupted."""

import itertools
from pathlib import Path

import pytest

from hoppers.core.model import DEAD
from hoppers.puzzles.pegs.pagoda import is_pagoda
from hoppers.puzzles.pegs.peg_board import peg_board
from hoppers.puzzles.pegs.proofs import level_search
from hoppers.puzzles.pegs.proofs.level_proof import exchanging, level_proof
from hoppers.puzzles.pegs.proofs.level_search import LevelAnswer, decide_by_levels
from hoppers.runtime.builder import finish
from hoppers.tablebase.atlas_data import vacated
from tests.support.engine import find


def replayed(jumps: list[tuple[int, int, int]], vacancy: int, holes: int) -> set[int]:
    pegs = {*range(holes)} - {vacancy}
    for a, over, t in jumps:
        assert {a, over} <= pegs and t not in pegs
        pegs = pegs - {a, over} | {t}
    return pegs


@pytest.fixture
def learns_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let functions be learned from small levels, too."""
    monkeypatch.setattr(level_search, "SAMPLED_LEVEL", 30)
    monkeypatch.setattr(level_search, "MOST_LATE", 20)


@pytest.mark.usefixtures("learns_early")
def test_every_symmetric_problem_of_a_small_board_is_decided() -> None:
    puzzle, answers = find("hoppers"), set[bool]()
    board = peg_board(puzzle)
    for vacancy, end in itertools.product(range(13), repeat=2):
        try:
            exchanging(board, vacancy, end)
        except ValueError:
            continue
        answer = finish(decide_by_levels(board, vacancy, end, 10_000))
        has_solution = puzzle.source(end).moves_left(vacated(puzzle, vacancy)) != DEAD
        assert (answer.jumps is not None) == has_solution
        assert all(is_pagoda(weights, board.jumps) for weights in answer.functions)
        if answer.jumps is not None:
            assert replayed(answer.jumps, vacancy, 13) == {end}
        elif answer.sizes[-1]:
            proof = level_proof(board, vacancy, end, answer.functions, 12 - answer.ahead)
            assert [*proof.middle.values()][answer.ahead :] == answer.sizes[answer.ahead :]
            assert proof.meetings == 0
        answers.add(has_solution)
    assert answers == {True, False}


def interrupted(folder: Path, steps: int) -> LevelAnswer | None:
    search = decide_by_levels(peg_board(find("hoppers")), 6, 6, 10_000, folder)
    try:
        for _ in range(steps):
            next(search)
    except StopIteration as end:
        answer: LevelAnswer = end.value
        return answer
    return None


@pytest.mark.usefixtures("learns_early")
def test_interrupted_search_goes_on(tmp_path: Path) -> None:
    whole, answer = interrupted(tmp_path / "whole", 1000), None
    for steps in range(1, 20):
        answer = answer or interrupted(tmp_path / "parts", steps)
    assert answer == whole is not None
    stored = sorted(path.name for path in (tmp_path / "parts").iterdir())
    assert stored == ["functions.json", *(f"level-{number}.npz" for number in range(1, 6))]


def test_memory_ends_a_search() -> None:
    with pytest.raises(MemoryError, match="more than 40 boards"):
        finish(decide_by_levels(peg_board(find("hoppers")), 6, 6, 40))
