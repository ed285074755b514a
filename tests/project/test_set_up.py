"""The set-up by `dev.py`: the server starts as soon as the packages are installed."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import ROOT


def load_dev() -> Any:
    """Load dev.py as a module."""
    spec = importlib.util.spec_from_file_location("dev", ROOT / "dev.py")
    assert spec is not None and spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def dev(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Load dev.py with functions that only record their names in `steps`."""
    module = load_dev()
    module.steps = []
    steps = ["install_packages", "install_test_tools", "prepare_tests", "ensure_redis", "ensure_browser"]
    for name in steps:
        monkeypatch.setattr(module, name, lambda *arguments, name=name: module.steps.append(name))
    monkeypatch.setattr(module, "is_installed", lambda purpose: False)
    monkeypatch.setattr(module, "STAMP", tmp_path / "installed")
    monkeypatch.setattr(os, "execv", lambda path, command: module.steps.append(command[2]))
    return module


def test_run_serves_as_soon_as_the_packages_are_installed(dev: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object) -> None:
        raise AssertionError("the server waits for another process")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    monkeypatch.setattr(sys, "argv", ["dev.py", "run"])
    dev.main()
    assert dev.steps == ["install_packages", "hoppers"]
    assert dev.STAMP.read_text().endswith(" run")


@pytest.mark.parametrize("has_mirror", [False, True])
def test_pip_installs_the_packages_where_uv_fails(has_mirror: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    dev = load_dev()
    used: list[tuple[str, str]] = []

    def succeeds(program: str, *arguments: str, quiet: bool = False) -> bool:
        is_uv = program == str(dev.UV)
        used.append(("uv" if is_uv else "pip", arguments[-1]))
        return not (is_uv and has_mirror)

    monkeypatch.setattr(dev, "make_venv", lambda: None)
    monkeypatch.setattr(dev, "succeeds", succeeds)
    dev.install_packages("run")
    expected = [("pip", f"uv=={dev.UV_VERSION}"), ("uv", ".[server,png]")]
    by_pip = [("pip", f"pip=={dev.PIP_VERSION}"), ("pip", "numba"), ("pip", ".")]
    named = [(program, re.split("[<>~]", last)[0]) for program, last in used]
    assert named == (expected + by_pip if has_mirror else expected)


def test_extras_of_extras_are_installed_by_pip() -> None:
    extras = {"server": ["hoppers[search]", "flask>=3"], "search": ["numba"], "png": ["resvg-py"]}
    assert load_dev().required_by(["server", "png"], extras) == ["flask>=3", "resvg-py", "numba"]


def test_tests_compile_during_the_downloads(dev: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    class Compiling:
        def __init__(self, command: list[str]) -> None:
            dev.steps.append(" ".join(command[1:]))

        def wait(self) -> int:
            dev.steps.append("wait")
            return 0

        def terminate(self) -> None:
            pass

    monkeypatch.setattr(subprocess, "Popen", Compiling)
    monkeypatch.setattr(sys, "argv", ["dev.py", "test"])
    dev.main()
    downloads = ["install_test_tools", "prepare_tests", "ensure_redis", "ensure_browser"]
    assert dev.steps == ["install_packages", "-m hoppers warm", *downloads, "wait", "pytest"]


def test_interrupted_set_up_ends_with_a_sentence(dev: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(purpose: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(dev, "install_packages", interrupt)
    monkeypatch.setattr(sys, "argv", ["dev.py", "run"])
    with pytest.raises(SystemExit, match=r"Stopped. `python3 dev.py run` does the rest."):
        dev.main()
    assert not dev.STAMP.exists()


def test_benchmarks_name_what_is_missing() -> None:
    run = "import runpy; runpy.run_module('benchmarks', {}, '__main__')"
    program = f"import sys; sys.modules['playwright'] = None; {run}"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert "dev.py test" in done.stderr and "playwright" in done.stderr


def test_musl_is_named_before_anything_is_installed(dev: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sysconfig.get_config_var", lambda name: "cpython-313-x86_64-linux-musl")
    monkeypatch.setattr(sys, "argv", ["dev.py", "run"])
    with pytest.raises(SystemExit, match="glibc"):
        dev.main()
    assert dev.steps == []
