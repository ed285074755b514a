"""Files on disk, logging, metrics and process tuning, without puzzles; the program's version and folders."""

from pathlib import Path

__version__ = "0.2.0.dev0"
"""The version, which the package's metadata take from here; the tag of a release is `v` and the version.

It ends in `.dev0` between two releases; `build.code_digest` tells the builds of one version apart.
"""

PACKAGE = Path(__file__).resolve().parents[1]
"""Folder of the whole package, with its data files."""
LESSONS = PACKAGE / "lessons"
PACKED = PACKAGE / "_web"
"""Folder of an installed package that contains `static` (the bundle) and `templates`."""


def repository_root() -> Path | None:
    """Return the top folder of the clone that the program runs from; None in an installation from a wheel."""
    return None if PACKED.is_dir() else PACKAGE.parents[1]


def resource_folder() -> Path:
    """Return the folder that contains `static` and `templates`: of the clone, or of the installed package."""
    return repository_root() or PACKED
