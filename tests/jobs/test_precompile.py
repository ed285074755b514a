"""After precompilation no kernel is compiled for any problem, with any symmetries, by any search."""

import subprocess
import sys

from tests import ROOT

PROGRAM = """
import random
from numba.core.dispatcher import Dispatcher
from hoppers.puzzles.pegs import table_builds
from hoppers.puzzles.pegs.best_first import search as best_first
from hoppers.puzzles.pegs.large_board import BigBoard
from hoppers.puzzles.pegs.closure.closure import build_closure
from hoppers.puzzles.pegs.bloom_files import build_bloom_filter
from hoppers.puzzles.pegs.bitboards.pagoda import PagodaSet
from hoppers.tablebase.builder import finish
from hoppers.core.puzzle import Question
from tests.engine import find
from hoppers.puzzles.pegs import ends_of
from hoppers.core.model import DEAD, Position
from hoppers.puzzles.pegs.bidirectional import kernels, search as both_ends
from hoppers.core.events import Solved

puzzle = find("diamond-13")
puzzle.legal_steps(puzzle.parse(puzzle.start))
shape = puzzle.board.jumps, puzzle.board.symmetries
table_builds.precompile_closures(*shape)
for width in kernels.symmetry_counts(shape[1]):
    for compile_kernels in both_ends.precompile, best_first.precompile, table_builds.precompile_tables:
        compile_kernels(*shape, width)

def refuse(self, signature):
    raise AssertionError(f"{self.py_func.__name__} is compiled for {signature}")

Dispatcher.compile = refuse
board = BigBoard(*shape)
by_hash = both_ends.bidirectional_search(*shape, ends_of)
quickest = best_first.best_first(*shape, ends_of)
widths = set()
for vacancy in (0, 1, 2, 3, 6):
    for goal in range(-1, 13):
        start = board.every ^ 1 << vacancy
        ends = board.ends(goal, start)
        if not ends:
            continue
        question = Question(puzzle, goal, Position(start))
        widths.add(len(kernels.kept_symmetries(board.symmetries, ends_of(question))))
        table = finish(table_builds.load_or_build_table(board, goal, start, from_file=False))
        proofs = PagodaSet(board.jumps, board.holes, board.shifts)
        sieve = finish(build_bloom_filter(ends, board.holes, board.shifts, 50))
        threads = 1 + vacancy % 2
        steps = build_closure([start], goal, board.shifts, 10**6, proofs, ends, sieve, threads)
        closure = finish(steps)
        events = [list(search(question))[-1] for search in (by_hash, quickest)]
        left = closure.moves_left(Position(start))
        assert table.moves_left(Position(start)) == left
        assert [event.limit if isinstance(event, Solved) else DEAD for event in events] == [left, left]
print(sorted(widths))
"""


def test_nothing_is_compiled_for_any_problem() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[1, 2, 8]"
