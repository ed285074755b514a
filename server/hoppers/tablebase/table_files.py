"""Tables on disk, built once per machine and mapped into every process that reads them.

A file is a line of JSON (name, type, shape and offset of each array, and a checksum), padded to a multiple of
ALIGNMENT bytes, and the arrays as they are in memory. It is written to a temporary file, forced to disk and
renamed, so it is whole or missing. Each process checks a file when loading it and maps it read-only, so all
processes share one copy in memory. Beyond `MAX_BYTES` in all, the least recently used files are deleted.
"""

import hashlib
import json
import logging
import math
import mmap
import os
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import msgspec
import numpy as np

from hoppers.core.machine_code import SOURCES_DIGEST
from hoppers.core.model import Progressing, prebuild_decoder
from hoppers.runtime.builder import finish
from hoppers.runtime.cache_folder import TABLES, discard, existing, is_shortage, open_private, subfolder
from hoppers.search.slicing import Pausable, report_progress, slices

if TYPE_CHECKING:
    from filelock import BaseFileLock

log = logging.getLogger(__name__)

MAX_BYTES = 1_500_000_000  # size of all files, beyond which the least recently used are deleted
ALIGNMENT = 4096  # bytes; arrays start at multiples of it
BYTES_PER_SLICE = 1 << 22  # written or checked between two pauses
MIN_SHARED_BYTES = 100_000  # smaller complete tables are built by each process, without a file

Arrays = dict[str, Any]
ArrayPlace = tuple[str, str, tuple[int, ...], int]
"""Name, type and shape of an array in a file, and its offset in bytes."""


@prebuild_decoder
class Header(msgspec.Struct):
    """The first line of a file."""

    end: int
    """Length of the file in bytes."""
    checksum: int
    """Of `places` and of all that follows the header."""
    places: list[ArrayPlace]


def load(name: str, writable: bool = False) -> Pausable[Arrays | None]:
    """Return the arrays stored under a name, mapped into memory; None if the file is missing or damaged.

    A file that is damaged or cannot be read is deleted, unless memory or descriptors have ended. `writable`
    arrays are private to this process: changes are not stored.
    """
    try:
        path = existing(TABLES, _file_name(name))
        with open_private(path) as file:
            arrays = yield from _mapped(file, writable)
        with suppress(OSError):  # it may have been deleted
            os.utime(path)
        return arrays
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        if is_shortage(error):
            log.warning("the table %s cannot be loaded now: %s", name, error)
            return None
        log.warning("the table %s is damaged and will be built again: %s", name, error)
        drop(name)
        return None


def save(name: str, arrays: Arrays) -> Pausable[None]:
    """Store arrays under a name, and delete old files beyond `MAX_BYTES`.

    If the disk is full or read-only, log a warning instead.
    """
    part = None
    try:
        path = _path(name)
        with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as file:
            part = Path(file.name)
            yield from _write(cast(BinaryIO, file), arrays)
        part.replace(path)
        with suppress(FileNotFoundError):  # another process deletes files at this moment
            _make_room(path.parent)
    except OSError as error:
        log.warning("the table %s could not be stored: %s", name, error)
    finally:
        if part is not None:
            part.unlink(missing_ok=True)


def is_stored(name: str) -> bool:
    """Return whether there is a file under a name, without checking its content."""
    try:
        return existing(TABLES, _file_name(name)).exists()
    except OSError:
        return False


def drop(name: str) -> None:
    """Delete the file stored under a name. Existing mappings stay valid."""
    with suppress(OSError):
        discard(_path(name))


def shared(name: str, build: Callable[[], Progressing[Arrays]]) -> Progressing[Arrays]:
    """Return the arrays stored under a name, or build and store them. Yield the progress, 0 to 1.

    While one process of the machine builds the arrays, the others wait for it, if the disk has locks. The
    arrays are read-only if they could be stored (see also `read_only`).
    """
    arrays = yield from report_progress(0.0, load(name))
    while arrays is None:
        with _build_lock(name) as is_locked:
            arrays = yield from report_progress(0.0, load(name))
            if arrays is None and is_locked:
                log.info("building the table %s, once for all processes of this machine", name)
                built = yield from build()
                yield from report_progress(1.0, save(name, built))
                arrays = (yield from report_progress(1.0, load(name))) or built
        if arrays is None:
            yield 0.0
            time.sleep(0.05)  # another process builds the table
    return arrays


@contextmanager
def _build_lock(name: str) -> Iterator[bool]:
    """Yield whether this process may build a table: it has the lock, or the disk has no locks."""
    import filelock  # here and below, because it warns where the system has no locks, as in a browser

    lock = None
    try:
        lock = filelock.FileLock(_path(name).with_suffix(".lock"), thread_local=False)
        lock.acquire(blocking=False)
    except filelock.Timeout:
        yield False
        return
    except OSError as error:
        log.warning("the table %s may be built more than once at a time: %s", name, error)
    try:
        yield True
    finally:
        if lock is not None:
            _end(lock)


def _end(lock: "BaseFileLock") -> None:
    """Release a lock and delete its file.

    The file is deleted first: a process that has it open then sees that it has no name, and opens a new one.
    """
    if lock.is_locked:
        with suppress(OSError):  # Windows, which deletes it with the release
            os.unlink(lock.lock_file)
    lock.release()


def _path(name: str) -> Path:
    """Return the path of a table's file; raise an OSError if its folder cannot be created."""
    return subfolder(TABLES) / _file_name(name)


def _file_name(name: str) -> str:
    return f"{name}.table"


def load_or_fill_table(key: object, size: int, fill: Callable[[], Any]) -> Any:
    """Return the read-only array of `size` bytes that `fill` builds, from a file shared by all processes.

    An array below `MIN_SHARED_BYTES` is built without a file. The system may drop a file's pages from memory.
    `key`: all that the table depends on, except for the program's sources; its `repr` must be unique.
    """

    def build() -> Progressing[Arrays]:
        yield 0.0
        return {"table": fill()}

    digest = hashlib.sha256(f"{SOURCES_DIGEST} {key!r}".encode()).hexdigest()
    steps = shared(f"complete-{digest[:16]}", build) if size >= MIN_SHARED_BYTES else build()
    return read_only(finish(steps))["table"]


def read_only(arrays: Arrays) -> Arrays:
    """Make arrays read-only, like mapped arrays, and return them.

    Numba would compile a kernel again for writable arrays.
    """
    for values in arrays.values():
        values.flags.writeable = False
    return arrays


def _write(file: BinaryIO, arrays: Arrays) -> Pausable[None]:
    solid = {name: np.ascontiguousarray(values) for name, values in arrays.items()}
    head_bytes = ALIGNMENT * (1 + len(solid) * 100 // ALIGNMENT)  # up to 100 bytes describe an array
    places, end = list[ArrayPlace](), head_bytes
    for name, values in solid.items():
        places.append((name, values.dtype.str, values.shape, end))
        end += -(-values.nbytes // ALIGNMENT) * ALIGNMENT
    checksum = _checksum(places)
    for (*_, place), values in zip(places, solid.values(), strict=True):
        file.seek(place)
        for start, stop in slices(values.nbytes, BYTES_PER_SLICE):
            part = values.reshape(-1).view(np.uint8)[start:stop].data
            file.write(part)
            checksum = zlib.crc32(part, checksum)
            os.fsync(file.fileno())  # in every slice, because one call for the whole file could take long
            yield
        filled = bytes(-values.nbytes % ALIGNMENT)
        file.write(filled)
        checksum = zlib.crc32(filled, checksum)
    head = msgspec.json.encode(Header(end, checksum, places))
    file.seek(0)
    file.write(head.ljust(head_bytes - 1) + b"\n")
    file.flush()
    os.fsync(file.fileno())


def _mapped(file: BinaryIO, writable: bool) -> Pausable[Arrays]:
    """Check an open file and return its arrays, mapped into memory. Yield after each slice.

    `writable` arrays are copies that are not stored.

    Raises:
        ValueError: the header is damaged, or the checksum or length of the file is wrong.
    """
    head = _read_header(file)
    checksum = _checksum(head.places)
    while part := file.read(BYTES_PER_SLICE):
        checksum = zlib.crc32(part, checksum)
        yield
    if checksum != head.checksum or file.tell() != head.end:
        raise ValueError("the checksum differs")
    mapped = _map(file, writable)
    return {name: _array(mapped, type, shape, start) for name, type, shape, start in head.places}


def _read_header(file: BinaryIO) -> Header:
    """Return the header of an open file; raise a ValueError if it is damaged."""
    try:
        return msgspec.json.decode(file.readline(1 << 20), type=Header)
    except (msgspec.MsgspecError, UnicodeError) as error:
        raise ValueError("the header cannot be read") from error


def _map(file: BinaryIO, writable: bool) -> mmap.mmap:
    """Map a whole file into memory: one mapping for all its arrays, since it keeps a file descriptor.

    From Python 3.13 on it keeps none.
    """
    access = mmap.ACCESS_COPY if writable else mmap.ACCESS_READ
    if sys.version_info >= (3, 13):
        return mmap.mmap(file.fileno(), 0, access=access, trackfd=False)
    return mmap.mmap(file.fileno(), 0, access=access)


def _checksum(places: list[ArrayPlace]) -> int:
    return zlib.crc32(json.dumps(places).encode())


def _array(mapped: mmap.mmap, type: str, shape: tuple[int, ...], start: int) -> Any:
    if 0 in shape:
        return np.zeros(shape, type)
    return np.frombuffer(mapped, type, math.prod(shape), start).reshape(shape)


def _make_room(folder: Path) -> None:
    """Delete the least recently used tables beyond `MAX_BYTES`, and what killed processes have left."""
    import filelock

    used = {path: path.lstat() for path in folder.iterdir() if path.suffix in (".table", ".part")}
    newest = max((state.st_mtime for state in used.values()), default=0.0)  # others may have deleted all
    room = MAX_BYTES
    for path, state in sorted(used.items(), key=lambda item: -item[1].st_mtime):
        room -= state.st_size
        # a temporary file that is an hour old belongs to no running process
        is_abandoned = path.suffix == ".part" and newest - state.st_mtime > 3600
        if state.st_mtime < newest and (room < 0 or is_abandoned):
            discard(path)
    for path in folder.glob("*.lock"):
        lock = filelock.FileLock(path, thread_local=False)
        with suppress(OSError, filelock.Timeout):  # held by a running build
            lock.acquire(blocking=False)
            _end(lock)
