"""The bundle: scripts and styles as the pages load them, made by esbuild from the modules in `static/`.

Files keep their names. An entry script contains every module that it imports. Files above a minimum size have
compressed copies next to them. The build hook makes the bundle, and a server that starts in a clone rebuilds
it when a source has changed. Because of the hook, this module needs only the standard library and brotli. Its
functions raise `BundleError` if a pinned npm package is missing or esbuild finds a fault in a source.
"""

import gzip
import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import brotli

from hoppers.web import older_browsers

STAMP = "sources.sha256"  # file in the bundle with the digest of its sources
SUFFIXES = {"br": ".br", "gzip": ".gz"}  # file name suffixes of compressed copies, by content coding
MIN_COMPRESSED_BYTES = 1_400  # a smaller body fits into one packet anyway


class BundleError(Exception):
    """Failure to make the bundle or find its sources. Its message is for the user."""


def is_current(root: Path) -> bool:
    """Return whether the clone at `root` has a bundle of its present sources."""
    stamp = root / "bundle" / STAMP
    return stamp.is_file() and stamp.read_text() == source_digest(root)


def source_digest(root: Path) -> str:
    """Return a digest of what the bundle depends on: sources, package-lock.json, and the build."""
    found = hashlib.sha256()
    names = {path: path.relative_to(root).as_posix() for path in sources(root)}
    builders = [Path(__file__), Path(older_browsers.__file__)]
    for path in (*names, root / "package-lock.json", *builders):
        found.update(names.get(path, path.name).encode() + b"\0" + path.read_bytes() + b"\0")
    return found.hexdigest()


def sources(root: Path) -> list[Path]:
    """Return the scripts, styles and pictures in `static/`, without the Socket.IO client."""
    static = root / "static"
    found = (path for path in static.rglob("*") if path.is_file())
    return sorted(path for path in found if path.relative_to(static).parts[0] != "vendor")


def update(root: Path) -> Path:
    """Build the bundle of the clone at `root` unless it is current; return the folder of the bundle."""
    if not is_current(root):
        build(root)
    return root / "bundle"


def modules(root: Path) -> Path:
    """Copy the Socket.IO client to the sources; return their folder, which can be served without a bundle."""
    copy_client(root, root / "static")
    return root / "static"


def build(root: Path) -> None:
    """Build the bundle of the clone at `root`.

    Files are replaced atomically, the stamp last, so several processes may build at once. Files get the
    modification time of the newest source, so that a rebuilt bundle is identical.
    """
    with tempfile.TemporaryDirectory(prefix=".bundle-", dir=root) as folder:
        made = Path(folder)
        digest, newest = source_digest(root), max(path.stat().st_mtime for path in sources(root))
        run_esbuild(root, made)
        add_fallbacks(made / "css")
        shutil.copyfile(root / "static" / "icon.svg", made / "icon.svg")
        copy_client(root, made)
        for name in _names(made):
            compress(made / name)
        (made / STAMP).write_text(digest)
        move_files(made, root / "bundle", newest)


def run_esbuild(root: Path, target: Path) -> None:
    """Write the scripts and styles that the templates name, bundled and minified, to the folder `target`."""
    static = root / "static"
    parts = (
        "proofs/worker.js",
        "tables/answers.js",
        "today/arrive.js",
        "ui/early_presses.js",
        "days/local_day.js",
        "ui/settings.js",
        "ui/theme.js",
        "ui/without_modules.js",
    )
    patterns = ("pages/*.js", "embed/hoppers_board.js", *parts, "css/*.css")
    entries = [str(path.relative_to(static)) for pattern in patterns for path in sorted(static.glob(pattern))]
    options = ["--bundle", "--minify", "--format=esm", "--charset=utf8", "--log-level=warning"]
    command = [str(esbuild(root)), *entries, *options, "--outbase=.", f"--outdir={target}"]
    done = subprocess.run(command, cwd=static, capture_output=True, text=True)
    if done.returncode:
        raise BundleError(f"The scripts and styles in {static} could not be bundled.\n{done.stderr}")


def add_fallbacks(folder: Path) -> None:
    """Add to the style sheets of a folder what older browsers read in place of newer features."""
    for path in folder.glob("*.css"):
        try:
            path.write_text(older_browsers.with_fallbacks(path.read_text(encoding="utf-8")), encoding="utf-8")
        except ValueError as fault:
            raise BundleError(f"{path.name}: {fault}") from fault


def esbuild(root: Path) -> Path:
    """Return the path of the pinned esbuild for this machine; raise a BundleError if it is not installed."""
    if is_installed(root, "esbuild"):
        for path in sorted((root / "node_modules" / "@esbuild").glob("*/**/esbuild*")):
            if path.name in ("esbuild", "esbuild.exe"):
                return path
    raise BundleError(missing("esbuild", "which bundles the scripts and styles"))


def missing(package: str, purpose: str) -> str:
    """Return the error message for a missing npm package. `purpose`: relative clause about the package."""
    return (
        f"The pinned version of {package}, {purpose}, is not in node_modules: run `npm ci`, or "
        "`pip install --editable .`, which needs no npm. With esbuild alone missing, --modules serves the "
        "sources."
    )


def is_installed(root: Path, package: str) -> bool:
    """Return whether an npm package is in `node_modules` in the version of `package.json`."""
    manifest = root / "node_modules" / package / "package.json"
    pinned = json.loads((root / "package.json").read_text(encoding="utf-8"))["dependencies"][package]
    return manifest.is_file() and json.loads(manifest.read_text(encoding="utf-8"))["version"] == pinned


def copy_client(root: Path, target: Path) -> None:
    """Copy the Socket.IO client, which pages load separately, to `vendor/` in the folder `target`."""
    copy = target / "vendor" / "socket.io.min.js"
    if not is_installed(root, "socket.io-client"):
        raise BundleError(missing("socket.io-client", "which the pages load"))
    client = (root / "node_modules" / "socket.io-client" / "dist" / copy.name).read_bytes()
    if not copy.is_file() or copy.read_bytes() != client:
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(client)


def compress(path: Path) -> None:
    """Write the compressed copies of a file, unless it is smaller than `MIN_COMPRESSED_BYTES`."""
    data = path.read_bytes()
    if len(data) < MIN_COMPRESSED_BYTES:
        return
    path.with_name(path.name + SUFFIXES["br"]).write_bytes(brotli.compress(data))
    path.with_name(path.name + SUFFIXES["gzip"]).write_bytes(gzip.compress(data, 9, mtime=0))


def move_files(source: Path, target: Path, modified: float) -> None:
    """Move all files of `source` to `target`, the stamp last, and delete all other files of `target`.

    `modified`: their new modification time, in seconds since the epoch.
    """
    names = _names(source)
    for name in sorted(names, key=lambda name: (name == STAMP, name)):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        os.utime(source / name, (modified, modified))
        (source / name).replace(target / name)
    for name in _names(target) - names:
        (target / name).unlink(missing_ok=True)


def _names(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
