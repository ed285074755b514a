"""The wheel works in an empty environment with the newest versions that its requirements allow."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from tests import ROOT
from tests.support.linear_program import LINEAR_PROGRAM
from tests.support.processes import free_port, wait_for
from tests.support.socket_client import TIMEOUT_SECONDS

UNREACHABLE = re.compile(
    r"dns error|error sending request|Failed to fetch|Failed to resolve|Connection refused|timed out"
)
"""What uv or pip says if a package index cannot be reached."""


def call(*words: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command outside the clone."""
    variables = {**os.environ, **environment}
    variables.pop("PYTHONPATH", None)
    return subprocess.run(
        [str(word) for word in words], cwd="/", env=variables, capture_output=True, text=True, timeout=600
    )


def installed(*words: str | Path) -> None:
    """Run a command that may need a package index; skip the test if none can be reached."""
    done = call(*words)
    if done.returncode and UNREACHABLE.search(done.stderr):
        pytest.skip(f"the package index cannot be reached: {done.stderr[-300:]}")
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Folder of the programs of an environment in which only the wheel is installed."""
    folder, own = tmp_path_factory.mktemp("wheel"), Path(sys.executable).parent
    uv = shutil.which("uv", path=own) or shutil.which("uv")
    if uv is None:
        pytest.skip("uv is not installed")
    installed(uv, "build", "--wheel", "--out-dir", folder, ROOT)
    (wheel,) = folder.glob("*.whl")
    installed(uv, "venv", "--python", sys.executable, folder / "venv")
    scripts = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
    installed(uv, "pip", "install", "--python", scripts / "python", wheel)
    yield scripts


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Variable of an empty cache folder."""
    return {"HOPPERS_CACHE": str(tmp_path_factory.mktemp("cache"))}


@pytest.mark.slow
def test_wheel_solves(scripts: Path, cache: dict[str, str]) -> None:
    done = call(scripts / "hoppers", "solve", "hoppers", "--goal", "6", **cache)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(r"limit .* known: table\n\[\[.*\none solution of 7 moves, .*\n", done.stdout)


@pytest.mark.slow
def test_wheel_serves_and_logs_only_json(scripts: Path, cache: dict[str, str], tmp_path: Path) -> None:
    port, written = free_port(), tmp_path / "log"
    words = [str(scripts / "hoppers"), "serve", "--log", "json", "--port", str(port)]
    with written.open("w") as log:
        process = subprocess.Popen(
            words, cwd="/", env={**os.environ, **cache, "HOPPERS_WARM_UP": "false"}, stdout=log, stderr=log
        )
        try:
            wait_for(lambda: "Listening at" in written.read_text())
            for path in ("/puzzles/hoppers", "/api/puzzles/hoppers/positions/oooooo.oooooo/hint", "/nothing"):
                requests.get(f"http://127.0.0.1:{port}{path}", timeout=TIMEOUT_SECONDS)
            process.send_signal(signal.SIGTERM)
            process.wait(TIMEOUT_SECONDS)
        finally:
            process.kill()
            process.wait()
    lines = written.read_text().splitlines()
    assert lines and all(json.loads(line)["service"] == "hoppers" for line in lines)
    assert process.returncode == 0


@pytest.mark.slow
def test_linear_programs_print_nothing_in_the_newest_versions(scripts: Path, cache: dict[str, str]) -> None:
    done = call(scripts / "python", "-c", LINEAR_PROGRAM, **cache)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
