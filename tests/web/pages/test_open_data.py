"""The page of open data lists its files, and every file is the one that `hoppers data` writes."""

import re
from pathlib import Path

from click.testing import CliRunner
from flask import Flask

from hoppers.cli.main import main
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


def test_unknown_files_are_told(shared_app: Flask) -> None:
    for name in (
        "nothing.csv",
        "atlas.xml",
        "tables/nothing.gz",
        "tables/english-33.gz",
        "../pyproject.toml",
    ):
        assert shared_app.test_client().get(f"/data/{name}").status_code == 404
