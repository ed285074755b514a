"""Other installed distributions that bring puzzles: their entry points in the group `hoppers.puzzles`.

The value of an entry point names a module with a list `PUZZLES`, as the modules of `hoppers.puzzles` have.
"""

from collections.abc import Iterator
from functools import cache
from importlib.machinery import ModuleSpec
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path

GROUP = "hoppers.puzzles"


@cache
def puzzle_entry_points() -> tuple[EntryPoint, ...]:
    """Return the entry points of the group in the order of their names."""
    return tuple(sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value)))


def puzzle_sources() -> Iterator[Path]:
    """Yield the Python files of the packages that contain the modules, without an import of them."""
    for spec in _specs():
        for folder in spec.submodule_search_locations or ():
            yield from sorted(Path(folder).rglob("*.py"))
        if not spec.submodule_search_locations and spec.origin is not None:
            yield Path(spec.origin)


def puzzle_translations() -> Iterator[Path]:
    """Yield the folders `translations` of these packages, each like that of the program."""
    for spec in _specs():
        for folder in spec.submodule_search_locations or ():
            if (Path(folder) / "translations").is_dir():
                yield Path(folder) / "translations"


def _specs() -> Iterator[ModuleSpec]:
    for name in sorted({point.module.partition(".")[0] for point in puzzle_entry_points()}):
        spec = find_spec(name)
        if spec is not None:  # else `hoppers.puzzles` says so when it loads the module
            yield spec
