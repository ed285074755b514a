"""JSON API: the trace of a small search, event by event, and the lower bound of a position."""

from typing import Annotated, Any, NamedTuple

import msgspec
from flask import Blueprint, Response

from hoppers.core.errors import Busy, PuzzleError, quoted
from hoppers.core.events import Exhausted, Failed, Marks, Progress, Solved, Unsolvable, Visit
from hoppers.core.model import prebuild_decoder
from hoppers.core.puzzle import Puzzle, PuzzleEngine, Question
from hoppers.core.texts import Text
from hoppers.drawing.board_picture import is_hole
from hoppers.runtime.lru_cache import LRUCache
from hoppers.web.api import answers
from hoppers.web.api.operations import PositionQuery, operation
from hoppers.web.api.positions import cacheable_json
from hoppers.web.current import engine, read_puzzle, read_request, require_kernels
from hoppers.web.http.i18n import localized

blueprint = Blueprint("api_trace", __name__, url_prefix="/api")

MAX_NODES = 3_000_000  # of a search; the limit in which the search exceeds this number cannot be traced
MAX_POSITIONS = 300_000  # the same for breadth-first searches, which make their levels again for each page
PAGE_NODES = 500  # nodes on one page of a trace


@prebuild_decoder
class TraceQuery(PositionQuery):
    """Query string of a page of a trace. By default, method and limit are the first that can be traced."""

    method: str = ""
    limit: int | None = None
    page: Annotated[int, msgspec.Meta(ge=0)] = 0


class TracedLimit(NamedTuple):
    """A limit that can be traced."""

    limit: int
    nodes: int
    cut: int
    """Pruned nodes; 0 if the limit is solved."""
    result: str
    """'exhausted', 'solved', or 'unsolvable' without any search."""
    memory: int | None = None
    """Bytes that a breadth-first search holds after this level; None for other searches."""

    def fields(self) -> list[int | str]:
        """Return the fields as clients receive them: without the memory if it is not counted."""
        return [field for field in self if field is not None]


class TracedLimits(NamedTuple):
    """The limits of a search that can be traced."""

    rows: list[TracedLimit]
    is_whole: bool
    """Whether these are all limits of the search."""
    is_proved: bool
    """Whether the results are proofs; False for a bound that may overestimate (see `core.events`)."""


@blueprint.get("/puzzles/<puzzle_id>/positions/<position>/trace")
@operation(answers.TraceAnswer, TraceQuery)
def show_trace_page(puzzle_id: str, position: str, query: TraceQuery) -> Response:
    """Return one page of the events of a limit, and the totals of all traceable limits."""
    require_kernels(read_puzzle(puzzle_id))
    parsed = read_request(puzzle_id, position, query.goal)
    method = traced_method(parsed.puzzle, query.method)
    limits = limits_of(parsed, method)
    limit = limits.rows[0].limit if query.limit is None else query.limit
    _check_page(limits.rows, limit, query.page)
    line, events = trace_page(parsed, method, limit, query.page)
    answer = answers.TraceAnswer(
        method=method,
        limits=[row.fields() for row in limits.rows],
        whole=limits.is_whole,
        page_nodes=PAGE_NODES,
        limit=limit,
        page=query.page,
        line=[_visit_fields(parsed.puzzle, limit, visit) for visit in line],
        events=[_visit_fields(parsed.puzzle, limit, visit) for visit in events],
    )
    if not limits.is_proved:
        answer["proved"] = False
    return cacheable_json(answer)


def traceable_methods(puzzle: Puzzle) -> dict[str, str]:
    """Return the titles of a puzzle's methods that can be traced, by name."""
    methods = puzzle.solving.methods.items()
    return {name: localized(method.title) for name, method in methods if method.trace is not None}


def traced_method(puzzle: Puzzle, name: str) -> str:
    """Return `name`, or the first traceable method for ''; raise PuzzleError if `name` cannot be traced."""
    names = list(traceable_methods(puzzle))
    if not name:
        return names[0]
    if puzzle.method(name[:100]).trace is None:
        raise PuzzleError(
            "{name!r} cannot be stepped through; choose one of {names}",
            "invalid_method",
            name=name,
            names=", ".join(names),
        )
    return name


def _cached_limits(engine: PuzzleEngine) -> LRUCache[tuple[Question, str], TracedLimits]:
    """Return a new cache for the limits of recently requested traces (a resource of `engine`)."""
    return LRUCache(256)


def limits_of(parsed: Question, method: str) -> TracedLimits:
    """Return the result of `count_limits`, from the cache if possible, or raise its PuzzleError."""
    cache = engine().resource(_cached_limits)
    limits = cache.get((parsed, method))
    if limits is None:
        cache.put((parsed, method), limits := count_limits(parsed, method))
    return limits


def count_limits(parsed: Question, method: str) -> TracedLimits:
    """Run the search until it ends or reports more than `MAX_NODES` nodes; return its finished limits.

    Raise a PuzzleError if the first limit is unfinished, or Busy if there is no memory for the search.
    """
    rows: list[TracedLimit] = []
    is_proved, most = True, MAX_POSITIONS if parsed.puzzle.method(method).algorithm.has_levels else MAX_NODES
    for event in parsed.puzzle.method(method).search(parsed):
        before = sum(row.nodes for row in rows)
        if isinstance(event, Exhausted | Solved | Unsolvable):
            is_proved &= event.proved
        match event:
            case Exhausted(limit=limit, nodes=nodes, cut=cut, memory=memory):
                rows.append(TracedLimit(limit, nodes, cut, "exhausted", memory))
            case Solved(limit=limit, nodes=nodes, memory=memory):
                return TracedLimits([*rows, TracedLimit(limit, nodes, 0, "solved", memory)], True, is_proved)
            case Unsolvable():
                rows = rows or [TracedLimit(parsed.first_limit, 0, 0, "unsolvable")]
                return TracedLimits(rows, True, is_proved)
            case Progress(nodes=nodes) if before + nodes > most:
                break
            case Failed(error=error):
                raise Busy(error["message"])
    if not rows:
        raise PuzzleError("the first limit visits more than {nodes} positions, too many to watch", nodes=most)
    return TracedLimits(rows, False, is_proved)


def _check_page(rows: list[TracedLimit], limit: int, page: int) -> None:
    """Raise a PuzzleError if the trace has no limit `limit`, or that limit has no page `page`."""
    nodes = {row.limit: row.nodes for row in rows}
    if limit not in nodes:
        raise PuzzleError(
            "limit {limit} cannot be stepped through; limits {first} to {last} can",
            limit=limit,
            first=rows[0].limit,
            last=rows[-1].limit,
        )
    if page and page * PAGE_NODES >= nodes[limit]:
        raise PuzzleError(
            "limit {limit} has {nodes}, so there is no page {page}",
            limit=limit,
            nodes=Text("{n} node", {"n": nodes[limit]}, "{n} nodes"),
            page=page,
        )


def trace_page(parsed: Question, method: str, limit: int, number: int) -> tuple[list[Visit], list[Visit]]:
    """Return page `number` of a limit, from 0: the line of play to its first event, and its events.

    On page 0 the line is empty. Events before the first node of a page belong to the page before. Both lists
    are empty if the method cannot be traced.
    """
    begin = parsed.puzzle.method(method).trace
    line: list[Visit] = []
    events: list[Visit] = []
    nodes = 0
    for visit in begin(parsed, limit, number * PAGE_NODES) if begin is not None else ():
        nodes += visit.is_node
        if nodes > PAGE_NODES:
            break
        if visit.kind == "line":
            line.append(visit)
        elif number == 0 or nodes:
            events.append(visit)
        elif visit.kind == "leave":
            line.pop()
    return line, events


def _visit_fields(puzzle: Puzzle, limit: int, visit: Visit) -> list[Any]:
    text = puzzle.format(visit.position)
    step = (-1, -1) if visit.step is None else visit.step[:2]
    fields = [visit.kind, limit, visit.depth, *step, text, visit.spent, visit.bound, int(visit.is_node)]
    marks = [[number, *holes] for number, holes in visit.marks]
    return [*fields, marks] if marks else fields


@prebuild_decoder
class BoundQuery(PositionQuery):
    """Query string of a lower bound: that of a method, by default the first that can be traced, or of holes.

    `holes`: numbers of holes joined by commas, to see the bound that they give.
    """

    method: str = ""
    holes: str = ""


@blueprint.get("/puzzles/<puzzle_id>/positions/<position>/bound")
@operation(answers.MethodBound, BoundQuery)
def show_bound(puzzle_id: str, position: str, query: BoundQuery) -> Response:
    """Return the lower bound with which a method searches a position, or that of a set of holes."""
    require_kernels(read_puzzle(puzzle_id))
    parsed = read_request(puzzle_id, position, query.goal)
    if query.holes:
        return cacheable_json(_chosen_bound(parsed, query.holes))
    method = traced_method(parsed.puzzle, query.method)
    bound, marks = bound_of(parsed, method)
    groups = [[number, *holes] for number, holes in marks]
    answer = answers.MethodBound(method=method, bound=bound, marks=groups)
    if not parsed.puzzle.method(method).is_admissible:
        answer["proved"] = False
    return cacheable_json(answer)


def _chosen_bound(parsed: Question, holes: str) -> answers.MethodBound:
    """Return the bound of the holes in a text; raise PuzzleError if it is wrong, or there is no bound."""
    puzzle = parsed.puzzle
    if puzzle.solving.chosen_bound is None:
        raise PuzzleError("{puzzle} has no bound by chosen holes", puzzle=puzzle.texts.title)
    names = holes[: 4 * puzzle.holes].split(",")
    if not all(is_hole(puzzle, name) for name in names):
        raise PuzzleError(
            "{holes} is not a list of holes of {puzzle}, such as 0,2,5",
            "invalid_option",
            holes=quoted(holes),
            puzzle=puzzle.texts.title,
        )
    chosen = puzzle.solving.chosen_bound(puzzle, parsed.position, frozenset(map(int, names)))
    answer = answers.MethodBound(
        method="", bound=chosen.bound, marks=[[number, *group] for number, group in chosen.marks]
    )
    if chosen.faults is not None:
        answer["faults"] = [list(fault) for fault in chosen.faults]
    return answer


def bound_of(parsed: Question, method: str) -> tuple[int, Marks]:
    """Return the lower bound of a position by a method, and the holes that show it.

    The bound is 0 if the position is solved or dead.
    """
    begin = parsed.puzzle.method(method).trace
    first = next(iter(begin(parsed, 0, 0) if begin is not None else ()), None)
    return (first.bound, first.marks) if first is not None and first.kind == "bound" else (0, ())
