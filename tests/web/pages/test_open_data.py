"""The page of open data lists its files, and every file is the one that `hoppers data` writes."""

import re
from pathlib import Path

import requests
from click.testing import CliRunner
from flask import Flask

from hoppers.cli.main import main
from tests.support.socket_client import TIMEOUT_SECONDS
from tests.translations import LANGUAGES


def test_page_leads_to_the_files_that_the_command_writes(shared_app: Flask, tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["data", str(tmp_path)])
    assert done.exit_code == 0, done.output
    written = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    client = shared_app.test_client()
    for language in LANGUAGES:
        page = client.get("/data", query_string={"lang": language}).text
        assert {re.sub(r"\?.*", "", name) for name in re.findall(r'href="/data/([^"]+)"', page)} == written
    for name in written:
        answer = client.get(f"/data/{name}")
        assert (answer.status_code, answer.data) == (200, (tmp_path / name).read_bytes())
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        assert answer.headers["Content-Disposition"] == f"attachment; filename={Path(name).name}"


def test_parts_of_the_database_are_sent_on_their_own(live_server: str) -> None:
    """As programs ask that read the database in place."""
    url = f"{live_server}/data/hoppers.sqlite"
    whole = requests.get(url, timeout=TIMEOUT_SECONDS)
    size, tag = len(whole.content), whole.headers["ETag"]
    assert whole.headers["Accept-Ranges"] == "bytes"
    for asked, first, last in (("0-99", 0, 99), ("4096-8191", 4096, 8191), ("-7", size - 7, size - 1)):
        part = requests.get(
            url, headers={"Range": f"bytes={asked}", "If-Range": tag}, timeout=TIMEOUT_SECONDS
        )
        assert (part.status_code, part.content) == (206, whole.content[first : last + 1])
        assert part.headers["Content-Range"] == f"bytes {first}-{last}/{size}"
    old = requests.get(url, headers={"Range": "bytes=0-9", "If-Range": '"old"'}, timeout=TIMEOUT_SECONDS)
    assert (old.status_code, old.content) == (200, whole.content)
    outside = requests.get(url, headers={"Range": f"bytes={size}-"}, timeout=TIMEOUT_SECONDS)
    assert outside.status_code == 416 and outside.headers["Content-Range"] == f"bytes */{size}"
    known = requests.get(url, headers={"If-None-Match": tag}, timeout=TIMEOUT_SECONDS)
    assert known.status_code == 304


def test_files_that_travel_compressed_are_sent_whole(live_server: str) -> None:
    answer = requests.get(
        f"{live_server}/data/cards.csv", headers={"Range": "bytes=0-9"}, timeout=TIMEOUT_SECONDS
    )
    assert answer.status_code == 200 and "Accept-Ranges" not in answer.headers


def test_unknown_files_are_told(shared_app: Flask) -> None:
    for name in (
        "nothing.csv",
        "atlas.xml",
        "tables/nothing.gz",
        "tables/english-33.gz",
        "../pyproject.toml",
    ):
        assert shared_app.test_client().get(f"/data/{name}").status_code == 404
