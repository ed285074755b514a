"""Compile kernels with Numba, cache their machine code on disk, and run them on threads.

All compiled functions go through the decorator `kernel`: they run without the interpreter lock and are cached
on disk (`machine_code.py`), by a cache of their own: functions that other programs compile with Numba keep
Numba's.

Some functions use private parts of Numba, checked with numba 0.68.1, which constraints.txt pins:

- `Dispatcher._cache`, replaced by `KernelCache` (in `kernel`);
- `CompileResult._reduce` and `_rebuild` (in `KernelCache`);
- `Dispatcher.overloads[...].library._shared_module` and `_get_module_for_linking` (`drop_ir`);
- the layout of arrays in LLVM IR, from `cgutils` and `context.make_array` (`prefetch`).

After an upgrade of Numba run tests/core/test_kernels.py and test_machine_code.py, which cover them.
"""

import functools
import itertools
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from types import FunctionType
from typing import Any, NamedTuple

import numba
import numpy as np
from llvmlite import binding, ir
from numba import types
from numba.core import cgutils
from numba.core.compiler_lock import global_compiler_lock
from numba.extending import intrinsic

from hoppers.core.machine_code import KernelCache, MachineCode

Kernel = Callable[..., Any]
_KERNELS: list[Kernel] = []  # all kernels of this process
MACHINE_CODE = MachineCode()
"""Files with the machine code of all kernels of this process."""


@intrinsic  # type: ignore[untyped-decorator]
def prefetch(typing_context: Any, array: Any, row: Any) -> Any:
    """Start loading the first element of `array[row]` into the CPU cache, for a later access.

    Only kernels can call this function, as `prefetch(array, row)`. The call returns nothing.
    """
    signature = types.void(array, row)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        record = context.make_array(signature.args[0])(context, builder, arguments[0])
        offset = builder.mul(builder.extract_value(record.strides, 0), arguments[1])
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        address = builder.bitcast(cgutils.pointer_add(builder, record.data, offset), byte)
        instruction = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, instruction, "llvm.prefetch.p0")
        builder.call(function, [address, number(0), number(3), number(1)])  # read, highest locality, data
        return context.get_dummy_value()

    return signature, generate


def kernel(function: Callable[..., Any]) -> Kernel:
    """Return `function` as a kernel that Numba compiles at its first call (decorator).

    The kernel runs without the interpreter lock. Its machine code is cached on disk. Kernels that call it
    contain a copy of its code: in a call Numba would pass every array of a tuple and count references to each
    with atomic instructions, which cost more than the work of a small kernel.
    """
    compiled: Kernel = numba.njit(nogil=True, error_model="numpy", forceinline=True)(function)
    assert isinstance(function, FunctionType)
    vars(compiled)["_cache"] = KernelCache(function, MACHINE_CODE)  # private, see top
    _KERNELS.append(compiled)
    return compiled


def drop_ir() -> None:
    """Free the LLVM IR of all kernels loaded from disk, a third of a megabyte each.

    Only the compiler reads the IR, to inline a kernel into another one. If a kernel is inlined later, its IR
    is parsed again from bitcode.
    """
    with global_compiler_lock:
        for compiled in list(_KERNELS):
            for result in list(vars(compiled)["overloads"].values()):
                _drop_library_ir(result.library)


def _drop_library_ir(library: Any) -> None:
    if getattr(library, "_shared_module", None) is not None:
        bitcode = library._shared_module.as_bitcode()
        library._get_module_for_linking = functools.partial(binding.parse_bitcode, bitcode)
        library._shared_module = None


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
    source: FunctionType = compiled.py_func  # type: ignore[attr-defined]
    known = {name: value for name, value in source.__globals__.items() if name in source.__code__.co_names}
    names = {name: as_python(value) if hasattr(value, "py_func") else value for name, value in known.items()}
    plain = FunctionType(source.__code__, names, source.__name__, source.__defaults__)

    def call(*arguments: Any) -> Any:
        with np.errstate(all="ignore"):  # machine words overflow silently in kernels
            return plain(*arguments)

    return call


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
