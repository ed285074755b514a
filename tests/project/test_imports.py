"""Imports point down, libraries stay in their packages, and no puzzle is named outside its family."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from hoppers.puzzles import PUZZLES
from tests import ROOT

PACKAGE = ROOT / "server" / "hoppers"
STATIC = ROOT / "static"

FLOORS = [
    {"runtime"},
    {"core"},
    {"search"},
    {"tablebase"},
    {"puzzles"},
    {"analysis"},
    {"jobs", "atlas"},
    {"fleet"},
    {"web"},
    {"cli"},
]
"""Packages, lowest first: each imports only from its own floor and those before it."""

LIBRARIES = {
    "flask": {"web", "cli"},
    "flask_socketio": {"web", "cli"},
    "numba": {"core"},
    "celery": {"fleet"},
    "redis": {"fleet"},
}
"""The packages that may import a library."""

BRAND = "hoppers"
AS_BRAND = re.compile(
    r"user_cache_dir|prog_name|Celery|QUEUE|CHANNEL|PREFIX|name =|relative_to|to import|^ +\"hoppers\",$"
)
"""On lines where a quoted brand is no puzzle."""

SOURCES = sorted(path for path in PACKAGE.rglob("*.py") if "_web" not in path.parts)
INSIDE = [path for path in SOURCES if path.parent != PACKAGE]
SCRIPTS = sorted(path for path in STATIC.rglob("*.js") if "vendor" not in path.parts)


def module_name(path: Path) -> str:
    """Return the dotted name of a module below `hoppers`."""
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")


def floor(name: str) -> int:
    """Return the number of the floor that a module stands on."""
    package = name.partition(".")[0]
    return next(number for number, packages in enumerate(FLOORS) if package in packages)


@cache
def imported(path: Path) -> frozenset[str]:
    """Return the full names of all modules that a module imports, at any place in the file."""
    return frozenset(imports(ast.parse(path.read_text())))


def imports(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0 and node.module, "imports are absolute"
            inner = (f"{node.module}.{alias.name}" for alias in node.names)
            yield from (name if is_module(name) else node.module for name in inner)


def is_module(name: str) -> bool:
    path = ROOT / "server" / Path(*name.split("."))
    return path.is_dir() or path.with_suffix(".py").exists()


def own_imports(path: Path) -> set[str]:
    """Return the modules below `hoppers` that a module imports."""
    return {name.removeprefix("hoppers.") for name in imported(path) if name.startswith("hoppers.")}


def rooms(path: Path, root: Path) -> str:
    """Return the folder of a file that counts as one room below `root`, or the file itself."""
    inner = path.relative_to(root)
    return inner.parts[0] if len(inner.parts) > 1 else inner.stem


def circle(arrows: dict[str, set[str]]) -> list[str]:
    """Return the names on one circle of imports, or nothing."""
    try:
        TopologicalSorter({name: targets - {name} for name, targets in arrows.items()}).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_every_package_has_a_floor() -> None:
    packages = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
    assert packages == set.union(*FLOORS)


@pytest.mark.parametrize("path", INSIDE, ids=module_name)
def test_imports_point_down(path: Path) -> None:
    own = floor(module_name(path))
    above = {name for name in own_imports(path) if floor(name) > own} - {"jobs.worker_process"}
    assert not above


@pytest.mark.parametrize("folder", ["web", "puzzles/pegs"])
def test_rooms_import_each_other_in_no_circle(folder: str) -> None:
    root = PACKAGE / folder
    prefix = folder.replace("/", ".") + "."
    arrows: dict[str, set[str]] = {}
    for path in root.rglob("*.py"):
        if path != root / "__init__.py":
            targets = {
                name.removeprefix(prefix).split(".")[0]
                for name in own_imports(path)
                if name.startswith(prefix)
            }
            arrows.setdefault(rooms(path, root), set()).update(targets)
    assert circle(arrows) == []


def test_scripts_import_each_other_in_no_circle() -> None:
    arrows: dict[str, set[str]] = {}
    for path in SCRIPTS:
        code = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.DOTALL)
        targets = [(path.parent / name).resolve() for name in re.findall(r'"(\.{1,2}/[\w/.-]+\.js)"', code)]
        arrows.setdefault(rooms(path, STATIC), set()).update(rooms(target, STATIC) for target in targets)
    assert circle(arrows) == []


@pytest.mark.parametrize("library", LIBRARIES)
def test_libraries_stay_in_their_packages(library: str) -> None:
    users = {
        module_name(path).partition(".")[0]
        for path in INSIDE
        if any(name == library or name.startswith(library + ".") for name in imported(path))
    }
    assert users and users <= LIBRARIES[library]


def test_no_folder_has_too_many_entries() -> None:
    folders = {path.parent for path in [*SOURCES, *SCRIPTS]}
    entries = {
        folder: [path for path in folder.iterdir() if path.name not in {"__pycache__", "__init__.py"}]
        for folder in folders
    }
    assert [f"{folder.name}: {len(found)}" for folder, found in entries.items() if len(found) > 18] == []


def test_no_puzzle_is_named_outside_its_family() -> None:
    """The name of one puzzle is that of the program, too: as a puzzle it would stand in quotes."""
    names = [*PUZZLES, "flip-it", "english", "french"]
    ids = re.compile("|".join(rf"(?<![\w-]){re.escape(name)}(?![\w-])" for name in names if name != BRAND))
    quoted = re.compile(rf"[\"'`/]{BRAND}[\"'`]")
    assert [
        f"{path.name}: {line.strip()}"
        for path in outside_files()
        for line in path.read_text().splitlines()
        if ids.search(line) or (quoted.search(line) and not AS_BRAND.search(line))
    ] == []


def outside_files() -> list[Path]:
    """Return all files that serve or draw puzzles without knowing one."""
    python = [path for path in SOURCES if "puzzles" not in path.relative_to(PACKAGE).parts[:1]]
    python = [path for path in python if "atlas" not in path.parts]
    templates = [path for path in (ROOT / "templates").iterdir() if path.suffix in {".html", ".svg"}]
    return python + SCRIPTS + sorted((STATIC / "css").iterdir()) + templates
