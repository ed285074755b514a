#!/usr/bin/env python3
"""Set Hoppers up and start it, from nothing but a clone and Python 3.11.

python3 dev.py run [--host HOST] [--port PORT]    start the server
python3 dev.py test [pytest arguments]            run the tests, on all cores

Everything is installed into .venv and node_modules, in the pinned versions, the first time and whenever the
pins change. The tests need a browser and a Redis server; where there is none, one is installed.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
STAMP = VENV / "installed"
TRANSLATIONS = ROOT / "server" / "hoppers" / "translations"
PIP_INSTALL = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
PINS = ["constraints.txt", "hatch_build.py", "package-lock.json", "pyproject.toml"]


def main() -> None:
    """Obey the command line."""
    if sys.version_info < (3, 11):
        sys.exit(f"Hoppers needs Python 3.11 or newer; this is {sys.version.split()[0]}.")
    command, *arguments = sys.argv[1:] or ["--help"]
    os.chdir(ROOT)
    if command == "run":
        finish(install("run"), "run")
        os.execv(PYTHON, [str(PYTHON), "-m", "hoppers", "run", *arguments])
    elif command == "test":
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # of dozens of processes, none shall parse all
        compiling = install("test")
        find_redis()
        finish(compiling, "test")
        find_browser()
        os.execv(PYTHON, [str(PYTHON), "-m", "pytest", "--numprocesses", "auto", *arguments])
    elif command in ("-h", "--help"):
        print(__doc__)
    else:
        sys.exit(f"No command {command!r}.\n{__doc__}")


def install(purpose: str) -> subprocess.Popen[bytes] | None:
    """Install what "run" or "test" needs, unless that has been done since the pins last changed.

    What is returned compiles the kernels beside all that follows, which mostly waits for others: `finish` it.
    """
    if is_installed(purpose):
        return None
    print(f"Installing what `{purpose}` needs; the first time takes a minute or two.", flush=True)
    make_venv()
    package = ".[test]" if purpose == "test" else "."
    if not python(*PIP_INSTALL, "--constraint", "constraints.txt", "--editable", package):
        sys.exit("pip could not install the packages; its message is above. Is PyPI reachable?")
    print("+", PYTHON, "-m server warm &", flush=True)
    compiling = subprocess.Popen([str(PYTHON), "-m", "hoppers", "warm"])
    if purpose == "test" and not succeeds(str(PYTHON.with_name("npm")), "ci"):
        compiling.terminate()
        sys.exit("npm could not install the type checker; its message is above. Is its registry reachable?")
    if purpose == "test":
        install_light_browser()
    return compiling


def finish(compiling: subprocess.Popen[bytes] | None, purpose: str) -> None:
    """Wait for the kernels, and note that all is there."""
    if compiling is None:
        return
    if compiling.wait():
        sys.exit("The solver's kernels could not be compiled; the message is above.")
    STAMP.write_text(f"{pins_digest()} {purpose}")


def is_installed(purpose: str) -> bool:
    """Tell whether everything is there as pinned; what serves "test" also serves "run"."""
    if not (PYTHON.exists() and STAMP.exists() and all(path.exists() for path in built_files())):
        return False
    digest, installed = STAMP.read_text().split()
    return digest == pins_digest() and installed in (purpose, "test")


def built_files() -> list[Path]:
    """List what the build hook puts into the work tree."""
    translations = [path.with_suffix(".mo") for path in TRANSLATIONS.glob("*/LC_MESSAGES/*.po")]
    return [ROOT / "static" / "vendor" / "socket.io.min.js", *translations]


def pins_digest() -> str:
    """Digest whatever an installation depends on, the Python behind the environment included."""
    digest = hashlib.sha256(str(PYTHON.resolve()).encode())
    for path in [ROOT / name for name in PINS] + sorted(TRANSLATIONS.glob("*/LC_MESSAGES/*.po")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def make_venv() -> None:
    """Make a virtual environment that has pip, also where Debian left the venv module out."""
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


def find_browser() -> None:
    """Make sure that a browser starts, if need be by installing one, unless the user has chosen one."""
    if browser_starts() or ("HOPPERS_BROWSER" not in os.environ and install_browser()):
        return
    python("-m", "tests.browser.chromium")
    sys.exit("The tests need a browser: install Chromium or Chrome, or name one in HOPPERS_BROWSER.")


def find_redis() -> None:
    """Make sure that there is a Redis for the tests of a fleet."""
    if not (shutil.which("redis-server") or apt_install("redis-server")):
        sys.exit("The tests of a fleet need redis-server: install your system's package and try again.")


def install_light_browser() -> None:
    """Where the user may do all, as in a container, install the browser with which tests take least time."""
    is_wanted = is_root() and "HOPPERS_BROWSER" not in os.environ
    if is_wanted and not shutil.which("chromium-headless-shell"):
        apt_install("chromium-headless-shell")


def browser_starts() -> bool:
    """Tell whether the tests can start a browser, by starting one."""
    return python("-m", "tests.browser.chromium", quiet=True)


def install_browser() -> bool:
    """Install whatever is missing until a browser starts."""
    if not python("-m", "playwright", "--version", quiet=True):
        apt_install("libatomic1")  # the one library that Playwright's driver misses on a minimal Debian
    return browser_starts() or download_browser() or (apt_install("chromium") and browser_starts())


def download_browser() -> bool:
    """Let Playwright download its own Chromium, and the system libraries if it cannot start without."""
    if not python("-m", "playwright", "install", "chromium"):
        return False
    return browser_starts() or (python("-m", "playwright", "install-deps", "chromium") and browser_starts())


def apt_install(package: str) -> bool:
    """Install a Debian package if this is a system, and a user, that can."""
    sudo = [] if is_root() else ["sudo", "--non-interactive"]
    if not all(map(shutil.which, ["apt-get", *sudo[:1]])):
        return False
    apt = [*sudo, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq", "-o", "DPkg::Lock::Timeout=300"]
    succeeds(*apt, "update")
    return succeeds(*apt, "install", "--yes", "--no-install-recommends", package)


def is_root() -> bool:
    """Tell whether this user may do all."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


def python(*arguments: str, quiet: bool = False) -> bool:
    """Run the environment's Python and tell whether it succeeded."""
    return succeeds(str(PYTHON), *arguments, quiet=quiet)


def succeeds(*command: str, quiet: bool = False) -> bool:
    """Run a command, shown unless quiet, and tell whether it succeeded."""
    if quiet:
        return subprocess.run(command, capture_output=True).returncode == 0
    print("+", *command, flush=True)
    return subprocess.run(command).returncode == 0


if __name__ == "__main__":
    main()
