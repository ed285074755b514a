"""Everything that gets installed is pinned, is what was pinned, and has no fault that is known here.

`advisories.json` is kept by hand, for a test must not depend on a service or on the day; see CONTRIBUTING.md.
"""

import json
import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import NormalizedName, canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
PINS = [Requirement(line) for line in (ROOT / "constraints.txt").read_text().splitlines()]
PINNED = {canonicalize_name(pin.name) for pin in PINS}
HERE = {
    canonicalize_name(pin.name): next(iter(pin.specifier)).version
    for pin in PINS
    if pin.marker is None or pin.marker.evaluate()
}
ADVISORIES = json.loads((ROOT / "tests" / "advisories.json").read_text())


def wanted() -> Iterator[Requirement]:
    """What the project asks for, with its tests."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for lines in (project["dependencies"], *project["optional-dependencies"].values()):
        yield from map(Requirement, lines)


def applies(requirement: Requirement, extras: set[str]) -> bool:
    """Whether it is wanted here, for one of these extras or for none."""
    marker = requirement.marker
    return marker is None or any(marker.evaluate({"extra": extra}) for extra in extras | {""})


def needed() -> set[NormalizedName]:
    """The names of all packages that get installed."""
    found: set[tuple[NormalizedName, str]] = set()
    waiting = list(wanted())
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        for extra in requirement.extras | {""}:
            if (name, extra) not in found:
                found.add((name, extra))
                inner = map(Requirement, metadata.requires(name) or [])
                waiting += [other for other in inner if applies(other, {extra})]
    return {name for name, _ in found}


def test_everything_that_gets_installed_is_pinned_and_nothing_else() -> None:
    names = needed()
    assert names - PINNED == set()
    assert set(HERE) - names == set()
    assert {str(pin) for pin in PINS if [clause.operator for clause in pin.specifier] != ["=="]} == set()


def test_what_is_installed_is_what_was_pinned() -> None:
    assert {name: metadata.version(name) for name in needed()} == {name: HERE[name] for name in needed()}


def test_no_pinned_version_has_a_known_fault() -> None:
    found = [
        advisory
        for advisory in ADVISORIES
        for pin in PINS
        if canonicalize_name(pin.name) == advisory["package"]
        and next(iter(pin.specifier)).version in SpecifierSet(advisory["affected"])
    ]
    assert [advisory["id"] for advisory in found if "accepted" not in advisory] == []
    assert [advisory for advisory in ADVISORIES if "accepted" in advisory and advisory not in found] == []


def test_every_advisory_is_about_something_that_gets_installed() -> None:
    assert {advisory["package"] for advisory in ADVISORIES} <= PINNED
