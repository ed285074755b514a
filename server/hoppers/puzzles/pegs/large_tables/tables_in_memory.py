"""Tables in memory for large peg boards, and the closure (table of all boards that follow) of a board."""

from hoppers.core.model import DEAD, UNKNOWN, KnownAnswer, MovesLeft, Position, Progressing
from hoppers.core.puzzle import Puzzle, PuzzleEngine
from hoppers.puzzles.pegs.large_tables.table_builds import WinningTable
from hoppers.puzzles.pegs.peg_board import peg_board
from hoppers.puzzles.pegs.tables.closure import Closure, build_closure
from hoppers.runtime.lru_cache import LRUCache

FEW_PEGS_SHARE = 0.73
"""Maximum pegs, as a share of the holes, for a closure in a request: 24 of 33, 27 of 37, 29 of 41."""
Table = Closure | WinningTable
TABLES_BYTES = 100_000_000  # memory of cached tables
MAX_TABLES = 64  # cached tables; each mapped one has a file descriptor


def tables_in_memory(engine: PuzzleEngine) -> LRUCache[tuple[str, int], Table]:
    """Return a new cache: (board and goal as a text, start board) -> table (a resource of `engine`)."""
    least = TABLES_BYTES // MAX_TABLES
    return LRUCache(TABLES_BYTES, lambda table: max(table.bytes, least), keeps_newest=True)


class GoalTables:
    """The tables in memory of one large board and one goal."""

    def __init__(self, puzzle: Puzzle, goal: int) -> None:
        self.board, self._goal = peg_board(puzzle), goal
        self.key = f"{self.board.name}-{goal}"
        self._tables = puzzle.engine.resource(tables_in_memory)

    def find(self, position: Position) -> tuple[int, Table] | None:
        """Return (start board, table) of the most recently used table that contains a position, or None.

        Only tables in memory are tried. The table found becomes the most recently used.
        """
        for key, table in self._tables.items():
            if key[0] == self.key and table.moves_left(position) != UNKNOWN:
                self._tables.get(key)  # counts as a use
                return key[1], table
        return None

    def answer(self, position: Position) -> KnownAnswer:
        """Return the answer that a table in memory or pagoda functions prove, or UNKNOWN."""
        found = self.find(position)
        if found is not None:
            return KnownAnswer(found[1].moves_left(position), table=lookup_of(found[1]))
        ends = self.board.ends(self._goal, position.state)
        return KnownAnswer(DEAD if self.board.pagodas.proves_dead(position.state, ends) else UNKNOWN)

    def put(self, start: int, table: Table) -> None:
        """Store the table from the board `start` as the most recently used."""
        self._tables.put((self.key, start), table)

    def close(self, state: int, most: int, threads: int = 1) -> Progressing[Closure | None]:
        """Build the closure of a board; the result is None if it has more than `most` boards."""
        board, ends = self.board, self.board.ends(self._goal, state)
        return build_closure([state], self._goal, board.shifts, most, board.pagodas, ends, threads)

    def has_few_pegs(self, state: int) -> bool:
        """Return whether a board has few enough pegs to try a closure in a request."""
        return state.bit_count() <= FEW_PEGS_SHARE * self.board.holes


def lookup_of(table: Table) -> MovesLeft:
    """Return the look-up in a table, for positions that follow from a position in the table."""
    # `WinningTable.moves_left` would also test whether dead boards can be reached.
    return table.stored_moves_left if isinstance(table, WinningTable) else table.moves_left
