"""Problems of the atlas that are proved to have no solution by levels, with pagoda functions that suffice.

The functions were found by linear programs on samples of boards that others had left possible, and reduced to
few. How they were found does not matter to the proof: `level_proof` checks each of them.
"""

from typing import NamedTuple

from hoppers.core.puzzle import Puzzle
from hoppers.puzzles.pegs.peg_board import peg_board
from hoppers.puzzles.pegs.proofs.level_proof import level_proof
from tools.atlas.results import Result

WEIGHTS = {"-": -1, ".": 0, "+": 1}


class Functions(NamedTuple):
    """Pagoda functions for a problem as drawings of the board, and where its late boards come from."""

    early_pegs: int
    drawings: tuple[str, ...]

    @property
    def weights(self) -> list[list[int]]:
        """The functions as weights by hole."""
        return [[WEIGHTS[sign] for sign in drawing.replace(" ", "")] for drawing in self.drawings]


FUNCTIONS = {
    ("diamond-41", "1-39"): Functions(
        35,
        (
            "- -+- -+.+- -+.+.+- -+.+.+.+- -+.+.+- -+.+- -+- -",
            "- .+. ..... -+.+.+- ......... -+.+.+- ..... .+. -",
            "- -+- -+.+- -+.+.+- -+.+.+.+- -+.+.+- -+.+- .++ -",
            "- -+- -+.+- -+.+.+- -+.+.+.+- -+.+.+- .+++. -.- +",
        ),
    )
}
"""(puzzle, key of the problem) -> functions."""


def is_decided(puzzle: Puzzle, name: str) -> bool:
    """Return whether there are functions for a problem."""
    return (puzzle.id, name) in FUNCTIONS


def decided(puzzle: Puzzle, name: str) -> Result:
    """Return the fields of a problem's result that the levels prove, with their evidence.

    `functions`: weights by hole. `early`, `middle`: [pegs, boards] of each level. `jumps`: legal jumps on the
    boards of the middle level, none of which leads to the mirrored complement of one of them.

    Raises:
        ArithmeticError: one of them does, so nothing is proved.
    """
    functions = FUNCTIONS[puzzle.id, name]
    vacancy, end = map(int, name.split("-"))
    proof = level_proof(peg_board(puzzle), vacancy, end, functions.weights, functions.early_pegs)
    if proof.meetings:
        raise ArithmeticError(
            f"{proof.meetings} jumps of {puzzle.id} {name} lead to the other half of a line"
        )
    return {
        "proved": True,
        "moves": None,
        "reason": "levels",
        "functions": functions.weights,
        "early": [[pegs, boards] for pegs, boards in proof.early.items()],
        "middle": [[pegs, boards] for pegs, boards in proof.middle.items()],
        "jumps": proof.jumps,
    }
