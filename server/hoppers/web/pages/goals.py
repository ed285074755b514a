"""Starts and goals of a puzzle with their atlas results: as texts, and as lists to choose from."""

from typing import Any, NamedTuple

from flask import Blueprint, Response, redirect, render_template, request
from flask.typing import ResponseReturnValue

from hoppers.analysis.atlas_results import known_result
from hoppers.core.model import ANY_GOAL
from hoppers.core.puzzle import Puzzle, cached_in_puzzle
from hoppers.drawing import board_picture
from hoppers.tablebase.atlas_data import KnownResult
from hoppers.web.current import read_puzzle
from hoppers.web.http.addresses import url_with_query
from hoppers.web.http.i18n import catalogue, format_decimal, gettext, localized, ngettext
from hoppers.web.http.responses import CACHE_SECONDS

blueprint = Blueprint("goals", __name__)


class ResultText(NamedTuple):
    """The atlas result of a problem as the page shows it."""

    known: KnownResult
    sign: str
    """One to three characters: the moves, `≤` and the moves, `?` or `×`."""
    short: str
    """State in a few words, with the number of moves if a solution is known."""
    full: str
    """State in a sentence, with the number of shortest solutions and the difficulty if known."""


@blueprint.app_template_filter("degree_word")
def degree_word(degree: int | None) -> str:
    """Return a difficulty on the scale of five in words, the only scale for people; '' if it is not known."""
    words = gettext("very easy"), gettext("easy"), gettext("medium"), gettext("hard"), gettext("very hard")
    return str(words[degree - 1]) if degree else ""


def result_text(puzzle: Puzzle, start: str, goal: str) -> ResultText | None:
    """Return the atlas result of a problem as text, or None if the atlas has none.

    Raise a PuzzleError if `start` or `goal` is not valid.
    """
    known = known_result(puzzle, start, goal)
    if known is None:
        return None
    sign, short, sentence = _texts_of_state(known)
    parts = [sentence]
    if known.count is not None:
        count, number = known.count, format_decimal(known.count)
        parts.append(
            ngettext("{number} shortest solution", "{number} shortest solutions", count, number=number)
        )
    if known.grade:
        parts.append(degree_word(known.grade))
    return ResultText(known, sign, short, gettext(" · ").join(parts))


def _texts_of_state(known: KnownResult) -> tuple[str, str, str]:
    """Return a sign, a short text and a sentence for the state of an atlas result."""
    moves, least = known.moves, known.lower_bound
    match known.state, known.reason:
        case "proved", _:
            short = gettext("{moves} moves, the fewest", moves=moves)
            sentence = gettext("{moves} moves, proved to be the fewest", moves=moves)
            return f"{moves}", short, sentence
        case "found", _:
            short = gettext("{moves} moves, the best known", moves=moves)
            sentence = gettext(
                "{moves} moves are the best known, not proved; at least {least}", moves=moves, least=least
            )
            return f"≤{moves}", short, sentence
        case "open", _:
            sentence = gettext("Unsolved here; a solution would take at least {least} moves", least=least)
            return "?", gettext("open"), sentence
        case _, "class":
            sentence = gettext("No solution: proved by odd and even numbers of pegs (position classes)")
        case _, "pagoda":
            sentence = gettext("No solution: proved by weights of the holes (pagoda function)")
        case _, "levels":
            sentence = gettext(
                "No solution: proved by weights (pagoda functions) and all boards that they allow"
            )
        case _:
            sentence = gettext("No solution: proved by exhaustive search")
    return "×", gettext("no solution"), sentence


def goal_context(puzzle: Puzzle, start: str) -> dict[str, Any]:
    """Return the variables of `templates/parts/goal_choices.html`, except `puzzle` and `goal`.

    `goal_board` is the board on which goal holes show results. It is None if a list is better: for a row of
    cells, for a single goal, and without any atlas result.
    """
    results = {goal: result_text(puzzle, start, goal) for goal in puzzle.rules.goals}
    board = None
    if len(results) > 1 and any(results.values()):
        board = board_picture.picture(puzzle, puzzle.parse(puzzle.start), puzzle.goal)
    on_board = board is not None and not board.wide
    empty_holes = {str(hole) for hole, cell in enumerate(start) if cell == puzzle.rules.alphabet[0]}
    return {
        "goals": [_goal_choice(puzzle, goal, result, on_board) for goal, result in results.items()],
        "goal_board": board if on_board else None,
        "empty_holes": empty_holes if puzzle.rules.multi_step_moves else set(),
    }


def _goal_choice(puzzle: Puzzle, goal: str, result: ResultText | None, on_board: bool) -> dict[str, Any]:
    """Return the template variables of a goal; `on_board`: true if the goals are shown on a board."""
    label = goal if board_picture.is_hole(puzzle, goal) else goal_name(puzzle, goal)
    full = result.full if result else ""
    if goal == ANY_GOAL:
        sentence = gettext("Anywhere: {par}", par=full)
    elif on_board:
        sentence = (
            gettext("Hole {hole}: {par}", hole=goal, par=full)
            if _has_holes(puzzle)
            else gettext("Cell {hole}: {par}", hole=goal, par=full)
        )
    else:
        sentence = gettext("{name}: {par}", name=label[:1].upper() + label[1:], par=full)
    return {"value": goal, "label": label, "result": result, "sentence": sentence}


def finish_sentence(puzzle: Puzzle, goal: str) -> str:
    """Return the sentence that names the last piece and its finishing hole; '' if `goal` is not a hole."""
    if not board_picture.is_hole(puzzle, goal):
        return ""
    what = localized(puzzle.texts.last_piece)
    if _has_holes(puzzle):
        return str(gettext("The {what} must end in hole {hole}.", what=what, hole=goal))
    return str(gettext("The {what} must end in cell {hole}.", what=what, hole=goal))


def _has_holes(puzzle: Puzzle) -> bool:
    """Return whether the places of a board are holes, as for pegs; those of tiles and discs are cells."""
    return puzzle.rules.multi_step_moves


def rules_text(puzzle: Puzzle, goal: str) -> str:
    """Return the objective of a puzzle, followed by `finish_sentence` if `goal` is a hole."""
    gap = str(catalogue()["sentence.gap"])
    return gap.join(filter(None, (localized(puzzle.texts.objective), finish_sentence(puzzle, goal))))


def aim_text(puzzle: Puzzle, goal: str) -> str:
    """Return what a card asks for, followed by `finish_sentence` if `goal` is a hole."""
    gap, aim = str(catalogue()["sentence.gap"]), puzzle.texts.aim or puzzle.texts.rule
    return gap.join(filter(None, (localized(aim), finish_sentence(puzzle, goal))))


def goal_name(puzzle: Puzzle, goal: str) -> str:
    """Return a goal in words, such as "in hole 4", in the language of the page."""
    if board_picture.is_hole(puzzle, goal):
        return str(
            gettext("in hole {hole}", hole=goal)
            if _has_holes(puzzle)
            else gettext("in cell {hole}", hole=goal)
        )
    return str(gettext("anywhere") if goal == ANY_GOAL else gettext("in order"))


def start_labels(puzzle: Puzzle) -> dict[str, str]:
    """Return the labels of a puzzle's offered starts, by start, with numbers of solvable goals if known."""
    return {start: _start_label(label, puzzle, start) for label, start in puzzle.starts.items()}


def _start_label(label: str, puzzle: Puzzle, start: str) -> str:
    name = next(
        (localized(problem.name) for problem in puzzle.gallery.problems if problem.start == start), None
    )
    return _with_goal_count(name if name and label == start else label, puzzle, start)


def _with_goal_count(label: str, puzzle: Puzzle, start: str) -> str:
    counts = _goal_counts(puzzle, start)
    if counts is None:
        return label
    solved, undecided = counts
    if not solved and not undecided:
        return str(gettext("{start}: no solution", start=label))
    if not solved:
        return str(gettext("{start}: open", start=label))
    return ngettext("{start}: {n} goal", "{start}: {n} goals", solved, start=label)


@cached_in_puzzle
def _counted(puzzle: Puzzle) -> dict[str, tuple[int, tuple[int, int] | None]]:
    """Return the dictionary of the latest numbers of `_goal_counts` by start, each after `changes`."""
    return {}


def _goal_counts(puzzle: Puzzle, start: str) -> tuple[int, int] | None:
    """Return the numbers of solvable and of undecided goals from one of the puzzle's starts.

    `ANY_GOAL` does not count. The result is None for a puzzle with a single goal, and if the atlas has no
    result. The numbers are computed again after a change of the bounds.
    """
    changes, counted = puzzle.engine.bounds.changes, _counted(puzzle)
    if start not in counted or counted[start][0] != changes:
        counted[start] = changes, _count_goals(puzzle, start)
    return counted[start][1]


def _count_goals(puzzle: Puzzle, start: str) -> tuple[int, int] | None:
    holes = [goal for goal in puzzle.rules.goals if goal != ANY_GOAL] if len(puzzle.rules.goals) > 1 else []
    known = [known_result(puzzle, start, goal) for goal in holes]
    states = [entry.state for entry in known if entry is not None]
    if not states:
        return None
    return sum(state in ("proved", "found") for state in states), states.count("open")


@blueprint.get("/puzzles/<puzzle_id>/goals")
def show_goals(puzzle_id: str) -> ResponseReturnValue:
    """Return the goals of the `start` in the query as HTML, which a script inserts into the game page.

    A browser that opens this URL is redirected to the game page, which contains this fragment. Raise a
    PuzzleError if `start` or `goal` in the query is not valid.
    """
    puzzle = read_puzzle(puzzle_id)
    goal, start = request.args.get("goal", puzzle.goal), _read_start(puzzle)
    puzzle.parse_goal(goal)
    if "text/html" in request.headers.get("Accept", ""):  # scripts do not accept pages
        return redirect(url_with_query("pages.play", {"puzzle_id": puzzle_id}, request.args.to_dict()))
    context = goal_context(puzzle, start)
    fragment = render_template("parts/goal_choices.html", puzzle=puzzle, goal=goal, **context)
    response = Response(fragment, mimetype="text/html")
    response.vary.add("Accept")
    response.cache_control.private = True
    results = [choice["result"] for choice in context["goals"] if choice["result"]]
    response.cache_control.max_age = CACHE_SECONDS if all(result.known.proved for result in results) else 0
    return response


def _read_start(puzzle: Puzzle) -> str:
    return puzzle.format(puzzle.parse(request.args.get("start", puzzle.start)))
