"""Compiled translations: made by the build, and by `python -m tests.translations` after a change."""

import os
from datetime import UTC, datetime
from pathlib import Path

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

CATALOGUE_DATE = datetime(2026, 1, 1, tzinfo=UTC)
"""Date in compiled translations. Babel would write that of the build, and no two wheels would be equal."""


def compile_translations(folder: Path) -> None:
    """Compile each ``messages.po`` under ``folder`` to the ``messages.mo`` that gettext reads."""
    for source in sorted(folder.glob("*/LC_MESSAGES/*.po")):
        part = source.with_suffix(f".{os.getpid()}")
        with source.open("rb") as po, part.open("wb") as mo:
            catalogue = read_po(po, locale=source.parts[-3])
            catalogue.creation_date = catalogue.revision_date = CATALOGUE_DATE
            write_mo(mo, catalogue)
        part.replace(source.with_suffix(".mo"))  # whole, because a server or test may be reading it
