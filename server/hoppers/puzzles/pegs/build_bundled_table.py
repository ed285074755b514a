"""Build the bundled table: `python -m hoppers.puzzles.pegs.build_bundled_table`, a few seconds.

The table is reproduced bit for bit. Another version of the compressor may pack it into other bytes.
"""

from hoppers.puzzles.pegs.boards import ENGLISH_33
from hoppers.puzzles.pegs.large_board import BigBoard
from hoppers.puzzles.pegs.table_builds import load_or_build_table
from hoppers.puzzles.pegs.tables import bundled
from hoppers.tablebase.builder import finish

CENTRE = 16


def main() -> None:
    """Build the winning table of the central problem on English 33 and write its bundled file."""
    board = BigBoard(ENGLISH_33.jumps, ENGLISH_33.symmetries)
    start = board.every ^ 1 << CENTRE
    view = finish(load_or_build_table(board, CENTRE, start, from_file=False))
    if view is None:
        raise RuntimeError("the build ended without a table")
    path = bundled.path_of(board.problem(CENTRE, start))
    path.write_bytes(bundled.pack(view.table, board.holes))
    print(f"{path}: {path.stat().st_size:,} bytes, {len(view.table.keys):,} positions")


if __name__ == "__main__":
    main()
