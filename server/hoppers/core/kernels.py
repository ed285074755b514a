"""Kernels: functions that Numba compiles at their first call, and the threads that run them.

All compiled functions go through the decorator `kernel`: they run without the interpreter lock and are cached
on disk (`machine_code.py`). Numba is imported when the first kernel is called (`compilation.py`): importing
it takes longer than any answer from a table. Without Numba the rules run as plain Python (`as_python`).
"""

import functools
import importlib
import importlib.util
import itertools
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from types import FunctionType
from typing import Any, NamedTuple, cast

import numpy as np

from hoppers.core.machine_code import MachineCode
from hoppers.runtime.extras import MissingExtra

Kernel = Callable[..., Any]
MACHINE_CODE = MachineCode()
"""Files with the machine code of all kernels of this process."""


def _has_numba() -> bool:
    if "numba" in sys.modules:
        return sys.modules["numba"] is not None
    return importlib.util.find_spec("numba") is not None


CAN_COMPILE = _has_numba()
"""Whether Numba is installed."""


class LazyKernel:
    """A kernel that Numba compiles at its first call. It has all attributes of Numba's dispatcher."""

    def __init__(self, function: FunctionType) -> None:
        self.py_func = function
        functools.update_wrapper(self, function)

    @functools.cached_property
    def dispatcher(self) -> Any:
        """Numba's dispatcher; raises MissingExtra if Numba is not installed."""
        if not CAN_COMPILE:
            raise MissingExtra("a search or a large board", "numba", "search")
        with MACHINE_CODE.clock.running():  # importing Numba counts as compiling
            made = importlib.import_module("hoppers.core.compilation").dispatcher(self.py_func, MACHINE_CODE)
        KERNELS.append(self)
        return made

    def __call__(self, *arguments: Any) -> Any:
        """Run the kernel; compile it first, or load it from disk, for new types of arguments."""
        return self.dispatcher(*arguments)

    @property
    def _numba_type_(self) -> Any:
        """Type with which other kernels see this one (Numba asks for it)."""
        return self.dispatcher._numba_type_

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.dispatcher, name)


KERNELS: list[LazyKernel] = []
"""All kernels of this process that have been called or used by another one."""


def kernel(function: Callable[..., Any]) -> Kernel:
    """Return `function` as a kernel that Numba compiles at its first call (decorator).

    The kernel runs without the interpreter lock. Its machine code is cached on disk. Kernels that call it
    contain a copy of its code: in a call Numba would pass every array of a tuple and count references to each
    with atomic instructions, which cost more than the work of a small kernel.
    """
    assert isinstance(function, FunctionType)
    return LazyKernel(function)


def drop_ir() -> None:
    """Free the LLVM IR of all kernels loaded from disk, a third of a megabyte each.

    Only the compiler reads the IR, to inline a kernel into another one. If a kernel is inlined later, its IR
    is parsed again from bitcode.
    """
    if KERNELS:
        compilation = importlib.import_module("hoppers.core.compilation")
        compilation.drop_ir([kernel.dispatcher for kernel in [*KERNELS]])


@functools.cache
def specialise(generic: FunctionType, name: str, **rules: Any) -> Kernel:
    """Return `generic` as a kernel in which the global names in `rules` have the given values.

    The values are kernels or constants; `name` is part of the new kernel's name. The rules are inlined, so a
    generic search runs as fast as a search written for the puzzle. Kernels passed as arguments would be
    inlined, too, but Numba's disk cache finds only functions that refer to kernels by global names. Equal
    calls return the same kernel.
    """
    copy = FunctionType(generic.__code__, {**generic.__globals__, **rules}, f"{generic.__name__}_{name}")
    copy.__qualname__ = copy.__name__
    copy.__module__ = generic.__module__
    return kernel(copy)


@functools.cache
def as_python(compiled: Kernel) -> Callable[..., Any]:
    """Return a function that runs a kernel, and every kernel that it calls, as plain Python."""
    plain = _plain(compiled)

    def call(*arguments: Any) -> Any:
        with np.errstate(all="ignore"):  # machine words overflow silently in kernels
            return plain(*arguments)

    return call


@functools.cache
def _plain(compiled: Kernel) -> FunctionType:
    """Return a copy of a kernel's function that calls such copies in place of other kernels."""
    source = cast(LazyKernel, compiled).py_func
    known = {name: value for name, value in source.__globals__.items() if name in source.__code__.co_names}
    names = {name: _plain(value) if hasattr(value, "py_func") else value for name, value in known.items()}
    return FunctionType(source.__code__, names, source.__name__, source.__defaults__)


class KernelThreads(NamedTuple):
    """`size` threads that run one kernel in parallel, each on its own arguments."""

    size: int
    run: Callable[[Kernel, Sequence[tuple[Any, ...]]], list[Any]]
    """(kernel, arguments of each thread) -> results, in the order of the arguments."""

    def parts(self, length: int) -> list[tuple[int, int]]:
        """Return (start, stop) of each thread's part of a range of `length` items."""
        bounds = [length * number // self.size for number in range(self.size + 1)]
        return [*itertools.pairwise(bounds)]


ONE_THREAD = KernelThreads(1, lambda kernel, calls: [kernel(*arguments) for arguments in calls])
"""`KernelThreads` without further threads: the calling thread runs all calls in turn."""


@contextmanager
def kernel_threads(size: int) -> Iterator[KernelThreads]:
    """Provide the calling thread and `size` - 1 others, or only the calling thread if no other can start."""
    if size == 1:
        yield ONE_THREAD
        return
    with ThreadPoolExecutor(size - 1, "kernel") as others:
        threads = KernelThreads(size, functools.partial(_in_parallel, others))
        try:
            others.submit(int).result()
        except RuntimeError:  # this process is ending, or has too many threads
            threads = ONE_THREAD
        yield threads


def _in_parallel(others: Executor, kernel: Kernel, calls: Sequence[tuple[Any, ...]]) -> list[Any]:
    try:
        waiting = [others.submit(kernel, *arguments) for arguments in calls[1:]]
    except RuntimeError:  # this process is ending
        return ONE_THREAD.run(kernel, calls)
    return [kernel(*calls[0]), *(one.result() for one in waiting)]


def max_threads() -> int:
    """Return the number of threads for parallel kernels: 2, or 1 if this process may use only one core."""
    return min(2, cores())


def cores() -> int:
    """Return the number of cores that this process may use, as far as the system reports it."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
