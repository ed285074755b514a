"""The strongest proof: an exact source answers, and the answer is told as a search would tell it."""

import time
from collections.abc import Iterator

from ..puzzle import Method, Question
from ..records import Words, group_moves
from ..search.deepening import first_limit
from ..search.events import Event, Exhausted, Solved, Unsolvable
from .lines import Counter, one_line


def best() -> Method:
    """The method that reads the puzzle's source: no limit needs a node."""
    return Method(
        Words("Best proof: the table", "最強の証明：表"),
        Words(
            "All positions were solved once, backwards from the end; the answer is looked up.",
            "終わりから逆向きに全局面を解いてあるので、答えは表を引くだけです。",
        ),
        _look_up,
    )


def _look_up(question: Question) -> Iterator[Event]:
    started = time.perf_counter()
    puzzle, goal, root = question.puzzle, question.goal, question.root
    source = puzzle.source(goal)
    left = source.moves_left(root)
    if left < 0:
        reason = puzzle.obstruction(root, goal) or "table"
        yield Unsolvable(reason, 0, time.perf_counter() - started)
        return
    fewest = question.spent + left
    for limit in range(first_limit(question), fewest):
        yield Exhausted(limit, 0, 0, 0.0)
    first = [question.first] if question.first is not None else []
    moves = group_moves(first + one_line(puzzle, source, goal, root))
    count = Counter(puzzle, source, goal).count(root) if question.find_all else None
    yield Solved(fewest, 0, time.perf_counter() - started, moves, count, 0)
