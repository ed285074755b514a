"""JSON API: the list of puzzles, and the verdicts, hint and solutions of a position.

The answers come from `hoppers.analysis.verdicts`. An answer that will never change (see `is_final`) may be
cached, here by `http.responses.cached`, too. While the server starts up, a request may wait a few seconds for
the kernels of its puzzle.
"""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any
from urllib.parse import urlencode

import msgspec
from flask import Blueprint, Response, jsonify, request

from hoppers.analysis import verdicts
from hoppers.analysis.certificates import certificate_of
from hoppers.analysis.reasons import reason_of
from hoppers.core.model import prebuild_decoder
from hoppers.core.puzzle import Puzzle, Question
from hoppers.core.reasons import Reason, Tally
from hoppers.web.api import answers
from hoppers.web.api.operations import LanguageQuery, PositionQuery, operation
from hoppers.web.channel.json_lines import SearchLine, SearchQuery
from hoppers.web.current import puzzles, read_puzzle, read_request, wait_for_kernels, warmup_progress
from hoppers.web.http.addresses import url_with_query
from hoppers.web.http.i18n import localized
from hoppers.web.http.responses import CACHE_SECONDS, cache_publicly, may_change
from hoppers.web.servers.faults import Fault

blueprint = Blueprint("api", __name__, url_prefix="/api")

NO_REASON: answers.ReasonAnswer = {
    "reason": None,
    "sentence": None,
    "boards": None,
    "proofs": [],
    "moves": [],
}
MAX_SOLUTIONS = 100  # listed in one answer
MAX_OFFSET = 10_000  # solutions before the first that is listed
VERDICT_WAIT_SECONDS = 3  # longest wait of a request during start-up before its verdict is `unknown`


@prebuild_decoder
class VerdictQuery(PositionQuery):
    """Query string of a position; `verdicts=0` requests only the verdicts that the rules prove at once."""

    verdicts: bool = True


@prebuild_decoder
class SolutionListQuery(PositionQuery):
    """Query string of a list of solutions; `unique=1` requests the solutions up to symmetry."""

    unique: bool = False
    limit: Annotated[int, msgspec.Meta(ge=0, extra_json_schema={"maximum": MAX_SOLUTIONS})] = MAX_SOLUTIONS
    """At most `MAX_SOLUTIONS` count, whatever the number is."""
    offset: Annotated[int, msgspec.Meta(ge=0, le=MAX_OFFSET)] = 0


def read_with_wait(puzzle_id: str, position: str, goal: str | None) -> Question:
    """Parse a request, then wait up to `VERDICT_WAIT_SECONDS` for the kernels of its puzzle.

    Loading compiled kernels usually takes less time, so most verdicts are known afterwards. A puzzle whose
    tables numpy can build, or with `Solving.any_solution`, is not waited for, because it has a verdict and a
    solution without kernels. Errors are those of `read_request`.
    """
    parsed = read_request(puzzle_id, position, goal)
    if parsed.puzzle.solving.any_solution is None and not parsed.puzzle.can_answer:
        wait_for_kernels(parsed.puzzle, VERDICT_WAIT_SECONDS)
    return parsed


@blueprint.get("/puzzles")
@operation(answers.PuzzleList)
def list_puzzles(query: LanguageQuery) -> Response:
    """Return all puzzles, in the order of the gallery."""
    return jsonify(puzzles=[puzzle_summary(puzzle) for puzzle in puzzles()])


@blueprint.get("/puzzles/<puzzle_id>")
@operation(answers.PuzzleAnswer)
def show_puzzle(puzzle_id: str, query: LanguageQuery) -> Response:
    """Return the data with which a program can draw and play a puzzle."""
    puzzle = read_puzzle(puzzle_id)
    answer = answers.PuzzleAnswer(
        **puzzle_summary(puzzle),
        objective=localized(puzzle.texts.objective),
        alphabet=puzzle.rules.alphabet,
        points=[list(point) for point in puzzle.board.points],
        drawn=[[round(x, 2), round(y, 2)] for x, y in puzzle.board.drawn],
        starts=dict(puzzle.starts),
        goals=list(puzzle.rules.goals),
        problems=[
            {"name": localized(p.name), "start": p.start, "goal": p.goal} for p in puzzle.gallery.problems
        ],
        method_notes={
            name: {"title": localized(method.title), "note": localized(method.note)}
            for name, method in puzzle.solving.methods.items()
        },
        lesson=puzzle.solving.default_method,
    )
    return jsonify(answer)


@blueprint.get("/puzzles/<puzzle_id>/positions/<position>")
@operation(answers.PositionAnswer, VerdictQuery)
def show_position(puzzle_id: str, position: str, query: VerdictQuery) -> Response:
    """Return the verdict on a position and on every legal step."""
    if query.verdicts:
        parsed = read_with_wait(puzzle_id, position, query.goal)
        return cacheable_json(graded_fields(parsed))
    return cacheable_json(immediate_fields(read_request(puzzle_id, position, query.goal)))


def immediate_fields(parsed: Question) -> answers.PositionAnswer:
    """Return the JSON fields of a position and its steps, with only the verdicts that the rules prove."""
    graded = verdicts.immediately_graded(parsed.puzzle, parsed.goal, parsed.position)
    return _position_fields(parsed, *graded)


def graded_fields(parsed: Question) -> answers.PositionAnswer:
    """Return the JSON fields of a position and its steps, with all verdicts.

    The field `warming` is the result of `warmup_progress`. The field `preparation` is the progress, from 0
    to 1, of a build that will decide the position, or None. It is 1 if no such build runs and one build ended
    during this call, so that the page requests the verdicts again.
    """
    warming = warmup_progress(parsed.puzzle)  # read first, so that unknown verdicts are requested again
    builder = parsed.puzzle.engine.builder
    ended = builder.ended
    fields = _position_fields(parsed, *verdicts.graded(parsed.puzzle, parsed.goal, parsed.position))
    if warming or not is_final(fields):
        may_change()
    if not is_final(fields):
        progress = parsed.puzzle.source(parsed.goal).progress(parsed.position)
        fields["preparation"] = 1.0 if progress is None and builder.ended > ended else progress
    fields["warming"] = warming
    return fields


def _position_fields(
    parsed: Question, verdict: verdicts.Verdict, steps: list[verdicts.GradedStep]
) -> answers.PositionAnswer:
    return {
        "position": parsed.puzzle.format(parsed.position),
        **verdict_fields(verdict),
        "preparation": None,
        "warming": None,
        "steps": [step_fields(parsed.puzzle, step) for step in steps],
    }


@blueprint.get("/puzzles/<puzzle_id>/positions/<position>/hint")
@operation(answers.HintAnswer, PositionQuery)
def show_hint(puzzle_id: str, position: str, query: PositionQuery) -> Response:
    """Return the verdict and, if it is 'live', the next move of the best known solution, and its first step.

    The solution is a shortest one if the field `proved` is true.
    """
    return cacheable_json(hint_fields(read_with_wait(puzzle_id, position, query.goal)))


def hint_fields(parsed: Question) -> answers.HintAnswer:
    """Return the JSON fields of a hint; `move` is empty and `step` None unless the verdict is 'live'."""
    verdict, move = verdicts.hint(parsed.puzzle, parsed.goal, parsed.position)
    return {
        **verdict_fields(verdict),
        "move": move,
        "step": {"from": move[0], "to": move[1]} if move else None,
        "proved": verdict.is_final,
    }


@blueprint.get("/puzzles/<puzzle_id>/positions/<position>/solution")
@operation(answers.SolutionAnswer, PositionQuery)
def show_solution(puzzle_id: str, position: str, query: PositionQuery) -> Response:
    """Return the verdict and the best known solution, which is a shortest one if `proved` is true.

    The field `moves` is empty if no solution exists or none is known.
    """
    parsed = read_with_wait(puzzle_id, position, query.goal)
    verdict, moves = verdicts.solution(parsed.puzzle, parsed.goal, parsed.position)
    return cacheable_json(
        answers.SolutionAnswer(**verdict_fields(verdict), moves=moves, proved=verdict.is_final)
    )


@blueprint.get("/puzzles/<puzzle_id>/positions/<position>/reason")
@operation(answers.DeadReason, PositionQuery)
def show_reason(puzzle_id: str, position: str, query: PositionQuery) -> Response:
    """Return the verdict and, if it is 'dead', why: a proof that can be checked by hand, if one is known."""
    parsed = read_with_wait(puzzle_id, position, query.goal)
    reason = reason_of(parsed.puzzle, parsed.goal, parsed.position)
    if reason is None:
        verdict, _ = verdicts.graded(parsed.puzzle, parsed.goal, parsed.position)
        return cacheable_json(answers.DeadReason(**verdict_fields(verdict), **NO_REASON, certificate=None))
    fields = verdict_fields(verdicts.IMPOSSIBLE)
    place, asked = {"puzzle_id": puzzle_id, "position": position}, parsed.puzzle.goal_text(parsed.goal)
    address = url_with_query("api.show_certificate", place, {"goal": asked})
    has_one = certificate_of(parsed.puzzle, parsed.goal, parsed.position) is not None
    return cache_publicly(
        jsonify(
            answers.DeadReason(
                **fields,
                **reason_fields(parsed.puzzle, reason),
                certificate=address if has_one else None,
            )
        )
    )


@blueprint.get("/puzzles/<puzzle_id>/positions/<position>/slack")
@operation(answers.Proof, PositionQuery)
def show_slack(puzzle_id: str, position: str, query: PositionQuery) -> Response:
    """Return whole numbers of the holes that fit the goal: no jump raises their sum under the pegs.

    Jumps may use up the slack, `sum` - `goal_sum`, and no more. The answer is 404 for tiles and discs.
    """
    parsed = read_request(puzzle_id, position, query.goal)
    tally = parsed.puzzle.rules.fitting_tally(parsed.position, parsed.goal)
    if tally is None:
        raise Fault(404, "not_found", "There is no slack in the puzzle {puzzle}.", puzzle=puzzle_id)
    return cache_publicly(jsonify(_tally_fields(parsed.puzzle, tally)))


def reason_fields(puzzle: Puzzle, reason: Reason) -> answers.ReasonAnswer:
    """Return the JSON fields of a reason. A step of `moves` has those of its own reason."""
    return {
        "reason": reason.code,
        "sentence": localized(reason.sentence),
        "boards": reason.boards or None,
        "proofs": [_tally_fields(puzzle, tally) for tally in reason.tallies],
        "moves": [
            {"from": step.origin, "to": step.target, **reason_fields(puzzle, own)}
            for step, own in reason.steps
        ],
    }


def _tally_fields(puzzle: Puzzle, tally: Tally) -> answers.Proof:
    return {
        "law": tally.law,
        "position": puzzle.format(tally.source),
        "goals": [puzzle.format(target) for target in tally.targets],
        "weights": {str(hole): number for hole, number in sorted(tally.numbers.items())},
        "sum": tally.total,
        "goal_sum": tally.target_total,
        "after": [{"from": step.origin, "to": step.target, "sum": step.total} for step in tally.after],
    }


@blueprint.get("/puzzles/<puzzle_id>/positions/<position>/certificate")
@operation(answers.CertificateAnswer, PositionQuery)
def show_certificate(puzzle_id: str, position: str, query: PositionQuery) -> Response:
    """Return a claim about a position with its proof, in a line that `/data/check_certificate.py` checks.

    The answer is 404 where no claim has a proof that can be written down.
    """
    parsed = read_with_wait(puzzle_id, position, query.goal)
    found = certificate_of(parsed.puzzle, parsed.goal, parsed.position)
    if found is None:
        raise Fault(
            404, "not_found", "There is no certificate of the position {position}.", position=position
        )
    response = jsonify(found)
    if "most" in found["claim"]:  # a better solution may be found
        response.cache_control.no_store = True
        return response
    return cache_publicly(response)


@blueprint.get("/puzzles/<puzzle_id>/positions/<position>/solutions")
@operation(answers.SolutionPage, SolutionListQuery)
def list_solutions(puzzle_id: str, position: str, query: SolutionListQuery) -> Response:
    """Return the number of shortest solutions, and one page of them.

    If they cannot be listed now, the answer has the progress of a build that will list them, or the reason.
    """
    parsed = read_request(puzzle_id, position, query.goal)
    if not parsed.puzzle.can_answer:
        wait_for_kernels(parsed.puzzle, VERDICT_WAIT_SECONDS)
    page = query.unique, query.offset, min(query.limit, MAX_SOLUTIONS)
    found = verdicts.solutions(parsed.puzzle, parsed.goal, parsed.position, *page)
    return cacheable_json({**asdict(found), "next": _next_page(query, found)})


def _next_page(query: SolutionListQuery, found: verdicts.Solutions) -> str | None:
    """Return the address of the solutions behind a page, None if there are none, or none can be listed."""
    total = found.unique_count if query.unique else found.count
    offset = query.offset + len(found.solutions or ())
    if not found.solutions or total is None or offset >= min(total, MAX_OFFSET + 1):
        return None
    given = request.args.to_dict() | {"offset": str(offset)}
    if "limit" in given:
        given["limit"] = str(min(query.limit, MAX_SOLUTIONS))
    return f"{request.path}?{urlencode(given)}"


@blueprint.get("/puzzles/<puzzle_id>/positions/<position>/search")
@operation(SearchLine, SearchQuery, "application/x-ndjson")
def show_search(puzzle_id: str, position: str, query: SearchQuery) -> Response:
    """Return the events of a search as lines of JSON, as they come.

    The last is `solved`, `unsolvable`, `stopped` or `failed`. Who stops reading stops the search.
    """
    # The event loop answers GET, so that only what does not come through it gets here, such as HEAD.
    read_request(puzzle_id, position, query.goal)
    if request.method == "HEAD":
        return Response(mimetype="application/x-ndjson")
    raise Fault(501, "not_supported", "This server cannot search here; only the program's own server can.")


def cacheable_json(fields: Mapping[str, Any]) -> Response:
    """Return `fields` as JSON; caches may store only a response that will never change."""
    response = jsonify(fields)
    response.headers["Cache-Control"] = cache_control(fields)
    return response


def cache_control(fields: Mapping[str, Any]) -> str:
    """Return the Cache-Control header of an answer, which is cached only if it will never change."""
    return f"public, max-age={CACHE_SECONDS}" if is_final(fields) else "no-store"


def is_final(fields: Mapping[str, Any]) -> bool:
    """Return whether an answer with these JSON fields will never change.

    It may change while the server starts up or cannot list the solutions, if a verdict is not final, or if a
    count or number is missing.
    """
    if fields.get("warming") or fields.get("counting") is not None or fields.get("reason") is not None:
        return False
    parts = [fields, fields.get("start", {}), *fields.get("steps", [])]
    values = [part.get(name, 0) for part in parts for name in ("count", "number")]
    return None not in values and all(map(_is_decided, parts))


def _is_decided(part: Mapping[str, Any]) -> bool:
    """Return whether the verdict of a part will never change; True for a part without a verdict."""
    word = part.get("verdict", verdicts.SOLVED)
    return word in (verdicts.SOLVED, verdicts.DEAD_END) or part["moves_left"] is not None


def puzzle_summary(puzzle: Puzzle) -> answers.PuzzleSummary:
    """Return the JSON fields of a puzzle in the list of puzzles."""
    return {
        "id": puzzle.id,
        "title": localized(puzzle.texts.title),
        "family": puzzle.family,
        "holes": puzzle.holes,
        "start": puzzle.start,
        "goal": puzzle.goal,
        "methods": list(puzzle.solving.methods),
    }


def step_fields(puzzle: Puzzle, graded: verdicts.GradedStep) -> answers.StepAnswer:
    """Return the JSON fields of a step, with the position after the step and its verdict."""
    step, verdict = graded
    return {
        "from": step.origin,
        "to": step.target,
        "position": puzzle.format(step.after),
        "cost": step.cost,
        **verdict_fields(verdict),
    }


def verdict_fields(verdict: verdicts.Verdict) -> answers.VerdictAnswer:
    """Return the JSON fields of a verdict; `bounds` is left out if it is final or nothing is known."""
    fields: answers.VerdictAnswer = {"verdict": verdict.verdict, "moves_left": verdict.moves_left}
    if not verdict.is_final and verdict != verdicts.UNDECIDED:
        fields["bounds"] = {"least": verdict.bounds.least, "most": verdict.bounds.most}
    return fields
