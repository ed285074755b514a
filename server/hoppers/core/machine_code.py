"""Files with the machine code of kernels: found by what a kernel is made of, and checked when they are read.

A file holds the machine code of one kernel for one list of argument types. Its name contains a digest of all
that the code depends on (`kernel_digest`, argument types, machine), so it never becomes stale. It begins with
a checksum, because a power cut or a failing disk may damage it: a damaged file is deleted and its kernel is
compiled again. Files are pickles, so they are read only if this user alone can have written them
(`cache_folder.open_private`).

A part is a set of kernels that are compiled in one go. The file that marks a part as stored lists the files
of its kernels.
"""

import functools
import hashlib
import json
import logging
import os
import re
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from hoppers.runtime import PACKAGE, cache_folder
from hoppers.runtime.extras import needed_for
from hoppers.runtime.puzzle_packages import puzzle_sources

log = logging.getLogger(__name__)

KEPT_VERSIONS = 3  # versions of the program whose machine code stays on disk: those used last
CHECKSUM_BYTES = 16
SIGNATURE = 3  # index of the signature in what `CompileResult._reduce` returns
ABANDONED_SECONDS = 3600  # age at which a temporary file belongs to no running process


def _source_digest() -> str:
    digest = hashlib.sha256()
    folders = ("core", "search", "tablebase", "puzzles")
    for source in sorted(path for folder in folders for path in (PACKAGE / folder).rglob("*.py")):
        digest.update(source.read_bytes())
    for source in puzzle_sources():
        digest.update(source.read_bytes())
    return digest.hexdigest()[:12]


SOURCES_DIGEST = _source_digest()
"""Digest (12 hexadecimal digits) of all sources that compute answers: core, search, tablebase and puzzles.

Those of puzzles from other distributions belong to them.
"""


class CompilationClock:
    """Time in which this process compiles kernels or imports the compiler."""

    def __init__(self) -> None:
        self.on_begin: Callable[[], None] = lambda: None
        """Called whenever compiling begins, in the thread that compiles."""
        self._lock = threading.Lock()
        self._running, self._began, self._ended = 0, 0.0, 0.0

    @property
    def seconds(self) -> float:
        """Seconds of compiling so far; two threads that compile at the same time count once."""
        with self._lock:
            return self._ended + (time.perf_counter() - self._began if self._running else 0.0)

    def begin(self) -> None:
        """Count the time from now on until `end`. Kernels that are compiled for others are nested."""
        with self._lock:
            self._running += 1
            is_first = self._running == 1
            if is_first:
                self._began = time.perf_counter()
        if is_first:
            self.on_begin()

    def end(self) -> None:
        """End what `begin` has begun."""
        with self._lock:
            self._running -= 1
            if not self._running:
                self._ended += time.perf_counter() - self._began

    @contextmanager
    def running(self) -> Iterator[None]:
        """Count the time of a block."""
        self.begin()
        try:
            yield
        finally:
            self.end()


class MachineCode:
    """The files of this process's kernels, in a folder that is made when the first is read or written."""

    def __init__(self, folder: Path | None = None) -> None:
        """`folder`: an existing folder for the files; None for that of this version in the cache folder."""
        self._folder = folder
        self._read_only: Path | None = None  # folder in which files are looked for that are not in the other
        self.clock = CompilationClock()
        self.errors: list[str] = []
        """Reasons why files could not be written, as text: exceptions would keep their frames alive."""
        self._damaged: list[str] = []  # names of files that this process has deleted
        self._used: set[str] = set()  # names of files that this process has loaded or written
        self._intact: dict[str, tuple[int, int, int]] = {}  # files checked by `is_stored`, with their state

    @property
    def folder(self) -> Path:
        """The folder of the files. Beside it, only the folders of the versions used last are kept.

        Raises:
            OSError: it cannot be created.
        """
        if self._folder is None:
            self._folder = _folder_of_version()
            self._read_only = _read_only_folder_of_version()
        return self._folder

    def _place(self, name: str) -> Path:
        """Return where to read a file; raise an OSError if the folder cannot be created."""
        path = self.folder / name
        return path if self._read_only is None or path.exists() else self._read_only / name

    def load(self, name: str) -> bytes | None:
        """Return the content of a file, or None if it is missing or damaged. A damaged file is deleted."""
        try:
            content = self._read(name)
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            self.reject(name, error)
            return None
        self._used.add(name)
        return content

    def store(self, name: str, content: bytes) -> None:
        """Write a file. Record each failure, and log the first."""
        try:
            cache_folder.write_private(self.folder / name, _checksum(name, content) + content)
        except OSError as error:
            self.fail(str(error))
        else:
            self._used.add(name)

    def fail(self, reason: str) -> None:
        """Record why machine code could not be stored; log the first reason."""
        if not self.errors:
            log.warning("machine code cannot be saved and will be compiled at each start: %s", reason)
        self.errors.append(reason)

    def reject(self, name: str, reason: object) -> None:
        """Delete a damaged file. One line is logged for all files of a process.

        A file that could not be read for want of memory or descriptors stays.
        """
        if isinstance(reason, Exception) and cache_folder.is_shortage(reason):
            log.warning("machine code cannot be loaded now: %s", reason)
            return
        if not self._damaged:
            log.warning(
                "damaged machine code in %s is deleted and compiled again; the first file is %s: %s",
                self.folder, name, reason
            )  # fmt: skip
        self._damaged.append(name)
        self._used.discard(name)
        cache_folder.discard(self.folder / name)

    def mark(self, part: str) -> None:
        """Record that all kernels of a part, which this process has run, are stored.

        Do nothing if a kernel could not be stored. The record lists all files that this process has used:
        it cannot know which of them a part shares with others.
        """
        if not self.errors:
            self.store(_mark_of(part), json.dumps(sorted(tuple(self._used))).encode())
            self._used.discard(_mark_of(part))

    def is_stored(self, part: str) -> bool:
        """Return whether all kernels of a part are stored. Damaged files of the part are deleted."""
        marked = self.load(_mark_of(part))
        self._used.discard(_mark_of(part))
        return marked is not None and all([self._is_intact(name) for name in json.loads(marked)])

    def _is_intact(self, name: str) -> bool:
        """Return whether a file is intact; read it only if it has changed since the last call."""
        try:
            found = self._place(name).lstat()
            state = found.st_ino, found.st_ctime_ns, found.st_size
            if self._intact.get(name) != state:
                self._read(name)
                self._intact[name] = state
        except FileNotFoundError:
            return False
        except (OSError, ValueError) as error:
            self.reject(name, error)
            return False
        return True

    def _read(self, name: str) -> bytes:
        try:
            path = self._place(name)
        except OSError as error:
            self.fail(str(error))
            raise FileNotFoundError(name) from error
        with cache_folder.open_private(path) as file:
            content = file.read()
        if content[:CHECKSUM_BYTES] != _checksum(name, content[CHECKSUM_BYTES:]):
            raise ValueError("the checksum differs")
        return content[CHECKSUM_BYTES:]


def file_name(function: FunctionType, signature: Any, codegen: Any) -> str:
    """Return the name of the file with a kernel's machine code for argument types."""
    types = map(_type_text, types_of(signature))
    parts = kernel_digest(function), *types, machine(codegen)
    digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]
    return f"{re.sub(r'[^A-Za-z0-9_]', '', function.__name__)[:60]}-{digest}.kernel"


def machine(codegen: Any = None) -> str:
    """Return a text on all that machine code depends on besides its source: Python, Numba and the CPU.

    The CPU is the one for which Numba compiles, which `NUMBA_CPU_NAME` may set. `codegen`: Numba's code
    generator, by default that of kernels.
    """
    with needed_for("compiling", "search"):  # here, because it takes longer than any answer from a table
        import numba
        from numba.core.registry import cpu_target

    target = (codegen or cpu_target.target_context.codegen()).magic_tuple()
    return repr((sys.implementation.cache_tag, getattr(sys, "abiflags", ""), numba.__version__, target))


def kernel_digest(function: FunctionType) -> str:
    """Return a digest of a kernel's code, and of all kernels and constants that it uses by global names.

    Kernels are inlined into those that call them, so the caller changes with them.
    """
    digest, numbers, waiting = hashlib.sha256(), {function: 0}, [function]
    for one in waiting:  # which grows meanwhile
        digest.update(repr(_code_content(one.__code__)).encode())
        for name, value in _names_used(one):
            if isinstance(source := getattr(value, "py_func", value), FunctionType):
                if source not in numbers:
                    numbers[source] = len(numbers)
                    waiting.append(source)
                value = numbers[source]
            digest.update(f"{name}={_constant_text(value)}\0".encode())
    return digest.hexdigest()


def _code_content(code: CodeType) -> tuple[object, ...]:
    constants = [_code_content(one) if isinstance(one, CodeType) else one for one in code.co_consts]
    return code.co_code, code.co_names, code.co_varnames, code.co_argcount, constants


def _names_used(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """Yield the globals and enclosed variables of a function by name, and the kernels of its modules."""
    for name in function.__code__.co_names:
        value = function.__globals__.get(name)
        if name in function.__globals__:
            yield name, value
        if isinstance(value, ModuleType):
            members = ((one, getattr(value, one, None)) for one in function.__code__.co_names)
            yield from ((one, member) for one, member in members if hasattr(member, "py_func"))
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        yield name, cell.cell_contents


def _constant_text(value: Any) -> str:
    """Return a text that is equal for equal constants in all processes; of other objects, the name."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    if isinstance(value, tuple):
        return f"({', '.join(map(_constant_text, value))})"
    if value is None or isinstance(value, bool | int | float | str | bytes | np.generic):
        return repr(value)
    name = getattr(value, "__qualname__", getattr(value, "__name__", type(value).__qualname__))
    return f"{getattr(value, '__module__', '')}.{name}"


def types_of(signature: Any) -> tuple[Any, ...]:
    """Return the argument types of a signature, or the types themselves."""
    return tuple(getattr(signature, "args", signature))


def _type_text(type: Any) -> str:
    """Return a text on a Numba type, with the fields of named tuples, which its own name does not contain."""
    fields = getattr(getattr(type, "instance_class", None), "_fields", ())
    return f"{type} {fields} {[_type_text(one) for one in getattr(type, 'types', ())]}"


@functools.cache
def _mark(part: str, machine: str) -> str:
    return f"{part}-{hashlib.sha256(machine.encode()).hexdigest()[:12]}.stored"


def _mark_of(part: str) -> str:
    return _mark(part, machine())


def _checksum(name: str, content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=CHECKSUM_BYTES, key=name.encode()[-64:]).digest()


def _folder_of_version() -> Path:
    """Return the folder for this version's machine code; delete those of old versions, and old part files."""
    parent = cache_folder.subfolder(cache_folder.MACHINE_CODE)
    mine = parent / SOURCES_DIGEST
    try:
        mine.mkdir(mode=0o700, exist_ok=True)
        cache_folder.check_private(mine)
    except OSError as error:
        log.warning("the folder of machine code is made again: %s", error)
        cache_folder.discard(mine)
        mine.mkdir(mode=0o700)
    os.utime(mine)
    for old in sorted(parent.iterdir(), key=lambda folder: folder.lstat().st_mtime)[:-KEPT_VERSIONS]:
        shutil.rmtree(old, ignore_errors=True)
    now = mine.stat().st_mtime
    for part in mine.glob("*.part"):
        with suppress(FileNotFoundError):  # another process deletes or renames it
            if now - part.lstat().st_mtime > ABANDONED_SECONDS:
                cache_folder.discard(part)
    return mine


def _read_only_folder_of_version() -> Path | None:
    """Return this version's folder in a cache folder that is only read, if there is one."""
    parent = cache_folder.read_only_folder()
    if parent is None:
        return None
    folder = parent / cache_folder.MACHINE_CODE / SOURCES_DIGEST
    try:
        cache_folder.check_private(folder)
    except OSError:
        return None
    return folder
