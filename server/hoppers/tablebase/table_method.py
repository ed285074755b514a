"""The strongest proofs: an exact source, told as a search would tell it, and searches where none knows."""

import itertools
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import replace

from hoppers.core.events import Event, Exhausted, Found, Progress, Solved, Unsolvable
from hoppers.core.model import DEAD, UNKNOWN, Keeping, Learning, Position, Step, Words, group_moves
from hoppers.core.puzzle import Method, Question
from hoppers.search.iterative_deepening import first_limit
from hoppers.tablebase.solutions import Counter, Forgotten, one_line

COUNTED_AT_ONCE = 64
"""Positions walked between two events."""
Search = Callable[[Question], Iterator[Event]]


def best(search: Search | None = None) -> Method:
    """The method that reads the puzzle's source: no limit needs a node.

    `search`: what to do where the source does not know; without it the source must always know.
    """
    if search is None:
        return Method(
            Words("Best proof: the table", "最強の証明：表"),
            Words(
                "All positions were solved once, backwards from the end; the answer is looked up.",
                "終わりから逆向きに全局面を解いてあるので、答えは表を引くだけです。",
            ),
            _look_up,
        )
    return Method(
        Words("Best proof", "最強の証明"),
        Words(
            "Looked up where a table or a quick count of all that can happen knows the answer; otherwise "
            "searched from both ends, once a good way is found.",
            "表か、起こりうる全局面の数え上げで分かるときはそれを引き、そうでなければよい手順を見つけてから両端から探索します。",
        ),
        lambda question: _look_up_or(taught(search), question),
    )


def taught(search: Search) -> Search:
    """A search from whose proofs the puzzle's source learns."""
    return lambda question: learnt(question, kept(question, search(question)))


def learnt(question: Question, events: Iterator[Event]) -> Iterator[Event]:
    """The events; what they prove of the root, and of all positions on the solution, the source keeps.

    Ways that were found and not proved are remembered by whoever guesses.
    """
    source = question.puzzle.source(question.goal)
    for event in events:
        if isinstance(event, Found):
            question.puzzle.hear(question, event.moves)
        if isinstance(source, Learning) and isinstance(event, Solved):
            for position, left in _on_the_way(question, event):
                source.learn(position, left)
        if isinstance(source, Learning) and isinstance(event, Unsolvable):
            source.learn(question.root, DEAD)
        yield event


def _on_the_way(question: Question, solved: Solved) -> Iterator[tuple[Position, int]]:
    """The positions of a shortest solution from the root on, with their fewest moves."""
    puzzle, position = question.puzzle, question.position
    left = solved.limit
    legs = [leg for move in solved.moves for leg in itertools.pairwise(move)]
    if question.first is None:
        yield position, left
    for origin, target in legs:
        step = next(s for s in puzzle.raw_steps(position) if (s.origin, s.target) == (origin, target))
        position, left = step.after, left - step.cost
        yield position, left
        yield puzzle.settled(position), left


def kept(question: Question, events: Iterable[Event]) -> Iterator[Event]:
    """The events of a search; where the puzzle's source outlives the process, it keeps what they prove."""
    source = question.puzzle.source(question.goal)
    for event in events:
        if isinstance(source, Keeping) and isinstance(event, Solved):
            source.keep(question.root, event.limit - question.spent, _states(question, event.moves))
        if isinstance(source, Keeping) and isinstance(event, Unsolvable):
            source.keep(question.root, DEAD, [])
        yield event


def _states(question: Question, moves: list[list[int]]) -> list[int]:
    """The states behind each step from the root on."""
    position, states = question.position, []
    for step in (pair for move in moves for pair in itertools.pairwise(move)):
        position = question.puzzle.step(position, *step).after
        states.append(position.state)
    return states if question.first is None else states[1:]


def searched(title: Words, note: Words, search: Search) -> Method:
    """A search as a method: obstructions are told at once, and all solutions counted where they can be."""

    def events(question: Question) -> Iterator[Event]:
        reason = question.puzzle.obstruction(question.root, question.goal)
        if reason is not None:
            yield Unsolvable(reason, 0, 0.0)
            return
        for event in search(question):
            if isinstance(event, Solved) and question.find_all:
                event = replace(event, count=(yield from count_solutions(question, event.limit)))
            yield event

    return Method(title, note, events)


def moves_of(question: Question, steps: list[Step]) -> list[list[int]]:
    """Return the steps grouped into moves, the requested first step before them."""
    return group_moves([question.first, *steps] if question.first is not None else steps)


def _look_up_or(search: Search, question: Question) -> Iterator[Event]:
    """What the source knows, all of it or nothing; else a search."""
    try:
        yield from _look_up(question)
    except Forgotten:
        yield from search(question)


def count_solutions(question: Question, limit: int) -> Generator[Progress, None, int | None]:
    """How many shortest solutions there are, if they can be counted; says now and then that it goes on."""
    source, root, began = question.puzzle.source(question.goal), question.root, time.perf_counter()
    yield Progress(limit, 0, 0.0)
    if not source.can_list(root):
        return None
    counter = Counter(question.puzzle, source, question.goal)
    try:
        for number, _ in enumerate(counter.walk(root)):
            if number % COUNTED_AT_ONCE == 0:
                yield Progress(limit, 0, time.perf_counter() - began)
        return counter.count(root)
    except Forgotten:
        return None


def _look_up(question: Question) -> Iterator[Event]:
    """What the source knows, told as a search would tell it.

    Raises:
        Forgotten: it does not know the position, or not the whole of a solution; before the first event.
    """
    started = time.perf_counter()
    puzzle, goal, root = question.puzzle, question.goal, question.root
    source = puzzle.source(goal)
    left = source.moves_left(root)
    if left == UNKNOWN:
        raise Forgotten
    if left == DEAD:
        reason = puzzle.obstruction(root, goal) or "table"
        yield Unsolvable(reason, 0, time.perf_counter() - started)
        return
    fewest, moves = question.spent + left, moves_of(question, one_line(puzzle, source, goal, root))
    for limit in range(first_limit(question), fewest):
        yield Exhausted(limit, 0, 0, 0.0)
    count = (yield from count_solutions(question, fewest)) if question.find_all else None
    yield Solved(fewest, 0, time.perf_counter() - started, moves, count, 0)
