"""Certificates through the API: the checker accepts them, and they claim what the verdict says."""

import json
import random
import subprocess
import sys
from pathlib import Path

from flask.testing import FlaskClient

from hoppers.analysis.certificates import CERTIFICATES, CHECKER
from tests import naive
from tests.support.engine import find


def test_certificates_of_random_positions_are_accepted(client: FlaskClient, tmp_path: Path) -> None:
    rng, lines = random.Random(3), []
    for number in range(60):
        puzzle = find(["hoppers", "hoppers-red", "triangle-15", "triangle-15-red"][number % 4])
        twin, at = naive.rules(puzzle.id), rng.choice([*puzzle.starts.values()] or [puzzle.start])
        for _ in range(rng.randrange(6)):
            at = rng.choice([*twin.steps(at), (0, 0, at, 0)])[2]
        goal = rng.choice([*puzzle.rules.goals])
        address = f"/api/puzzles/{puzzle.id}/positions/{at}"
        answer = client.get(f"{address}/certificate?goal={goal}")
        verdict = client.get(f"{address}?goal={goal}").get_json()
        claim = answer.get_json()["claim"]  # that of a start of the atlas has the number of solutions, too
        assert (claim == "impossible") == (verdict["verdict"] == "dead")
        assert claim == "impossible" or claim["moves"] == verdict["moves_left"]
        assert answer.text.endswith("}\n") and answer.text.count("\n") == 1
        lines.append(answer.text)
    (tmp_path / "lines").write_text("".join(lines))
    run = subprocess.run([sys.executable, CHECKER, tmp_path / "lines"], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout
    assert {"table", "functions"} <= {json.loads(line)["proof"]["kind"] for line in lines}


def test_certificate_of_a_large_board(client: FlaskClient, tmp_path: Path) -> None:
    def ask(puzzle_id: str, vacancy: int, goal: int) -> dict[str, object]:
        start = find(puzzle_id).starts[str(vacancy)]
        found = client.get(f"/api/puzzles/{puzzle_id}/positions/{start}/certificate?goal={goal}")
        (tmp_path / "one").write_text(found.text)
        fields: dict[str, object] = found.get_json()
        return fields

    assert ask("diamond-41", 1, 39) in [json.loads(line) for line in CERTIFICATES.read_text().splitlines()]
    assert ask("english-33", 16, 16)["claim"] == {"most": 18}
    assert subprocess.run([sys.executable, CHECKER, tmp_path / "one"], capture_output=True).returncode == 0
    assert ask("english-33", 16, 15)["claim"] == "impossible"
    assert subprocess.run([sys.executable, CHECKER, tmp_path / "one"], capture_output=True).returncode == 0


def test_where_there_is_no_certificate_a_sentence_says_so(client: FlaskClient) -> None:
    answer = client.get("/api/puzzles/eight-puzzle/positions/217654380/certificate")
    assert answer.status_code == 404
    sentence = "There is no certificate of the position 217654380."
    assert answer.get_json()["error"] == {"code": "not_found", "message": sentence}


def test_files_can_be_downloaded(client: FlaskClient) -> None:
    assert client.get("/data/check_certificate.py").data == CHECKER.read_bytes()
    assert client.get("/data/certificates.jsonl").data == CERTIFICATES.read_bytes()
    assert b"certificates.jsonl" in client.get("/data").data
