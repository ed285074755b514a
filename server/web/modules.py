"""A script and all the modules it imports as one file: one request of a page instead of fifty.

The modules stay as they are written, each in a room of its own: a function that gives what it exports.
They are written for that (tests/test_modules.py): imports are single lines, names are exported where they are
declared and never assigned again, and no module imports one that imports it.
"""

import re
from functools import cache
from pathlib import Path

IMPORTED = re.compile(r'^import (?:(\{.*?\}|\* as \w+) from )?"\./([\w-]+)\.js";\n', re.MULTILINE)
EXPORTED = re.compile(r"^export ((?:async )?(?:function\*?|const|class) (\w+))", re.MULTILINE)
TOLD = re.compile(r"^[ \t]*/\*\*.*?\*/[ \t]*\n?", re.MULTILINE | re.DOTALL)
"""A comment with types, which is a third of all there is."""


@cache
def whole(folder: Path, script: str) -> str:
    """A script of the folder with its modules, each before those that need it."""
    *needed, own = modules_of(folder, script)
    return "".join([*(_room(folder, name) for name in needed), _text(folder, own)])


@cache
def modules_of(folder: Path, script: str) -> tuple[str, ...]:
    """The modules that a script needs in the order in which a browser would run them; itself comes last."""
    found: dict[str, None] = {}
    for _, name in IMPORTED.findall((folder / script).read_text(encoding="utf-8")):
        found.update(dict.fromkeys(modules_of(folder, f"{name}.js")))
    return (*found, script)


def _room(folder: Path, name: str) -> str:
    found = EXPORTED.findall((folder / name).read_text(encoding="utf-8"))
    names = ", ".join(exported for _, exported in found)
    return f"const {_called(name)} = (() => {{\n{_text(folder, name)}return {{ {names} }};\n}})();\n"


def _text(folder: Path, name: str) -> str:
    """What a module does, with what it imports taken from the rooms before."""
    text = TOLD.sub("", (folder / name).read_text(encoding="utf-8"))
    return EXPORTED.sub(r"\1", IMPORTED.sub(_taken, text))


def _taken(found: re.Match[str]) -> str:
    names, module = found.groups()
    if names is None:
        return ""
    return f"const {names.replace(' as ', ': ').removeprefix('*: ')} = {_called(module)};\n"


def _called(module: str) -> str:
    return "$" + module.removesuffix(".js").replace("-", "_")
