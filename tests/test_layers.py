"""Imports point one way, libraries stay in their rooms, and no puzzle is named outside its own file."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from server.puzzles import PUZZLES

ROOT = Path(__file__).resolve().parent.parent
SERVER = ROOT / "server"

LAYERS = [
    {"beside", "board", "compiled", "errors", "heap", "keeping", "logs", "measures"}
    | {"manner", "records", "search.events", "shapes"},
    {"rules", "elsewhere"},
    {"puzzle", "texts"},
    {"search"},
    {"exact"},
    {"puzzles"},
    {"judge", "questions", "atlas", "classics"},
    {"absences", "warmup", "job", "turns", "jobs", "searches", "errands", "workbench"},
    {"fleet"},
    {"web"},
    {"commands", "serving", "__init__", "__main__"},
]
ROOMS = {
    "flask": {"web", "__init__", "commands"},
    "flask_socketio": {"web", "__init__", "commands"},
    "numba": {"compiled"},
    "celery": {"fleet"},
    "redis": {"fleet"},
}


def module_name(path: Path) -> str:
    name = ".".join(path.relative_to(SERVER).with_suffix("").parts)
    return name.removesuffix(".__init__")


def layer(name: str) -> int:
    """The most particular entry wins, so that `search.events` is lower than `search`."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        for number, names in enumerate(LAYERS):
            if ".".join(parts[:length]) in names:
                return number
    raise AssertionError(f"server/{name} has no layer: add it to LAYERS")


@cache
def imports(path: Path) -> frozenset[str]:
    """Modules imported: ours by their name below `server`, others by their first name, after ':'."""
    return frozenset(imported(path))


def imported(path: Path) -> Iterator[str]:
    package = (
        [*module_name(path).split(".")[:-1]] if path.name != "__init__.py" else module_name(path).split(".")
    )
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (":" + alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield ":" + node.module.partition(".")[0]
        elif isinstance(node, ast.ImportFrom):
            base = [part for part in package if part != "__init__"]
            base = base[: len(base) - node.level + 1] + (node.module.split(".") if node.module else [])
            for alias in node.names:
                inner = ".".join([*base, alias.name])
                yield (
                    inner
                    if (SERVER / Path(*inner.split("."))).with_suffix(".py").exists()
                    else ".".join(base)
                )


SOURCES = sorted(path for path in SERVER.rglob("*.py") if "_web" not in path.parts)


@pytest.mark.parametrize("path", SOURCES, ids=module_name)
def test_imports_never_point_upwards(path: Path) -> None:
    own = layer(module_name(path))
    for name in imports(path):
        if not name.startswith(":") and name:
            assert layer(name) <= own, f"{path.name} imports {name}, which stands above it"


@pytest.mark.parametrize("library", ROOMS)
def test_libraries_stay_in_their_rooms(library: str) -> None:
    users = {module_name(path).partition(".")[0] for path in SOURCES if ":" + library in imports(path)}
    assert users, f"nobody uses {library}"
    assert users <= ROOMS[library]


def outside_files() -> list[Path]:
    """Everything that serves or draws puzzles without knowing one."""
    folders = [SERVER / "web", SERVER / "search", SERVER / "exact", ROOT / "templates", ROOT / "static"]
    found = [
        path
        for folder in folders
        for path in folder.rglob("*")
        if path.suffix in {".py", ".js", ".html", ".svg", ".css"}
    ]
    return [path for path in found if "vendor" not in path.parts] + sorted(SERVER.glob("*.py"))


def test_no_puzzle_is_named_outside_its_file() -> None:
    ids = re.compile(
        "|".join(
            rf"(?<![\w-]){re.escape(name)}(?![\w-])" for name in [*PUZZLES, "flip-it", "english", "french"]
        )
    )
    brand = re.compile(r"(?i)(hoppers[-_./]|[\"'`]hoppers[\"'`]\)|prog_name=\"hoppers\"|HOPPERS_)")
    named = [
        f"{path.name}: {line.strip()}"
        for path in outside_files()
        for line in path.read_text().splitlines()
        if ids.search(line) and not brand.search(line)
    ]
    assert not named
