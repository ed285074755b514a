"""Tables on disk, built once per machine and mapped into every process that reads them.

A file is a line of JSON (which arrays, of what type and shape, and the checksum of all that follows), filled
up to a multiple of `ALIGNED` bytes, and the arrays as they stand in memory. It is written beside its place,
forced to disk and renamed, so it is whole or not there; it is checked once when a process opens it, then
mapped read-only: the processes of a machine share the one copy in memory. The least used files are deleted.
"""

import json
import logging
import os
import tempfile
import time
import zlib
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple, cast

import filelock
import numpy as np

from hoppers.core.kernels import cache_folder
from hoppers.search.slicing import Pausable, report_progress, slices

log = logging.getLogger(__name__)

VERSION = 2
"""Of the file's form and of the meaning of the arrays; files of another one are not read."""
MOST_BYTES, MOST_SIEVE_BYTES = 1_500_000_000, 500_000_000
"""Of tables and of sieves: beyond it those that have not been used for longest go, not the other kind."""
ALIGNED = 4096
"""Arrays begin at multiples of it."""
PLACE_BYTES, MOST_HEAD = 100, 1 << 20
"""What the line of JSON has room for each array, and at most."""
AT_ONCE = 1 << 22
"""Bytes written, or checked, between two pauses."""
GLANCE_SECONDS = 0.05
"""How often a process looks whether another has built what both need."""
ABANDONED_SECONDS = 3_600
"""After which the beginning of a file is nobody's any more."""

Arrays = dict[str, Any]


class Place(NamedTuple):
    """Where an array lies in a file."""

    name: str
    type: str
    shape: tuple[int, ...]
    start: int


def load(name: str, writable: bool = False) -> Pausable[Arrays | None]:
    """The arrays kept under a name, mapped, or None; a damaged file is deleted.

    `writable`: as far as the kernels can tell. What is written to them stays in this process.
    """
    path = _folder() / f"{name}.table"
    try:
        with path.open("rb") as file:
            arrays = yield from _mapped(file, "c" if writable else "r")
        path.touch()
        return arrays
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError):
        log.warning("the table %s is damaged and will be built again", path, exc_info=True)
        path.unlink(missing_ok=True)
        return None


def save(name: str, arrays: Arrays) -> Pausable[None]:
    """Keep arrays under a name; a full or read-only disk is no error, the table is only not kept."""
    folder, part = _folder(), None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, suffix=".part", delete=False) as file:
            part = Path(file.name)
            yield from _write(cast(BinaryIO, file), arrays)
        part.replace(folder / f"{name}.table")
        _make_room(folder)
    except OSError:
        log.warning("the table %s could not be kept", name, exc_info=True)
    finally:
        if part is not None:
            part.unlink(missing_ok=True)


def is_kept(name: str) -> bool:
    """Whether there is a file under a name, whole or not."""
    return (_folder() / f"{name}.table").exists()


def drop(name: str) -> None:
    """Keep it no longer; whoever has it mapped goes on reading."""
    with suppress(OSError):
        (_folder() / f"{name}.table").unlink(missing_ok=True)


def shared(name: str, build: Callable[[], Generator[float, None, Arrays]]) -> Generator[float, None, Arrays]:
    """The arrays kept under a name, or newly built ones, whose progress it yields.

    While one process of the machine builds them, all others wait for it.
    """
    arrays = yield from report_progress(0.0, load(name))
    while arrays is None:
        with _alone(name) as alone:
            arrays = yield from report_progress(0.0, load(name))
            if arrays is None and alone:
                built = yield from build()
                yield from report_progress(1.0, save(name, built))
                arrays = (yield from report_progress(1.0, load(name))) or built
        if arrays is None:
            yield 0.0
            time.sleep(GLANCE_SECONDS)
    return arrays


@contextmanager
def _alone(name: str) -> Iterator[bool]:
    """Whether this process is the one that builds a table; also where nothing can be locked."""
    lock = filelock.FileLock(_folder() / f"{name}.lock", thread_local=False)
    try:
        _folder().mkdir(parents=True, exist_ok=True)
        lock.acquire(blocking=False)
    except filelock.Timeout:
        yield False
        return
    except OSError:
        log.warning("the table %s may be built more than once at a time", name, exc_info=True)
    try:
        yield True
    finally:
        lock.release()


def _folder() -> Path:
    return cache_folder() / f"tables-{VERSION}"


def read_only(arrays: Arrays) -> Arrays:
    """The arrays as if they were mapped: kernels are compiled anew for what may be written to."""
    for values in arrays.values():
        values.flags.writeable = False
    return arrays


def _write(file: BinaryIO, arrays: Arrays) -> Pausable[None]:
    solid = {name: np.ascontiguousarray(values) for name, values in arrays.items()}
    head_bytes = ALIGNED * (1 + len(solid) * PLACE_BYTES // ALIGNED)
    places, end = [], head_bytes
    for name, values in solid.items():
        places.append(Place(name, values.dtype.str, values.shape, end))
        end += -(-values.nbytes // ALIGNED) * ALIGNED
    checksum = _checksum(places)
    for place, values in zip(places, solid.values(), strict=True):
        file.seek(place.start)
        for start, stop in slices(values.nbytes, AT_ONCE):
            part = values.reshape(-1).view(np.uint8)[start:stop].data
            file.write(part)
            checksum = zlib.crc32(part, checksum)
            os.fsync(file.fileno())  # little by little, for at the end it could take long
            yield
        filled = bytes(-values.nbytes % ALIGNED)
        file.write(filled)
        checksum = zlib.crc32(filled, checksum)
    head = json.dumps({"end": end, "checksum": checksum, "places": places}).encode()
    file.seek(0)
    file.write(head.ljust(head_bytes - 1) + b"\n")
    file.flush()
    os.fsync(file.fileno())


def _mapped(file: BinaryIO, mode: Literal["c", "r"]) -> Pausable[Arrays]:
    """The arrays of an open file.

    Raises:
        ValueError: it is not what was written.
    """
    head = json.loads(file.readline(MOST_HEAD))
    places = [Place(*place) for place in head["places"]]
    checksum = _checksum(places)
    while part := file.read(AT_ONCE):
        checksum = zlib.crc32(part, checksum)
        yield
    if checksum != head["checksum"] or file.tell() != head["end"]:
        raise ValueError("the checksum differs")
    return {place.name: _array(file, place, mode) for place in places}


def _checksum(places: list[Place]) -> int:
    """That of the arrays' own follows it."""
    return zlib.crc32(json.dumps(places).encode())


def _array(file: BinaryIO, place: Place, mode: Literal["c", "r"]) -> Any:
    if 0 in place.shape:
        return np.zeros(place.shape, place.type)
    mapped = np.memmap(file, place.type, mode, place.start, tuple(place.shape))
    return mapped.view(np.ndarray)  # the plain kind, for which kernels are compiled


def _make_room(folder: Path) -> None:
    used = {path: path.stat() for path in folder.iterdir() if path.suffix in (".table", ".part")}
    newest = max(state.st_mtime for state in used.values())
    room = {False: MOST_BYTES, True: MOST_SIEVE_BYTES}
    for path, state in sorted(used.items(), key=lambda item: -item[1].st_mtime):
        kind = path.name.startswith("sieve-")
        room[kind] -= state.st_size
        if state.st_mtime < newest and (room[kind] < 0 or _is_abandoned(path, newest - state.st_mtime)):
            path.unlink(missing_ok=True)


def _is_abandoned(path: Path, seconds: float) -> bool:
    return path.suffix == ".part" and seconds > ABANDONED_SECONDS
