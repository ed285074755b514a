"""After precompilation no kernel is compiled for any problem, with any symmetries, by any search."""

import subprocess
import sys

import pytest

from hoppers.core.puzzle import Puzzle
from tests import ROOT
from tests.support.engine import PUZZLES

PROGRAM = """
import random
from numba.core.dispatcher import Dispatcher
from hoppers.puzzles.pegs.large_tables import table_builds
from hoppers.puzzles.pegs.peg_board import PegBoard
from hoppers.puzzles.pegs.tables.closure import build_closure
from hoppers.puzzles.pegs.pagoda import PagodaSet
from hoppers.runtime.builder import finish
from hoppers.core.puzzle import Question
from tests.support.engine import find
from hoppers.puzzles.pegs.symmetries import problem_symmetries
from hoppers.core.model import DEAD, Position
from hoppers.puzzles.pegs.bidirectional import search as bidirectional
from hoppers.core.events import Solved

puzzle = find("diamond-13")
puzzle.legal_steps(puzzle.parse(puzzle.start))
puzzle.replay(puzzle.parse(puzzle.start), [])
puzzle.is_solved(puzzle.parse(puzzle.start), 6)
for compile_kernels in puzzle.solving.precompile.values():
    compile_kernels()
table_builds.precompile_closures(puzzle.board)
for width in 1, 2, 8:
    table_builds.precompile_tables(puzzle.board, width)

def refuse(self, signature):
    raise AssertionError(f"{self.py_func.__name__} is compiled for {signature}")

Dispatcher.compile = refuse
board = PegBoard(puzzle.board)
usable = bidirectional.usable_symmetries(puzzle.board)
widths = set()
for vacancy in (0, 2, 6):
    for goal in range(-1, 13):
        start = board.every ^ 1 << vacancy
        ends = board.ends(goal, start)
        if not ends:
            continue
        question = Question(puzzle, goal, Position(start))
        widths.add(len(problem_symmetries(usable, question.root, ends)))
        table = finish(table_builds.load_or_build_table(board, goal, start, from_file=False))
        proofs = PagodaSet(board.jumps, board.holes, board.shifts)
        threads = 1 + vacancy // 2 % 2
        steps = build_closure([start], goal, board.shifts, 10**6, proofs, ends, threads)
        closure = finish(steps)
        end = list(bidirectional.search(question))[-1]
        left = closure.moves_left(Position(start))
        assert table.moves_left(Position(start)) == left
        assert (end.limit if isinstance(end, Solved) else DEAD) == left
print(sorted(widths))
"""


@pytest.mark.parametrize("puzzle", PUZZLES.values(), ids=list(PUZZLES))
def test_every_puzzle_can_be_precompiled(puzzle: Puzzle) -> None:
    """Precompilation, and with it the installation, fails at a puzzle whose kernels do not compile."""
    for compile_kernels in puzzle.solving.precompile.values():
        compile_kernels()


def test_nothing_is_compiled_for_any_problem() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[1, 2, 8]"
