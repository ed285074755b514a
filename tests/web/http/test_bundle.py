"""The bundle is never older than its sources, and is sent compressed."""

import gzip
import re
import shutil
from pathlib import Path

import brotli
import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient

from hoppers.cli.exit_status import FAILED
from hoppers.cli.main import main
from hoppers.runtime import logging_config
from hoppers.web import bundle
from tests import ROOT
from tests.conftest import MakeApp

SCRIPT = "pages/card.js"
PAGES = ["/", "/puzzles/hoppers", "/puzzles/hoppers/race", "/puzzles/hoppers/inside", "/lessons", "/nothing"]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A copy of the scripts and styles with the installed npm packages and the bundle."""
    bundle.update(ROOT)
    for name in ("static", "bundle"):
        shutil.copytree(ROOT / name, tmp_path / name)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "node_modules").symlink_to(ROOT / "node_modules")
    return tmp_path


def append(path: Path, text: str) -> None:
    path.write_text(path.read_text() + text)


def test_a_changed_source_is_bundled_again(clone: Path) -> None:
    assert bundle.is_current(clone)
    append(clone / "static" / "ui" / "dom.js", 'globalThis.changed = "in an imported module";\n')
    append(clone / "static" / "css" / "print.css", ".changed { color: red }\n")
    (clone / "bundle" / "pages" / "old.js").write_text("old")
    assert not bundle.is_current(clone)
    folder = bundle.update(clone)
    assert bundle.is_current(clone)
    assert "in an imported module" in (folder / SCRIPT).read_text()
    assert b"in an imported module" in brotli.decompress((folder / f"{SCRIPT}.br").read_bytes())
    assert ".changed" in (folder / "css" / "print.css").read_text()
    assert not (folder / "pages" / "old.js").exists()


def test_a_source_in_another_folder_is_bundled_again(clone: Path) -> None:
    moved = clone / "static" / "css" / "print.css"
    moved.rename(clone / "static" / "css" / ".." / "print.css")
    assert not bundle.is_current(clone)


def test_a_bundle_made_twice_is_the_same(clone: Path) -> None:
    def files() -> dict[str, tuple[bytes, float]]:
        found = [path for path in (clone / "bundle").rglob("*") if path.is_file()]
        return {
            path.relative_to(clone).as_posix(): (path.read_bytes(), path.stat().st_mtime) for path in found
        }

    bundle.build(clone)
    before = files()
    bundle.build(clone)
    assert files() == before


def test_a_stale_bundle_is_refused_where_it_cannot_be_made(clone: Path) -> None:
    append(clone / "static" / SCRIPT, "// changed\n")
    (clone / "node_modules").unlink()
    with pytest.raises(bundle.BundleError, match=r"esbuild.*npm ci.*--modules"):
        bundle.update(clone)


def test_another_version_of_esbuild_is_refused(clone: Path) -> None:
    package = (clone / "package.json").read_text()
    (clone / "package.json").write_text(re.sub(r'("esbuild": ").*?"', r'\g<1>0.0.1"', package))
    with pytest.raises(bundle.BundleError, match="pinned version of esbuild"):
        bundle.build(clone)


def test_old_bundle_stays_if_a_source_has_a_fault(clone: Path) -> None:
    before = (clone / "bundle" / SCRIPT).read_bytes()
    append(clone / "static" / SCRIPT, 'import "../ui/nothing.js";\n')
    with pytest.raises(bundle.BundleError, match=r"could not be bundled[\s\S]*nothing\.js"):
        bundle.update(clone)
    assert (clone / "bundle" / SCRIPT).read_bytes() == before


@pytest.mark.parametrize("command", ["run", "serve"])
def test_a_server_without_a_bundle_ends_with_a_sentence(
    command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(root: Path) -> Path:
        raise bundle.BundleError("Run `npm ci`.")

    monkeypatch.setattr(bundle, "update", refuse)
    monkeypatch.setattr(logging_config, "configure", lambda format: None)  # for the whole process
    result = CliRunner().invoke(main, [command, "--port", "0"])
    assert (result.exit_code, "Error: Run `npm ci`." in result.output) == (FAILED, True)


@pytest.mark.parametrize("coding", ["br", "gzip", "identity"])
def test_files_of_the_bundle_are_sent_compressed(new_client: FlaskClient, coding: str) -> None:
    decoded = {"br": brotli.decompress, "gzip": gzip.decompress, "identity": bytes}[coding]
    page = new_client.get("/").text
    for name in re.findall(r'"(/static/[^"]*\.(?:js|css))"', page):
        with new_client.get(name, headers={"Accept-Encoding": coding}) as answer:
            source = (ROOT / "bundle" / name.split("/", 3)[3]).read_bytes()
            expected = coding if len(source) >= bundle.MIN_COMPRESSED_BYTES else "identity"
            assert answer.headers.get("Content-Encoding", "identity") == expected
            assert answer.headers["Vary"] == "Accept-Encoding"
            assert "immutable" in answer.headers["Cache-Control"]
            assert (decoded if expected == coding else bytes)(answer.data) == source
        with new_client.head(name, headers={"Accept-Encoding": coding}) as head:
            assert (head.headers, head.data) == (answer.headers, b"")


@pytest.mark.parametrize(
    ("accepted", "coding"), [("gzip, br", "br"), ("br;q=0.5, gzip", "gzip"), ("gzip", "gzip"), ("", None)]
)
def test_pages_are_sent_in_the_best_accepted_coding(
    new_client: FlaskClient, accepted: str, coding: str | None
) -> None:
    answer = new_client.get("/", headers={"Accept-Encoding": accepted})
    assert answer.headers.get("Content-Encoding") == coding
    decoded = {"br": brotli.decompress, "gzip": gzip.decompress, None: bytes}[coding]
    assert decoded(answer.data).lstrip().startswith(b"<!doctype html>")


@pytest.mark.parametrize("address", PAGES)
def test_pages_load_one_module(new_client: FlaskClient, address: str) -> None:
    page = new_client.get(address).text
    (script,) = re.findall(r'<script type="module" src="(.*?)"', page)
    assert {*re.findall(r'rel="modulepreload" href="(.*?)"', page)} <= {script}


def test_sources_are_served_as_they_are(make_app: MakeApp) -> None:
    client = make_app(MODULES=True).test_client()
    (script,) = re.findall(r'<script type="module" src="(.*?)"', client.get("/").text)
    with client.get(script) as answer:
        assert answer.data == (ROOT / "static" / SCRIPT).read_bytes()
        assert answer.headers["Cache-Control"] == "no-cache"


def test_changed_source_is_sent_at_the_next_request(
    make_app: MakeApp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(ROOT / "static", tmp_path / "static")
    monkeypatch.setattr("hoppers.web.app.prepare_static_folder", lambda modules: tmp_path / "static")
    client = make_app(MODULES=True).test_client()
    (script,) = re.findall(r'<script type="module" src="(.*?)"', client.get("/").text)
    source = tmp_path / "static" / SCRIPT
    for text in ("// one", "// another"):
        source.write_text(text)
        with client.get(script) as answer:
            assert answer.get_data(as_text=True) == text


def test_pictures_are_the_same_with_and_without_a_bundle(make_app: MakeApp) -> None:
    one, two = (make_app(MODULES=modules).test_client() for modules in (True, False))
    address = "/puzzles/hoppers/board.png?theme=dark&size=200"
    first, second = one.get(address), two.get(address)
    assert first.status_code == 200 and first.data == second.data
