"""The atlas: missing results are computed, its lines are solutions, and proofs agree with other sources."""

import itertools
import math
import shutil
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from hoppers.analysis.atlas_results import known_result
from hoppers.core.model import DEAD
from hoppers.core.puzzle import Puzzle
from hoppers.puzzles.pegs.pagoda import dead_proof
from hoppers.tablebase.atlas_data import DATA, KnownResult, key, vacated
from hoppers.tablebase.solutions import SolutionList, finished_graph
from tests import ROOT, naive
from tests.support.checked_solutions import replay
from tests.support.engine import ENGINE, find
from tests.support.weight_proofs import proves_dead
from tools.atlas import peg_results, tile_results
from tools.atlas import results as atlas
from tools.atlas.__main__ import fill_atlas
from tools.atlas.peg_results import concluded, problem_of, with_evidence

COUNTED = 33
"""Holes of the largest board whose problems have tables and therefore a number of solutions."""
FOLDER = ROOT / "docs" / "atlas"
SECTIONS = {path.stem for path in FOLDER.glob("*.json")}
BOARDS = [puzzle for puzzle in ENGINE.puzzles.values() if peg_results.section_of(puzzle) in SECTIONS]
"""The boards of the atlas; a new board needs no results to be played."""
OPEN: dict[str, Any] = {
    "proved": False,
    "limits": [[1, 5, 0], [2, 9, 0]],
    "found": [[0, 2], [4, 6], [8, 6], [1, 7], [3, 2]],
}


def test_only_missing_results_are_computed_and_written(tmp_path: Path) -> None:
    asked: list[str] = []

    def entry(key: str) -> atlas.Compute:
        def compute(done: atlas.Results, save: Callable[[atlas.Result], None]) -> atlas.Result:
            asked.append(key)
            return {"proved": key != "b", "times": done.get(key, {}).get("times", 0) + 1}

        return compute

    def lacks(key: str, done: atlas.Results) -> bool:
        return key == "a" and len(asked) == 3

    entries = {key: entry(key) for key in "ab"}
    section = atlas.Section("s", entries, lambda results: f"{len(results)}\n", lacks)
    assert next(atlas.compute(tmp_path, section)) == "a"
    assert list(atlas.compute(tmp_path, section)) == ["a", "b"]
    assert list(atlas.compute(tmp_path, section)) == []
    assert list(atlas.compute(tmp_path, section, again=True)) == ["b"]
    assert list(atlas.compute(tmp_path, section)) == ["a"]
    assert asked == ["a", "b", "b", "a"]
    assert [result["times"] for result in atlas.read(tmp_path, "s").values()] == [2, 2]
    assert (tmp_path / "s.md").read_text() == "2\n"


def test_interrupted_search_resumes_behind_its_last_limit(tmp_path: Path) -> None:
    class Interrupted(Exception):
        pass

    puzzle, name = find("triangle-15"), "4-12"
    section = peg_results.section(puzzle, atlas.Effort())
    compute = section.entries[name]
    seen: list[atlas.Result] = []

    def save(result: atlas.Result) -> None:
        seen.append(result)
        if len(seen) == 3:
            raise Interrupted

    with pytest.raises(Interrupted):
        compute({}, save)
    assert [limit for limit, *_ in seen[-1]["limits"]] == [1, 2, 3]
    assert section.is_incomplete(name, {name: seen[-1]})
    whole = compute({name: seen[-1]}, seen.append)
    assert [limit for limit, *_ in seen[3]["limits"]] == [1, 2, 3, 4]
    assert whole["proved"] and whole["moves"] == published_results(puzzle)[name]["moves"]
    assert not section.is_incomplete(name, {name: whole})


def test_limits_of_a_proved_result_are_searched_again_on_request() -> None:
    puzzle, name = find("triangle-15"), "4-12"
    published = published_results(puzzle)[name]
    old = published | {"limits": [[limit, 7, 7] for limit, *_ in published["limits"]]}
    for renews in (False, True):
        section = peg_results.section(puzzle, atlas.Effort(renews_limits=renews))
        assert section.is_incomplete(name, {name: old}) == renews
        result = section.entries[name]({name: old}, lambda _: None)
        assert (result["limits"] == old["limits"]) != renews
        assert [limit for limit, *_ in result["limits"]] == [limit for limit, *_ in old["limits"]]
        assert result["solution"] == old["solution"]


def test_search_that_contradicts_a_proved_result_is_an_error() -> None:
    puzzle = find("triangle-15")
    wrong = published_results(puzzle)["4-12"] | {"moves": 7}
    with pytest.raises(ArithmeticError):
        with_evidence(problem_of(puzzle, "4-12"), wrong, atlas.Effort())


@pytest.mark.parametrize(("puzzle_id", "name"), [("english-33", "16-16"), ("english-33", "3-22")])
def test_published_limits_are_those_of_the_search(puzzle_id: str, name: str) -> None:
    puzzle = find(puzzle_id)
    found = peg_results.search(problem_of(puzzle, name), atlas.Effort())
    published = published_results(puzzle)[name]
    assert found["moves"] == published["moves"] and found["limits"] == published["limits"]


@pytest.mark.parametrize(("puzzle_id", "pairs_solvable"), [("diamond-13", 89), ("triangle-15", 54)])
def test_problem_is_solvable_exactly_if_its_reverse_is(puzzle_id: str, pairs_solvable: int) -> None:
    """Reversed, the jumps of a solution lead from the complement of its end to the complement of its start.

    The position class allows 169 and 75 pairs of start and finish.
    """
    puzzle = find(puzzle_id)
    solvable = {
        (start, end)
        for start, end in itertools.product(range(puzzle.holes), repeat=2)
        if puzzle.source(end).moves_left(vacated(puzzle, start)) != DEAD
    }
    assert solvable == {(end, start) for start, end in solvable}
    assert len(solvable) == pairs_solvable


def test_line_is_proved_by_the_limits_below_it() -> None:
    limits = [*OPEN["limits"], [3, 20, 0], [4, 90, 0]]
    assert concluded(OPEN) == OPEN
    assert concluded({**OPEN, "limits": limits}) == {
        "proved": True,
        "limits": limits,
        "moves": 5,
        "solution": OPEN["found"],
    }


@pytest.mark.parametrize("puzzle", BOARDS, ids=[puzzle.id for puzzle in BOARDS])
def test_every_published_line_solves_its_problem(puzzle: Puzzle) -> None:
    results = published_results(puzzle)
    assert list(results) == peg_results.problems(puzzle)
    for name, result in results.items():
        start, goal = name.split("-")
        line = atlas.line_of(result)
        if line:
            end, cost = replay(puzzle, vacated(puzzle, int(start)), line)
            assert puzzle.is_solved(end, puzzle.parse_goal(goal))
            assert cost == len(line) == result.get("moves", cost)
        assert [limit[0] for limit in result["limits"]] == list(range(1, len(result["limits"]) + 1))
        assert len(result["limits"]) < len(line) if line else not result.get("solution")


@pytest.mark.parametrize("puzzle", BOARDS, ids=[puzzle.id for puzzle in BOARDS])
def test_every_proof_comes_with_its_evidence(puzzle: Puzzle) -> None:
    for name, result in published_results(puzzle).items():
        start, goal = name.split("-")
        if result["proved"] and result["moves"] is not None:
            least = result["least"] if goal == "any" else result["limits"][-1][0] + 1
            assert least == result["moves"]
            if puzzle.holes <= COUNTED or "count" in result:
                assert result["count"] >= result["unique"] > 0
        elif result["proved"] and result["reason"] == "levels":
            assert result["functions"] and result["jumps"] > 0  # see test_level_proof.py
        elif result["proved"] and "proofs" in result:
            assert proves_unsolvable(puzzle, int(start), int(goal), result["proofs"])
        elif result["proved"]:
            assert result["reason"] in {"table", "class"} or goal == "any"


def proves_unsolvable(puzzle: Puzzle, vacancy: int, finish: int, proofs: list[Any]) -> bool:
    return proves_dead(puzzle.id, frozenset(range(puzzle.holes)) - {vacancy}, finish, proofs)


@pytest.mark.parametrize(
    ("start", "finish", "needed"),
    [(12, 28, 1), (1, 21, 2), (12, 25, 2), (0, 25, 2), (0, 40, 1), (1, 24, 2)],
)
def test_a_proof_that_leaves_out_a_jump_is_rejected(start: int, finish: int, needed: int) -> None:
    puzzle = find("diamond-41")
    proofs = dead_proof(puzzle.board.jumps, 41, vacated(puzzle, start).state, 1 << finish)
    assert proofs is not None and len(proofs) == needed
    assert proves_unsolvable(puzzle, start, finish, proofs)
    for number in range(needed):
        assert not proves_unsolvable(puzzle, start, finish, proofs[:number] + proofs[number + 1 :])


def test_no_problem_of_the_atlas_is_open() -> None:
    assert all(result["proved"] for puzzle in BOARDS for result in published_results(puzzle).values())


def test_no_problem_that_the_rules_decide_is_open() -> None:
    for puzzle in BOARDS:
        for name, result in published_results(puzzle).items():
            problem = problem_of(puzzle, name)
            reason = puzzle.rules.obstruction(problem.position, problem.goal)
            assert reason is None or (result["proved"] and result["moves"] is None), name


@pytest.mark.parametrize("puzzle", BOARDS, ids=[puzzle.id for puzzle in BOARDS])
def test_solutions_anywhere_are_counted_only_if_every_goal_is_decided(puzzle: Puzzle) -> None:
    results = published_results(puzzle)
    for name, result in results.items():
        if not name.endswith("any") or not result.get("moves"):
            continue
        start, count = int(name.partition("-")[0]), 0
        may_tie = False
        for hole in range(puzzle.holes):
            one = results.get(key(puzzle, start, str(hole)), {"proved": True, "moves": None})
            may_tie |= not one["proved"] and one["limits"][-1][0] < result["moves"]
            count += one["count"] if one.get("moves") == result["moves"] else 0
        assert result.get("count") == (None if may_tie else count), name


def test_an_open_goal_that_may_tie_leaves_the_count_unknown() -> None:
    puzzle = find("diamond-13")
    results = published_results(puzzle)
    assert peg_results.anywhere(puzzle, "0-any", results)["count"] == results["0-any"]["count"] > 0
    least = results["0-any"]["moves"]
    goal = next(name for name in results if name.startswith("0-") and results[name]["moves"] != least)
    for limit, is_counted in [(least - 1, False), (least, True)]:
        unproved = {"proved": False, "limits": [[number, 1, 1] for number in range(1, limit + 1)]}
        found = peg_results.anywhere(puzzle, "0-any", results | {goal: unproved})
        assert found["proved"] and found["moves"] == least
        assert ("count" in found, "unique" in found) == (is_counted, is_counted)


@pytest.mark.parametrize("puzzle_id", ["hoppers", "diamond-13", "triangle-15"])
def test_published_results_match_the_tables(puzzle_id: str) -> None:
    puzzle = find(puzzle_id)
    for name, result in published_results(puzzle).items():
        start, goal = name.split("-")
        code, position = puzzle.parse_goal(goal), vacated(puzzle, int(start))
        source = puzzle.source(code)
        assert result["proved"] and (result["moves"] or -1) == source.moves_left(position)
        graph = finished_graph(puzzle, source, code, position)
        assert result["count"] == graph.count(0)
        assert result["unique"] == SolutionList(graph, puzzle.symmetries(position, code)).count()


def test_published_results_match_the_naive_twin() -> None:
    puzzle, twin = find("hoppers"), naive.rules("hoppers")
    for start, goal in [(6, "6"), (6, "4"), (2, "0"), (9, "9"), (7, "any"), (12, "1"), (11, "1")]:
        text = puzzle.format(vacated(puzzle, start))
        moves, known = naive.fewest_moves(twin, text, goal), known_result(puzzle, text, goal)
        assert known and (known.moves, known.state == "impossible") == (moves, moves is None)


def test_solve_bits_are_the_chance_of_random_jumps() -> None:
    """The expected chance is exact: a position has the mean of the chances of its successors."""
    for puzzle in map(find, ("hoppers", "triangle-15")):
        for name, result in list(published_results(puzzle).items())[::7]:
            start, goal = name.split("-")
            if "solve_bits" in result:
                chance = _chance(puzzle.id, puzzle.format(vacated(puzzle, int(start))), goal)
                assert result["solve_bits"] == round(-math.log2(chance), 2)


@cache
def _chance(puzzle_id: str, text: str, goal: str) -> Fraction:
    """Return the chance of reaching the goal by random jumps; which peg is active makes no difference."""
    steps = [after.partition(":")[0] for _, _, after, _ in naive.rules(puzzle_id).steps(text)]
    if not steps:
        return Fraction(naive.rules(puzzle_id).solved(text, goal))
    return sum((_chance(puzzle_id, after, goal) for after in steps), Fraction()) / len(steps)


def published_problems() -> list[tuple[Puzzle, str, str, atlas.Result]]:
    results = atlas.read(FOLDER, "problems")
    problems = tile_results.problems(ENGINE)
    assert list(results) == list(problems)
    return [(*problem, results[name]) for name, problem in problems.items()]


def test_problems_of_other_puzzles_are_proved_and_their_lines_replay() -> None:
    for puzzle, start, goal, result in published_problems():
        code, position = puzzle.parse_goal(goal), puzzle.parse(start)
        known = known_result(puzzle, start, goal)
        assert known and result["proved"] and known.moves == result["moves"]
        if result["moves"] is None:
            assert result["reason"] == "table" and known.state == "impossible"
            continue
        end, cost = replay(puzzle, position, result["solution"])
        assert puzzle.is_solved(end, code) and cost == result["moves"] == len(result["solution"])
        assert result.get("count", 1) >= result.get("unique", 1) > 0
        assert known.grade or (puzzle.holes > 11 and goal != "any")
        assert all(limit < cost for limit, _, _ in result["limits"])


def test_problems_and_their_fewest_bits_match_the_naive_twin() -> None:
    small = [one for one in published_problems() if one[0].holes <= 6]
    assert len({one[0].id for one in small}) >= 4
    for puzzle, start, goal, result in small:
        twin = naive.rules(puzzle.id)
        moves = naive.fewest_moves(twin, start, goal)
        assert moves == result["moves"]
        if moves is not None:
            chance = _chance_of_few(puzzle.id, start, goal, moves)
            assert result["fewest_bits"] == round(-math.log2(chance), 2)


@cache
def _chance_of_few(puzzle_id: str, text: str, goal: str, moves: int) -> Fraction:
    """Return the chance that `moves` random steps end at the goal, by trying all of them."""
    twin = naive.rules(puzzle_id)
    if moves == 0:
        return Fraction(twin.solved(text, goal))
    ways = [_chance_of_few(puzzle_id, after, goal, moves - 1) for _, _, after, _ in twin.steps(text)]
    return sum(ways, Fraction()) / len(ways) if ways else Fraction()


def test_solve_bits_of_red_boards_match_the_naive_twin() -> None:
    """With a red peg it is rare that a random game that solves a problem needs the fewest moves."""
    counted = 0
    for puzzle, start, goal, result in published_problems():
        if puzzle.rules.unique == "r" and puzzle.holes <= 15 and result["moves"] is not None:
            chance = _chance(puzzle.id, start, goal)
            assert result["solve_bits"] == round(-math.log2(chance), 2)
            assert result["solve_bits"] < result["fewest_bits"]
            counted += 1
    assert counted == 40


def test_each_measure_stands_where_it_has_a_meaning() -> None:
    for puzzle in BOARDS:
        has_line = [bool(atlas.line_of(result)) for result in published_results(puzzle).values()]
        measured = ["solve_bits" in result for result in published_results(puzzle).values()]
        assert measured == (has_line if puzzle.holes <= 25 else [False] * len(has_line))
    for puzzle, _, _, result in published_problems():
        assert ("solve_bits" in result) == (puzzle.family == "pegs" and result["moves"] is not None)


def test_command_writes_the_data_of_the_pages(tmp_path: Path) -> None:
    folder, data = shutil.copytree(FOLDER, tmp_path / "atlas"), tmp_path / "atlas.json"
    files = ["--folder", str(folder), "--data", str(data)]
    done = CliRunner().invoke(fill_atlas, ["figures", *files])
    assert done.exit_code == 0 and done.stdout.endswith(f"figures: 7 entries in {folder / 'figures'}.md\n")
    assert data.read_text() == DATA.read_text()
    wrong = CliRunner().invoke(fill_atlas, ["figure", *files])
    assert wrong.exit_code == 2 and "'figure' is not a section" in wrong.stderr
    assert len(DATA.read_bytes()) < 300_000


def test_symmetric_problems_have_equal_results() -> None:
    for puzzle in BOARDS:
        results = published_results(puzzle)
        for start in range(puzzle.holes):
            text = puzzle.format(vacated(puzzle, start))
            for goal in range(0, puzzle.holes, 5):
                known = known_result(puzzle, text, str(goal))
                result = results.get(key(puzzle, start, str(goal)))
                assert known is not None
                assert (known.reason == "class") == (result is None)
                if result is not None:
                    assert known.moves == (len(atlas.line_of(result)) or None)
                    assert (known.state in ("proved", "impossible")) == result["proved"]


def test_position_outside_the_atlas_has_no_best_total() -> None:
    eight, hoppers = find("eight-puzzle"), find("hoppers")
    assert known_result(eight, "123456708", eight.goal) is None
    assert known_result(hoppers, "oooooo......o", "6") is None


def test_degrees_of_difficulty_are_four_bits_wide() -> None:
    difficulties = (0.0, 7.99, 8.0, 12.0, 15.99, 16.0, 20.0, 30.0)
    assert [KnownResult(proved=True, solve_bits=bits).grade for bits in difficulties] == [
        1,
        1,
        2,
        3,
        3,
        4,
        5,
        5,
    ]
    assert KnownResult(proved=True, fewest_bits=12.0).grade == 3
    assert KnownResult(proved=True, solve_bits=5.0, fewest_bits=12.0).grade == 1
    assert KnownResult(proved=False).grade is None


def published_results(puzzle: Puzzle) -> atlas.Results:
    return atlas.read(FOLDER, peg_results.section_of(puzzle))
