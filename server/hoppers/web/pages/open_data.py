"""The page of open data, and its files."""

import json
from typing import Any

from flask import Blueprint, Response, current_app, render_template, request, url_for

from hoppers.analysis import open_data
from hoppers.analysis.data_columns import COLUMNS
from hoppers.analysis.published_tables import publishable, table_file
from hoppers.analysis.sequences import sequences
from hoppers.core.puzzle import Puzzle, cached_in_puzzle
from hoppers.web.current import puzzles
from hoppers.web.http.responses import cache_publicly, is_compressible
from hoppers.web.servers.faults import Fault

blueprint = Blueprint("open_data", __name__)

TYPES = {
    "csv": "text/csv",
    "json": "application/json",
    "sqlite": "application/vnd.sqlite3",
    "gz": "application/gzip",
    "txt": "text/plain; charset=utf-8",
    "jsonl": "application/jsonl",
    "py": "text/x-python; charset=utf-8",
}
"""Ending of a file name -> type of its content."""


def _files() -> dict[str, bytes]:
    """Return the files of the current application, made at the first request."""
    made: dict[str, bytes] | None = current_app.extensions.get("open_data")
    if made is None:
        made = current_app.extensions["open_data"] = open_data.data_files(puzzles())
    return made


@cached_in_puzzle
def _table(puzzle: Puzzle) -> bytes:
    """Return the file of a puzzle's complete table, made at the first request within a few seconds."""
    return table_file(puzzle)


@blueprint.get("/data")
def show() -> str:
    """Return the page that lists all files with their sizes and columns."""
    tables = [(table, len(table.rows)) for table in open_data.data_tables(puzzles())]
    sizes = {name: len(content) for name, content in _files().items()}
    return render_template(
        "pages/open_data.html",
        tables=tables,
        columns=COLUMNS,
        sizes=sizes,
        published=[*publishable(puzzles())],
        sequences=sequences(puzzles()),
        data_set=_data_set(),
    )


def _data_set() -> dict[str, Any]:
    """Return the description of all files for search engines (schema.org), from that of the data package."""
    package = json.loads(_files()[open_data.PACKAGE_FILE])
    return {
        "@context": "https://schema.org/",
        "@type": "Dataset",
        "name": package["title"],
        "description": package["description"],
        "url": url_for("open_data.show", _external=True),
        "version": package["version"],
        "license": package["licenses"][0]["path"],
        "creator": {"@type": "Organization", "name": package["contributors"][0]["title"]},
        "isAccessibleForFree": True,
        "variableMeasured": [*COLUMNS],
        "distribution": [
            {
                "@type": "DataDownload",
                "contentUrl": url_for("open_data.show_file", name=name, _external=True),
                "encodingFormat": TYPES[name.rpartition(".")[2]].partition(";")[0],
                "contentSize": f"{facts['bytes']} B",
                "sha256": facts["hash"].partition(":")[2],
            }
            for name, facts in package["files"].items()
        ],
    }


@blueprint.get("/data/<name>")
def show_file(name: str) -> Response:
    """Return a file of facts; raise a Fault (404) if there is none with this name."""
    content = _files().get(name)
    if content is None:
        raise Fault(404, "not_found", "There is no file {file}.", file=request.path)
    return _sent(name, content)


@blueprint.get("/data/tables/<name>")
def show_table(name: str) -> Response:
    """Return the file of a complete table; raise a Fault (404) if there is none with this name."""
    published = {f"{puzzle.id}.gz": puzzle for puzzle in publishable(puzzles())}
    if name not in published:
        raise Fault(404, "not_found", "There is no file {file}.", file=request.path)
    return _sent(name, _table(published[name]))


def _sent(name: str, content: bytes) -> Response:
    """Return a file, or the range of it that is asked for; raise an HTTPException (416) if there is none.

    Files that travel compressed have no ranges: these would count the bytes of the coding.
    """
    response = Response(content, mimetype=TYPES[name.rpartition(".")[2]])
    response.headers["Content-Disposition"] = f"attachment; filename={name}"
    cache_publicly(response)
    if is_compressible(response):
        return response
    response.add_etag()
    response.make_conditional(request, accept_ranges=True, complete_length=len(content))
    return response
