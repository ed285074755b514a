"""Rivals of the searches: the same algorithms in C, compiled with -O3 for this machine."""

import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.support.engine import find

Jump = tuple[int, int]


class RivalResult(NamedTuple):
    """Result of a rival: nodes and solutions of all limits together, and seconds."""

    nodes: int
    solutions: int
    seconds: float


Rival = Callable[[Path], RivalResult]
"""Function that compiles and runs a program in a folder."""


def _run(folder: Path, source: str, arguments: Sequence[object], text: str = "") -> RivalResult:
    program = folder / source
    if not program.exists():
        code = Path(__file__).with_name(f"{source}.c")
        subprocess.run([compiler(), "-O3", "-march=native", "-o", str(program), str(code)], check=True)
    command = [str(program), *map(str, arguments)]
    done = subprocess.run(command, input=text, text=True, capture_output=True, check=True)
    nodes, solutions, seconds = done.stdout.split()
    return RivalResult(int(nodes), int(solutions), float(seconds))


def compiler() -> str:
    """Return the path of a C compiler, or "" if there is none."""
    return shutil.which("gcc") or shutil.which("cc") or shutil.which("clang") or ""


def hoppers(folder: Path) -> RivalResult:
    """Run plain iterative deepening on Hoppers after the jump 0-6, limits 2 to 7."""
    return _run(
        folder, "deepening", [40], "\n".join(f"{a} {b} {c}" for a, b, c in find("hoppers").board.jumps)
    )


def triangle_21(largest: int, first: Jump = (14, 6), goal: int = 6) -> Rival:
    """Return a search of the modified triangle to limit 12 bounded by regions of up to `largest` holes."""
    puzzle = find("triangle-21")
    root = puzzle.step(puzzle.parse(puzzle.start), *first).after.state
    regions = [int(region) for region in puzzle.rules.tables.regions if int(region).bit_count() <= largest]
    jumps = [f"{a} {b} {c}" for a, b, c in puzzle.board.jumps]
    text = "\n".join([str(len(jumps)), *jumps, str(len(regions)), *map(str, regions)])
    return lambda folder: _run(folder, "regions", [root, first[1], goal, 1, 12], text)


def eight_puzzle(folder: Path) -> RivalResult:
    """Run plain iterative deepening on a farthest position of the 8-puzzle, limits 1 to 31."""
    return _run(folder, "eight_puzzle", ["867254301"])
