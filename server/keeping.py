"""Where kept answers are on this machine: a small database in the cache folder, bounded in size."""

import logging
import pickle
import shutil
import sqlite3
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as TooSlow
from pathlib import Path
from typing import Any, TypeVar

import diskcache

log = logging.getLogger(__name__)

PATIENCE_SECONDS = 1.0
"""For which an answer waits for the disk."""
FAULTS = (sqlite3.Error, diskcache.Timeout, OSError, TooSlow, pickle.UnpicklingError)

Result = TypeVar("Result")


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
        """Open the folder, or begin a new one where it cannot be read."""
        self._folder, self._most = folder, most_bytes
        self._thread = ThreadPoolExecutor(1, "answers")
        self._cache: Any = self._try(self._open)

    def get(self, name: str) -> bytes | None:
        """What is kept under a name, if anything is."""
        value = self._try(lambda: self._cache.get(name)) if self._cache is not None else None
        return value if isinstance(value, bytes) else None

    def put(self, name: str, value: bytes) -> None:
        """Keep it, if the disk lets us."""
        if self._cache is not None:
            self._try(lambda: self._cache.set(name, value))

    def close(self) -> None:
        """Close the database."""
        if self._cache is not None:
            self._try(self._cache.close)
        self._thread.shutdown()

    def _try(self, act: Callable[[], Result]) -> Result | None:
        try:
            done: Future[Result] = self._thread.submit(act)
        except RuntimeError:  # closed, or the program is ending: no thread takes work any more
            return None
        try:
            return done.result(PATIENCE_SECONDS)
        except FAULTS as error:
            log.warning("kept answers cannot be used for now: %s", error)
            return None

    def _open(self) -> Any:
        try:
            return self._open_once()
        except sqlite3.DatabaseError as error:
            log.warning("the kept answers are damaged and begin anew: %s", error)
            shutil.rmtree(self._folder, ignore_errors=True)
            return self._open_once()

    def _open_once(self) -> Any:
        return diskcache.Cache(
            str(self._folder),
            timeout=PATIENCE_SECONDS,
            disk=PlainDisk,
            size_limit=self._most,
            eviction_policy="least-recently-used",
            sqlite_cache_size=1024,
            sqlite_mmap_size=0,
        )
