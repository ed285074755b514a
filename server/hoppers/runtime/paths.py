"""Folders of the program's own files."""

from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
SOURCE_ROOT = PACKAGE.parent
"""Folder to import `hoppers` from."""
DATA = PACKAGE / "data"
LESSONS = PACKAGE / "lessons"
TRANSLATIONS = PACKAGE / "translations"
PACKED = PACKAGE / "_web"
"""Folder of an installed package that contains `static` (the bundle) and `templates`."""


def clone() -> Path | None:
    """Return the top of the clone that the program runs from; None if it was installed from a wheel."""
    return None if PACKED.is_dir() else SOURCE_ROOT.parent
