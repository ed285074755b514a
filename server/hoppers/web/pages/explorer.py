"""The explorer page: every legal step with its verdict, and a histogram of positions by fewest moves left."""

from collections.abc import Sequence
from typing import Any

from flask import Blueprint, Response

from hoppers.analysis import verdicts
from hoppers.analysis.reasons import reason_of
from hoppers.core.model import Position
from hoppers.core.puzzle import Question
from hoppers.core.reasons import Reason, Tally
from hoppers.web.api.positions import reason_fields, step_fields
from hoppers.web.api.results import counts_of
from hoppers.web.http.i18n import board_words, localized
from hoppers.web.http.responses import may_change
from hoppers.web.pages.play import page_response, position_context, read_link, script_data
from hoppers.web.pages.solution_bounds import has_bounds

blueprint = Blueprint("explorer", __name__)


@blueprint.get("/puzzles/<puzzle_id>/explore")
def explorer(puzzle_id: str) -> Response:
    """Return the explorer page. For an invalid link the page shows the puzzle's start and the error."""
    parsed, fault = read_link(puzzle_id)
    return page_response("pages/explorer.html", fault, **_template_context(parsed))


def _template_context(parsed: Question) -> dict[str, Any]:
    puzzle, goal, position = parsed.puzzle, parsed.goal, parsed.position
    is_warming = not puzzle.can_answer  # read before the verdicts, so that unknown ones are requested again
    counts = counts_of(puzzle, goal)
    source = puzzle.source(goal)
    local = None if counts is not None else source.local_distribution(position)
    known = local.counts if local else counts
    if known is None and not source.needs_large_build(position):
        source.request_proof(position)  # its table has the distribution, also where the verdict is known
    # Read after the counts, so that a position in the chart has a verdict.
    here, graded = verdicts.graded(puzzle, goal, position)
    steps = sorted(graded, key=_rank)
    preparation = None if here.is_final and known is not None else source.progress(position)
    if preparation is None:  # a build may have ended since the first verdict
        here = verdicts.verdict_of(puzzle, goal, position)
    if counts is None or is_warming:  # the chart of a part, or verdicts without a table
        may_change()
    reason = reason_of(puzzle, goal, position) if here.verdict == verdicts.DEAD_END else None
    return {
        **position_context(parsed),
        "here": here,
        "reason": reason and localized(reason.sentence),
        "tally": reason and _tally_here(reason, position),
        "steps": [step_fields(puzzle, step) for step in steps],
        "chart": chart(known, here.moves_left) if known else None,
        "can_deal": counts is not None and puzzle.rules.numbering is not None,
        "local": local,
        "local_start": local and puzzle.format(Position(local.start)),
        "preparation": preparation,
        "is_warming": is_warming,
        "has_bounds": has_bounds(puzzle),
        "data": {
            **script_data(puzzle, puzzle.goal_text(goal)),
            "preparing": preparation is not None or is_warming,
            "reason": reason and reason_fields(puzzle, reason),
            "words": board_words(),
        },
    }


def _tally_here(reason: Reason, position: Position) -> Tally | None:
    """Return the first tally of a reason if it counts `position` itself, else None."""
    first = reason.tallies[0] if reason.tallies else None
    return first if first is not None and first.source.state == position.state else None


def _rank(graded: verdicts.GradedStep) -> tuple[int, int, int, int]:
    """Return the sort key of a step: verdict, cost plus (if live) the lower bound after it, then holes."""
    step, verdict = graded
    least = verdict.bounds.least if verdict.verdict == verdicts.LIVE else 0
    order = (verdicts.SOLVED, verdicts.LIVE, verdicts.NOT_KNOWN, verdicts.DEAD_END)
    return order.index(verdict.verdict), step.cost + least, step.origin, step.target


def chart(counts: Sequence[int], here: int | None) -> dict[str, Any]:
    """Return the histogram of `counts`, in which every positive count has a visible bar.

    `counts`: numbers of positions with 0, 1, 2, … moves left; not empty. `here`: moves left from the current
    position, or None. The bars fill 560 by 150 SVG units. The field `nearer` is the number of positions with
    fewer moves left than `here`; 0 if `here` is None.
    """
    full_height = 150.0
    width, largest = 560.0 / len(counts), max(counts)
    bars = []
    for moves, count in enumerate(counts):
        height = max(2.0, count / largest * full_height) if count else 0.0
        bar = {"x": moves * width, "y": full_height - height, "width": width, "height": height}
        bars.append({**bar, "moves": moves, "positions": count, "here": moves == here})
    return {"bars": bars, "total": sum(counts), "nearer": 0 if here is None else sum(counts[:here])}
