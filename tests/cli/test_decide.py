"""`hoppers decide`: certificates of drawn boards, which the checker accepts."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hoppers.analysis.certificates import CHECKER
from hoppers.cli.main import main
from hoppers.core.model import Progressing, Step
from hoppers.core.puzzle import Question
from hoppers.puzzles.pegs.beam_search import Beam
from hoppers.puzzles.pegs.proofs import decisions
from hoppers.puzzles.pegs.unproved_solutions import first_solution

CROSS = "  o\n  o\nooooo\n  o\n  o\n"
TRIANGLE = "    o\n   o o\n  o o o\n o o o o\no o o o o\n"
FIVE, SIX = "ooooo\n" * 5, "oooooo\n" * 6


def decide(drawing: str, *words: str) -> Result:
    return CliRunner().invoke(main, ["decide", "-", *words], input=drawing)


@pytest.mark.parametrize(
    ("drawing", "words", "status", "kind"),
    [
        (CROSS, ("4", "any"), 1, "functions"),
        (TRIANGLE, ("0", "0", "--lattice", "triangular"), 0, "table"),
        (TRIANGLE, ("4", "4", "--lattice", "triangular"), 1, "table"),
        (FIVE, ("0", "1"), 1, "functions"),
        (SIX, ("." + "o" * 35, "3"), 0, "line"),
    ],
)
def test_certificates_are_accepted(
    drawing: str, words: tuple[str, ...], status: int, kind: str, tmp_path: Path
) -> None:
    done = decide(drawing, *words)
    assert done.exit_code == status, done.output
    found = json.loads(done.stdout)
    assert found["proof"]["kind"] == kind and (found["claim"] == "impossible") == (status == 1)
    (tmp_path / "one").write_text(done.stdout)
    run = subprocess.run([sys.executable, CHECKER, tmp_path / "one"], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout


def test_board_may_be_spelled_by_its_id() -> None:
    drawn = decide(TRIANGLE, "0", "0", "--lattice", "triangular")
    assert CliRunner().invoke(main, ["decide", "own-t-a-b-c-d-e", "0", "0"]).stdout == drawn.stdout != ""
    for wrong in ("own-s-a1", "no-such-file"):
        done = CliRunner().invoke(main, ["decide", wrong, "0", "0"])
        assert done.exit_code == 2 and wrong in done.stderr


def test_solution_of_the_reversed_problem_is_read_backwards(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    start = (1 << 36) - 2

    def blind(question: Question, beams: tuple[Beam, ...]) -> Progressing[list[Step]]:
        return (yield from first_solution(question, beams)) if question.position.state != start else []

    monkeypatch.setattr(decisions, "first_solution", blind)
    done = decide(SIX, "0", "3")
    assert done.exit_code == 0 and "beam from the end" in done.stderr
    (tmp_path / "one").write_text(done.stdout)
    assert subprocess.run([sys.executable, CHECKER, tmp_path / "one"]).returncode == 0


def test_fewest_moves_of_a_small_board_are_claimed() -> None:
    found = json.loads(decide(TRIANGLE, "0", "0", "--lattice", "triangular").stdout)
    assert found["claim"] == {"moves": 10}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("25", "0"), "The board has no hole 25."),
        (("oo", "0"), "oo"),
        (("0", "99"), "99"),
        (("0", "0", "--lattice", "hexagonal"), "hexagonal"),
    ],
)
def test_bad_input_is_quoted(words: tuple[str, ...], sentence: str) -> None:
    done = decide(FIVE, *words)
    assert done.exit_code == 2 and sentence in done.stderr and not done.stdout
    assert decide("o" * 46, "0", "0").exit_code == 2
    assert decide("o", "0", "0").exit_code == 2


def test_time_may_not_suffice() -> None:
    done = decide(FIVE, "12", "12", "--minutes", "0")
    assert done.exit_code == 3 and "0 minutes were not enough" in done.stderr and not done.stdout
