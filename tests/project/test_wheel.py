"""The wheel works in an empty environment with the newest versions that its requirements allow."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from email.parser import Parser
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


def installed(*words: str | Path, **environment: str) -> None:
    """Run a command that may need a package index; skip the test if none can be reached."""
    done = call(*words, **environment)
    if done.returncode and UNREACHABLE.search(done.stderr):
        pytest.skip(f"the package index cannot be reached: {done.stderr[-300:]}")
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def uv() -> str:
    """Path of uv."""
    own = Path(sys.executable).parent
    found = shutil.which("uv", path=own) or shutil.which("uv")
    if found is None:
        pytest.skip("uv is not installed")
    return found


def built(uv: str, kind: str, folder: Path) -> Path:
    """Build a distribution of a kind, `wheel` or `sdist`, from the clone; return its path."""
    installed(uv, "build", f"--{kind}", "--out-dir", folder, ROOT)
    (distribution,) = folder.glob("hoppers-*")
    return distribution


@pytest.fixture(scope="module")
def wheel(uv: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the clone."""
    return built(uv, "wheel", tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def sdist(uv: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source distribution, built from the clone."""
    return built(uv, "sdist", tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="module")
def scripts(uv: str, wheel: Path) -> Path:
    """Folder of the programs of an environment with the wheel and what a server needs."""
    return environment(uv, wheel.parent / "venv", f"{wheel}[server]")


@pytest.fixture(scope="module")
def small(uv: str, wheel: Path) -> Path:
    """Folder of the programs of an environment in which the wheel is installed without extras."""
    return environment(uv, wheel.parent / "small", str(wheel))


def environment(uv: str, folder: Path, requirement: str) -> Path:
    """Install a requirement into a new environment; return the folder of its programs."""
    installed(uv, "venv", "--python", sys.executable, folder)
    scripts = folder / ("Scripts" if os.name == "nt" else "bin")
    installed(uv, "pip", "install", "--python", scripts / "python", requirement)
    return scripts


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Variable of an empty cache folder."""
    return {"HOPPERS_CACHE": str(tmp_path_factory.mktemp("cache"))}


@pytest.mark.slow
def test_wheel_without_extras_solves(small: Path, cache: dict[str, str]) -> None:
    done = call(small / "hoppers", "solve", "hoppers", "--goal", "6", **cache)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(r"limit .* known: table\n\[\[.*\none solution of 7 moves, .*\n", done.stdout)
    refused = call(small / "hoppers", "run", "--port", "0", **cache)
    assert refused.returncode == 4 and "pip install 'hoppers[server]'" in refused.stderr


@pytest.mark.slow
def test_wheel_requires_little_without_extras(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as files:
        (metadata,) = (name for name in files.namelist() if name.endswith(".dist-info/METADATA"))
        requires = Parser().parsestr(files.read(metadata).decode()).get_all("Requires-Dist") or []
    always = {re.split("[^a-z0-9-]", line)[0] for line in requires if "extra ==" not in line}
    assert always == {"click", "filelock", "jinja2", "markupsafe", "msgspec", "numpy", "platformdirs"}


@contextmanager
def served(scripts: Path, cache: dict[str, str], written: Path) -> Iterator[str]:
    """Run `hoppers serve` of the wheel, with its log in `written`; yield its address. It must end well."""
    port = free_port()
    words = [str(scripts / "hoppers"), "serve", "--log", "json", "--port", str(port)]
    with written.open("w") as log:
        process = subprocess.Popen(
            words, cwd="/", env={**os.environ, **cache, "HOPPERS_WARM_UP": "false"}, stdout=log, stderr=log
        )
        try:
            wait_for(lambda: "Listening at" in written.read_text())
            yield f"http://127.0.0.1:{port}"
            process.send_signal(signal.SIGTERM)
            process.wait(TIMEOUT_SECONDS)
        finally:
            process.kill()
            process.wait()
    assert process.returncode == 0


@pytest.mark.slow
def test_wheel_serves_and_logs_only_json(scripts: Path, cache: dict[str, str], tmp_path: Path) -> None:
    with served(scripts, cache, tmp_path / "log") as address:
        for path in ("/puzzles/hoppers", "/api/puzzles/hoppers/positions/oooooo.oooooo/hint", "/nothing"):
            requests.get(address + path, timeout=TIMEOUT_SECONDS)
        picture = requests.get(f"{address}/puzzles/hoppers/board.png", timeout=TIMEOUT_SECONDS)
    lines = (tmp_path / "log").read_text().splitlines()
    assert lines and all(json.loads(line)["service"] == "hoppers" for line in lines)
    assert (picture.status_code, picture.content[:4]) == (501, b"\x89PNG")  # its renderer is an extra


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="the page is about systemd")
def test_first_commands_of_the_hosting_page_install_a_server(
    sdist: Path, cache: dict[str, str], tmp_path: Path
) -> None:
    block = re.findall("```sh\n(.*?)```", (ROOT / "docs" / "hosting.md").read_text(), re.DOTALL)[0]
    for folder in ("/opt", "/etc/systemd/system", "/etc/nginx/conf.d"):
        (tmp_path / folder[1:]).mkdir(parents=True)
        block = block.replace(f" {folder}/", f" {tmp_path}{folder}/")
    block = block.replace("\n/opt/", f"\n{tmp_path}/opt/")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "systemctl").symlink_to("/bin/true")
    with tarfile.open(sdist) as files:
        files.extractall(tmp_path, filter="data")
    (clone,) = tmp_path.glob("hoppers-*")
    path = f"{tmp_path / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    installed("sh", "-ec", f"cd {clone}\n{block}", PATH=path)
    done = call(tmp_path / "opt/hoppers/bin/hoppers", "solve", "hoppers", **cache)
    assert done.returncode == 0 and "one solution of 7 moves" in done.stdout
    names = {file.relative_to(tmp_path / "etc").as_posix() for file in (tmp_path / "etc").rglob("hoppers.*")}
    units = {"systemd/system/hoppers.service", "systemd/system/hoppers.socket"}
    assert names == {*units, "nginx/conf.d/hoppers.conf"}


@pytest.mark.slow
def test_linear_programs_print_nothing_in_the_newest_versions(scripts: Path, cache: dict[str, str]) -> None:
    done = call(scripts / "python", "-c", LINEAR_PROGRAM, **cache)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.slow
def test_descriptions_pass_the_check_of_package_indexes(wheel: Path, sdist: Path) -> None:
    done = call(sys.executable, "-m", "twine", "check", "--strict", wheel, sdist)
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("PASSED") == 2


@pytest.mark.slow
def test_wheel_has_the_licences_of_what_it_contains(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as files:
        (metadata,) = (name for name in files.namelist() if name.endswith(".dist-info/METADATA"))
        named = Parser().parsestr(files.read(metadata).decode()).get_all("License-File") or []
        texts = {name: files.read(f"{Path(metadata).parent}/licenses/{name}").decode() for name in named}
    client = " ".join(texts["THIRD_PARTY_LICENSES.txt"].split())
    for package in ("socket.io-client", "@socket.io/component-emitter"):
        licence = (ROOT / "node_modules" / package / "LICENSE").read_text()
        assert " ".join(licence.split()) in client
    assert {"LICENSE", "LICENSES/MIT.txt", "LICENSES/CC0-1.0.txt"} <= set(texts)


@pytest.mark.slow
def test_sdist_is_complete_and_makes_the_same_wheel(
    uv: str, wheel: Path, sdist: Path, tmp_path: Path
) -> None:
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (root,) = tmp_path.iterdir()
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode == 0:  # else the tests run from an unpacked sdist themselves
        names = {name for name in listed.stdout.split("\0") if name and (ROOT / name).exists()}
        assert {name for name in names if not (root / name).is_file()} == set()
    for path in root.rglob("*"):
        os.utime(path, (1_000_000_000, 1_000_000_000))
    installed(uv, "build", "--wheel", "--out-dir", tmp_path / "again", root)
    (again,) = (tmp_path / "again").glob("*.whl")
    assert again.name == wheel.name
    assert differing_files(again, wheel) == set()
    assert again.read_bytes() == wheel.read_bytes()


def differing_files(first: Path, second: Path) -> set[str]:
    """Return the names of the files in two archives that are not equal."""
    with zipfile.ZipFile(first) as one, zipfile.ZipFile(second) as other:
        names = {*one.namelist(), *other.namelist()}
        both = {*one.namelist()} & {*other.namelist()}
        return {name for name in names if name not in both or one.read(name) != other.read(name)}


@pytest.mark.slow
def test_puzzle_of_another_distribution_appears_everywhere(
    uv: str, scripts: Path, cache: dict[str, str], tmp_path: Path
) -> None:
    found = re.search(r"```python\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text(), re.DOTALL)
    assert found is not None
    (tmp_path / "coins.py").write_text(found[1])
    (tmp_path / "pyproject.toml").write_text(DISTRIBUTION)
    installed(uv, "pip", "install", "--python", scripts / "python", tmp_path)
    assert "coins" in call(scripts / "hoppers", "puzzles", **cache).stdout.split()
    done = call(scripts / "hoppers", "solve", "coins", **cache)
    assert done.returncode == 0 and "the fewest possible" in done.stdout
    assert done.stderr == "compiling, which is not counted as searching …\n"
    with served(scripts, cache, tmp_path / "log") as address:
        listed = requests.get(f"{address}/api/puzzles", timeout=TIMEOUT_SECONDS).json()
        page = requests.get(f"{address}/puzzles/coins", timeout=TIMEOUT_SECONDS)
        gallery = requests.get(f"{address}/", timeout=TIMEOUT_SECONDS)
    assert "coins" in json.dumps(listed)
    assert page.status_code == 200 and "Coins" in page.text
    assert gallery.status_code == 200 and "/puzzles/coins" in gallery.text


DISTRIBUTION = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "hoppers-coins"
version = "1.0"
dependencies = ["hoppers"]

[project.entry-points."hoppers.puzzles"]
coins = "coins"

[tool.hatch.build.targets.wheel]
include = ["coins.py"]
"""
