"""The engine: puzzles, caches and budgets that all answers and searches of one application share.

`create_app`, the command line, a compiling process and a fleet's worker each build one engine and pass it
down. Two engines in one process share only compiled code and constant tables.
"""

import difflib
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypeVar, cast

from hoppers.core.errors import PuzzleError, checked_length
from hoppers.core.kernels import CAN_COMPILE, drop_ir
from hoppers.core.model import ByteStore, Source
from hoppers.core.puzzle import Puzzle, PuzzleEngine
from hoppers.runtime.builder import Builder
from hoppers.runtime.lru_cache import LRUCache
from hoppers.runtime.memory_budget import MemoryBudget
from hoppers.runtime.process_tuning import trim_heap
from hoppers.runtime.scheduler import Scheduler
from hoppers.tablebase.array_source import has_array_table, uncompiled_source
from hoppers.tablebase.atlas_data import atlas_lines
from hoppers.tablebase.bounds import AtlasLines, KnownBounds

MAX_ID_LENGTH = 100
MAX_MADE = 16
"""Puzzles made from their ids that an engine keeps, with their tables."""
Resource = TypeVar("Resource")


class Engine:
    """Puzzles with their sources of answers, and the resources that these share.

    Args:
        puzzles: the registry of puzzles. It may have more than it lists: see `hoppers.puzzles.Registry`.
        is_busy: returns whether load is high: many players are connected.
        answers: store of proved answers and bounds that outlive the process. If None, none do.
        builds_large: whether builds that take hundreds of megabytes may run at all.
        atlas: results of the atlas, by puzzle (see `KnownBounds`).
        builds_in_background: whether threads may build what was not found at once. If False, there is never
            a thread, and puzzles whose tables numpy can build answer from these, without compiled kernels.
        positions: folder of the files of `hoppers positions`, which answer for every position of a board.
        threads: most threads that run searches and builds.
        memory: bytes that these may hold together. With the cached tables and the largest build (1.1 GB), the
            default makes less than 2 GB.
    """

    def __init__(
        self,
        puzzles: Mapping[str, Puzzle],
        is_busy: Callable[[], bool] = lambda: False,
        answers: ByteStore | None = None,
        builds_large: bool = True,
        atlas: AtlasLines = atlas_lines,
        builds_in_background: bool = True,
        positions: Path | None = None,
        threads: int = 1,
        memory: int = 500_000_000,
    ) -> None:
        self.is_busy, self.builds_large, self.positions = is_busy, builds_large, positions
        self.bounds = KnownBounds(answers, atlas)
        self.memory = MemoryBudget(memory)
        self.scheduler = Scheduler(threads, self._working, self.memory)
        self.builder = Builder(self.scheduler, self.may_build_large, builds_in_background)
        self.puzzles = {id: replace(puzzle, owner=self) for id, puzzle in puzzles.items()}
        self._registered = puzzles.__getitem__
        self._made: LRUCache[str, Puzzle] = LRUCache(MAX_MADE)
        self._resources: dict[Callable[[PuzzleEngine], object], object] = {}
        interpreted = () if builds_in_background else filter(has_array_table, puzzles.values())
        self._uncompiled: set[str] = {puzzle.id for puzzle in interpreted}
        self._compiling_threads: set[int] = set()

    def may_build_large(self) -> bool:
        """Return whether builds that take hundreds of megabytes or can wait may run now."""
        return self.builds_large and not self.is_busy()

    def find(self, id: str) -> Puzzle:
        """Return the puzzle of this engine whose id is `id`, which need not be one of `puzzles`.

        Raises:
            PuzzleError: no puzzle has this id. The message names a similar id, if there is one.
        """
        checked_length(id, "unknown_puzzle", MAX_ID_LENGTH)
        found = self.puzzles.get(id) or self._made.get(id) or self._make(id)
        if found is not None:
            return found
        close = difflib.get_close_matches(id, self.puzzles, 1)
        if close:
            raise PuzzleError(
                "There is no puzzle {id!r}. Did you mean {close!r}?", "unknown_puzzle", id=id, close=close[0]
            )
        raise PuzzleError("There is no puzzle {id!r}.", "unknown_puzzle", id=id)

    def _make(self, id: str) -> Puzzle | None:
        """Return the puzzle that the registry makes from its id, such as a drawn board, and keep it."""
        try:
            made = replace(self._registered(id), owner=self)
        except KeyError:
            return None
        self._made.put(id, made)
        return made

    def resource(self, make: Callable[[PuzzleEngine], Resource]) -> Resource:
        """Return the resource `make(engine)`, created at the first call and shared by all later calls."""
        if make not in self._resources:
            self._resources.setdefault(make, make(self))  # of two threads, both get what is stored first
        return cast(Resource, self._resources[make])

    def defer_kernels(self, ids: Iterable[str]) -> None:
        """Forbid calls of the kernels of the puzzles `ids`, except in `compiling`, until `mark_compiled`."""
        self._uncompiled = set(ids)

    def mark_compiled(self, id: str) -> None:
        """Allow kernels of a puzzle to be called from now on."""
        self._uncompiled.discard(id)

    def may_call_kernels(self, id: str) -> bool:
        """Return whether this thread may call a puzzle's kernels: not deferred, or this thread compiles.

        Without Numba none can be called.
        """
        is_ready = id not in self._uncompiled or threading.get_ident() in self._compiling_threads
        return CAN_COMPILE and is_ready

    def uncompiled_source(self, puzzle: Puzzle, goal: int) -> Source:
        """Return the source of answers that needs no compiled kernel (see `array_source`)."""
        return uncompiled_source(puzzle, goal)

    @contextmanager
    def compiling(self) -> Iterator[None]:
        """Allow this thread to call kernels that are not compiled yet, until the context ends."""
        thread = threading.get_ident()
        self._compiling_threads.add(thread)
        try:
            yield
        finally:
            self._compiling_threads.discard(thread)

    @contextmanager
    def _working(self) -> Iterator[None]:
        """Context of a thread of the scheduler, which may have to load kernels.

        It ends when nothing has run for a while; unless load is high, memory then goes back to the system.
        """
        with self.compiling():
            yield
        if not self.is_busy():
            drop_ir()
            trim_heap()
