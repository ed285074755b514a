"""Make the table that comes with the program again: `python -m server.puzzles.pegs.ship`, a few seconds.

The same table is made bit for bit; only another version of the compressor may pack it into other bytes.
"""

from ...exact import shipped
from ...exact.big_board import BigBoard
from ...exact.making import table_of
from ...exact.workshop import finish
from .boards import ENGLISH_33

CENTRE = 16


def main() -> None:
    """Build the table of the classic problem and write its file."""
    board = BigBoard(ENGLISH_33.jumps, ENGLISH_33.symmetries)
    start = board.every ^ 1 << CENTRE
    covering = finish(table_of(board, CENTRE, start, kept=False))
    if covering is None:
        raise RuntimeError("the build ended without a table")
    path = shipped.path_of(board.problem(CENTRE, start))
    path.write_bytes(shipped.pack(covering.table, board.holes))
    print(f"{path}: {path.stat().st_size:,} bytes, {len(covering.table.keys):,} positions")


if __name__ == "__main__":
    main()
