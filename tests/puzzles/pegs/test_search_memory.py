"""A search that is alone uses its whole budget, and ends with the best that is known when that is used up."""

import itertools

import pytest

from hoppers import puzzles
from hoppers.analysis.requests import ParsedSearch, parse_search
from hoppers.cli.exit_status import OPEN
from hoppers.cli.solve import _print_search
from hoppers.core.board import EIGHT, Board
from hoppers.core.events import NO_MEMORY, Exhausted, Failed, Found, Progress, Stopped
from hoppers.core.model import steps_of
from hoppers.core.texts import Text
from hoppers.puzzles.pegs import peg_puzzle, vacancy_problems
from hoppers.puzzles.pegs.beam_search import Beam, beam_search
from hoppers.puzzles.pegs.bidirectional import search as bidirectional
from hoppers.puzzles.pegs.boards import ENGLISH_33
from hoppers.runtime.memory_budget import Lease, MemoryBudget
from hoppers.tablebase.engine import Engine

DIAGONAL = Board(ENGLISH_33.points, EIGHT)
PUZZLES = puzzles.PUZZLES | {
    "diagonal-33": peg_puzzle(
        "diagonal-33", Text(""), DIAGONAL, vacancy_problems(33, (16, 16)), default_method="best"
    )
}


@pytest.fixture(autouse=True)
def no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a search wait only briefly for others, so that a needless wait fails instead of taking long."""
    monkeypatch.setattr(bidirectional, "TUNING", bidirectional.TUNING._replace(wait_seconds=0.02))


def search_with(megabytes: int, puzzle_id: str, start: int, goal: int) -> tuple[ParsedSearch, MemoryBudget]:
    engine = Engine(PUZZLES, builds_large=False)
    engine.memory = MemoryBudget(megabytes * 1_000_000)
    text = "".join("." if hole == start else "o" for hole in range(engine.find(puzzle_id).holes))
    return parse_search(engine, puzzle_id, text, str(goal), fresh=True), engine.memory


LONE = [
    (8, "french-37", 11, 25),
    (2, "french-37", 11, 25),
    (20, "diamond-41", 1, 3),
    (20, "diamond-41", 1, 39),
    pytest.param(40, "diagonal-33", 16, 16, marks=pytest.mark.minutes),
]


@pytest.mark.parametrize(("megabytes", "puzzle_id", "start", "goal"), LONE)
def test_lone_search_ends_with_the_best_that_is_known(
    megabytes: int, puzzle_id: str, start: int, goal: int
) -> None:
    search, memory = search_with(megabytes, puzzle_id, start, goal)
    events = list(search.events())
    end, found = events[-1], [event for event in events if isinstance(event, Found)]
    limits = [event.limit for event in events if isinstance(event, Exhausted)]
    assert isinstance(end, Stopped) and (end.reason, end.limit) == ("limit", limits[-1])
    assert memory.left == memory.size
    puzzle = search.question.puzzle
    for event in found:
        steps = puzzle.replay(search.question.root, steps_of(event.moves))
        assert puzzle.is_solved(steps[-1].after, goal) and event.limit > end.limit
    assert bool(found) == ((puzzle_id, goal) != ("diamond-41", 39))


def test_command_line_says_what_is_known_when_memory_ends(capsys: pytest.CaptureFixture[str]) -> None:
    search, _ = search_with(40, "french-37", 11, 25)
    assert _print_search(search) == OPEN
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1].startswith("Out of memory. Proved so far: at least ")
    assert "Best so far (not proved): " in lines[-1] and "Please try again" not in "".join(lines)


def test_parts_of_one_search_wait_for_each_other() -> None:
    memory = MemoryBudget(100)
    whole = Lease(memory)
    one, other = whole.part(), whole.part()
    one.take(70)
    waiting = other.wait_and_take(60, 0.0)
    assert [next(waiting) for _ in range(9)] == [None] * 9
    one.release()
    assert list(waiting) == [] and memory.left == 40
    other.release()
    assert memory.left == memory.size


def test_memory_of_other_searches_is_waited_for_only_so_long() -> None:
    memory = MemoryBudget(100)
    Lease(memory).part().take(70)
    with pytest.raises(TimeoutError):
        list(Lease(memory).part().wait_and_take(60, 0.01))


def test_search_waits_for_the_memory_of_its_own_beams() -> None:
    search, memory = search_with(500, "french-37", 0, 19)
    lease = Lease(memory)
    beams = beam_search(search.question, (Beam(3_000, 1.0),), lease.part())
    next(beams)
    other = lease.part()
    other.take(memory.left)
    proof = bidirectional.search(search.question, lease.part())
    waited = list(itertools.islice(proof, 500))
    assert not isinstance(waited[-1], Failed | Stopped)
    before = waited[-1]
    assert isinstance(before, Progress) and before.nodes == 0
    other.release()
    assert any(isinstance(event, Exhausted) for event in itertools.islice(proof, 500))


def test_search_that_others_leave_no_memory_fails_after_its_beams() -> None:
    search, memory = search_with(500, "french-37", 0, 19)
    Lease(memory).take(memory.size - 8_000_000)
    *before, end = search.events()
    assert end == Failed(NO_MEMORY)
    assert any(isinstance(event, Found) for event in before)
