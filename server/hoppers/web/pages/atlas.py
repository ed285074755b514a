"""The atlas: every start and goal of every board, the book of records, and what is not settled."""

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from flask import Blueprint, render_template, request

from hoppers.analysis.atlas_results import known_result
from hoppers.analysis.record_data import LISTED, BoardRecords, Record, load_book, positions_of
from hoppers.core.errors import quoted
from hoppers.core.model import ANY_GOAL
from hoppers.core.puzzle import Puzzle, cached_in_puzzle
from hoppers.core.texts import Text
from hoppers.drawing import board_picture
from hoppers.tablebase import atlas_data
from hoppers.tablebase.atlas_data import KnownResult, vacated
from hoppers.web.current import engine, puzzles
from hoppers.web.http.addresses import url_with_query
from hoppers.web.http.i18n import current_language, gettext, localized
from hoppers.web.pages import goals
from hoppers.web.random_play import solve_text
from hoppers.web.servers.faults import Fault

blueprint = Blueprint("atlas", __name__, url_prefix="/atlas")

FEW_HOLES = 21
"""Most holes of a board whose pairs of start and goal are also shown as a map."""
MANY_BOARDS = 3
"""Boards whose titles differ only in a number, from which on the contents list them in one line."""
SHADES = 4


class ProblemRow(NamedTuple):
    """A start and a goal of a board with the atlas result."""

    name: str
    """The start in a few words: the empty hole, or the name of a classic problem."""
    start: str
    goal: str
    goal_name: str
    """The goal in a few words: the goal hole, or what else is asked for."""
    result: goals.ResultText
    is_complement: bool
    """Whether the last peg ends in the hole that is empty at the start."""

    @property
    def known(self) -> KnownResult:
        """The atlas result."""
        return self.result.known


ORDERS: dict[str, Callable[[ProblemRow], float]] = {
    "start": lambda row: 0,
    "moves": lambda row: -(row.known.moves or row.known.lower_bound),
    "solutions": lambda row: -(row.known.count or 0),
    "difficulty": lambda row: -(row.known.bits or 0),
}
"""Value of `sort` -> sorting key; equal rows stay in the order of the atlas."""
MEASURES = "solve_bits", "fewest_bits"
"""Fields of atlas results that have a column where any row has them."""
SELECTIONS: dict[str, Callable[[ProblemRow], bool]] = {
    "all": lambda row: True,
    "solvable": lambda row: row.known.moves is not None,
    "complement": lambda row: row.is_complement and row.known.moves is not None,
    "none": lambda row: row.known.state == "impossible",
    "open": lambda row: not row.known.proved,
}
"""Value of `show` -> whether a row is shown."""


class MapCell(NamedTuple):
    """A start and a goal in the map of a small board."""

    row: ProblemRow | None
    """None for pairs that the position class rules out."""
    shade: int
    """0 for the fewest moves on the map, up to `SHADES` - 1 for the most."""


class RecordText(NamedTuple):
    """The record of a board and a goal as the page shows it."""

    board: str
    title: str
    goal: str
    goal_name: str
    record: Record
    pieces: list[tuple[str, board_picture.Picture | None]]
    """Positions with their pictures; without one, the board is not offered for play."""
    first: int
    """Number of the first position, from 1."""


@blueprint.get("")
def show_contents() -> str:
    """Return the contents: all boards, one record of each, the figures, and the problems not settled."""
    singles, series = _shelves()
    records = [_best_record(board) for board in singles if board in load_book().boards]
    return render_template(
        "pages/atlas.html",
        boards=[_contents_entry(board) for board in singles],
        series={name: [_length_entry(board) for board in boards] for name, boards in series.items()},
        records=records,
        open_rows=[(puzzle, row) for puzzle in puzzles() for row in _rows(puzzle) if not row.known.proved],
        figures=[(engine().find(board), list(_figures(board))) for board in load_book().figures],
        most=_most_moves(),
    )


@blueprint.get("/<board>")
def show_board(board: str) -> str:
    """Return all starts and goals of a board, its figures and its records.

    Raises:
        Fault: there is no such board (404), or `sort`, `show` or `page` has no such value (400).
    """
    if board not in _boards():
        raise Fault(404, "unknown_board", "The atlas has no board {board}.", board=quoted(board))
    puzzle = engine().puzzles.get(board)
    order, selection = _choice("sort", [*ORDERS]), _choice("show", [*SELECTIONS])
    every = _rows(puzzle) if puzzle else []
    counts = {name: sum(map(selects, every)) for name, selects in SELECTIONS.items()}
    book = load_book().boards.get(board)
    pages = _page_count(book)
    page = int(_choice("page", [str(number) for number in range(1, pages + 1)]))
    return render_template(
        "pages/atlas_board.html",
        board=board,
        title=_title(board),
        boards=_neighbours(board),
        order=order,
        selection=selection,
        counts={name: count for name, count in counts.items() if count},
        measures=[name for name in MEASURES if any(getattr(row.known, name) is not None for row in every)],
        rows=sorted(filter(SELECTIONS[selection], every), key=ORDERS[order]),
        map=_map(puzzle) if puzzle else None,
        figures=list(_figures(board)),
        records=[_record_text(board, goal, page) for goal in book.goals] if book else [],
        page=page,
        pages=pages,
        **({"puzzle": puzzle} if puzzle else {}),
    )


def _choice(name: str, values: list[str]) -> str:
    """Return the value of `name` in the query, by default the first of `values`; raise a Fault for others."""
    value = request.args.get(name, values[0])
    if value not in values:
        raise Fault(
            400,
            "invalid_choice",
            "{name}={value} is not one of {values}.",
            name=name,
            value=quoted(value),
            values=", ".join(values) if len(values) < 10 else f"{values[0]}–{values[-1]}",
        )
    return value


def _boards() -> list[str]:
    """Return the ids of all boards of the atlas: the puzzles in their order, then those that only count."""
    atlas, book = atlas_data.load_atlas(), load_book().boards
    known = [puzzle.id for puzzle in puzzles() if puzzle.id in {*atlas.boards, *atlas.starts, *book}]
    return [*known, *(board for board in book if board not in known)]


def _title(board: str) -> str:
    puzzle = engine().puzzles.get(board)
    title = puzzle.texts.title if puzzle is not None else load_book().boards[board].title
    return localized(title) if title is not None else board


def _shelves() -> tuple[list[str], dict[str, list[str]]]:
    """Return the boards that stand alone, and by name those whose titles differ only in a number.

    Each of the latter has a record of `ANY_GOAL`.
    """
    by_name: dict[str, list[str]] = {}
    books = load_book().boards
    for board in (board for board in _boards() if board in books and ANY_GOAL in books[board].goals):
        by_name.setdefault(_without_number(_title(board)), []).append(board)
    series = {name: boards for name, boards in by_name.items() if len(boards) >= MANY_BOARDS}
    together = {board for boards in series.values() for board in boards}
    return [board for board in _boards() if board not in together], series


def _without_number(title: str) -> str:
    """Return a title without its number; one with several numbers, such as a width and a height, as it is."""
    parts = re.split(r"\s?\d+", title)
    return "".join(parts).strip() if len(parts) == 2 else title


def _contents_entry(board: str) -> dict[str, Any]:
    puzzle, book = engine().puzzles.get(board), load_book().boards.get(board)
    rows = _rows(puzzle) if puzzle else []
    return {
        "id": board,
        "title": _title(board),
        "counts": {name: sum(map(selects, rows)) for name, selects in SELECTIONS.items()},
        "most": max((row.known.moves or 0 for row in rows if row.known.proved), default=None),
        "record": _hardest(book)[1] if book else None,
    }


def _length_entry(board: str) -> dict[str, Any]:
    """Return the template variables of a board in a series: its number, and the record of `ANY_GOAL`."""
    title = _title(board)
    return {
        "id": board,
        "title": title,
        "number": "".join(filter(str.isdigit, title)),
        "record": load_book().boards[board].goals[ANY_GOAL],
    }


def _hardest(book: BoardRecords) -> tuple[str, Record]:
    """Return the record with the most moves, and its goal; of several, that of `ANY_GOAL` or the first."""
    of_goals = sorted(book.goals.items(), key=lambda item: item[0] != ANY_GOAL)
    return max(of_goals, key=lambda item: item[1].moves)


def _best_record(board: str) -> RecordText:
    """Return the hardest record of a board with a single position."""
    goal, _ = _hardest(load_book().boards[board])
    return _record_text(board, goal, 1, 1)


def _neighbours(board: str) -> list[tuple[str, str]]:
    """Return id and title of the boards to go on to: all that stand alone, and one or all of each series."""
    singles, series = _shelves()
    found = [(each, _title(each)) for each in singles]
    for name, boards in series.items():
        found += [(each, _title(each)) for each in boards] if board in boards else [(boards[0], name)]
    return found


def _record_text(board: str, goal: str, page: int, most: int = LISTED) -> RecordText:
    """Return one page of a record, at most `most` of its positions. Short records have a single page."""
    book, puzzle = load_book().boards[board], engine().puzzles.get(board)
    record = book.goals[goal]
    first = (page - 1) * LISTED if record.unique > LISTED else 0
    texts = positions_of(board, goal, first, most)
    signs = str.maketrans(*book.signs)
    return RecordText(
        board,
        _title(board),
        goal,
        goals.goal_name(puzzle, goal) if puzzle else str(gettext("anywhere")),
        record,
        [(text if puzzle else text.translate(signs), _picture(puzzle, text, goal)) for text in texts],
        first + 1,
    )


def _picture(puzzle: Puzzle | None, position: str, goal: str) -> board_picture.Picture | None:
    return board_picture.picture(puzzle, puzzle.parse(position), goal, margin=0) if puzzle else None


def _page_count(book: BoardRecords | None) -> int:
    longest = max((record.unique for record in book.goals.values()), default=0) if book else 0
    return max(1, -(-longest // LISTED))


def _figures(board: str) -> list[dict[str, Any]]:
    puzzle = engine().puzzles.get(board)
    return [
        {
            "figure": figure,
            "name": localized(Text(figure.name)),
            "goal_name": goals.goal_name(puzzle, figure.goal),
            "chance": solve_text(figure.solve_bits) if figure.solve_bits else "",
            "picture": _picture(puzzle, figure.start, figure.goal),
            "address": _play_address(puzzle, figure.start, figure.goal),
        }
        for figure in load_book().figures.get(board, [])
        if puzzle is not None
    ]


@blueprint.app_template_global("play_address")
def _play_address(puzzle: Puzzle, start: str, goal: str) -> str:
    """Return the address of the game page at a problem."""
    return url_with_query("pages.play", {"puzzle_id": puzzle.id}, {"start": start, "goal": goal})


def _rows(puzzle: Puzzle) -> list[ProblemRow]:
    """Return all starts and goals of a puzzle up to symmetry, with the bounds that are known now."""
    found = []
    for name, start, goal in _problems(puzzle):
        result = goals.result_text(puzzle, start, goal)
        if result is not None:
            is_complement = start.count(puzzle.rules.alphabet[0]) == 1 and name == goal
            end = goal if board_picture.is_hole(puzzle, goal) else goals.goal_name(puzzle, goal)
            found.append(ProblemRow(name, start, goal, end, result, is_complement))
    return found


def _problems(puzzle: Puzzle) -> list[tuple[str, str, str]]:
    """Return name, start and goal of each problem that the atlas has of a puzzle."""
    atlas = atlas_data.load_atlas()
    if puzzle.id in atlas.boards:
        pairs = [name.split("-") for name in atlas.boards[puzzle.id]]
        return [(start, puzzle.format(vacated(puzzle, int(start))), goal) for start, goal in pairs]
    names = {problem.start: localized(problem.name) for problem in puzzle.gallery.problems}
    starts = [name.split(" ") for name in atlas.starts.get(puzzle.id, {})]
    return [(names.get(start, start), start, goal) for start, goal in starts]


def _map(puzzle: Puzzle) -> list[list[MapCell]] | None:
    """Return the map of a small peg board, a row for each empty hole at the start, or None for others."""
    if puzzle.id not in atlas_data.load_atlas().boards or puzzle.holes > FEW_HOLES:
        return None
    rows = {(row.start, row.goal): row for row in _all_pairs(puzzle)}
    moves = [row.known.moves for row in rows.values() if row.known.moves is not None]
    least, span = min(moves, default=0), max(1, max(moves, default=0) - min(moves, default=0))

    def cell(start: str, goal: str) -> MapCell:
        row = rows[start, goal]
        shade = 0 if row.known.moves is None else (row.known.moves - least) * (SHADES - 1) // span
        return MapCell(None if row.known.reason == "class" else row, shade)

    holes = [str(hole) for hole in range(puzzle.holes)]
    starts = [puzzle.format(vacated(puzzle, hole)) for hole in range(puzzle.holes)]
    return [[cell(start, goal) for goal in holes] for start in starts]


def _all_pairs(puzzle: Puzzle) -> list[ProblemRow]:
    """Return every start with one empty hole and every goal hole, symmetric ones, too."""
    results, language = _results_of_pairs(puzzle), current_language()
    if language not in results:
        results[language] = _read_pairs(puzzle)
    return results[language]


@cached_in_puzzle
def _results_of_pairs(puzzle: Puzzle) -> dict[str, list[ProblemRow]]:
    """Return the dictionary of the rows by language. Small boards have only proved results, which stay."""
    return {}


def _read_pairs(puzzle: Puzzle) -> list[ProblemRow]:
    found = []
    for hole in range(puzzle.holes):
        start = puzzle.format(vacated(puzzle, hole))
        for goal in map(str, range(puzzle.holes)):
            result = goals.result_text(puzzle, start, goal)
            if result is not None:
                found.append(ProblemRow(str(hole), start, goal, goal, result, str(hole) == goal))
    return found


def _most_moves() -> int:
    """Return the number of moves at the right end of the bars of bounds: more than any of them."""
    least = [
        max(known.lower_bound, known.moves or 0)
        for puzzle in puzzles()
        for _, start, goal in _problems(puzzle)
        if (known := known_result(puzzle, start, goal)) is not None and not known.proved
    ]
    return max(least, default=0) + 8
