"""Processor time to solve 100 random positions of the 15-puzzle, and a few with weaker lower bounds."""

import random
import statistics
import time

from hoppers.core.events import Solved
from hoppers.core.puzzle import Puzzle, Question
from tests.support.engine import find

POSITIONS = 100
SEEDS = (15, 16)
SAMPLE = 5  # positions for the weaker lower bounds, spread over the easier half
FARTHEST = "0c9dfbae37624851"


def positions(seed: int) -> list[str]:
    """Return `POSITIONS` random solvable positions of the 15-puzzle, as texts."""
    rng = random.Random(seed)
    return [find("fifteen-puzzle").gallery.random_kinds["random"].draw(rng) for _ in range(POSITIONS)]


def solve(puzzle: Puzzle, text: str, method: str) -> tuple[float, int, int]:
    """Return processor seconds, nodes and moves of one proved solution."""
    question = Question(puzzle, puzzle.parse_goal(None), puzzle.parse(text))
    began = time.process_time()
    *_, end = puzzle.method(method).search(question)
    assert isinstance(end, Solved)
    return time.process_time() - began, end.total_nodes, end.limit


def row(name: str, results: list[tuple[float, int, int]]) -> str:
    """Return one line of the report."""
    seconds = [result[0] for result in results]
    nodes = sum(result[1] for result in results)
    return (
        f"  {name:34} {sum(seconds):8.2f} s for {len(results):3}"
        f"   median {statistics.median(seconds) * 1000:8.2f} ms"
        f"   worst {max(seconds):7.3f} s   {nodes:14,} nodes   {nodes / sum(seconds) / 1e6:5.1f} M/s"
    )


def report() -> list[str]:
    """Return the lines of the report."""
    puzzle = find("fifteen-puzzle")
    puzzle.source(0).moves_left(puzzle.parse("123456789abcde0f"))
    for method in ("best", "walking-distance", "linear-conflict", "manhattan-tight"):
        solve(puzzle, "123456789abc0def", method)
    lines = ["15-puzzle, random solvable positions, proved shortest (processor time, one core):"]
    for seed in SEEDS:
        texts = positions(seed)
        solved = {text: solve(puzzle, text, "best") for text in texts}
        lines.append(row(f"pattern databases, seed {seed}", list(solved.values())))
        easier = sorted(texts, key=lambda text: solved[text][1])[: POSITIONS // 2 : POSITIONS // 2 // SAMPLE]
        sums = {}
        for method in ("best", "walking-distance", "linear-conflict", "manhattan-tight"):
            results = [solve(puzzle, text, method) for text in easier]
            sums[method] = sum(seconds for seconds, _, _ in results)
            ratio = sums[method] / sums["best"]
            lines.append(row(f"  {method}, {SAMPLE} easier ones", results) + f"   {ratio:8.1f} x best")
    lines.append(row("a farthest position, 80 moves", [solve(puzzle, FARTHEST, "best")]))
    return lines
