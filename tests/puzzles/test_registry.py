"""Puzzles of other distributions: what cannot be used is left out with a sentence, and never silently."""

import sys
from importlib.metadata import EntryPoint
from types import ModuleType
from typing import Any

import pytest

from hoppers.puzzles import PUZZLES, collect
from hoppers.runtime import puzzle_packages


def collected(monkeypatch: pytest.MonkeyPatch, **modules: Any) -> dict[str, Any]:
    """Return the registry with modules of other distributions, by name and content of `PUZZLES`."""
    points = []
    for name, content in modules.items():
        if content is not None:
            module = ModuleType(name)
            vars(module).update(content)
            monkeypatch.setitem(sys.modules, name, module)
        points.append(EntryPoint(name, name, puzzle_packages.GROUP))
    monkeypatch.setattr("hoppers.puzzles.puzzle_entry_points", lambda: points)
    return collect()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "No module named 'faulty'"),
        ({}, "has no attribute 'PUZZLES'"),
        ({"PUZZLES": None}, "not iterable"),
        ({"PUZZLES": ["coins"]}, "'coins' is not a puzzle"),
        ({"PUZZLES": [PUZZLES["hoppers"]]}, "two puzzles are called 'hoppers'"),
    ],
)
def test_module_that_cannot_be_used_is_named(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, content: Any, reason: str
) -> None:
    assert collected(monkeypatch, faulty=content).keys() == PUZZLES.keys()
    (message,) = caplog.messages
    assert message.startswith("no puzzles from the module faulty of ") and reason in message


def test_files_of_distributions_are_found_without_import(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    (tmp_path / "one_file.py").write_text("raise SystemExit")
    (tmp_path / "a_package" / "inner").mkdir(parents=True)
    files = [tmp_path / "a_package" / name for name in ("__init__.py", "inner/rules.py")]
    for file in files:
        file.write_text("raise SystemExit")
    (tmp_path / "a_package" / "translations").mkdir()
    names = ("one_file", "a_package.inner.rules", "is_missing")
    points = tuple(EntryPoint(name, name, puzzle_packages.GROUP) for name in names)
    monkeypatch.setattr(puzzle_packages, "puzzle_entry_points", lambda: points)
    monkeypatch.syspath_prepend(tmp_path)
    assert [*puzzle_packages.puzzle_sources()] == [*files, tmp_path / "one_file.py"]
    assert [*puzzle_packages.puzzle_translations()] == [tmp_path / "a_package" / "translations"]
