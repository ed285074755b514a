"""Machine code on disk: found only if nothing has changed, checked, and compiled again if it is damaged."""

import errno
import os
import random
import subprocess
import sys
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest

from hoppers.core import kernels, machine_code
from hoppers.core.machine_code import MachineCode, kernel_digest
from tests import ROOT
from tests.support import damage
from tests.support.damage import Damage
from tests.support.machine_code import use_folder


def doubled(value: int) -> int:
    return 2 * value


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MachineCode:
    """Machine code of this process, in an empty folder."""
    return use_folder(monkeypatch, tmp_path)


def run() -> Any:
    """Return a new kernel of `doubled` that has run once; assert that its result is right."""
    compiled: Any = kernels.kernel(doubled)
    assert compiled(4) == 8
    return compiled


def was_loaded(compiled: Any) -> bool:
    return bool(compiled.stats.cache_hits) and not compiled.stats.cache_misses


def test_second_kernel_is_loaded(files: MachineCode) -> None:
    assert not was_loaded(run()) and was_loaded(run())
    assert len(list(files.folder.iterdir())) == 1


def flipped(path: Path) -> None:
    """Invert one random bit of a file."""
    content = bytearray(path.read_bytes())
    bit = random.randrange(8 * len(content))
    content[bit // 8] ^= 1 << bit % 8
    path.write_bytes(content)


DAMAGE: dict[str, Damage] = {
    **damage.DAMAGE,
    "short": lambda path: os.truncate(path, 10),
    "flipped": flipped,
    "flipped again": flipped,
}


@pytest.mark.parametrize("harm", DAMAGE.values(), ids=DAMAGE)
def test_damaged_file_is_logged_once_and_made_again(
    harm: Damage, files: MachineCode, caplog: pytest.LogCaptureFixture
) -> None:
    run()
    [path] = files.folder.iterdir()
    harm(path)
    assert not was_loaded(run())
    [record] = caplog.records
    assert record.levelname == "WARNING" and path.name in record.getMessage() and record.exc_info is None
    assert "\n" not in record.getMessage()
    assert was_loaded(run()) and path.is_file() and not path.is_symlink()


def test_intact_file_stays_where_descriptors_end(
    files: MachineCode, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(path: Path) -> None:
        raise OSError(errno.EMFILE, "too many open files")

    files.store("some", b"content")
    with monkeypatch.context() as patched:
        patched.setattr("hoppers.runtime.cache_folder.open_private", refuse)
        assert files.load("some") is None
    assert [record.getMessage() for record in caplog.records] == [
        "machine code cannot be loaded now: [Errno 24] too many open files"
    ]
    assert files.load("some") == b"content"


@pytest.mark.parametrize("harm", [*DAMAGE.values(), Path.unlink], ids=[*DAMAGE, "missing"])
def test_part_with_a_damaged_file_is_not_stored(
    harm: Damage, files: MachineCode, caplog: pytest.LogCaptureFixture
) -> None:
    run()
    [path] = files.folder.iterdir()
    files.mark("part")
    assert files.is_stored("part") and not files.is_stored("other")
    harm(path)
    assert not files.is_stored("part") and not os.path.lexists(path)
    assert len(caplog.records) == (harm is not Path.unlink)
    run()
    assert files.is_stored("part")


@pytest.mark.parametrize("harm", DAMAGE.values(), ids=DAMAGE)
def test_damaged_mark_marks_nothing(harm: Damage, files: MachineCode) -> None:
    run()
    files.mark("part")
    [mark] = files.folder.glob("part-*")
    harm(mark)
    assert not files.is_stored("part")
    files.mark("part")
    assert files.is_stored("part")


def test_exchanged_files_are_damaged(files: MachineCode) -> None:
    """A file is valid under its own name only."""
    run()
    [one] = files.folder.iterdir()
    other: Any = kernels.kernel(doubled)
    assert other(4.0) == 8.0
    [two] = set(files.folder.iterdir()) - {one}
    content = one.read_bytes()
    one.write_bytes(two.read_bytes())
    two.write_bytes(content)
    again = run()
    assert not was_loaded(again) and again(4.0) == 8.0


def test_many_damaged_files_are_logged_in_one_line(
    files: MachineCode, caplog: pytest.LogCaptureFixture
) -> None:
    compiled: Any = kernels.kernel(doubled)
    for value in (1, 1.0, np.float32(1), np.uint8(1)):
        compiled(value)
    for path in files.folder.iterdir():
        os.truncate(path, 0)
    again: Any = kernels.kernel(doubled)
    for value in (1, 1.0, np.float32(1), np.uint8(1)):
        assert again(value) == 2
    assert len(caplog.records) == 1


def test_content_of_another_version_is_compiled_again(
    files: MachineCode, caplog: pytest.LogCaptureFixture
) -> None:
    run()
    [path] = files.folder.iterdir()
    files.store(path.name, b"no pickle")
    assert not was_loaded(run()) and len(caplog.records) == 1 and was_loaded(run())


CHANGES: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "Python": lambda patch: patch.setattr(sys.implementation, "cache_tag", "cpython-399"),
    "Numba": lambda patch: patch.setattr(numba, "__version__", "9.9"),
    "CPU": lambda patch: patch.setitem(vars(numba.config), "CPU_NAME", "another"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_marks_name_python_numba_and_the_cpu(
    change: Callable[[pytest.MonkeyPatch], None], files: MachineCode, monkeypatch: pytest.MonkeyPatch
) -> None:
    files.mark("part")
    assert files.is_stored("part")
    change(monkeypatch)
    assert not files.is_stored("part")


def test_marks_name_the_features_for_which_numba_compiles() -> None:
    program = "from hoppers.core.machine_code import machine; print(machine())"
    command = [sys.executable, "-c", program]
    settings: list[dict[str, str]] = [
        {},
        {"NUMBA_CPU_NAME": "generic"},
        {"NUMBA_CPU_FEATURES": "+sse2"},
        {"NUMBA_ENABLE_AVX": "0"},
    ]
    texts = {
        subprocess.check_output(command, env={**os.environ, **setting}, cwd=ROOT) for setting in settings
    }
    assert len(texts) == len(settings) or ("avx" not in str(texts) and len(texts) == len(settings) - 1)


def function(source: str, **names: Any) -> Any:
    """Return the function `f` that `source` defines; `names` are its globals."""
    space: dict[str, Any] = {"np": np, **names}
    exec(source, space)
    return space["f"]


CALLER = "def f(value):\n    return inner(value) + LIMIT"


def test_digest_depends_on_called_kernels_and_constants() -> None:
    def caller(inner: str, limit: Any = 1) -> str:
        return kernel_digest(function(CALLER, inner=kernels.kernel(function(inner)), LIMIT=limit))

    first = caller("def f(value):\n    return value + 1")
    assert first == caller("def f(value):\n    return value + 1")
    changed = [
        caller("def f(value):\n    return value + 2"),
        caller("def f(value):\n    return value - 1"),
        caller("def f(value):\n    return np.abs(value)"),
        caller("def f(value):\n    return np.sign(value)"),
        caller("def f(value):\n    return value + 1", limit=2),
        caller("def f(value):\n    return value + 1", limit=np.arange(3)),
        caller("def f(value):\n    return value + 1", limit=np.arange(4)),
        caller("def f(value):\n    return value + 1", limit=(1, 2)),
        caller("def f(value):\n    return value + 1", limit=(2, 1)),
    ]
    assert len({first, *changed}) == 10


def test_digest_depends_on_which_of_two_kernels_is_called() -> None:
    one = kernels.kernel(function("def f(value):\n    return value + 1"))
    two = kernels.kernel(function("def f(value):\n    return value + 2"))
    source = "def f(value):\n    return a(value) * b(value) + a(b(value))"
    assert kernel_digest(function(source, a=one, b=two)) != kernel_digest(function(source, a=two, b=one))


def test_digest_of_a_recursive_function_ends() -> None:
    f = function("def f(value):\n    return f(value - 1) if value else 0")
    assert kernel_digest(f) == kernel_digest(f)


class Pair(NamedTuple):
    first: int
    second: int


def first_of(pair: Any) -> int:
    return int(pair.first)


def test_named_tuples_with_other_fields_have_other_machine_code(files: MachineCode) -> None:
    """Numba names the type of a named tuple by the class's name alone."""
    swapped: Any = namedtuple("Pair", ["second", "first"])  # type: ignore[name-match]  # on purpose
    one: Any = kernels.kernel(first_of)
    other: Any = kernels.kernel(first_of)
    assert one(Pair(1, 2)) == 1 and other(swapped(2, 1)) == 1
    assert len(list(files.folder.iterdir())) == 2


SCRIPT = """
import sys
from typing import NamedTuple
from hoppers.core.kernels import kernel

class Pair(NamedTuple):
    first: int
    second: int

MORE = int(sys.argv[1])

@kernel
def inner(pair):
    return pair.first

@kernel
def outer(pair):
    return inner(pair) + MORE

print(outer(Pair(3, 4)), outer(Pair(5, 6)))
"""


def test_class_of_a_script_is_defined_anew_in_each_process(tmp_path: Path) -> None:
    """Machine code that an earlier process has stored is for its own class."""
    (tmp_path / "script.py").write_text(SCRIPT)
    environment = {**os.environ, "HOPPERS_CACHE": str(tmp_path / "cache")}
    for more in (1, 2, 2):
        command = [sys.executable, str(tmp_path / "script.py"), str(more)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert done.stdout.split() == [str(3 + more), str(5 + more)], done.stderr
        assert done.stderr == ""


def test_only_the_versions_used_last_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOPPERS_CACHE", str(tmp_path))
    for number in range(5):
        (tmp_path / "machine-code" / str(number)).mkdir(parents=True)
        os.utime(tmp_path / "machine-code" / str(number), (number, number))
    assert not any("machine-code" in str(path) for path in tmp_path.glob("*/*.kernel"))
    folder = MachineCode().folder
    assert folder == tmp_path / "machine-code" / machine_code.SOURCES_DIGEST
    assert {path.name for path in folder.parent.iterdir()} == {"3", "4", folder.name}


def test_unsafe_folder_of_this_version_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("HOPPERS_CACHE", str(tmp_path))
    folder = MachineCode().folder
    (folder / "planted.kernel").touch()
    folder.chmod(0o777)
    assert list(MachineCode().folder.iterdir()) == [] and len(caplog.records) == 1


def test_half_files_of_dead_writers_are_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOPPERS_CACHE", str(tmp_path))
    old, new = (MachineCode().folder / f"{name}.part" for name in ("old", "new"))
    for part in (old, new):
        part.touch()
    os.utime(old, (0, 0))
    assert list(MachineCode().folder.iterdir()) == [new]
