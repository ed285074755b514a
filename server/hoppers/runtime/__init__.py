"""Files on disk, logging, metrics and process tuning, independent of puzzles; the folder of the program."""

from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
"""Folder of the whole package, with its data files."""
LESSONS = PACKAGE / "lessons"
