"""The reference of the library: a page made from its `__all__`, signatures and docstrings."""

import inspect
import re
from collections.abc import Iterator
from functools import cache, cached_property
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

from flask import Blueprint, current_app, render_template
from markupsafe import Markup, escape

from hoppers.runtime import __version__

blueprint = Blueprint("api_reference", __name__)

MODULES = re.compile(r"\b(?:[a-z_]\w*\.)+(?=[A-Z])")
"""Modules before the name of a class."""
QUOTED_TYPE = re.compile(r"(?<=: |> )(['\"])(.*?)\1")
SECTION = re.compile(r"(Args|Raises):\n(.*)", re.DOTALL)
ITEM = re.compile(r"^    (\w+): ((?:.|\n(?!    \S))*)", re.MULTILINE)
CODE = re.compile(r"`([^`]+)`")
CLASS = re.compile(r"\b[A-Z]\w+")
LINK = '<a href="#{0}">{0}</a>'


class Entry(NamedTuple):
    """What the page says about a name of the library, or of one of its classes."""

    name: str
    signature: Markup  # what follows the name
    sentences: list[Markup]
    members: list["Entry"]


@blueprint.get("/docs")
def show() -> str:
    """Return the reference of the library, in English."""
    kinds = reference(current_app.extensions["library"])
    return render_template("pages/reference.html", kinds=kinds, version=__version__)


@cache
def reference(library: ModuleType) -> dict[str, list[Entry]]:
    """Return the entries of all public names of the library, by the headings of the page."""
    kinds: dict[str, list[Entry]] = {"Functions": [], "Values": [], "Events of a search": [], "Errors": []}
    for name in library.__all__:
        if not name.startswith("__"):
            value = getattr(library, "all_puzzles" if name == "puzzles" else name)  # a package has the name
            kinds[_kind(value)].append(_linked(_entry(name, value), library.__all__))
    return kinds


def _kind(value: Any) -> str:
    if not isinstance(value, type):
        return "Functions"
    if issubclass(value, Exception):
        return "Errors"
    return "Events of a search" if value.__module__.endswith(".events") else "Values"


def _entry(name: str, value: Any) -> Entry:
    """Return the entry of a function, a property or a class."""
    if isinstance(value, property | cached_property):
        function = value.fget if isinstance(value, property) else value.func
        return Entry(name, _signature(function)[len("()") :], _sentences(function), [])
    if isinstance(value, FunctionType):
        return Entry(name, _signature(value), _sentences(value), [])
    fields = _signature(value) if hasattr(value, "__dataclass_fields__") else Markup()
    return Entry(name, fields, _sentences(value), [*_members(value)])


def _members(value: type) -> Iterator[Entry]:
    """Yield the entries of the public methods and properties of a class, in the order of its source."""
    for name, member in vars(value).items():
        if not name.startswith("_") and isinstance(member, FunctionType | property | cached_property):
            yield _entry(f"{value.__name__}.{name}", member)


def _signature(function: Any) -> Markup:
    """Return parameters and result, without `self` and the modules of types."""
    signature = inspect.signature(function)
    shown = [each for name, each in signature.parameters.items() if name != "self"]
    result = inspect.Signature.empty if isinstance(function, type) else signature.return_annotation
    text = str(signature.replace(parameters=shown, return_annotation=result))
    return escape(MODULES.sub("", QUOTED_TYPE.sub(r"\2", text)))


def _linked(entry: Entry, names: list[str]) -> Entry:
    """Return an entry with links to the public classes in its signature and those of its members."""
    signature = CLASS.sub(
        lambda found: LINK.format(found[0]) if found[0] in names else found[0], entry.signature
    )
    return entry._replace(
        signature=Markup(signature), members=[_linked(each, names) for each in entry.members]
    )


def _sentences(documented: Any) -> list[Markup]:
    """Return the docstring of a value in paragraphs; each argument and each error has its own."""
    sentences = list[str]()
    for paragraph in inspect.cleandoc(documented.__doc__ or "").split("\n\n"):
        if section := SECTION.fullmatch(paragraph):
            verb = "Raises " if section[1] == "Raises" else ""
            sentences += [f"{verb}`{name}`: {text}" for name, text in ITEM.findall(section[2])]
        else:
            sentences.append(paragraph)
    return [Markup(CODE.sub(r"<code>\1</code>", str(escape(" ".join(each.split()))))) for each in sentences]
