"""The command `python -m tools.winning_table`: build the table of English 33 that comes with the program.

It takes a few seconds. The table is equal bit for bit; another version of the compressor may pack it into
other bytes.
"""

from hoppers.puzzles.pegs.boards import ENGLISH_33
from hoppers.puzzles.pegs.large_tables.table_builds import numbering_of
from hoppers.puzzles.pegs.peg_board import PegBoard
from hoppers.puzzles.pegs.tables.winning_table import build, bundled_path, pack_table
from hoppers.runtime.builder import finish

CENTRE = 16


def main() -> None:
    """Build the winning table of the central problem, and write its file."""
    board = PegBoard(ENGLISH_33)
    start = board.every ^ 1 << CENTRE
    arrays = finish(build(start, board.ends(CENTRE, start), board.holes, numbering_of(board, CENTRE, start)))
    bundled_path(board.table_name(CENTRE, start)).write_bytes(pack_table(arrays, board.holes))


if __name__ == "__main__":
    main()
