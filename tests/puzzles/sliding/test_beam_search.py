"""Solutions of the 15-puzzle that are there at once: found by beam search, replayed by naive rules."""

import random

import pytest

from hoppers import puzzles
from hoppers.analysis import verdicts
from hoppers.core.puzzle import Puzzle
from hoppers.puzzles.sliding import beam_search, pattern_source, rules
from hoppers.puzzles.sliding.pattern_source import LIMITS
from hoppers.puzzles.sliding.rules import EIGHT_BOARD, FIFTEEN_BOARD, texts_at_distance
from hoppers.tablebase.engine import Engine
from tests import naive
from tests.support.engine import engine_of, find

HOME_15 = "123456789abcdef0"
LONG_PROOFS = [  # fewest moves known from long searches, or None
    ("159d26ae37bf48c0", 72),
    ("159d26ae387f04bc", 67),
    ("159d26ae3b8f47c0", None),
    ("fedcba9876543120", 70),
    ("0fedcba987654321", 78),
    ("f2810cad9be73546", None),
    ("0c9dfbae37624851", 80),
]


def random_texts(count: int, seed: int) -> list[str]:
    """Return random solvable positions; half of all arrangements are."""
    rng, cells = random.Random(seed), [*rules.home_cells(FIFTEEN_BOARD)]
    found: list[str] = []
    while len(found) < count:
        rng.shuffle(cells)
        if not rules.is_odd(tuple(cells), FIFTEEN_BOARD):
            found.append("".join(f"{tile:x}" for tile in cells))
    return found


def replayed(text: str, moves: list[list[int]], side: int = 4) -> str:
    """Return the position after `moves`, made by the naive rules."""
    game = naive.Sliding(side, side)
    for origin, target in moves:
        text = next(after for a, b, after, _ in game.steps(text) if (a, b) == (origin, target))
    return text


def manhattan(text: str) -> int:
    places = [(cell, int(tile, 16) - 1) for cell, tile in enumerate(text) if tile != "0"]
    return sum(abs(cell // 4 - home // 4) + abs(cell % 4 - home % 4) for cell, home in places)


def fifteen_puzzle_without_proofs(monkeypatch: pytest.MonkeyPatch) -> Puzzle:
    """Return the puzzle of a new engine that proves nothing, neither at once nor in the background."""
    limits = LIMITS._replace(bucket_capacity=0, background=0)
    monkeypatch.setattr(pattern_source, "LIMITS", limits)
    return Engine(puzzles.PUZZLES).find("fifteen-puzzle")


@pytest.mark.parametrize("width", [1, 30, beam_search.WIDTH])
def test_every_beam_ends_in_a_solution(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beam_search, "WIDTH", width)
    for text in [*random_texts(20, width), *(text for text, _ in LONG_PROOFS)]:
        puzzle = find("fifteen-puzzle")
        steps = beam_search.any_solution(puzzle, puzzle.parse(text))
        assert replayed(text, [[step.origin, step.target] for step in steps]) == HOME_15
        assert steps == beam_search.any_solution(puzzle, puzzle.parse(text))


def test_beam_wide_enough_for_a_level_finds_shortest_solutions() -> None:
    puzzle = find("eight-puzzle")
    for distance in (1, 12, 24):
        for text in random.Random(distance).choices(texts_at_distance(EIGHT_BOARD, distance, distance), k=5):
            assert len(beam_search._beam(puzzle, puzzle.parse(text), 1 << 20) or ()) == distance


@pytest.mark.parametrize("is_compiled", [True, False])
@pytest.mark.parametrize(("text", "fewest"), LONG_PROOFS)
def test_position_with_a_long_proof_is_live_at_once(
    text: str, fewest: int | None, is_compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    puzzle = fifteen_puzzle_without_proofs(monkeypatch)
    if not is_compiled:
        engine_of(puzzle).defer_kernels(["fifteen-puzzle"])
    position = puzzle.parse(text)
    verdict, steps = verdicts.graded(puzzle, 0, position)
    for at, of in [(text, verdict), *((puzzle.format(step.after), of) for step, of in steps)]:
        assert of.verdict == "live"
        most = of.bounds.most
        assert most is not None and manhattan(at) <= of.bounds.least <= most
        found, moves = verdicts.solution(puzzle, 0, puzzle.parse(at))
        assert found == of and len(moves) == most and replayed(at, moves) == HOME_15
        assert verdicts.hint(puzzle, 0, puzzle.parse(at)) == (of, moves[0])
    if fewest is not None:
        most = verdict.moves_left or (verdict.bounds and verdict.bounds.most) or 0
        assert verdict.bounds.least <= fewest <= most


def test_unproved_hints_lead_home(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle, text = fifteen_puzzle_without_proofs(monkeypatch), "159d26ae37bf48c0"
    lefts: list[int] = []
    while text != HOME_15:
        verdict, _ = verdicts.graded(puzzle, 0, puzzle.parse(text))
        of, move = verdicts.hint(puzzle, 0, puzzle.parse(text))
        assert of == verdict
        lefts.append(of.moves_left or (of.bounds and of.bounds.most) or 0)
        text = replayed(text, [move])
    assert lefts == sorted(set(lefts), reverse=True)


def test_unfinished_proofs_raise_the_lower_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """The proofs of 72 moves take a billion nodes; both kinds of proof end after some limits here."""
    puzzle = fifteen_puzzle_without_proofs(monkeypatch)
    position = puzzle.parse("159d26ae37bf48c0")
    leasts = [verdicts.find_verdict(puzzle, 0, position).bounds.least]
    for limits in ({"bucket_capacity": 16 * 300_000}, {"background": 3_000_000}):
        monkeypatch.setattr(pattern_source, "LIMITS", LIMITS._replace(**{"background": 0, **limits}))
        puzzle = Engine(puzzles.PUZZLES).find("fifteen-puzzle")
        verdicts.find_verdict(puzzle, 0, position)
        assert puzzle.engine.builder.join(60)
        leasts.append(verdicts.find_verdict(puzzle, 0, position).bounds.least)
        assert verdicts.find_verdict(puzzle, 0, position).moves_left is None
    assert leasts == sorted(set(leasts))
    assert all(48 <= least <= 72 and least % 2 == 0 for least in leasts)  # 48: the pattern databases


def test_bounds_only_improve_until_they_are_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle, text = fifteen_puzzle_without_proofs(monkeypatch), "e80921f3cd645b7a"
    position = puzzle.parse(text)
    [first, *_] = [step.after for step in puzzle.steps(position)]
    before, _ = verdicts.graded(puzzle, 0, first)
    verdicts.graded(puzzle, 0, position)
    after, _ = verdicts.graded(puzzle, 0, first)
    most = [of.moves_left or (of.bounds and of.bounds.most) or 0 for of in (before, after)]
    assert before.bounds.least <= after.bounds.least <= most[1] <= most[0]
    monkeypatch.setattr(pattern_source, "LIMITS", LIMITS)
    proved, _ = verdicts.graded(puzzle, 0, first)
    assert proved.moves_left is not None and after.bounds.least <= proved.moves_left <= most[1]
