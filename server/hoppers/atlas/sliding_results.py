"""Atlas section of the 8-puzzle: number of positions by fewest moves."""

from hoppers.atlas.results import Result, Results, Section, SectionEntry
from hoppers.puzzles.sliding import HOME, eight_tables
from hoppers.tablebase.distance_table import farthest

PAGE = """# The 8-puzzle: positions by distance

How many of the 181,440 solvable positions need how many moves at least. Every position was counted by
breadth-first search from the solved one. Made by `python -m hoppers atlas sliding`.

| moves | positions |
|---|---|
"""


def section() -> Section:
    """Return the atlas section of the 8-puzzle."""
    entry = SectionEntry("eight-puzzle", "8-puzzle, all positions", lambda done: _measure())
    return Section("sliding", [entry], _render)


def _measure() -> Result:
    table = eight_tables()(HOME)
    return {"by_distance": [int((table.distances == moves).sum()) for moves in range(farthest(table) + 1)]}


def _render(results: Results) -> str:
    counts = results["eight-puzzle"]["by_distance"]
    return PAGE + "".join(f"| {moves} | {count:,} |\n" for moves, count in enumerate(counts))
