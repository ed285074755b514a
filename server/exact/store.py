"""Tables on disk: written whole or not at all, checked when read, the least used ones deleted.

A file is an uncompressed NumPy archive, whose members carry their own checksums (CRC-32).
"""

import logging
import os
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from ..compiled import cache_folder

log = logging.getLogger(__name__)

VERSION = 1
"""Of the meaning of the arrays; files of another one are not read."""
MOST_BYTES = 2_000_000_000
"""The folder's size beyond which the files that have not been used for longest go."""


def _folder() -> Path:
    return cache_folder() / f"tables-{VERSION}"


def load(name: str) -> dict[str, Any] | None:
    """The arrays kept under a name, or None; a damaged file is deleted."""
    path = _folder() / f"{name}.npz"
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {key: archive[key] for key in archive.files}
        path.touch()
        return arrays
    except FileNotFoundError:
        return None
    except (OSError, ValueError, zipfile.BadZipFile, EOFError):
        log.warning("the table %s is damaged and will be built again", path, exc_info=True)
        path.unlink(missing_ok=True)
        return None


def save(name: str, arrays: dict[str, Any]) -> None:
    """Keep arrays under a name; a full or read-only disk is no error, the table is only not kept."""
    folder, part = _folder(), None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, suffix=".part", delete=False) as file:
            part = Path(file.name)
            np.savez(file, **arrays)
        os.replace(part, folder / f"{name}.npz")
        _make_room(folder)
    except OSError:
        log.warning("the table %s could not be kept", name, exc_info=True)
        if part is not None:
            part.unlink(missing_ok=True)


def _make_room(folder: Path) -> None:
    files = sorted(folder.glob("*.npz"), key=lambda path: path.stat().st_mtime, reverse=True)
    total = 0
    for path in files:
        total += path.stat().st_size
        if total > MOST_BYTES and path != files[0]:
            path.unlink(missing_ok=True)
