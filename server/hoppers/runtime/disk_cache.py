"""Persistent key-value store for answers and bounds: one SQLite database, limited in size.

Values are bytes, never pickles. All processes of the machine share the database: with its write-ahead log,
readers never wait for a writer. Faults of the disk are logged, at most one line a minute, and never raised.
"""

import logging
import os
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from hoppers.runtime.cache_folder import NotPrivateError, check_private_file, discard

log = logging.getLogger(__name__)

TIMEOUT_SECONDS = 1.0  # a read or write that waits longer counts as failed
REOPEN_SECONDS = 60.0  # between two attempts to open the database, and between two lines of log
MAX_NOTED = 1000  # names that were read since the last write
CACHE_KIB = 1024  # memory of each connection

DAMAGED = {
    sqlite3.SQLITE_ERROR,
    sqlite3.SQLITE_SCHEMA,
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_NOTADB,
    sqlite3.SQLITE_TOOBIG,
    sqlite3.SQLITE_IOERR_SHORT_READ,
}
"""SQLite error codes of a file that is not a database, is corrupt, or has another schema."""

FAULTS = (sqlite3.Error, OSError, UnicodeDecodeError, MemoryError)
"""Errors of a failing disk or a damaged database, whose error messages may be no valid text either."""

SCHEMA = """
create table if not exists answers (name text primary key, value blob not null, used integer not null);
create index if not exists oldest_first on answers (used);
"""
NEXT = "(select coalesce(max(used), 0) + 1 from answers)"  # `used` counts accesses, so clocks may jump
STORE = f"""insert into answers values (?, ?, {NEXT})
on conflict (name) do update set value = excluded.value, used = excluded.used"""
TOUCH = f"update answers set used = {NEXT} where name = ?"
EVICT = """delete from answers where name in
(select name from answers order by used limit (select 1 + count(*) / 20 from answers))"""

Result = TypeVar("Result")


class DiskStore:
    """A store of bytes by name on disk. Beyond its size limit, the least recently used values are dropped.

    Reads have a connection of their own, because a write may wait for a process of low priority that has
    locked the database.
    """

    def __init__(self, folder: Path, max_bytes: int) -> None:
        """Open the database in `folder`, or replace a damaged one. `max_bytes`: limit of its size."""
        self._reader, self._writer = (Database(folder, self._report) for _ in range(2))
        self._max_bytes, self._next_line = max_bytes, 0.0
        self._noted: dict[str, None] = {}
        """Names that were read since the last write, which stores this use. The order is that of reads."""
        self._reader.run(bool)

    def get(self, name: str) -> bytes | None:
        """Return the value stored under `name`; None if there is none or the disk fails."""
        query = "select value from answers where name = ?"
        found = self._reader.run(lambda connection: connection.execute(query, [name]).fetchone())
        if found is None or not isinstance(found[0], bytes):
            return None
        if len(self._noted) < MAX_NOTED:
            self._noted[name] = None
        return found[0]

    def put(self, name: str, value: bytes) -> None:
        """Store `value` under `name`; failures are logged and ignored."""
        noted, self._noted = self._noted, {}

        def store(connection: sqlite3.Connection) -> None:
            connection.execute("begin immediate")
            connection.executemany(TOUCH, [(other,) for other in noted])
            connection.execute(STORE, [name, value])
            while _used_bytes(connection) > self._max_bytes and connection.execute(EVICT).rowcount > 0:
                pass

        self._writer.run(store)

    def close(self) -> None:
        """Close the database. Later reads return None, and later writes are ignored."""
        self._reader.close()
        self._writer.close()

    def _report(self, error: Exception) -> None:
        if time.monotonic() >= self._next_line:
            self._next_line = time.monotonic() + REOPEN_SECONDS
            log.warning("stored answers are unavailable for now: %s", error)


class Database:
    """Connection to the newest database of a folder, used by one thread at a time, opened again after faults.

    A database that is damaged or was deleted is replaced by one with the next number as its name. SQLite
    deletes its log by name, so a process that still has the old database open would otherwise delete the log
    of the new one.
    """

    def __init__(self, folder: Path, report: Callable[[Exception], None]) -> None:
        """`report`: called with each fault of the disk."""
        self._folder, self._report, self._lock = folder, report, threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._number, self._inode = 1, 0
        self._next_open, self._closed = 0.0, False

    def run(self, act: Callable[[sqlite3.Connection], Result]) -> Result | None:
        """Return the result of `act`, run as one transaction; None if the disk fails.

        A damaged database is replaced by an empty one, and `act` runs again.
        """
        if not self._lock.acquire(timeout=TIMEOUT_SECONDS):
            return None
        try:
            try:
                return self._run_once(act)
            except FAULTS as error:
                if not _is_damage(error):
                    raise
                self._replace(error)
                return self._run_once(act)
        except FAULTS as error:
            self._report(error)
            return None
        finally:
            self._lock.release()

    def close(self) -> None:
        """Close the connection for ever."""
        with self._lock:
            self._closed = True
            self._disconnect()

    @property
    def _path(self) -> Path:
        return self._folder / f"{self._number}.sqlite"

    def _run_once(self, act: Callable[[sqlite3.Connection], Result]) -> Result | None:
        """Run `act` in a transaction; return None without a database. Raise one of `FAULTS`."""
        if self._connection is not None and _inode(self._path) != self._inode:  # replaced or deleted
            self._skip()
        if self._connection is None:
            if self._closed or time.monotonic() < self._next_open:
                return None
            self._next_open = time.monotonic() + REOPEN_SECONDS
            self._connection = self._opened()
        with self._connection:  # commits, or rolls back
            return act(self._connection)

    def _opened(self) -> sqlite3.Connection:
        """Open the newest database, or create one; raise one of `FAULTS` if that fails."""
        if (self._folder / "cache.db").exists():  # of an earlier version of the program
            discard(self._folder)
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        numbers = [int(path.stem) for path in self._folder.glob("*.sqlite") if path.stem.isdecimal()]
        self._number = max([self._number, *numbers])
        for old in set(numbers) - {self._number}:
            _delete(self._folder / f"{old}.sqlite")
        with suppress(FileExistsError):  # SQLite would create it with another mode
            os.close(os.open(self._path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        self._inode = _inode(self._path)
        for file in filter(os.path.lexists, _files_of(self._path)):
            check_private_file(file, file.lstat())
        connection = sqlite3.connect(
            self._path, TIMEOUT_SECONDS, isolation_level=None, check_same_thread=False
        )
        try:
            _prepare(connection)
        except FAULTS:
            connection.close()
            raise
        return connection

    def _replace(self, error: Exception) -> None:
        """Delete the damaged database, unless another process has done so."""
        if _inode(self._path) == self._inode:
            log.warning("the database of stored answers is damaged and is made anew: %s", error)
            _delete(self._path)
        self._skip()

    def _skip(self) -> None:
        """Close the database, and let the next access open one with a higher number."""
        self._disconnect()
        self._number += 1
        self._next_open = 0.0

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(sqlite3.Error):
                connection.close()


def _prepare(connection: sqlite3.Connection) -> None:
    """Set up a connection, and check the schema; raise a sqlite3.Error if that fails."""
    connection.text_factory = bytes  # damaged text is no valid UTF-8
    connection.execute("pragma journal_mode = wal")
    connection.execute("pragma synchronous = normal")  # a power cut may lose the last values
    connection.execute("pragma wal_autocheckpoint = 250")
    connection.execute("pragma journal_size_limit = 1000000")
    connection.execute(f"pragma cache_size = -{CACHE_KIB}")
    if not connection.execute("select 1 from sqlite_master where name = 'oldest_first'").fetchone():
        connection.executescript(SCHEMA)
    connection.execute("select name, value, used from answers limit 1").fetchall()


def _used_bytes(connection: sqlite3.Connection) -> int:
    pages, free, size = (
        connection.execute(f"pragma {name}").fetchone()[0]
        for name in ("page_count", "freelist_count", "page_size")
    )
    return int((pages - free) * size)


def _is_damage(error: Exception) -> bool:
    """Return whether an error is due to a damaged database, not to a full or failing disk or to a lock."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK)
    is_damage = isinstance(error, NotPrivateError | UnicodeDecodeError)
    return is_damage or not DAMAGED.isdisjoint((code, code & 0xFF))  # the higher bits hold details


def _inode(path: Path) -> int:
    """Return the number of a file in its file system, or 0 if there is none."""
    try:
        return path.lstat().st_ino
    except FileNotFoundError:
        return 0


def _files_of(path: Path) -> list[Path]:
    """Return a database file, its log and the index of the log."""
    return [path.with_name(path.name + end) for end in ("", "-wal", "-shm")]


def _delete(path: Path) -> None:
    for file in _files_of(path):
        discard(file)
