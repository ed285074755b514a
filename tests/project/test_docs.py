"""docs/api.md and the settings in docs/hosting.md agree with the program."""

import dataclasses
import json
import re
import shlex
import shutil
import subprocess
import sys
from typing import Any, get_args

import msgspec
import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient

from hoppers.cli import exit_status
from hoppers.cli.main import main
from hoppers.core.errors import ErrorCode, RefusalCode
from hoppers.core.events import Event
from hoppers.jobs.sessions import Queued
from hoppers.web.channel import handlers
from hoppers.web.http import errors
from hoppers.web.settings import SETTINGS, text_of
from tests import ROOT
from tests.conftest import Connect, MakeApp
from tests.support.socket_client import TIMEOUT_SECONDS

TEXT = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```http\nGET (\S+)\n```\n```json ?(\d*)\n(.*?)```", TEXT, re.DOTALL)
REST = "…"
"""Mark for the omitted parts of an example."""


def matches(actual: Any, shown: Any) -> bool:
    """Return whether an answer is as shown, apart from the omitted parts."""
    if shown == REST:
        return True
    if isinstance(shown, dict):
        whole = REST in shown or set(actual) == set(shown)
        return whole and all(matches(actual[key], value) for key, value in shown.items() if key != REST)
    if isinstance(shown, list) and REST in shown:
        return all(map(matches, actual, shown[:-1]))
    if isinstance(shown, list):
        return len(actual) == len(shown) and all(map(matches, actual, shown))
    return bool(actual == shown)


def timeless(text: str) -> str:
    return re.sub(r" +\d+\.\d+ s\b|(?<=\"seconds\": )[\d.e-]+", "TIME", text)


def documented(heading: str) -> list[str]:
    """Return the first cells of the rows of the table under `heading`."""
    section = TEXT.split(f"\n{heading}\n")[1].split("\n#")[0]
    return re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)


@pytest.mark.parametrize(("address", "status", "shown"), EXAMPLES)
def test_requests_are_answered_as_printed(client: FlaskClient, address: str, status: str, shown: str) -> None:
    response = client.get(address, headers={"Accept-Language": "en"})
    assert response.status_code == int(status or 200)
    assert matches(response.get_json(), json.loads(shown)), response.text


def test_channel_exchange_is_as_printed(connect: Connect) -> None:
    client = connect()
    lines = re.search(r"```text\n(.*?)```", TEXT, re.DOTALL)
    assert lines is not None
    for line in lines[1].splitlines():
        direction, name, shown = line.split(" ", 2)
        if direction == ">":
            answer: Any = client.call(name, json.loads(shown))
        elif name in ("ok", "error"):
            assert answer == json.loads(shown)
        else:
            received = client.receive_until("exhausted", "solved")[-1]
            assert (received[0], timeless(json.dumps(received[1]))) == (name, timeless(shown))


@pytest.mark.parametrize(("language", "program"), [("python", [sys.executable]), ("js", ["node"])])
def test_programs_run_as_printed(live_server: str, language: str, program: list[str]) -> None:
    (text,) = re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)
    assert shutil.which(program[0]), "these examples need Node.js"
    done = subprocess.run(
        [*program, "-"],
        input=text.replace("http://127.0.0.1:8000", live_server),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    assert done.stderr == ""
    assert len(json.loads(done.stdout)) == 7


def test_command_output_is_as_printed() -> None:
    for command, shown in re.findall(r"```console\n\$ python -m hoppers (.*?)\n(.*?)```", TEXT, re.DOTALL):
        done = CliRunner().invoke(main, shlex.split(command))
        assert timeless(done.stdout) == timeless(shown)


def test_every_address_is_documented(make_app: MakeApp) -> None:
    rules = {re.sub(r"<(\w+:)?(puzzle_)?", "<", rule.rule) for rule in make_app().url_map.iter_rules()}
    cells = " ".join(documented("## HTTP"))
    addresses = {name.split("?")[0] for name in re.findall(r"`(.*?)`", cells)}
    assert addresses == {rule for rule in rules if not rule.startswith("/static/")}


def test_every_event_is_documented_with_its_fields() -> None:
    rows = re.findall(r"^\| `(\w+)` \| ((?:`\w+`(?:, )?)+) \|", TEXT, re.MULTILINE)
    shown = {name: re.findall(r"\w+", fields) for name, fields in rows}
    assert shown == {
        event.__name__.lower(): [field.name for field in dataclasses.fields(event)]
        for event in (*get_args(Event), Queued)
    }


def test_every_field_of_a_message_is_documented() -> None:
    section = TEXT.split("A client sends")[1].split("Each is acknowledged")[0]
    for message in (handlers.SearchMessage, handlers.TicketMessage, handlers.RejoinMessage):
        for field in msgspec.structs.fields(message):
            assert f"`{field.name}`" in section


def codes() -> set[str]:
    """Return every error code: of invalid input, of refusals, and of failed requests."""
    sources = (path.read_text() for path in (ROOT / "server" / "hoppers" / "web").rglob("*.py"))
    written = re.findall(r'Fault\(\s*\w+,\s*"(\w+)"', "".join(sources))
    of_requests = {code for code, _ in errors.REQUEST_ERRORS.values()}
    return {*get_args(ErrorCode), *get_args(RefusalCode), *written, *of_requests}


def test_every_error_is_documented() -> None:
    cells = documented("### Errors")
    assert {code for cell in cells for code in re.findall(r"`(\w+)`", cell)} == codes()


def test_table_of_settings_is_that_of_the_record() -> None:
    hosting = (ROOT / "docs" / "hosting.md").read_text(encoding="utf-8")
    section = hosting.split("\n## Settings\n")[1].split("\n## ")[0]
    assert re.findall(r"^\| `HOPPERS_.*$", section, re.MULTILINE) == [
        f"| `{variable}` | {documented_default(variable)} | {setting.permitted} | {setting.meaning} |"
        for variable, setting in SETTINGS.items()
    ]


def documented_default(variable: str) -> str:
    """Return the default of a setting as docs/hosting.md prints it."""
    if variable == "HOPPERS_SEARCH_THREADS":
        return "one less than there are cores"
    return f"`{text}`" if (text := text_of(SETTINGS[variable].default)) else "empty"


def test_every_exit_status_is_documented() -> None:
    shown = {int(status) for status in re.findall(r"^\| (\d+) \|", TEXT, re.MULTILINE)}
    assert shown == {number for number in vars(exit_status).values() if isinstance(number, int)}
