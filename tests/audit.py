"""Asks a public list of vulnerabilities about the pinned versions, beside the tests, and tells what it says.

Nothing fails by it, for a test must not depend on a service or on the day: what is news belongs into
`advisories.json`, and from then on the tests demand another version or a reason (see CONTRIBUTING.md).
"""

import json
import threading
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

SERVICE = "https://api.osv.dev/v1/querybatch"
PATIENCE_SECONDS = 8
TESTS = Path(__file__).resolve().parent


class Audit:
    """One question, asked in a thread while the tests run."""

    def __init__(self, service: str = SERVICE) -> None:
        """Nothing is asked before `start`."""
        self._service, self._said = service, "no answer yet"
        self._thread = threading.Thread(target=self._run, name="audit", daemon=True)

    def start(self) -> None:
        """Ask."""
        self._thread.start()

    def said(self) -> str:
        """What came of it, in words."""
        self._thread.join(PATIENCE_SECONDS)
        return self._said

    def _run(self) -> None:
        pins = [(pin.name, next(iter(pin.specifier)).version) for pin in read_pins()]
        try:
            news = unknown(pins, ask(self._service, pins))
        except (OSError, ValueError, KeyError, TypeError) as error:
            self._said = f"the service does not answer ({error}); tests/advisories.json alone was compared"
            return
        found = "; ".join(news) or "nothing that tests/advisories.json does not know"
        self._said = f"the service was asked about {len(pins)} pinned versions: {found}"


def read_pins() -> list[Requirement]:
    """What `constraints.txt` pins."""
    return [Requirement(line) for line in (TESTS.parent / "constraints.txt").read_text().splitlines()]


def ask(service: str, pins: list[tuple[str, str]]) -> list[list[str]]:
    """The ids of the vulnerabilities of each version.

    Raises:
        OSError: nobody answers.
    """
    queries = [{"package": {"name": name, "ecosystem": "PyPI"}, "version": version} for name, version in pins]
    body, kind = json.dumps({"queries": queries}).encode(), {"Content-Type": "application/json"}
    with urllib.request.urlopen(
        urllib.request.Request(service, body, kind), timeout=PATIENCE_SECONDS
    ) as answer:
        results: list[Any] = json.load(answer)["results"]
    return [[fault["id"] for fault in result.get("vulns", [])] for result in results]


def unknown(pins: list[tuple[str, str]], faults: list[list[str]]) -> list[str]:
    """The versions with vulnerabilities of packages for which none is accepted."""
    advisories = json.loads((TESTS / "advisories.json").read_text())
    accepted = {advisory["package"] for advisory in advisories if "accepted" in advisory}
    return [
        f"{name} {version} has {', '.join(ids)}"
        for (name, version), ids in zip(pins, faults, strict=True)
        if ids and name not in accepted
    ]


AUDIT = Audit()


def pytest_sessionstart(session: pytest.Session) -> None:
    """Ask, in the process that reports."""
    if not hasattr(session.config, "workerinput"):
        AUDIT.start()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Tell."""
    terminalreporter.write_line(f"Dependency audit: {AUDIT.said()}")
