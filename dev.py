#!/usr/bin/env python3
"""Set up Hoppers from a fresh clone (needs only Python 3.11+), then run it or its tests.

python3 dev.py run [--host HOST] [--port PORT]    start the server
python3 dev.py test [pytest arguments]            run the tests, on all cores

Everything is installed into .venv and node_modules in the pinned versions, the first time and whenever the
pins change. The server compiles the solver while it already serves, once for all starts. The tests also need
a browser and a Redis server; missing ones are installed (on Debian, with apt-get).
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
STAMP = VENV / "installed"
TRANSLATIONS = ROOT / "server" / "hoppers" / "translations"
UV, UV_VERSION, PIP_VERSION = PYTHON.with_name("uv"), "0.13.9", "26.3"
PIP_INSTALL = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"]
PINNED = ["--constraint", "constraints.txt"]
EXTRAS = ["server", "png"]
PINS = [
    "constraints.txt",
    "hatch_build.py",
    "package-lock.json",
    "pyproject.toml",
    "server/hoppers/runtime/__init__.py",  # has the version
]


def main() -> None:
    """Run the command given on the command line."""
    if sys.version_info < (3, 11):
        sys.exit(f"Hoppers needs Python 3.11 or newer; this is {sys.version.split()[0]}.")
    if "musl" in (sysconfig.get_config_var("SOABI") or ""):
        sys.exit("Hoppers needs a Linux with glibc: for musl, as on Alpine, there is no package of Numba.")
    command, *arguments = sys.argv[1:] or ["--help"]
    os.chdir(ROOT)
    try:
        if command == "run":
            run(arguments)
        elif command == "test":
            test(arguments)
        elif command in ("-h", "--help"):
            print(__doc__)
        else:
            sys.exit(f"No command {command!r}.\n{__doc__}")
    except KeyboardInterrupt:
        sys.exit(f"\nStopped. `python3 dev.py {command}` does the rest.")


def run(arguments: list[str]) -> None:
    """Install the packages if necessary, and replace this process by the server."""
    if not is_installed("run"):
        install_packages("run")
        record("run")
    os.execv(PYTHON, [str(PYTHON), "-m", "hoppers", "run", *arguments])


def test(arguments: list[str]) -> None:
    """Install what the tests need, compile the solver meanwhile, and replace this process by pytest."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # else dozens of processes parse every module
    is_complete = is_installed("test")
    if not is_complete:
        install_packages("test")
    print("+", PYTHON, "-m hoppers warm &", flush=True)
    compiling = subprocess.Popen([str(PYTHON), "-m", "hoppers", "warm"])
    try:
        if not is_complete:
            install_test_tools()
            prepare_tests()
            record("test")
        ensure_redis()
        ensure_browser()
        if compiling.wait():
            sys.exit("The solver could not be compiled; the message is above.")
    finally:
        compiling.terminate()
    # One more than there are cores, because a test of a browser or a fleet mostly waits. A second additional
    # process took roughly a tenth of all processor time to load kernels and pages once more.
    processes = str(1 + (os.cpu_count() or 1))
    os.execv(PYTHON, [str(PYTHON), "-m", "pytest", "--numprocesses", processes, *arguments])


def install_packages(purpose: str) -> None:
    """Install the pinned packages for `purpose` ("run" or "test") with uv or else pip; exit if both fail.

    uv takes a tenth of the time of pip, but does not read pip's settings, such as a mirror of PyPI. Both
    compare what they get with the hashes of the pins.
    """
    print(f"Installing what `{purpose}` needs; the first time takes about half a minute.", flush=True)
    make_venv()
    packages = [*PINNED, *(["--group", "test"] if purpose == "test" else [])]
    has_uv = python(*PIP_INSTALL, f"uv=={UV_VERSION}")
    uv_install = [str(UV), "pip", "install", "--quiet", "--python", str(PYTHON)]
    if has_uv and succeeds(*uv_install, *packages, "--editable", f".[{','.join(EXTRAS)}]"):
        return
    if not pip_install(packages):
        sys.exit("pip could not install the packages; its message is above. Is PyPI reachable?")


def pip_install(packages: list[str]) -> bool:
    """Install `packages` and those of the program, then the program; return whether this succeeded.

    pip refuses to install a folder, which has no hash, together with packages that have one. Before 25.1 it
    knows neither groups nor hashes of constraints.
    """
    import tomllib  # not in the older versions of Python that `main` refuses

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    required = [*project["dependencies"], *required_by(EXTRAS, project["optional-dependencies"])]
    return (
        python(*PIP_INSTALL, f"pip=={PIP_VERSION}")
        and python(*PIP_INSTALL, *packages, *required)
        and python(*PIP_INSTALL, "--no-deps", "--editable", ".")
    )


def required_by(extras: list[str], every: dict[str, list[str]]) -> list[str]:
    """Return the packages that `extras` require, also through other extras, such as `hoppers[search]`."""
    required = [line for extra in extras for line in every[extra]]
    inner = [line[len("hoppers[") : -1] for line in required if line.startswith("hoppers[")]
    packages = [line for line in required if not line.startswith("hoppers[")]
    return packages + (required_by(inner, every) if inner else [])


def install_test_tools() -> None:
    """Install the npm packages; as root and unless HOPPERS_BROWSER is set, also the fastest browser."""
    if not succeeds(str(PYTHON.with_name("npm")), "ci"):
        sys.exit("npm could not install the type checker; its message is above. Is its registry reachable?")
    is_wanted = is_root() and "HOPPERS_BROWSER" not in os.environ
    if is_wanted and not shutil.which("chromium-headless-shell"):
        apt_install("chromium-headless-shell")


def prepare_tests() -> None:
    """Collect the tests once to cache their bytecode, else every pytest process would compile all tests."""
    python("-m", "pytest", "--collect-only", "--quiet", quiet=True)


def record(purpose: str) -> None:
    """Record in `STAMP` that the installation for `purpose` ("run" or "test") is complete."""
    STAMP.write_text(f"{pins_digest()} {purpose}")


def is_installed(purpose: str) -> bool:
    """Return whether the pinned installation for `purpose` is complete; one for "test" suffices for "run"."""
    if not (PYTHON.exists() and STAMP.exists() and all(path.exists() for path in built_files())):
        return False
    digest, installed = STAMP.read_text().split()
    return digest == pins_digest() and installed in (purpose, "test")


def built_files() -> list[Path]:
    """Return files that the build hook creates: the stamp of the bundle and the compiled translations."""
    translations = [path.with_suffix(".mo") for path in TRANSLATIONS.glob("*/LC_MESSAGES/*.po")]
    return [ROOT / "bundle" / "sources.sha256", *translations]


def pins_digest() -> str:
    """Return a digest of all files that an installation depends on, and of the path of its Python."""
    digest = hashlib.sha256(str(PYTHON.resolve()).encode())
    for path in [ROOT / name for name in PINS] + sorted(TRANSLATIONS.glob("*/LC_MESSAGES/*.po")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def make_venv() -> None:
    """Create `VENV` with pip unless it exists: with venv, uv or Debian's venv package; exit if all fail."""
    if PYTHON.exists() and python("-m", "pip", "--version", quiet=True):
        return
    venv = [sys.executable, "-m", "venv", "--clear", str(VENV)]
    if succeeds(*venv, quiet=True):
        return
    if shutil.which("uv") and succeeds(
        "uv", "venv", "--seed", "--clear", "--python", sys.executable, str(VENV)
    ):
        return
    package = "python{}.{}-venv".format(*sys.version_info)
    if apt_install(package) and succeeds(*venv):
        return
    sys.exit(f"Python could not make {VENV}. On Debian or Ubuntu, install {package} and try again.")


def ensure_browser() -> None:
    """Install a browser if none starts and HOPPERS_BROWSER is not set; exit if still none starts."""
    if browser_starts() or ("HOPPERS_BROWSER" not in os.environ and install_browser()):
        return
    python("-m", "tests.browser.chromium")
    sys.exit("The tests need a browser: install Chromium or Chrome, or name one in HOPPERS_BROWSER.")


def ensure_redis() -> None:
    """Install redis-server for the fleet tests if it is missing; exit if that fails."""
    if not (shutil.which("redis-server") or apt_install("redis-server")):
        sys.exit("The tests of a fleet need redis-server: install your system's package and try again.")


def browser_starts() -> bool:
    """Return whether the tests can start a browser."""
    return python("-m", "tests.browser.chromium", quiet=True)


def install_browser() -> bool:
    """Install Playwright's Chromium or else Debian's; return whether a browser starts."""
    if not python("-m", "playwright", "--version", quiet=True):
        apt_install("libatomic1")  # the only library that Playwright's driver lacks on a minimal Debian
    return browser_starts() or download_browser() or (apt_install("chromium") and browser_starts())


def download_browser() -> bool:
    """Let Playwright download Chromium, and system libraries if necessary; return whether Chromium starts."""
    if not python("-m", "playwright", "install", "chromium"):
        return False
    return browser_starts() or (python("-m", "playwright", "install-deps", "chromium") and browser_starts())


def apt_install(package: str) -> bool:
    """Install a Debian package with apt-get, as root or with sudo; return whether this succeeded."""
    sudo = [] if is_root() else ["sudo", "--non-interactive"]
    if not all(map(shutil.which, ["apt-get", *sudo[:1]])):
        return False
    apt = [*sudo, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq", "-o", "DPkg::Lock::Timeout=300"]
    succeeds(*apt, "update")
    return succeeds(*apt, "install", "--yes", "--no-install-recommends", package)


def is_root() -> bool:
    """Return whether the current user is root."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


def python(*arguments: str, quiet: bool = False) -> bool:
    """Run the Python of `VENV`; return whether it succeeded. `quiet`: see `succeeds`."""
    return succeeds(str(PYTHON), *arguments, quiet=quiet)


def succeeds(*command: str, quiet: bool = False) -> bool:
    """Run a command and return whether it succeeded; `quiet`: print neither the command nor its output."""
    if quiet:
        return subprocess.run(command, capture_output=True).returncode == 0
    print("+", *command, flush=True)
    return subprocess.run(command).returncode == 0


if __name__ == "__main__":
    main()
