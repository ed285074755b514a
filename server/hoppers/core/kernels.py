"""How kernels are compiled and where the machine code is kept.

Everything compiled goes through `kernel`: no interpreter lock while it runs, cached on disk. Numba
does not notice when a function called from another file changes, so the cache folder is named after
a digest of the program's sources: another version never meets stale machine code.
"""

import functools
import hashlib
import importlib
import logging
import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from types import FunctionType
from typing import Any

import filelock
import numba
import numpy as np
import platformdirs
from numba.core import config
from numba.core.compiler_lock import global_compiler_lock

from hoppers.runtime.paths import PACKAGE

log = logging.getLogger(__name__)

Kernel = Callable[..., Any]
_KERNELS: list[Kernel] = []
_UNKEPT: list[str] = []
"""Why machine code of this process could not be kept, in words: errors would hold on to what met them."""
KEPT_VERSIONS = 3


def cache_folder() -> Path:
    """The folder for machine code and tables: `HOPPERS_CACHE`, the user's cache, or a temporary one."""
    named = os.environ.get("HOPPERS_CACHE")
    wanted = Path(named) if named else Path(platformdirs.user_cache_dir("hoppers"))
    for folder in (
        wanted,
        Path(tempfile.gettempdir(), f"hoppers-{os.getuid() if hasattr(os, 'getuid') else 0}"),
    ):
        if _writable(folder):
            return folder
    return Path(tempfile.mkdtemp(prefix="hoppers-"))


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _source_digest() -> str:
    digest = hashlib.sha256()
    folders = ("core", "search", "tablebase", "puzzles")
    for source in sorted(path for folder in folders for path in (PACKAGE / folder).rglob("*.py")):
        digest.update(source.read_bytes())
    return digest.hexdigest()[:12]


VERSION = _source_digest()
"""Of everything that computes answers."""


def _machine_code_folder() -> Path:
    """The folder for this version's machine code; folders of all but the newest versions go."""
    parent = cache_folder() / "machine-code"
    mine = parent / VERSION
    mine.mkdir(parents=True, exist_ok=True)
    os.utime(mine)
    for old in sorted(parent.iterdir(), key=lambda folder: folder.stat().st_mtime)[:-KEPT_VERSIONS]:
        shutil.rmtree(old, ignore_errors=True)
    return mine


FOLDER = _machine_code_folder()
vars(config)["CACHE_DIR"] = str(FOLDER)


def place_of(source: str) -> str:
    """Where machine code of a file is kept within `FOLDER`: whichever copy of the program it belongs to.

    Numba's own place is told by the whole path, so that another copy, or a folder that was moved, would
    find the marks of all that is there, and none of it, and compile where nothing should be compiled.
    """
    path = Path(source).resolve()
    if path.is_relative_to(PACKAGE):
        return "-".join(("hoppers", *path.relative_to(PACKAGE).parent.parts))
    return hashlib.sha256(str(path.parent).encode()).hexdigest()[:12]


caching: Any = importlib.import_module("numba.core.caching")
caching._CacheLocator.get_suitable_cache_subpath = staticmethod(place_of)


def _mark(name: str) -> Path:
    """The file that says that all of a name's kernels are there, for this processor and this Numba."""
    llvm: Any = importlib.import_module("llvmlite.binding")
    built = f"{numba.__version__} {llvm.get_host_cpu_name()} {llvm.get_host_cpu_features().flatten()}"
    return FOLDER / f"{name}-{hashlib.sha256(built.encode()).hexdigest()[:12]}.whole"


def is_on_disk(name: str) -> bool:
    """Whether all kernels of a puzzle were compiled and kept before."""
    return _mark(name).exists()


def note_on_disk(name: str) -> None:
    """All kernels of a puzzle have run, so they are kept now, unless the disk was full."""
    if not _UNKEPT:
        with suppress(OSError):
            _mark(name).touch()


def kernel(function: Callable[..., Any]) -> Kernel:
    """Compile at the first call, without the interpreter lock, cached on disk."""
    compiled: Kernel = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    file = vars(compiled)["_cache"]._cache_file
    file.save = functools.partial(_save_alone, file.save)
    _KERNELS.append(compiled)
    return compiled


def _save_alone(save: Callable[..., None], *what: Any) -> None:
    """Keep machine code while no other process does; on a full disk it is used all the same.

    Two that keep code of one function, for different types, may else both choose the same next file for it.
    """
    with ExitStack() as stack:
        with suppress(OSError):  # where there can be no lock it is kept without: two at once are rare
            stack.enter_context(filelock.FileLock(FOLDER / "saving.lock", thread_local=False))
        try:
            save(*what)
        except OSError as error:
            if not _UNKEPT:
                log.warning("machine code cannot be kept and will be compiled at each start: %s", error)
            _UNKEPT.append(str(error))


def put_modules_aside() -> None:
    """Let go of what only the compiler reads of kernels that were found on disk: a third of a megabyte each.

    Should it want to build one of them into another kernel after all, it reads the short form again.
    """
    with global_compiler_lock:
        for compiled in list(_KERNELS):
            for result in list(vars(compiled)["overloads"].values()):
                _put_aside(result.library)


def _put_aside(library: Any) -> None:
    if getattr(library, "_shared_module", None) is not None:
        parse: Any = importlib.import_module("llvmlite.binding").parse_bitcode
        library._get_module_for_linking = functools.partial(parse, library._shared_module.as_bitcode())
        library._shared_module = None


@functools.cache
def specialise(generic: FunctionType, name: str, **rules: Any) -> Kernel:
    """Compile a copy of `generic` in which the global names in `rules` mean the given kernels.

    The rules are inlined, so a search written once runs as fast as one written for the puzzle. Kernels
    passed as arguments would do the same but are never found again in Numba's cache on disk; globals are.
    Asked again for the same copy, it returns the one it has.
    """
    copy = FunctionType(generic.__code__, {**generic.__globals__, **rules}, f"{generic.__name__}_{name}")
    copy.__qualname__ = copy.__name__
    copy.__module__ = generic.__module__
    return kernel(copy)


@functools.cache
def interpreted(compiled: Kernel) -> Callable[..., Any]:
    """The same function as plain Python, and with it every kernel that it calls."""
    source: FunctionType = compiled.py_func  # type: ignore[attr-defined]
    known = {name: value for name, value in source.__globals__.items() if name in source.__code__.co_names}
    names = {
        name: interpreted(value) if hasattr(value, "py_func") else value for name, value in known.items()
    }
    plain = FunctionType(source.__code__, names, source.__name__, source.__defaults__)

    def call(*arguments: Any) -> Any:
        with np.errstate(all="ignore"):  # machine words wrap around without a word
            return plain(*arguments)

    return call
