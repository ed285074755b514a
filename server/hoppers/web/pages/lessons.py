"""The lessons, each with a live experiment and a question, and the page of the published results.

Texts and positions of the lessons are in server/hoppers/lessons, one JSON file per lesson.
"""

import json
from functools import cache
from typing import Any, Literal

import msgspec
from flask import Blueprint, abort, render_template

from hoppers.analysis import published_results, verdicts
from hoppers.core.machine_code import SOURCES_DIGEST
from hoppers.core.model import prebuild_decoder
from hoppers.drawing import board_picture
from hoppers.runtime import LESSONS
from hoppers.web.api.positions import read_request
from hoppers.web.current import read_puzzle
from hoppers.web.http.i18n import current_language, localized, words_with_prefix
from hoppers.web.pages import explorer, race, trace
from hoppers.web.pages.goals import goal_name
from hoppers.web.pages.play import position_context

blueprint = Blueprint("lessons", __name__)

Text = dict[str, str]
"""A text by language."""


@prebuild_decoder
class Experiment(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The experiment of a lesson: a race, or the trace of a search."""

    kind: Literal["race", "trace"]
    puzzle: str
    position: str
    goal: str
    methods: list[str]
    """Methods of the race. A trace uses only the first."""
    histogram: bool = False
    """True to show with a race the histogram of a complete table, if there is one (see `explorer.chart`)."""


@prebuild_decoder
class Exercise(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A position to open, with a task."""

    text: Text
    puzzle: str
    position: str
    goal: str
    unsolvable: str = ""
    """Text of an unsolvable position that is offered as the other choice; '' for none."""


@prebuild_decoder
class Lesson(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A lesson: text, experiment and question."""

    title: Text
    text: list[Text]
    experiment: Experiment
    question: Exercise
    looks: list[Exercise] = []
    """Traces to open, in addition to the experiment."""


@cache
def all_lessons() -> tuple[Lesson, ...]:
    """Return the lessons in order of their files 1.json, 2.json, …, which are read at the first call."""
    files = sorted(LESSONS.glob("*.json"), key=lambda path: int(path.stem))
    return tuple(msgspec.convert(json.loads(path.read_text(encoding="utf-8")), Lesson) for path in files)


@blueprint.app_template_filter("in_language")
def in_language(text: Text) -> str:
    """Return `text` in the language of the page."""
    return text[current_language()]


@blueprint.get("/lessons")
def list_lessons() -> str:
    """Return the page with the list of all lessons, each with the board of its experiment."""
    experiments = [lesson.experiment for lesson in all_lessons()]
    boards = [(read_puzzle(experiment.puzzle), experiment) for experiment in experiments]
    pictures = [
        board_picture.picture(puzzle, puzzle.parse(experiment.position), experiment.goal, margin=6)
        for puzzle, experiment in boards
    ]
    glyphs = dict.fromkeys(
        glyph for puzzle, _ in boards for glyph in board_picture.glyphs_of(puzzle).values()
    )
    return render_template(
        "pages/lessons.html", lessons=list(zip(all_lessons(), pictures, strict=True)), glyphs=list(glyphs)
    )


@blueprint.get("/lessons/<int:number>")
def lesson(number: int) -> str:
    """Return the page of the lesson `number`, counted from 1; 404 if there is no such lesson."""
    if not 1 <= number <= len(all_lessons()):
        abort(404)
    shown = all_lessons()[number - 1]
    context = _experiment_context(shown.experiment)
    of_choices = board_picture.glyphs_of(read_puzzle(shown.question.puzzle)).values()
    context["glyphs"] = list(dict.fromkeys([*context["glyphs"], *of_choices]))
    choices = _choices(shown.question)
    return render_template(
        "pages/lesson.html", lesson=shown, number=number, count=len(all_lessons()), choices=choices, **context
    )


def _choices(question: Exercise) -> dict[str, board_picture.Picture]:
    """Return the positions of a question, each with its picture."""
    puzzle = read_puzzle(question.puzzle)
    texts = [text for text in (question.unsolvable, question.position) if text]
    return {
        text: board_picture.picture(puzzle, puzzle.parse(text), question.goal, margin=6) for text in texts
    }


def _experiment_context(experiment: Experiment) -> dict[str, Any]:
    parsed = read_request(experiment.puzzle, experiment.position, experiment.goal)
    if experiment.kind == "trace":
        return trace.template_context(parsed, experiment.methods[0])
    context, puzzle, goal = position_context(parsed), parsed.puzzle, parsed.goal
    counts = explorer.counts_of(puzzle, goal) if experiment.histogram else None
    chart = counts and explorer.chart(counts, verdicts.verdict_of(puzzle, goal, parsed.position).moves_left)
    data = race.script_data(puzzle, context["position"], experiment.goal, experiment.methods)
    return {**context, "data": data, "chart": chart}


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
