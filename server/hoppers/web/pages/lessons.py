"""The lessons, each built round one activity of the reader, and the page of the published results.

Texts and positions of the lessons are in server/hoppers/lessons, one JSON file per lesson. No file has the
answer of an activity: the scripts ask the engine for it (static/lessons).
"""

import json
import random
import re
from functools import cache
from typing import Annotated, Any, Literal

import msgspec
from flask import Blueprint, Response, render_template
from markupsafe import Markup, escape

from hoppers.analysis import published_results, verdicts
from hoppers.core.errors import PuzzleError, quoted
from hoppers.core.machine_code import SOURCES_DIGEST
from hoppers.core.model import prebuild_decoder
from hoppers.core.puzzle import Puzzle, Question
from hoppers.core.texts import Text
from hoppers.drawing import board_picture
from hoppers.runtime import LESSONS
from hoppers.web.api.operations import PositionQuery, read_query
from hoppers.web.current import read_puzzle, read_request, require_answers
from hoppers.web.http.i18n import (
    CatalogueEntry,
    board_words,
    current_language,
    game_words,
    localized,
    words_with_prefix,
)
from hoppers.web.pages import trace
from hoppers.web.pages.goals import goal_name
from hoppers.web.pages.play import (
    kinds_of_other_puzzles,
    page_response,
    position_context,
    script_data,
)
from hoppers.web.servers.faults import Fault

blueprint = Blueprint("lessons", __name__)


@prebuild_decoder
class LimitGuesses(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="limits"):
    """Guess the nodes of limits of the last method: `bets` limits after the first `given`."""

    methods: list[str]
    given: int
    bets: int


@prebuild_decoder
class MethodGuesses(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="methods"):
    """Guess the nodes of each method but the first, all limits together.

    The first method is stopped after `seconds`.
    """

    methods: list[str]
    seconds: int
    find: Literal["first", "all"]
    """Whether to search for one shortest solution or for all."""
    own_bound: int = 0
    """Least lower bound that the reader must find by holes, such as a region or a pattern; 0: none."""
    all_nodes: int | None = None
    """Nodes of the first method if it were not stopped; None: they are extrapolated from its limits."""
    shown_after_own: list[str] = []
    """Methods whose bound is shown on the board only after the reader has found one."""


@prebuild_decoder
class PlaySolution(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="play"):
    """Guess the fewest moves of the position, then play a solution of that length."""


@prebuild_decoder
class RefuteLimit(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="refute"):
    """Guess the nodes of one limit, then try every step that it allows, as the search does."""

    limit: int
    methods: list[str]
    """The one method that does the same."""


@prebuild_decoder
class FindFault(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="fault"):
    """Find the place on a shortest solution where the bound of a method says too much.

    `methods`: the method with that bound, and one whose bound is right.
    """

    methods: list[str]


@prebuild_decoder
class WriteWeights(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="weights"):
    """Write a number into each hole until they prove that the goal cannot be reached."""


Activity = LimitGuesses | MethodGuesses | PlaySolution | RefuteLimit | FindFault | WriteWeights


@prebuild_decoder
class Lesson(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A lesson: text in English, figure and activity.

    `[words](name=value)` in a text is a button that shows something in the figure.
    """

    title: str
    question: str
    """What the lesson answers, in the list of lessons."""
    text: list[str]
    task: str
    """What the reader is to do."""
    takeaway: str
    """What has been learnt; shown when the activity is done."""
    puzzle: str
    position: str
    goal: str
    activity: Activity
    steps: int = 0
    """Number of random steps from the position to that of a link with a seed; 0: links have none."""


@prebuild_decoder
class LessonQuery(PositionQuery):
    """Query string of a lesson: another position, or the seed of one."""

    position: str | None = None
    seed: Annotated[int, msgspec.Meta(ge=0, lt=10_000)] | None = None


@cache
def all_lessons() -> tuple[Lesson, ...]:
    """Return the lessons in order of their files 1.json, 2.json, …, which are read at the first call."""
    files = sorted(LESSONS.glob("*.json"), key=lambda path: int(path.stem))
    return tuple(msgspec.convert(json.loads(path.read_text(encoding="utf-8")), Lesson) for path in files)


@blueprint.app_template_filter("in_language")
def in_language(text: str) -> str:
    """Return a text of a data file, which is in English, in the language of the page."""
    return localized(Text(text))


@blueprint.app_template_filter("with_buttons")
def with_buttons(text: str) -> Markup:
    """Return a text with each `[words](name=value)` as a button, and each `<address>` as a link."""
    button = (
        r'<button type="button" class="drive" disabled data-waits data-show="\2" data-value="\3">\1</button>'
    )
    with_links = re.sub(r"&lt;(https?://[^&]*)&gt;", r'<a href="\1">\1</a>', str(escape(text)))
    return Markup(re.sub(r"\[([^\]]+)\]\((\w+)=([^)]*)\)", button, with_links))


@blueprint.get("/lessons")
def list_lessons() -> str:
    """Return the page with the list of all lessons, each with its board."""
    boards = [(read_puzzle(lesson.puzzle), lesson) for lesson in all_lessons()]
    pictures = [
        board_picture.picture(puzzle, puzzle.parse(lesson.position), lesson.goal, margin=6)
        for puzzle, lesson in boards
    ]
    glyphs = dict.fromkeys(
        glyph for puzzle, _ in boards for glyph in board_picture.glyphs_of(puzzle).values()
    )
    return render_template(
        "pages/lessons.html",
        lessons=list(zip(all_lessons(), pictures, strict=True)),
        glyphs=list(glyphs),
        data={"language": current_language(), "words": words_with_prefix("lesson.")},
    )


@blueprint.get("/lessons/<int:number>")
def lesson(number: int) -> Response:
    """Return the page of the lesson `number`, counted from 1; 404 if there is no such lesson.

    For an invalid link the page shows the lesson's own position and the error.
    """
    if not 1 <= number <= len(all_lessons()):
        sentence = "There is no lesson {text}; lessons are 1 to {last}"
        raise Fault(404, "not_found", sentence, text=quoted(str(number)), last=len(all_lessons()))
    shown, fault, seed = all_lessons()[number - 1], None, None
    question = read_request(shown.puzzle, shown.position, shown.goal)
    try:
        query = read_query(LessonQuery)
        seed = query.seed if shown.steps else None
        question = _asked_question(shown, query)
    except PuzzleError as error:
        fault = error
    context = position_context(question)
    return page_response(
        "pages/lesson.html",
        fault,
        lesson=shown,
        number=number,
        count=len(all_lessons()),
        kind=type(shown.activity).__struct_config__.tag,
        seed=seed,
        **context,
        data=_script_data(shown, number, seed, question),
    )


def _asked_question(lesson: Lesson, query: LessonQuery) -> Question:
    """Return the question of a link: about the position in it, that of its seed, or the lesson's own."""
    text = query.position or lesson.position
    question = read_request(lesson.puzzle, text, query.goal or lesson.goal)
    if query.seed is not None and lesson.steps:
        require_answers(question.puzzle)
        return after_random_steps(question, query.seed, lesson.steps)
    return question


def after_random_steps(question: Question, seed: int, steps: int) -> Question:
    """Return the question after random steps that keep it solvable; equal seeds give equal positions."""
    puzzle, goal, position = question.puzzle, question.goal, question.position
    chance = random.Random(seed)
    for _ in range(steps):
        after = [
            step.after
            for step in puzzle.steps(position)
            if verdicts.find_verdict(puzzle, goal, step.after).verdict == verdicts.LIVE
        ]
        if not after:
            break
        position = chance.choice(after)
    return Question(
        puzzle, goal, position._replace(active=puzzle.rules.find_active(puzzle.cells(position.state)))
    )


def _script_data(lesson: Lesson, number: int, seed: int | None, question: Question) -> dict[str, Any]:
    puzzle, activity = question.puzzle, {"methods": [], **msgspec.to_builtins(lesson.activity)}
    # the lessons about limits compare with breadth-first search
    names = [*activity["methods"], *(["breadth-first"] if isinstance(lesson.activity, LimitGuesses) else [])]
    return {
        **script_data(puzzle, puzzle.goal_text(question.goal)),
        "position": puzzle.format(question.position),
        "number": number,
        "seed": seed,
        "activity": activity,
        "jumps": puzzle.board.jumps if isinstance(lesson.activity, WriteWeights) else [],
        "methods": {name: _method_data(puzzle, name) for name in names},
        "words": _words(puzzle, lesson.activity),
    }


def _words(puzzle: Puzzle, activity: Activity) -> dict[str, CatalogueEntry]:
    more = ("lesson.", "trace.", "machine.", "failed.", "copied", "refused.")
    game = game_words(kinds_of_other_puzzles(puzzle)) if isinstance(activity, PlaySolution) else {}
    return {**game, **board_words(*more)}


def _method_data(puzzle: Puzzle, name: str) -> dict[str, Any]:
    method = puzzle.method(name)
    return {
        "title": localized(method.title),
        "code": trace.code_data(puzzle, name),
        "has_levels": method.algorithm.has_levels,
    }


@blueprint.get("/classics")
def show_published_results() -> str:
    """Return the page of the published results, with the data from which a script runs them again."""
    known = published_results.all_results()
    rows = [_row(result) for result in known]
    return render_template(
        "pages/published_results.html",
        rows=rows,
        longest=max(rows, key=lambda row: row["result"].seconds),
        minutes=published_results.total_minutes(),
        data={
            "language": current_language(),
            "words": words_with_prefix("published.", "failed.", "stopped.", "sentence.gap"),
            "published": [msgspec.to_builtins(result) for result in known],
            "engine": SOURCES_DIGEST,
            "names": [{name: row[name] for name in ("title", "method")} for row in rows],
        },
    )


def _row(result: published_results.PublishedResult) -> dict[str, Any]:
    puzzle = read_puzzle(result.puzzle)
    return {
        "result": result,
        "title": localized(puzzle.texts.title),
        "method": localized(puzzle.solving.methods[result.method].title),
        "published": published_results.figures(result),
        "goal": goal_name(puzzle, result.goal),
    }
