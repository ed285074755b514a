"""The packed tables of small puzzles, with which a page answers without the server: see docs/tables.md."""

import gzip
import hashlib
from functools import cache
from pathlib import Path

from flask import Blueprint, Response, request, url_for

from hoppers.core.puzzle import Puzzle
from hoppers.tablebase import packed_tables
from hoppers.web.current import puzzles, read_puzzle
from hoppers.web.http.responses import accepts_gzip
from hoppers.web.servers.faults import Fault

blueprint = Blueprint("tables", __name__, url_prefix="/tables")

MAX_BYTES = 80_000
"""Size of a file up to which a page loads it: all boards but one of 21 holes."""


MAX_STREAMED = 400_000
"""States of a board up to which the page finds a position of the wanted difficulty at once."""


@cache
def _file(path: Path) -> bytes:
    return path.read_bytes()


def _content(puzzle: Puzzle) -> bytes | None:
    """Return the compressed file of a puzzle, or None if pages load none."""
    if not packed_tables.is_packable(puzzle):
        return None
    data = _file(packed_tables.path_of(puzzle))
    return data if len(data) <= MAX_BYTES else None


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:12]


def table_data(puzzle: Puzzle) -> dict[str, str] | None:
    """Return the addresses of a puzzle's table and of the script that reads it, or None without a table."""
    data = _content(puzzle)
    if data is None:
        return None
    return {
        "data": url_for("tables.show_table", digest=_digest(data), puzzle_id=puzzle.id),
        "script": url_for("static", filename="tables/answers.js"),
    }


def streamed_puzzles() -> list[Puzzle]:
    """Return the puzzles of the gallery whose positions the stream deals."""
    return [
        puzzle
        for puzzle in puzzles()
        if puzzle.gallery.featured
        and (numbering := puzzle.rules.numbering) is not None
        and numbering.size <= MAX_STREAMED
        and _content(puzzle) is not None
    ]


@blueprint.get("/<digest>/<puzzle_id>")
def show_table(digest: str, puzzle_id: str) -> Response:
    """Return the complete table of a puzzle; raise a Fault (404) for one without, or for another version."""
    data = _content(read_puzzle(puzzle_id))
    if data is None or digest != _digest(data):
        raise Fault(404, "not_found", "There is no table {table}.", table=f"{digest}/{puzzle_id}")
    is_compressed = accepts_gzip(request.headers.get("Accept-Encoding", ""))
    response = Response(data if is_compressed else gzip.decompress(data), mimetype="application/octet-stream")
    if is_compressed:
        response.headers["Content-Encoding"] = "gzip"
    response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
    response.vary.add("Accept-Encoding")
    return response
