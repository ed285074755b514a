"""Everything that gets installed is pinned, is what was pinned, and has no fault that is known here.

`advisories.json` is kept by hand, for a test must not depend on a service or on the day; see CONTRIBUTING.md.
"""

import json
import threading
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib import metadata
from typing import Any

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import NormalizedName, canonicalize_name

from tests import ROOT
from tests.project.vulnerability_audit import Audit, read_pins

PINS = read_pins()
PINNED = {canonicalize_name(pin.name) for pin in PINS}
HERE = {
    canonicalize_name(pin.name): next(iter(pin.specifier)).version
    for pin in PINS
    if pin.marker is None or pin.marker.evaluate()
}
ADVISORIES = json.loads((ROOT / "tests" / "project" / "advisories.json").read_text())


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


@contextmanager
def service(answer: Callable[[Any], Any]) -> Iterator[str]:
    """A list of vulnerabilities."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            body = json.dumps(answer(asked)).encode()
            self.send_response(200)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: object) -> None:
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def audited(answer: Callable[[Any], Any]) -> str:
    with service(answer) as address:
        audit = Audit(address)
        audit.start()
        return audit.said()


def test_an_audit_tells_what_is_news_and_that_nobody_answers() -> None:
    faulty = {"flask": [{"id": "NEW-1"}], "diskcache": [{"id": "OLD-1"}]}

    def answer(asked: Any) -> Any:
        return {"results": [{"vulns": faulty.get(one["package"]["name"], [])} for one in asked["queries"]]}

    assert audited(answer).endswith(
        f"{len(PINS)} pinned versions: flask {metadata.version('flask')} has NEW-1"
    )
    assert audited(lambda asked: {"results": [{} for _ in asked["queries"]]}).endswith("does not know")
    assert "does not answer" in audited(lambda asked: ["nonsense"])
    nobody = Audit("http://127.0.0.1:9/")
    nobody.start()
    assert "does not answer" in nobody.said()
