"""Query strings and channel messages as records; every wrong value is refused with a sentence that quotes it.

The messages of msgspec would name types of Python, are English only, and do not quote the value. What is
quoted looks as it was sent, in JSON.
"""

import json
import re
from collections.abc import Mapping
from typing import Annotated, Any, TypeVar, get_type_hints

import msgspec
from msgspec import inspect

from hoppers.core.errors import PuzzleError, quoted
from hoppers.core.texts import Text

Schema = TypeVar("Schema", bound=msgspec.Struct)
ShortText = Annotated[str, msgspec.Meta(max_length=2_000)]
"""A text that is parsed later, with better error messages; here only extreme lengths are refused."""

SURROGATE = re.compile("[\ud800-\udfff]")


def read_record(fields: object, schema: type[Schema], strict: bool = True) -> Schema:
    """Return `fields` as a record of the class `schema`; raise a PuzzleError if they are not valid.

    `strict`: refuse numbers and booleans that are given as texts; False for query strings, which are texts.
    """
    if not isinstance(fields, Mapping):
        raise _fault(fields, schema, strict)
    _require_unicode(fields)
    try:
        record = msgspec.convert(fields, schema, strict=strict)
    except msgspec.ValidationError as error:
        raise _fault(fields, schema, strict) from error
    if not strict and None in [getattr(record, name, "") for name in fields]:
        raise _fault(fields, schema, strict)
    return record


def _require_unicode(fields: Mapping[object, object]) -> None:
    """Raise a PuzzleError if a name or text cannot be written in UTF-8: JSON escapes any half of a pair."""
    for name, value in fields.items():
        if SURROGATE.search(f"{name}{_json(value)}"):
            sentence = "{given} is not valid: half of a surrogate pair is no character"
            raise PuzzleError(sentence, given=_pair(name, value))


def _fault(fields: object, schema: type[msgspec.Struct], strict: bool) -> PuzzleError:
    """Return the error about the first fault of `fields`, which are not valid for `schema`."""
    types = get_type_hints(schema, include_extras=True)
    if not isinstance(fields, Mapping):
        names = ", ".join(types)
        return PuzzleError(
            "{given} is not an object with names: {names}", given=quoted(_json(fields)), names=names
        )
    unknown = [name for name in fields if name not in types]
    if unknown and schema.__struct_config__.forbid_unknown_fields:
        given = _pair(unknown[0], fields[unknown[0]])
        return PuzzleError(
            "{given} is not known here; known names are {names}", given=given, names=", ".join(types)
        )
    required = [field.name for field in msgspec.structs.fields(schema) if field.required]
    if missing := [name for name in required if name not in fields]:
        return PuzzleError("{given} has no {name}", given=quoted(_json(fields)), name=missing[0])
    name = next(name for name in types if name in fields and not _is_valid(fields[name], types[name], strict))
    kind = _kind(inspect.type_info(types[name]), strict)
    return PuzzleError(
        "{given} is not valid: {name} is {kind}", given=_pair(name, fields[name]), name=name, kind=kind
    )


def _pair(name: object, value: object) -> str:
    """Return a name with its value as in a query string, in quotation marks."""
    return quoted(f"{name}={value if isinstance(value, str) else _json(value)}")


def _json(value: object) -> str:
    """Return a value of a message as its sender wrote it; what JSON cannot hold, as Python shows it."""
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):  # of other keys than texts, or too long a number
        return repr(value)


def _is_valid(value: object, type: Any, strict: bool) -> bool:
    try:
        converted = msgspec.convert(value, type, strict=strict)
    except msgspec.ValidationError:
        return False
    return strict or converted is not None  # a query string has no null, only the text


def _kind(type: inspect.Type, strict: bool) -> Text | str:
    """Return a description of the values that a type allows, such as "a whole number".

    `strict`: see `read_record`. A type that has no case here is described as a text.
    """
    match type:
        case inspect.Metadata(type=each) | inspect.UnionType(types=(inspect.NoneType(), each) | (each, *_)):
            return _kind(each, strict)
        case inspect.LiteralType(values=values):
            return _one_of([repr(value) for value in values])
        case inspect.BoolType():
            return Text("true or false") if strict else Text("0 or 1")
        case inspect.IntType(ge=None):
            return Text("a whole number")
        case inspect.IntType(ge=least, le=None):
            return Text("a whole number, at least {least}", {"least": least})
        case inspect.IntType(ge=least, le=most):
            return Text("a whole number from {least} to {most}", {"least": least, "most": most})
        case inspect.StrType(min_length=None, max_length=int(most)):
            return Text("a text of at most {most} characters", {"most": most})
        case inspect.StrType(min_length=int(least), max_length=int(most)):
            return Text("a text of {least} to {most} characters", {"least": least, "most": most})
        case inspect.TupleType(item_types=items):
            return Text("a list of {count} whole numbers", {"count": len(items)})
    return Text("a text")


def _one_of(values: list[str]) -> Text | str:
    *others, last = values
    return Text("{either} or {other}", {"either": _one_of(others), "other": last}) if others else last
