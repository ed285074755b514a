"""Folders of the program's own files."""

from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
SOURCE_ROOT = PACKAGE.parent
"""Folder to import `hoppers` from."""
DATA = PACKAGE / "data"
LESSONS = PACKAGE / "lessons"
TRANSLATIONS = PACKAGE / "translations"


def web_folder() -> Path:
    """Return the folder that contains `static` and `templates`: in the package, or the top of the clone."""
    packed = PACKAGE / "_web"
    return packed if packed.is_dir() else SOURCE_ROOT.parent
