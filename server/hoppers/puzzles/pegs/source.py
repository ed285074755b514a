"""Exact answers on peg boards too large for a complete table: from memory, at once, or in the background.

An answer comes from a winning table that covers the position, from a closure that holds it, or from a closure
made at once where that is quick. Otherwise it is UNKNOWN, and a table or a larger closure that will know it
is built in the background. Nothing unproved is ever answered. (long: all that one goal's answers come from.)
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Generator, Iterable, Iterator
from functools import cache, partial

from hoppers.core.board import Permutation
from hoppers.core.model import DEAD, UNKNOWN, Around, Position, Source
from hoppers.puzzles.pegs.bitboards.jump_masks import JumpList, invariants
from hoppers.puzzles.pegs.bitboards.pagoda_filter import Proofs
from hoppers.puzzles.pegs.bloom_files import SIEVES, name_of
from hoppers.puzzles.pegs.closure.closure import Closure, close
from hoppers.puzzles.pegs.large_board import WIDEST_KEY, BigBoard, Covering
from hoppers.puzzles.pegs.table_builds import closure, table
from hoppers.puzzles.pegs.tables import bundled
from hoppers.search.slicing import map_progress, report_progress
from hoppers.tablebase import table_files
from hoppers.tablebase.builder import WORKSHOP, Wish, Workshop, finish
from hoppers.tablebase.either import after_search, beside_search, soon_or
from hoppers.tablebase.elsewhere import has_place
from hoppers.tablebase.kernel_threads import largest_crew
from hoppers.tablebase.proved_answers import Answers
from hoppers.tablebase.solutions import can_walk
from hoppers.tablebase.table_cache import Allowance, Known, Shelf

QUICK_SHARE = 0.73
"""Share of pegs up to which a closure is tried at once: 24 of 33, 27 of 37, 29 of 41."""
QUICK_SECONDS = 2.0
"""Time that can be saved up for closures made at once."""
ENOUGH_SECONDS = 0.25
"""With less than that one is not begun: it would mostly be given up, and somebody had waited for nothing."""
EARNED_SECONDS = 0.1
"""That are earned back each second, for all boards together, so that requests have the rest of a core."""
QUICK_BOARDS = 200_000
"""Boards of the largest closure made at once: some 80 ms."""
ALONE_PEGS, ALONE_BOARDS, ALONE_SECONDS = 24, 2_500_000, 1.0
"""Up to so many pegs it may be as large as this, with a sieve and no crowd, if so much time is saved up."""
CLOSED_SHARE = 0.8
"""Share of pegs up to which a closure is worth a try in the background: 29 of 37, 32 of 41."""
BACKGROUND_BOARDS = 16_000_000
"""Boards of the largest closure made in the background, for positions full of ways to win: 140 MB of them."""
CROWDED_BOARDS = 2_500_000
"""Of the largest in a crowd: 40 MB while it is made. A larger one is begun when fewer play."""
CLOSED_AT_ONCE = 3
"""Who make a closure of one goal at once, or wait for it. More would hold threads that all others need."""
SMALL_BOARDS = 30_000
"""Boards of a closure that is made however little time is left: a few milliseconds."""
MOST_LISTED = 4000
"""Positions on shortest solutions up to which they are counted and listed."""
MOST_NOTED = 1000
"""Starts of which it is remembered that their closures were given up, for each goal."""
MOST_LEARNT = 10_000
"""Positions of which what a search proved is kept, for each goal."""
SHELF_BYTES = 100_000_000
"""With the largest build (1.1 GB) and all searches (see `search.memory`) it stays under 2 GB."""
HEAD_START_SECONDS = 1.5
"""For which a closure goes on before a search or, where it has none, before a sieve is made for it."""
Prove = Callable[[int, Position], Iterable[object]]
"""Goal and position -> what a search says."""

SHELF = Shelf(SHELF_BYTES)
ALLOWANCE = Allowance(QUICK_SECONDS, EARNED_SECONDS)


class BigSource:
    """The exact source of one board and goal."""

    def __init__(
        self,
        board: BigBoard,
        goal: int,
        workshop: Workshop,
        shelf: Shelf,
        allowance: Allowance = ALLOWANCE,
        prove: Prove = lambda goal, position: (),
    ) -> None:
        """`goal`: a hole, or -1 for anywhere. `prove`: a search that teaches this source what it proves."""
        self._prove = prove
        self._board, self._goal = board, goal
        self._workshop, self._shelf = workshop, shelf
        self._problem = f"{board.name}-{goal}"
        self._allowance = allowance
        self._learnt: OrderedDict[Position, int] = OrderedDict()
        self._hopeless: OrderedDict[int, None] = OrderedDict()
        self._too_large: OrderedDict[int, None] = OrderedDict()
        """Starts whose closures are begun when there is no crowd."""
        self._lock, self._room = threading.Lock(), threading.BoundedSemaphore(CLOSED_AT_ONCE)
        self._answers = Answers(board.name, board.answer_rules(goal))
        self._proofs = Proofs(board.jumps, board.holes, board.shifts)

    def moves_left(self, position: Position) -> int:
        """The fewest moves still to be started, or DEAD, or UNKNOWN; takes a second or two at most."""
        state = position.state
        ends = self._board.ends(self._goal, state)
        if not ends:
            return DEAD
        left = self._learnt.get(position, UNKNOWN)
        if left == UNKNOWN:
            left = self._shelf.moves_left(self._problem, position)
        if left == UNKNOWN and self._is_left_out(state, ends):
            left = DEAD
        if left == UNKNOWN:
            left = self._answers.moves_left(self._board.settled(position))
        if left == UNKNOWN and self._is_late(state):
            left = self._close_now(position)
        if left == UNKNOWN:
            self._ask(position)
        return left

    def _is_left_out(self, state: int, ends: list[int]) -> bool:
        """Whether a board is proved dead by what closures leave such boards out for."""
        sieve = SIEVES.get(self._board, ends)
        return self._proofs.proves_dead(state, ends) or (sieve is not None and sieve.proves_dead(state))

    def learn(self, position: Position, left: int) -> None:
        """Keep what a search has proved of a position."""
        self._learnt[position] = left
        while len(self._learnt) > MOST_LEARNT:
            self._learnt.pop(next(iter(self._learnt)), None)

    def keep(self, position: Position, left: int, line: list[int]) -> None:
        """Keep what a search proved, of each position of its line that is hard to judge, on disk."""
        for at, to_go, rest in reversed([*self._openings(position, left, line)]):
            self._answers.learn(at, to_go, rest)  # the last ones first, for each answer tells those behind it

    def _openings(
        self, position: Position, left: int, line: list[int]
    ) -> Iterator[tuple[Position, int, list[int]]]:
        """A position and those on its line that no closure answers at once, with moves left and the rest."""
        yield position, left, line
        for number, state in enumerate(line, 1):
            steps = self._board.steps(position)
            cost, position = next(step for step in steps if step[1].state == state)
            left -= cost
            if state.bit_count() > QUICK_SHARE * self._board.holes:
                yield self._board.settled(position), left, line[number:]

    def preparation(self, position: Position) -> float | None:
        """How far the work that will answer for this position is, 0 to 1; None where none is going on."""
        return self._workshop.progress((self._problem, self._start(position.state)))

    def around(self, position: Position) -> Around | None:
        """How the boards of the table or closure that holds the position are distributed."""
        held = self._shelf.holder(self._problem, position)
        return held and Around(held.item.counts, held.start, isinstance(held.item, Covering))

    def can_list(self, position: Position) -> bool:
        """Whether few enough positions lie on shortest solutions to walk them all within a request."""
        return can_walk(position, self.moves_left, self._board.steps, MOST_LISTED)

    def _close_now(self, position: Position) -> int:
        if not self._room.acquire(blocking=False):
            return UNKNOWN
        try:
            return self._close_alone(position)
        finally:
            self._room.release()

    def _close_alone(self, position: Position) -> int:
        with self._lock:
            left = self._shelf.moves_left(self._problem, position)  # somebody else may just have closed it
            if left != UNKNOWN:
                return left
            began = time.monotonic()
            made = finish(self._close(position.state, SMALL_BOARDS))
            if made is None and (seconds := self._allowance.left()) >= ENOUGH_SECONDS:
                most = self._most_at_once(position.state, seconds)
                made = finish(self._close(position.state, most, self._threads()), seconds)
            self._allowance.spend(time.monotonic() - began)
            if made is None:
                return UNKNOWN
            self._shelf.put(self._problem, position.state, made)
            return made.moves_left(position)

    def _most_at_once(self, state: int, seconds: float) -> int:
        """Boards of the largest closure that is worth beginning in a request."""
        few = state.bit_count() <= ALONE_PEGS and seconds >= ALONE_SECONDS
        if not few or self._workshop.is_crowded():
            return QUICK_BOARDS
        is_sifted = SIEVES.get(self._board, self._board.ends(self._goal, state)) is not None
        return ALONE_BOARDS if is_sifted else QUICK_BOARDS

    def _close(self, state: int, most: int, threads: int = 1) -> Generator[float, None, Closure | None]:
        ends = self._board.ends(self._goal, state)
        sieve = SIEVES.get(self._board, ends)
        return close([state], self._goal, self._board.shifts, most, self._proofs, ends, sieve, threads)

    def _threads(self) -> int:
        """For a closure of some size: in a crowd all others need the other cores."""
        return 1 if self._workshop.is_crowded() else largest_crew()

    def _start(self, state: int) -> int:
        """Where the table begins that will answer for a board: a full board but for one, or itself.

        From where few pegs are left its own table is built sooner than another, unless that is kept.
        """
        if 2 * state.bit_count() < self._board.holes or not self._board.has_tables:
            return state
        start = next(iter(self._board.starts(state)), state)
        return state if self._is_late(state) and not self._is_kept(start) else start

    def _is_late(self, state: int) -> bool:
        return state.bit_count() <= QUICK_SHARE * self._board.holes

    def _is_kept(self, start: int) -> bool:
        name = self._board.problem(self._goal, start)
        return bundled.path_of(name).exists() or table_files.is_kept(name)

    def _ask(self, position: Position) -> None:
        start, ends = self._start(position.state), self._board.ends(self._goal, position.state)
        within_reach = self._board.has_tables or start.bit_count() <= CLOSED_SHARE * self._board.holes
        waits = start in self._too_large and not self._workshop.has_room()
        if within_reach and not waits and start not in self._hopeless:
            make = partial(self._make, start, position)
            heavy = self._board.has_tables and not table_files.is_kept(self._board.problem(self._goal, start))
            self._workshop.ask(Wish((self._problem, start), make, heavy=heavy))
        spared = self._board.has_tables and not self._is_late(position.state)
        wanted = not spared and not SIEVES.spares(self._board, ends, position.state)  # from the opening on
        if wanted and self._can_sift(ends):
            heavy = not SIEVES.is_kept(self._board, ends)
            sift = Wish((self._problem, *ends), partial(self._sift, ends), heavy)
            self._workshop.ask(sift, later=True)

    def _can_sift(self, ends: list[int]) -> bool:
        """Whether a sieve may be made now, or is there."""
        may_begin = self._workshop.has_room() and self._workshop.is_calm()
        return may_begin or SIEVES.is_kept(self._board, ends)

    def _sift(self, ends: list[int]) -> Generator[float, None, None]:
        steps = SIEVES.fetch(self._board, ends)
        yield from steps if SIEVES.is_kept(self._board, ends) else self._workshop.unless_crowded(steps)
        self._hopeless.clear()  # with a sieve it may be possible

    def _make(self, start: int, position: Position) -> Generator[float, None, None]:
        yield 0.0
        if self._shelf.moves_left(self._problem, Position(start)) != UNKNOWN:
            return  # what was built since somebody asked answers for it too
        if self._board.has_tables:
            whole = self._whole(start)
            if start == position.state and self._is_late(start):
                whole = after_search(whole, self._prove(self._goal, position))
            self._keep(start, (yield from whole))
        else:
            yield from self._make_closure(start, position)

    def _make_closure(self, start: int, position: Position) -> Generator[float, None, None]:
        """A closure, in turn with a search; when a crowd comes, no more than a smaller closure."""
        whole = self._whole(start)
        if start == position.state and self._is_late(start):
            whole = beside_search(whole, HEAD_START_SECONDS, self._prove(self._goal, position))
        if (yield from self._workshop.while_there_is_room(self._kept(start, whole))):
            return
        item = yield from self._closing(start, CROWDED_BOARDS)
        if item is None:
            _note(start, self._too_large)
        else:
            self._keep(start, item)

    def _kept(self, start: int, steps: Generator[float, None, Known | None]) -> Generator[float, None, bool]:
        """A build whose outcome is kept when it ends; True, which one that is given up never tells."""
        self._keep(start, (yield from steps))
        return True

    def _whole(self, start: int) -> Generator[float, None, Known | None]:
        """A table from a start, kept on disk if it is of many pegs, or where there are none a closure."""
        if self._board.has_tables:
            return (yield from table(self._board, self._goal, start, kept=not self._is_late(start)))
        ends = self._board.ends(self._goal, start)
        if SIEVES.spares(self._board, ends, start) or not self._can_sift(ends):
            return (yield from self._closing(start))
        ahead = HEAD_START_SECONDS if self._is_late(start) else 0.0
        return (yield from soon_or(self._closing(start), ahead, lambda: self._sifted(start, ends)))

    def _sifted(self, start: int, ends: list[int]) -> Generator[float, None, Known | None]:
        """A closure that is made with a sieve."""
        yield from map_progress(self._sift(ends), lambda done: done / 2)
        return (yield from map_progress(self._closing(start), lambda done: (1 + done) / 2))

    def _closing(self, start: int, most: int = BACKGROUND_BOARDS) -> Generator[float, None, Known | None]:
        """A closure, beside this process only with a sieve at hand here, which says what was left out."""
        if not has_place():
            return (yield from self._close(start, most, self._threads()))
        name = name_of(self._board, self._board.ends(self._goal, start))
        sieve = yield from report_progress(0.0, SIEVES.kept(name, self._board.holes))
        sifted_by = "" if sieve is None else name
        return (yield from closure(self._board, self._goal, start, most, sifted_by, self._threads()))

    def _keep(self, start: int, item: Known | None) -> None:
        if item is not None:
            self._shelf.put(self._problem, start, item)
            return
        _note(start, self._hopeless)


def _note(start: int, among: OrderedDict[int, None]) -> None:
    among[start] = None
    if len(among) > MOST_NOTED:
        among.popitem(last=False)


def openings_without_table(jumps: JumpList, holes: int) -> int:
    """From how many pegs on neither a table nor a closure answers soon; more than there are, if one does."""
    keys = holes - len(invariants(jumps, holes))
    return holes + 1 if keys <= WIDEST_KEY else int(QUICK_SHARE * holes) + 1


def big_board_sources(
    jumps: JumpList, symmetries: tuple[Permutation, ...], prove: Prove
) -> Callable[[int], Source]:
    """A function from goal (a hole, or -1 for anywhere) to its source, which `prove` teaches."""
    board = BigBoard(jumps, symmetries)

    @cache
    def source(goal: int) -> Source:
        return BigSource(board, goal, WORKSHOP, SHELF, prove=prove)

    return source
