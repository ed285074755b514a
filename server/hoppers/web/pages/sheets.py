"""Sheets of chosen positions: those of a puzzle to print, and sets of any boards for a class, as a link.

A set is all in its address. Its page collects a pupil's results in the browser, and gives them as a code; the
same page reads the codes of a class. The server keeps nothing.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit

import segno
from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from hoppers.analysis import verdicts
from hoppers.core.errors import PuzzleError, quoted
from hoppers.core.puzzle import Puzzle
from hoppers.drawing import board_picture
from hoppers.web.api.play_line import read_steps
from hoppers.web.current import read_puzzle
from hoppers.web.http.addresses import page_path
from hoppers.web.http.i18n import current_language, localized, ngettext, words_with_prefix
from hoppers.web.http.responses import may_change
from hoppers.web.pages import goals
from hoppers.web.pages.cards import find_card
from hoppers.web.pages.play import page_response
from hoppers.web.pages.puzzle_lists import problem_order

blueprint = Blueprint("sheets", __name__)

MOST = 12
"""Most positions of a printed sheet."""
MOST_OF_SET = 10
"""Most positions of a set, whose results have to fit into one code."""
SIGNS = "0123456789abcdefghjkmnpqrstvwxyz"
"""Signs of base 32 that are not mistaken for each other (Crockford), as in the codes of results."""


class SetProblem(NamedTuple):
    """A problem of a set, in the notation of the program."""

    puzzle: str
    position: str
    goal: str


@blueprint.get("/puzzles/<puzzle_id>/print")
def print_sheet(puzzle_id: str) -> str:
    """Return a sheet with the positions in the query, or else with the first six of `problem_order`.

    The query may have `position` several times, and `goal` once, or once for each. Raise a PuzzleError if a
    position or its goal is not valid, or if there are too many.
    """
    puzzle = read_puzzle(puzzle_id)
    if positions := request.args.getlist("position"):
        problems = [("", *problem) for problem in _chosen(puzzle, positions, request.args.getlist("goal"))]
    else:
        names = {(start, puzzle.goal): f"{label} → {puzzle.goal}" for label, start in puzzle.starts.items()}
        names |= {(each.start, each.goal): localized(each.name) for each in puzzle.gallery.problems}
        problems = [(names.get(problem, ""), *problem) for problem in problem_order(puzzle)[:6]]
    # read before the verdicts: without kernels, a sheet is reloaded if one of its verdicts is not final
    was_compiled = puzzle.is_compiled
    printed = [_printed_problem(puzzle, *problem) for problem in problems]
    is_open = not all(problem["verdict"].is_final for problem in printed)
    if is_open:
        may_change()
    needed = ("position", "goal", "line", "start")  # arguments of the link back to the game
    return render_template(
        "pages/print.html",
        puzzle=puzzle,
        title=localized(puzzle.texts.title),
        printed=printed,
        glyphs=board_picture.glyphs_of(puzzle).values(),
        warming=is_open and not was_compiled,
        back={name: text for name, text in request.args.items() if name in needed},
        set_address=_set_address(SetProblem(puzzle.id, *problem[1:]) for problem in problems[:MOST_OF_SET]),
    )


def _chosen(puzzle: Puzzle, positions: list[str], wanted: list[str]) -> Iterator[tuple[str, str]]:
    """Yield each position with its goal: its own, the only one, or the puzzle's."""
    if len(positions) > MOST or len(wanted) not in (0, 1, len(positions)):
        raise PuzzleError(
            "a sheet has at most {most} positions, with one goal for all or one for each, not {positions} "
            "positions and {goals} goals",
            "invalid_position",
            most=MOST,
            positions=len(positions),
            goals=len(wanted),
        )
    every = wanted if len(wanted) > 1 else (wanted or [puzzle.goal]) * len(positions)
    return zip(positions, every, strict=True)


def _address(puzzle: Puzzle, start: str, goal: str) -> str:
    """Return the address of the page where a problem can be played, as short as it can be."""
    needed = {"position": start, "goal": goal} if goal != puzzle.goal else {"position": start}
    return url_for("pages.play", puzzle_id=puzzle.id, _external=True, **needed)


def _code(address: str) -> Markup:
    """Return the QR code of an address as SVG, with the quiet zone that readers need left to the page."""
    code = segno.make(address, error="m", micro=False)
    return Markup(code.svg_inline(omitsize=True, border=2, svgclass="qr"))


def _printed_problem(puzzle: Puzzle, name: str, start: str, goal: str) -> dict[str, Any]:
    """Return the template variables of a problem, with a shortest or else the best known solution, if any.

    Raise a PuzzleError if `start` or `goal` is not valid.
    """
    position, code = puzzle.parse(start), puzzle.parse_goal(goal)
    verdict, moves = verdicts.solution(puzzle, code, position)
    return {
        "name": name,
        "start": start,
        "goal": goal,
        "picture": board_picture.picture(puzzle, position, goal),
        "verdict": verdict,
        "result": _result(puzzle, start, goal, verdict.moves_left),
        "moves": moves,
        "goal_sentence": goals.finish_sentence(puzzle, goal),
        "is_dead": verdict.verdict == "dead",
        "address": (address := _address(puzzle, start, goal)),
        "code": _code(address),
    }


def _result(puzzle: Puzzle, start: str, goal: str, moves_left: int | None) -> str:
    if moves_left is not None:
        return ngettext("{n} move", "{n} moves", moves_left)
    result = goals.result_text(puzzle, start, goal)
    return result.short if result else ""


@blueprint.get("/set")
def show_set() -> ResponseReturnValue:
    """Return the page of a set: the query has `puzzle`, `position` and `goal` once for each problem.

    With `links`, a link of a position or a card on each line, it is redirected to the set of these. Without
    a problem, or with one that is not valid, it is the page that makes a set.
    """
    links, fault, problems = request.args.get("links"), None, list[SetProblem]()
    try:
        problems = _checked(_linked(links) if links else _asked())
    except PuzzleError as error:
        fault = error
    if problems and [list(column) for column in zip(*problems, strict=True)] != _columns():
        language = {"lang": request.args["lang"]} if "lang" in request.args else {}
        return redirect("&".join(filter(None, (_set_address(problems), urlencode(language)))))
    shown = [_shown_problem(problem) for problem in problems]
    if not all(problem["is_final"] for problem in shown):
        may_change()
    address = url_for(".show_set", _external=True) + f"?{_set_query(problems)}"
    made = links or "\n".join(request.host_url.rstrip("/") + problem["address"] for problem in shown)
    glyphs = (board_picture.glyphs_of(read_puzzle(problem.puzzle)).values() for problem in problems)
    return page_response(
        "pages/set.html",
        fault,
        problems=shown,
        glyphs=list(dict.fromkeys(glyph for each in glyphs for glyph in each)),
        links=made,
        most=MOST_OF_SET,
        address=address,
        code=_code(address) if problems else "",
        data={
            "language": current_language(),
            "words": words_with_prefix("set.", "copied", "refused", "medal.", "comma"),
            "set": {
                "id": _set_id(problems),
                "address": _set_address(problems),
                "problems": [problem._asdict() for problem in problems],
            },
        },
    )


def _columns() -> list[list[str]]:
    """Return the puzzles, the positions and the goals in the query."""
    return [request.args.getlist(name) for name in SetProblem._fields]


def _asked() -> Iterator[SetProblem]:
    """Yield the problems in the query. Raise a PuzzleError if a part of one is missing or not valid."""
    columns = _columns()
    if len({len(column) for column in columns}) > 1:
        raise PuzzleError(
            "a set has one puzzle and one goal for each position, not {puzzles} puzzles, {positions} "
            "positions and {goals} goals",
            puzzles=len(columns[0]),
            positions=len(columns[1]),
            goals=len(columns[2]),
        )
    for puzzle_id, position, goal in zip(*columns, strict=True):
        puzzle = read_puzzle(puzzle_id)
        code = puzzle.parse_goal(goal)
        yield SetProblem(puzzle.id, puzzle.format(puzzle.parse(position)), puzzle.goal_text(code))


def _linked(links: str) -> Iterator[SetProblem]:
    """Yield the problem of each line of `links`, which may be empty. Raise a PuzzleError if one has none."""
    for link in filter(None, map(str.strip, links.splitlines())):
        address = urlsplit(link)
        path = page_path(address.path).removeprefix("/")
        kind, _, rest = path.partition("/")
        card = find_card(path if kind == "daily" else rest) if kind in ("daily", "decks") else None
        if card is not None:
            yield SetProblem(card.puzzle, card.position, card.goal)
        elif kind == "puzzles":
            puzzle, args = read_puzzle(rest.partition("/")[0]), dict(parse_qsl(address.query))
            start, steps = read_steps(puzzle, args)
            goal = puzzle.goal_text(puzzle.parse_goal(args.get("goal")))
            yield SetProblem(puzzle.id, puzzle.format(steps[-1].after if steps else start), goal)
        else:
            raise PuzzleError("{link} is not the link of a position or of a card", link=quoted(link))


def _checked(problems: Iterable[SetProblem]) -> list[SetProblem]:
    """Return the problems, each once. Raise a PuzzleError if they are too many."""
    found = list(dict.fromkeys(problems))
    if len(found) > MOST_OF_SET:
        raise PuzzleError(
            "a set has at most {most} positions, not {number}", most=MOST_OF_SET, number=len(found)
        )
    return found


def _set_query(problems: Iterable[SetProblem]) -> str:
    return urlencode([part for problem in problems for part in problem._asdict().items()])


def _set_address(problems: Iterable[SetProblem]) -> str:
    """Return the address of a set, without the host."""
    return f"{url_for('sheets.show_set')}?{_set_query(problems)}"


def _set_id(problems: Sequence[SetProblem]) -> str:
    """Return five signs that tell a set from others, in every code of its results."""
    digest = hashlib.sha256("\n".join(map(" ".join, problems)).encode()).digest()
    number = int.from_bytes(digest[:4])
    return "".join(SIGNS[number >> 5 * place & 31] for place in range(5))


def _shown_problem(problem: SetProblem) -> dict[str, Any]:
    puzzle = read_puzzle(problem.puzzle)
    position, goal = puzzle.parse(problem.position), puzzle.parse_goal(problem.goal)
    verdict = verdicts.find_verdict(puzzle, goal, position)
    query = urlencode({"position": problem.position, "goal": problem.goal})
    return {
        "title": localized(puzzle.texts.title),
        "picture": board_picture.picture(puzzle, position, problem.goal, margin=6),
        "goal_sentence": goals.finish_sentence(puzzle, problem.goal),
        "result": _result(puzzle, problem.position, problem.goal, verdict.moves_left),
        "is_dead": verdict.verdict == "dead",
        "is_final": verdict.is_final,
        "address": f"{url_for('pages.play', puzzle_id=puzzle.id)}?{query}",
    }
