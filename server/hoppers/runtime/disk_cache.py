"""Where kept answers are on this machine: a small database in the cache folder, bounded in size."""

import logging
import pickle
import shutil
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as TooSlow
from pathlib import Path
from typing import Any, TypeVar

import diskcache
import filelock

log = logging.getLogger(__name__)

PATIENCE_SECONDS = 1.0
"""For which an answer waits for the disk."""
AGAIN_SECONDS = 60.0
"""After which it is tried again to open what could not be opened."""
FAULTS = (sqlite3.Error, diskcache.Timeout, OSError, TooSlow, pickle.UnpicklingError)

DAMAGED = (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_SCHEMA, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
"""SQLite's words for a file that is no database, a broken one, or one of another shape than ours."""
MAIN_CODE = 0xFF
"""What is above these bits of an error's code says more closely what it was."""

Result = TypeVar("Result")


def is_damage(error: sqlite3.DatabaseError) -> bool:
    """Whether it is the database's own fault, rather than that of the disk or of who else uses it."""
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK) & MAIN_CODE in DAMAGED


class PlainDisk(diskcache.Disk):  # type: ignore[misc]
    """Plain bytes only: the library would otherwise run whatever code a pickle in its folder holds."""

    def fetch(self, mode: int, filename: str | None, value: Any, read: bool) -> Any:
        """The value.

        Raises:
            UnpicklingError: it is none of ours.
        """
        if mode == diskcache.core.MODE_PICKLE:
            raise pickle.UnpicklingError("a value of ours is never pickled")
        return super().fetch(mode, filename, value, read)


class DiskStore:
    """Bytes by name on disk, the least used ones dropped. A full, slow or broken disk only keeps less.

    One thread does everything, for the library opens the database anew for every thread that uses it.
    """

    def __init__(self, folder: Path, most_bytes: int) -> None:
        """Open the folder, or begin a new one where what is in it is damaged."""
        self._folder, self._most = folder, most_bytes
        self._thread = ThreadPoolExecutor(1, "answers")
        self._cache: Any = None
        self._next = 0.0
        self._try(bool)

    def get(self, name: str) -> bytes | None:
        """What is kept under a name, if anything is."""
        value = self._try(lambda cache: cache.get(name))
        return value if isinstance(value, bytes) else None

    def put(self, name: str, value: bytes) -> None:
        """Keep it, if the disk lets us."""
        self._try(lambda cache: cache.set(name, value))

    def close(self) -> None:
        """Close the database."""
        if self._cache is not None:
            self._try(lambda cache: cache.close())
        self._thread.shutdown()

    def _try(self, act: Callable[[Any], Result]) -> Result | None:
        try:
            done: Future[Result | None] = self._thread.submit(self._act, act)
        except RuntimeError:  # closed, or the program is ending: no thread takes work any more
            return None
        try:
            return done.result(PATIENCE_SECONDS)
        except FAULTS as error:
            log.warning("kept answers cannot be used for now: %s", error)
            return None

    def _act(self, act: Callable[[Any], Result]) -> Result | None:
        """In the one thread: open the database, if that is not done and was not tried a moment ago."""
        if self._cache is None and time.monotonic() >= self._next:
            self._next = time.monotonic() + AGAIN_SECONDS
            self._cache = self._open()
        return None if self._cache is None else act(self._cache)

    def _open(self) -> Any:
        try:
            return self._open_once()
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise  # the disk is full or broken, or another holds the database
            return self._open_anew()

    def _open_anew(self) -> Any:
        """Throw away what is damaged, unless another process has just done so."""
        with filelock.FileLock(f"{self._folder}.lock", timeout=PATIENCE_SECONDS):
            try:
                return self._open_once()
            except sqlite3.DatabaseError as error:
                if not is_damage(error):
                    raise
                log.warning("the kept answers are damaged and begin anew: %s", error)
                shutil.rmtree(self._folder, ignore_errors=True)
                return self._open_once()

    def _open_once(self) -> Any:
        cache = diskcache.Cache(
            str(self._folder),
            timeout=PATIENCE_SECONDS,
            disk=PlainDisk,
            size_limit=self._most,
            eviction_policy="least-recently-used",
            sqlite_cache_size=1024,
            sqlite_mmap_size=0,
        )
        cache.get("")  # which asks for most columns there are to be
        return cache
