"""Persistent key-value store for answers and bounds: a small database on disk, limited in size."""

import logging
import pickle
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import diskcache
import filelock

log = logging.getLogger(__name__)

TIMEOUT_SECONDS = 1.0  # a read or write that takes longer counts as failed
REOPEN_SECONDS = 60.0  # between two attempts to open the database
FAULTS = (sqlite3.Error, diskcache.Timeout, OSError, pickle.UnpicklingError)  # `TimeoutError` is an `OSError`

DAMAGED = (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_SCHEMA, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
"""SQLite error codes of a file that is not a database, is corrupt, or has another schema."""

Result = TypeVar("Result")


class PlainDisk(diskcache.Disk):  # type: ignore[misc]
    """Disk format without pickles: unpickling a file from the folder could run any code."""

    def fetch(self, mode: int, filename: str | None, value: Any, read: bool) -> Any:
        """Return a stored value; raise UnpicklingError if it is a pickle, which this program never writes."""
        if mode == diskcache.core.MODE_PICKLE:
            raise pickle.UnpicklingError("the store never writes pickles")
        return super().fetch(mode, filename, value, read)


class DiskStore:
    """A store of bytes by name on disk. Beyond its size limit, the least recently used values are dropped.

    Disk faults are logged and never raised. Two threads of the store make all accesses, because diskcache
    opens a connection for every thread that uses the database. Reads have a thread of their own, because a
    write may wait for a process of low priority that has locked the database.
    """

    def __init__(self, folder: Path, max_bytes: int) -> None:
        """Open the database in `folder`, or replace a damaged one. `max_bytes`: limit of its size."""
        self._folder, self._max_bytes = folder, max_bytes
        self._reader, self._writer = (ThreadPoolExecutor(1, f"answers-{name}") for name in ("read", "write"))
        self._cache: Any = None
        self._next_open, self._opening = 0.0, threading.Lock()
        self._run(self._reader, bool)

    def get(self, name: str) -> bytes | None:
        """Return the value stored under `name`; None if there is none or the disk fails."""
        value = self._run(self._reader, lambda cache: cache.get(name))
        return value if isinstance(value, bytes) else None

    def put(self, name: str, value: bytes) -> None:
        """Store `value` under `name`; failures are logged and ignored."""
        self._run(self._writer, lambda cache: cache.set(name, value))

    def close(self) -> None:
        """Close the database and end both threads. Later reads return None, and later writes are ignored."""
        for thread in (self._reader, self._writer):
            if self._cache is not None:
                self._run(thread, lambda cache: cache.close())
            thread.shutdown()

    def _run(self, thread: ThreadPoolExecutor, act: Callable[[Any], Result]) -> Result | None:
        try:
            done: Future[Result | None] = thread.submit(self._apply, act)
        except RuntimeError:  # the store is closed, or the interpreter is shutting down
            return None
        try:
            return done.result(TIMEOUT_SECONDS)
        except FAULTS as error:
            log.warning("stored answers are unavailable for now: %s", error)
            return None

    def _apply(self, act: Callable[[Any], Result]) -> Result | None:
        """Apply `act` to the database, in a thread of the store; return None if the database is not open.

        First try to open the database if necessary, at most every `REOPEN_SECONDS`. Faults of the disk are
        raised as one of `FAULTS`.
        """
        with self._opening:
            if self._cache is None and time.monotonic() >= self._next_open:
                self._next_open = time.monotonic() + REOPEN_SECONDS
                self._cache = self._open()
        return None if self._cache is None else act(self._cache)

    def _open(self) -> Any:
        """Open or replace the database under a lock, so that only one process replaces a damaged one.

        One of `FAULTS` is raised if the disk fails or another process holds the lock for too long.
        """
        with filelock.FileLock(f"{self._folder}.lock", timeout=TIMEOUT_SECONDS):
            try:
                return self._open_once()
            except sqlite3.DatabaseError as error:
                code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK)
                if code & 0xFF not in DAMAGED:  # the higher bits hold details
                    raise  # a full or broken disk, or a lock
                log.warning("the database of answers is damaged and is replaced: %s", error)
                shutil.rmtree(self._folder, ignore_errors=True)
                return self._open_once()

    def _open_once(self) -> Any:
        cache = diskcache.Cache(
            str(self._folder),
            timeout=TIMEOUT_SECONDS,
            disk=PlainDisk,
            size_limit=self._max_bytes,
            eviction_policy="least-recently-used",
            sqlite_cache_size=1024,
            sqlite_mmap_size=0,
        )
        cache.get("")  # reads most columns, so another schema fails here
        return cache
