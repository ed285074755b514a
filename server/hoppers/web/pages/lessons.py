"""The lessons, each with a live experiment and a question; and the published results, run again on a page.

What a lesson says and on which positions is in server/hoppers/lessons, one file for each.
"""

import json
from functools import cache
from typing import Any, Literal

import msgspec
from flask import Blueprint, abort, render_template
from flask_babel import get_locale

from hoppers.analysis import published_results, verdicts
from hoppers.analysis.requests import read_goal, read_puzzle
from hoppers.core import schemas
from hoppers.core.kernels import VERSION
from hoppers.puzzles import PUZZLES
from hoppers.runtime.paths import LESSONS
from hoppers.web.api.query import read
from hoppers.web.drawing import board_picture
from hoppers.web.http.i18n import in_words
from hoppers.web.pages import explorer, race, trace
from hoppers.web.pages.play import frame, goal_name

lessons = Blueprint("lessons", __name__)
lessons.context_processor(frame)


Text = dict[str, str]
"""Language -> text."""


@schemas.known
class Experiment(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What runs: a race, or the inside of a search."""

    kind: Literal["race", "inside"]
    puzzle: str
    position: str
    goal: str
    methods: list[str]
    histogram: bool = False
    """Whether all positions are shown by distance, too."""


@schemas.known
class Exercise(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A position that the reader may go to, and what to do there."""

    text: Text
    puzzle: str
    position: str
    goal: str
    beside: str = ""
    """Another position to choose from, one that cannot be solved."""


@schemas.known
class Lesson(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A guided page."""

    title: Text
    text: list[Text]
    experiment: Experiment
    question: Exercise
    looks: list[Exercise] = []
    """Searches to look inside, beside the experiment."""


@cache
def all_lessons() -> tuple[Lesson, ...]:
    """The lessons in order."""
    files = sorted(LESSONS.glob("*.json"), key=lambda path: int(path.stem))
    return tuple(msgspec.convert(json.loads(path.read_text(encoding="utf-8")), Lesson) for path in files)


@lessons.app_template_filter("spoken")
def spoken(text: Text) -> str:
    """The text in the language of the page."""
    return text[str(get_locale().language)]


@lessons.get("/lessons")
def list_lessons() -> str:
    """All lessons."""
    return render_template("lessons.html", lessons=all_lessons())


@lessons.get("/lessons/<int:number>")
def lesson(number: int) -> str:
    """One lesson."""
    if not 1 <= number <= len(all_lessons()):
        abort(404)
    shown = all_lessons()[number - 1]
    scene = {"race": _race, "inside": _inside}[shown.experiment.kind](shown.experiment)
    choices = _choices(shown.question)
    return render_template(
        "lesson.html", lesson=shown, number=number, count=len(all_lessons()), choices=choices, **scene
    )


def _choices(question: Exercise) -> dict[str, board_picture.Picture]:
    """The positions that the reader may go to; a picture of each where there are two."""
    puzzle = read_puzzle(question.puzzle)
    texts = [text for text in (question.beside, question.position) if text]
    return {
        text: board_picture.picture(puzzle, puzzle.parse(text), question.goal, margin=6) for text in texts
    }


def _race(experiment: Experiment) -> dict[str, Any]:
    asked = read(experiment.puzzle, experiment.position, experiment.goal)
    puzzle, position = asked.puzzle, asked.puzzle.format(asked.position)
    entry = race.Race(puzzle, position, experiment.goal, experiment.methods, "all")
    here = verdicts.verdict_of(puzzle, asked.goal, asked.position).moves_left
    counts = explorer.counts_of(puzzle, asked.goal) if experiment.histogram else None
    return {
        "puzzle": puzzle,
        "position": position,
        "picture": board_picture.picture(puzzle, asked.position, experiment.goal),
        "shape": board_picture.shape_of(puzzle),
        "data": race.script_data(entry),
        "chart": counts and explorer.chart(counts, here),
    }


def _inside(experiment: Experiment) -> dict[str, Any]:
    asked = read(experiment.puzzle, experiment.position, experiment.goal)
    return trace.scene_of(asked, experiment.goal, experiment.methods[0])


@lessons.get("/classics")
def show_classics() -> str:
    """The published results beside what comes out here, run by the reader."""
    known = published_results.all_results()
    rows = [_row(classic) for classic in known]
    return render_template(
        "classics.html",
        rows=rows,
        longest=max(rows, key=lambda row: row["classic"].seconds),
        minutes=published_results.total_minutes(),
        data={
            "language": str(get_locale().language),
            "words": race.words_for(("classics.", "failed.", "stopped.", "sentence.gap")),
            "classics": [_fields(classic) for classic in known],
            "engine": VERSION,
            "names": [{name: row[name] for name in ("title", "method")} for row in rows],
        },
    )


def _row(classic: published_results.PublishedResult) -> dict[str, Any]:
    puzzle = PUZZLES[classic.puzzle]
    return {
        "classic": classic,
        "title": in_words(puzzle.title),
        "method": in_words(puzzle.methods[classic.method].title),
        "published": published_results.published_text(classic),
        "goal": goal_name(puzzle, classic.goal),
    }


def _fields(classic: published_results.PublishedResult) -> dict[str, Any]:
    """What a script needs to run it; the goal is checked on the way."""
    read_goal(read_puzzle(classic.puzzle), classic.goal)
    fields: dict[str, Any] = msgspec.to_builtins(classic)
    return fields
