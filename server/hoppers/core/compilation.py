"""What kernels need of Numba: dispatchers with a cache of their own, and an instruction that LLVM has.

Only `core.kernels` imports this module, when the first kernel is called. Functions that other programs
compile with Numba keep Numba's cache. Some functions use private parts of Numba, checked with numba 0.68.1,
which constraints.txt pins:

- `Dispatcher._cache`, replaced by `KernelCache` (in `dispatcher`);
- `CompileResult._reduce` and `_rebuild` (in `KernelCache`);
- `Dispatcher.overloads[...].library._shared_module` and `_get_module_for_linking` (`drop_ir`);
- the layout of arrays in LLVM IR, from `cgutils` and `context.make_array` (`_prefetch`).

After an upgrade of Numba run tests/core/test_kernels.py and test_machine_code.py, which cover them.
"""

import functools
import pickle
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any

import numba
from llvmlite import binding, ir
from numba import types
from numba.core import cgutils, compiler, serialize
from numba.core.compiler_lock import global_compiler_lock
from numba.extending import intrinsic, overload

from hoppers.core.machine_code import SIGNATURE, MachineCode, file_name, types_of
from hoppers.core.prefetch import prefetch


@intrinsic  # type: ignore[untyped-decorator]  # Numba has no types
def _prefetch(typing_context: Any, array: Any, row: Any) -> Any:
    """Do what `prefetch.prefetch` says."""
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


@overload(prefetch, jit_options={"forceinline": True}, strict=False)  # type: ignore[untyped-decorator]  # Numba has no types
def _overload_prefetch(array: Any, row: Any) -> Callable[[Any, Any], Any]:
    """Return what kernels call as `prefetch.prefetch`. `strict` would compare the annotations of the two."""
    return lambda array, row: _prefetch(array, row)


class KernelCache:
    """The cache of one kernel's machine code, with the methods that Numba calls on a dispatcher's cache."""

    cache_path = None

    def __init__(self, function: FunctionType, files: MachineCode) -> None:
        self._function, self._files = function, files

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """Return the machine code for argument types; None if it is not stored or damaged: Numba compiles it.

        The time until `save_overload` counts as compiling.
        """
        found = self._load(signature, target_context)
        if found is None:
            self._files.clock.begin()
        return found

    def _load(self, signature: Any, target_context: Any) -> Any:
        target_context.refresh()
        name = file_name(self._function, signature, target_context.codegen())
        content = self._files.load(name)
        if content is None:
            return None
        try:
            compiled = pickle.loads(content)
            if tuple(compiled[SIGNATURE].args) != types_of(signature):
                return None  # of a class with the same name and fields that was defined anew
            return compiler.CompileResult._rebuild(target_context, *compiled)
        except Exception as error:  # of any kind: it was written by this program, but by another version
            self._files.reject(name, repr(error))
            return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Store machine code for argument types; record a failure in `MachineCode.errors`."""
        self._files.clock.end()
        if compiled.lifted or compiled.library.has_dynamic_globals:
            self._files.fail(f"{self._function.__qualname__} holds addresses of this process")
            return
        name = file_name(self._function, signature, compiled.codegen)
        self._files.store(name, serialize.dumps(compiled._reduce()))


def dispatcher(function: FunctionType, files: MachineCode) -> Any:
    """Return Numba's dispatcher of a kernel, whose machine code is in `files` (see `kernels.kernel`)."""
    made = numba.njit(nogil=True, error_model="numpy", forceinline=True)(function)
    vars(made)["_cache"] = KernelCache(function, files)  # private, see top
    return made


def drop_ir(dispatchers: Iterable[Any]) -> None:
    """Free the LLVM IR of dispatchers: see `kernels.drop_ir`."""
    with global_compiler_lock:
        for compiled in dispatchers:
            for result in list(vars(compiled)["overloads"].values()):
                _drop_library_ir(result.library)


def _drop_library_ir(library: Any) -> None:
    if getattr(library, "_shared_module", None) is not None:
        bitcode = library._shared_module.as_bitcode()
        library._get_module_for_linking = functools.partial(binding.parse_bitcode, bitcode)
        library._shared_module = None
