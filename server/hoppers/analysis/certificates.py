"""Certificates: claims about positions, with proofs that another program can check.

Those of the atlas are in a file that comes with the program, one a line. Others are made when they are asked
for. data/check_certificate.py checks them.
"""

import json
from functools import cache
from typing import Any

from hoppers.analysis import verdicts
from hoppers.core.model import Position
from hoppers.core.puzzle import Certificate, Puzzle
from hoppers.runtime import PACKAGE

CERTIFICATES = PACKAGE / "data" / "certificates.jsonl"
CHECKER = PACKAGE / "data" / "check_certificate.py"


def certificate_of(puzzle: Puzzle, goal: int, position: Position) -> Certificate | None:
    """Return the certificate of a position and a goal, or None if there is none."""
    key = _key(puzzle.board.rows, puzzle.board.directions, puzzle.format(position), puzzle.goal_text(goal))
    return _listed().get(key) or new_certificate(puzzle, goal, position)


def new_certificate(puzzle: Puzzle, goal: int, position: Position) -> Certificate | None:
    """Return the certificate that the rules, the tables or the best known solution give, or None."""
    _, moves = verdicts.solution(puzzle, goal, position)
    line = ".".join("-".join(map(str, move)) for move in moves)
    return puzzle.solving.certificate(puzzle, position, goal, line)


@cache
def _listed() -> dict[str, Certificate]:
    """Return the certificates of the file by board, start and goal."""
    found = map(json.loads, CERTIFICATES.read_text(encoding="utf-8").splitlines())
    return {
        _key(one["board"]["rows"], one["board"]["lines"], one["start"], one["goal"]): one for one in found
    }


def _key(rows: list[str], lines: Any, start: str, goal: str) -> str:
    return json.dumps([rows, lines, start, goal])
