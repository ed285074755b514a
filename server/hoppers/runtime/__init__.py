"""Files on disk, logging, metrics and process tuning, independent of puzzles; the folders of the program."""

from pathlib import Path

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
