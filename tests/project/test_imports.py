"""Imports point down, libraries stay in their packages, and names have one meaning and place."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests import ROOT
from tests.support.engine import PUZZLES

PACKAGE = ROOT / "server" / "hoppers"
STATIC = ROOT / "static"

LAYERS = [
    {"runtime"},
    {"core"},
    {"search"},
    {"tablebase"},
    {"puzzles"},
    {"analysis", "drawing"},
    {"library", "jobs"},
    {"fleet"},
    {"web"},
    {"cli"},
]
"""Packages, lowest first: each imports only from its own layer and lower ones."""

SCRIPT_LAYERS = [
    {"days", "proofs", "tables"},
    {"ui"},
    {"game"},
    {"speech"},
    {"review"},
    {"board"},
    {"keys", "search"},
    {"play", "race"},
    {"stream", "today", "lessons", "embed", "draw"},
    {"pages"},
]
"""Folders of `static`, lowest first. A script imports code and types only from its own and lower folders."""

SCRIPT_IMPORT = re.compile(r'"(\.{1,2}/[\w/.-]+\.js)"')

LIBRARIES = {
    "brotli": {"web"},
    "dramatiq": {"fleet"},
    "flask": {"web", "cli"},
    "jinja2": {"drawing"},
    "flask_socketio": {"web", "cli"},
    "numba": {"core"},
    "redis": {"fleet"},
}
"""Library -> the packages that may import it."""

BRAND = "hoppers"
AS_BRAND = re.compile(
    r"user_cache_dir|prog_name|PREFIX|name =|relative_to|to import|^ +\"hoppers\",$|\"service\""
)
"""Lines on which the quoted name of a puzzle means the program."""

SOURCES = sorted(path for path in PACKAGE.rglob("*.py") if "_web" not in path.parts)
INSIDE = [path for path in SOURCES if path.parent != PACKAGE]
SCRIPTS = sorted(path for path in STATIC.rglob("*.js") if "vendor" not in path.parts)


def module_name(path: Path) -> str:
    """Return the dotted name of a module below `hoppers`."""
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")


def layer(name: str) -> int:
    """Return the number of the layer of a module."""
    package = name.partition(".")[0]
    return next(number for number, packages in enumerate(LAYERS) if package in packages)


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


def part(path: Path, root: Path) -> str:
    """Return the folder directly below `root` that has the file, or the stem of a file in `root` itself."""
    inner = path.relative_to(root)
    return inner.parts[0] if len(inner.parts) > 1 else inner.stem


def cycle(arrows: dict[str, set[str]]) -> list[str]:
    """Return the names on one import cycle, or an empty list."""
    try:
        TopologicalSorter({name: targets - {name} for name, targets in arrows.items()}).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_every_package_has_a_layer() -> None:
    packages = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
    assert packages == set.union(*LAYERS)


def test_imports_point_down() -> None:
    assert [
        f"{module_name(path)}: {name}"
        for path in INSIDE
        for name in own_imports(path)
        if layer(name) > layer(module_name(path))
    ] == []


def test_only_the_command_line_imports_the_face_of_all() -> None:
    """`hoppers/__init__.py` imports the web server, and hands itself to it."""
    users = {module_name(path) for path in INSIDE if BRAND in imported(path)}
    assert {name for name in users if not name.startswith("cli.")} == set()


def test_program_needs_nothing_that_stays_in_the_repository() -> None:
    """The wheel has only the package."""
    outside = {"benchmarks", "tests", "tools"}
    users = [path for path in SOURCES if outside & {name.partition(".")[0] for name in imported(path)}]
    assert users == []


def test_modules_import_each_other_without_cycles() -> None:
    """An import for types alone counts as well."""
    assert cycle({module_name(path): own_imports(path) for path in INSIDE}) == []


def test_no_class_has_the_name_of_another() -> None:
    """The library, and the answers of the API, have the words of their users for what they wrap."""
    inner = [path for path in SOURCES if path.parent.name != "library" and path.name != "answers.py"]
    nodes = [node for path in inner for node in ast.walk(ast.parse(path.read_text()))]
    names = Counter(node.name for node in nodes if isinstance(node, ast.ClassDef))
    assert [name for name, times in names.items() if times > 1] == []


def test_only_the_command_line_imports_inside_functions() -> None:
    """The exceptions let a command start quickly: `cli`, and `create_app` in `hoppers/__init__.py`."""
    inner = [
        f"{module_name(path)}: {name}"
        for path in SOURCES
        if path.parent != PACKAGE and "cli" not in path.parts
        for function in ast.walk(ast.parse(path.read_text()))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for name in imports(function)
        if name.startswith("hoppers")
    ]
    assert inner == []


@pytest.mark.parametrize("folder", ["web", "puzzles/pegs"])
def test_parts_import_each_other_without_cycles(folder: str) -> None:
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
            arrows.setdefault(part(path, root), set()).update(targets)
    assert cycle(arrows) == []


def test_scripts_import_only_from_own_and_lower_folders() -> None:
    for path in SCRIPTS:
        own = script_layer(path)
        targets = [path.parent / name for name in SCRIPT_IMPORT.findall(path.read_text())]
        assert [target.name for target in targets if script_layer(target) > own] == [], path
        siblings = SCRIPT_LAYERS[own] - {folder_of(path)}
        assert [target.name for target in targets if folder_of(target) in siblings] == [], path


def folder_of(path: Path) -> str:
    """Return the folder of a script below `static`."""
    return path.resolve().relative_to(STATIC.resolve()).parts[0]


def script_layer(path: Path) -> int:
    """Return the number of the layer of a script."""
    return next(number for number, folders in enumerate(SCRIPT_LAYERS) if folder_of(path) in folders)


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
        folder: [
            path for path in folder.iterdir() if path.name not in {"__pycache__", "__init__.py", "py.typed"}
        ]
        for folder in folders
    }
    assert [f"{folder.name}: {len(found)}" for folder, found in entries.items() if len(found) > 18] == []


def test_no_puzzle_is_named_outside_its_family() -> None:
    """One puzzle has the name of the program; only in quotes does the name mean the puzzle."""
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
    """Return all files that must work for every puzzle."""
    python = [path for path in SOURCES if "puzzles" not in path.relative_to(PACKAGE).parts[:1]]
    templates = [path for path in (ROOT / "templates").rglob("*") if path.suffix in {".html", ".svg"}]
    return python + SCRIPTS + sorted((STATIC / "css").iterdir()) + templates
