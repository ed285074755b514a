"""Sheets to print: chosen positions, or the first problems of a puzzle; solutions on the next page."""

from collections.abc import Iterator
from typing import Any

import segno
from flask import Blueprint, render_template, request, url_for
from flask_babel import ngettext
from markupsafe import Markup

from hoppers.analysis import verdicts
from hoppers.core.errors import PuzzleError
from hoppers.core.puzzle import Puzzle
from hoppers.drawing import board_picture
from hoppers.web.current import read_puzzle
from hoppers.web.http.i18n import localized
from hoppers.web.http.responses import may_change
from hoppers.web.pages import goals
from hoppers.web.pages.puzzle_lists import problem_order

blueprint = Blueprint("print", __name__)

MOST = 12
"""Most positions of a sheet."""


@blueprint.get("/puzzles/<puzzle_id>/print")
def sheet(puzzle_id: str) -> str:
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
        return str(ngettext("%(num)s move", "%(num)s moves", moves_left))
    result = goals.result_text(puzzle, start, goal)
    return result.short if result else ""
