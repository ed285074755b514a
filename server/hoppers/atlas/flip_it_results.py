"""Atlas section of Flip It: the hardest positions for 5 to 22 cells and both rules."""

from hoppers.atlas.results import Result, Results, Section, SectionEntry
from hoppers.puzzles.flip_it import ANYWHERE, distance_source, text_of
from hoppers.tablebase.distance_table import farthest, numbers_at

LENGTHS = range(5, 23)
PAGE = """# Flip It: the farthest positions

From a row of *n* cells with one gap, all discs have to become white, the gap anywhere. For each length and
rule: the fewest moves from the farthest positions, how many such positions there are, and one of them. Every
position was counted by breadth-first search from the solved ones; all can be solved. Made by
`python -m hoppers atlas flips`.

| cells | positions | classic: moves | how many | one of them | with slides: moves | how many | one of them |
|---|---|---|---|---|---|---|---|
"""


def section() -> Section:
    """Return the atlas section of Flip It."""
    rules = [(cells, slide) for cells in LENGTHS for slide in (False, True)]
    return Section("flips", [_entry(cells, slide) for cells, slide in rules], _render)


def _entry(cells: int, slide: bool) -> SectionEntry:
    rule = "slide" if slide else "classic"
    label = f"Flip It, {cells} cells, {rule} rule"
    return SectionEntry(f"{cells}-{rule}", label, lambda done: _measure(cells, slide))


def _measure(cells: int, slide: bool) -> Result:
    table = distance_source(cells, slide)(ANYWHERE)
    moves = farthest(table)
    numbers = numbers_at(table, moves, moves)
    counts = [int((table.distances == distance).sum()) for distance in range(moves + 1)]
    unsolvable = (cells << cells - 1) - sum(counts)
    if unsolvable:
        raise ArithmeticError(f"{unsolvable} positions of {cells} cells cannot be solved")
    example = text_of(int(numbers[0]), cells)
    return {"moves": moves, "count": len(numbers), "example": example, "by_distance": counts}


def _render(results: Results) -> str:
    rows = []
    for cells in LENGTHS:
        found = [results.get(f"{cells}-{rule}") for rule in ("classic", "slide")]
        columns = [f"{r['moves']} | {r['count']:,} | `{r['example']}`" if r else "open | | " for r in found]
        rows.append(f"| {cells} | {cells << cells - 1:,} | {' | '.join(columns)} |")
    return PAGE + "\n".join(rows) + "\n"
