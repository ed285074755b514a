"""Results of the atlas for a start and a goal, and the best known solution in front of a search."""

from collections.abc import Iterator

import msgspec

from hoppers.core.events import Event, Found
from hoppers.core.model import MAX_MOVES
from hoppers.core.puzzle import Puzzle, Question, moves_of
from hoppers.tablebase import atlas_data
from hoppers.tablebase.atlas_data import KnownResult, key


def known_result(puzzle: Puzzle, start: str, goal: str) -> KnownResult | None:
    """Return the known result for a start and a goal, or None if the atlas does not cover this start.

    A goal hole that the position class rules out gives an impossible result with the reason 'class'. If the
    puzzle has an engine, an unproved result has the bounds of the engine, which may be better than those of
    the atlas. Its line is always that of the atlas.

    Raises:
        PuzzleError: `start` or `goal` is not valid.
    """
    atlas, position, code = atlas_data.load_atlas(), puzzle.parse(start), puzzle.parse_goal(goal)
    entries = atlas.boards.get(puzzle.id)
    cells = puzzle.cells(position.state)
    if entries is None:
        return atlas.starts.get(puzzle.id, {}).get(f"{start} {goal}")
    if cells.count(0) != 1 or ":" in start:
        return None
    entry = entries.get(key(puzzle, cells.index(0), goal))
    if entry is None:
        return KnownResult(True, reason="class")
    if entry.proved or puzzle.owner is None:
        return entry
    bounds = puzzle.engine.bounds.of(puzzle, code, position)  # at least as good as those of the atlas
    if bounds.is_dead:
        return KnownResult(True, reason="table")
    return msgspec.structs.replace(entry, proved=bounds.is_tight, moves=bounds.most, least=bounds.least)


def known_first(question: Question, events: Iterator[Event]) -> Iterator[Event]:
    """Yield the best known solution, unless it is proved shortest, and then `events`.

    A `Found` that is not shorter than the solution yielded last is left out.
    """
    puzzle, fewest, known = question.puzzle, MAX_MOVES, question.puzzle.engine.bounds
    bounds = known.of(puzzle, question.goal, question.root)
    if bounds.most is not None and not bounds.is_tight:
        steps = known.line(puzzle, question.goal, question.root)
        fewest = question.spent + bounds.most
        yield Found(fewest, 0.0, moves_of(question, steps))
    for event in events:
        if not isinstance(event, Found):
            yield event
        elif event.limit < fewest:
            fewest = event.limit
            yield event
