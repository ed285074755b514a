"""All installed packages are pinned, have the pinned version, and have no known vulnerability.

`advisories.json` is maintained by hand: a test must not depend on a service or on the date (see
CONTRIBUTING.md).
"""

import json
import re
import tomllib
from collections.abc import Iterator
from importlib import metadata
from itertools import chain

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import NormalizedName, canonicalize_name
from packaging.version import Version

from tests import ROOT


def read_pins() -> list[Requirement]:
    """Return the requirements in `constraints.txt`, without their hashes."""
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    return [Requirement(line.removesuffix("\\")) for line in lines if not line.startswith(" ")]


PINS = read_pins()
PINNED = {canonicalize_name(pin.name) for pin in PINS}
EXPECTED = {
    canonicalize_name(pin.name): next(iter(pin.specifier)).version
    for pin in PINS
    if pin.marker is None or pin.marker.evaluate()
}
ADVISORIES = json.loads((ROOT / "tests" / "project" / "advisories.json").read_text())


def direct_requirements() -> Iterator[Requirement]:
    """Yield the requirements of the project and its tests."""
    test = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]["test"]
    yield from runtime_requirements()
    yield from map(Requirement, test)


def applies(requirement: Requirement, extras: set[str]) -> bool:
    """Return whether a requirement applies to this system, for one of `extras` or for none."""
    marker = requirement.marker
    return marker is None or any(marker.evaluate({"extra": extra}) for extra in extras | {""})


def all_packages() -> set[NormalizedName]:
    """Return the names of all packages that the project and its tests require, directly or indirectly."""
    found: set[tuple[NormalizedName, str]] = set()
    waiting = list(direct_requirements())
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        for extra in requirement.extras | {""}:
            if (name, extra) not in found:
                found.add((name, extra))
                inner = map(Requirement, metadata.requires(name) or [])
                waiting += [other for other in inner if applies(other, {extra})]
    return {name for name, _ in found}


def test_pins_cover_exactly_the_installed_packages() -> None:
    names = all_packages()
    assert names - PINNED == set()
    assert set(EXPECTED) - names == set()
    assert {str(pin) for pin in PINS if [clause.operator for clause in pin.specifier] != ["=="]} == set()


def test_every_pin_has_hashes_and_names_no_address() -> None:
    text = (ROOT / "constraints.txt").read_text()
    hashes = re.compile(r"( \\\n    --hash=sha256:[0-9a-f]{64})+\n")
    assert hashes.sub("\n", text).splitlines() == [
        line.removesuffix(" \\") for line in text.splitlines() if not line.startswith(" ")
    ]
    assert len(hashes.findall(text)) == len(PINS)


def test_installed_versions_are_the_pinned_ones() -> None:
    assert {name: metadata.version(name) for name in all_packages()} == {
        name: EXPECTED[name] for name in all_packages()
    }


def test_no_pinned_version_has_a_known_vulnerability() -> None:
    found = [
        advisory
        for advisory in ADVISORIES
        for pin in PINS
        if canonicalize_name(pin.name) == advisory["package"]
        and next(iter(pin.specifier)).version in SpecifierSet(advisory["affected"])
    ]
    assert [advisory["id"] for advisory in found if "accepted" not in advisory] == []
    assert [advisory for advisory in ADVISORIES if "accepted" in advisory and advisory not in found] == []


def test_every_advisory_concerns_an_installed_package() -> None:
    assert {advisory["package"] for advisory in ADVISORIES} <= PINNED


def runtime_requirements() -> list[Requirement]:
    """Return the requirements of the program, with those of its extras; an extra may name another one."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = [*project["dependencies"], *chain.from_iterable(project["optional-dependencies"].values())]
    return [requirement for requirement in map(Requirement, lines) if requirement.name != "hoppers"]


def imported_modules() -> set[str]:
    """Return the top-level names of all modules that the sources import, also those in texts of programs."""
    sources = (path.read_text() for path in (ROOT / "server").rglob("*.py"))
    lines = re.findall(r"^\s*(?:from|import) (.+)$", "\n".join(sources), re.MULTILINE)
    words = {word.split(".")[0] for line in lines for word in re.split(r"[\s,]+", line.split(" import ")[0])}
    return words & set(metadata.packages_distributions())


def test_requirements_are_the_packages_that_are_imported() -> None:
    """What a package requires itself may be imported only if it is required here, too."""
    packages = metadata.packages_distributions()
    imported = {canonicalize_name(packages[module][0]) for module in imported_modules()} - {"hoppers"}
    assert imported == {canonicalize_name(requirement.name) for requirement in runtime_requirements()}


def test_requirements_have_one_lower_bound_and_allow_the_pin() -> None:
    for requirement in runtime_requirements():
        name = canonicalize_name(requirement.name)
        lowest = [clause.version for clause in requirement.specifier if clause.operator in (">=", "~=")]
        assert len(lowest) == 1, f"{name} needs one lower bound"
        assert requirement.specifier.contains(EXPECTED[name]), f"{name} is pinned to another version"


PRIVATE = {
    "dramatiq",
    "gevent",
    "llvmlite",
    "numba",
    "python-engineio",
    "python-socketio",
    "flask-socketio",
    "highspy",
}
"""Packages whose insides are used (see the docstrings of `core.kernels`, `fleet.queue`,
`web.servers.http_server` and `web.channel.connections`), and highspy, of which a later version prints."""


def test_packages_whose_insides_are_used_have_an_upper_bound() -> None:
    assert {
        canonicalize_name(requirement.name)
        for requirement in runtime_requirements()
        if not requirement.specifier.contains(next_minor(EXPECTED[canonicalize_name(requirement.name)]))
    } == PRIVATE


def next_minor(version: str) -> str:
    """Return the first version of the next minor series."""
    major, minor, *_ = Version(version).release
    return f"{major}.{minor + 1}"
