"""The method "best": answers of an exact source as search events, or a search if the source has none."""

import time
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import replace

from hoppers.core.events import Event, Exhausted, Found, Progress, Solved, Unsolvable
from hoppers.core.model import DEAD, UNKNOWN, Position, Step, Words, group_moves, steps_of
from hoppers.core.puzzle import Method, Question
from hoppers.tablebase.solutions import AnswerEvicted, SolutionCounter, shortest_solution

Search = Callable[[Question], Iterator[Event]]


def best(search: Search | None = None) -> Method:
    """Return the method that takes answers from the puzzle's source, without searching any node.

    `search` runs if the source does not know the answer. Without `search` the source must know every answer.
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
        lambda question: _look_up_or(recorded(search), question),
    )


def recorded(search: Search, learns: bool = True) -> Search:
    """Return `search` with a side effect: the source saves all proofs, and learns them if `learns`."""

    def events(question: Question) -> Iterator[Event]:
        for event in search(question):
            if learns:
                learn(question, event)
            save(question, event)
            yield event

    return events


def learn(question: Question, event: Event) -> None:
    """Pass the positions of a proof in a search event to `Source.learn`, and bounds to `Engine.bounds`."""
    source = question.puzzle.source(question.goal)
    if not source.is_complete:
        _learn_bounds(question, event)
    if isinstance(event, Solved):
        for position, left in _along_solution(question, event):
            source.learn(position, left)
    if isinstance(event, Unsolvable):
        source.learn(question.root, DEAD)


def _learn_bounds(question: Question, event: Event) -> None:
    """Take note of a solution or of an exhausted limit in the bounds of the engine."""
    puzzle, goal, start, root = question.puzzle, question.goal, question.position, question.root
    bounds = puzzle.engine.bounds
    if isinstance(event, Found | Solved):
        bounds.learn_line(puzzle, goal, start, [*puzzle.replay(start, steps_of(event.moves))])
    if isinstance(event, Exhausted):
        bounds.raise_least(puzzle, goal, root, event.limit + 1 - question.spent)
    if isinstance(event, Solved):
        bounds.raise_least(puzzle, goal, root, event.limit - question.spent)


def save(question: Question, event: Event) -> None:
    """Pass the proof in a search event, if any, to `Source.save`."""
    source = question.puzzle.source(question.goal)
    if isinstance(event, Solved):
        source.save(question.root, event.limit - question.spent, _states(question, event.moves))
    if isinstance(event, Unsolvable):
        source.save(question.root, DEAD, [])


def _along_solution(question: Question, solved: Solved) -> Iterator[tuple[Position, int]]:
    """Yield (position, moves left) for each position of a shortest solution, from the root on."""
    left = solved.limit
    if question.first is None:
        yield question.position, left
    for step in question.puzzle.replay(question.position, steps_of(solved.moves)):
        left -= step.cost
        yield step.after, left
        yield question.puzzle.canonical(step.after), left


def _states(question: Question, moves: list[list[int]]) -> list[int]:
    """Return the state after each step of `moves`, from the root on."""
    steps = question.puzzle.replay(question.position, steps_of(moves))
    states = [step.after.state for step in steps]
    return states if question.first is None else states[1:]


def searched(title: Words, note: Words, search: Search) -> Method:
    """Return the method that checks for obstructions, then runs `search` and counts solutions on request.

    If the solutions cannot be counted, the count is None.
    """

    def events(question: Question) -> Iterator[Event]:
        reason = question.puzzle.rules.obstruction(question.root, question.goal)
        if reason is not None:
            yield Unsolvable(reason, 0, 0.0)
            return
        for event in search(question):
            if isinstance(event, Solved) and question.find_all:
                event = replace(event, count=(yield from count_solutions(question, event.limit)))
            yield event

    return Method(title, note, events)


def moves_of(question: Question, steps: Iterable[Step]) -> list[list[int]]:
    """Return the steps grouped into moves, with the question's first step, if any, before them."""
    return group_moves([question.first, *steps] if question.first is not None else steps)


def _look_up_or(search: Search, question: Question) -> Iterator[Event]:
    """Yield the answer of the source as events, or the events of `search` if the source has no answer."""
    try:
        yield from _look_up(question)
    except AnswerEvicted:
        yield from search(question)


def count_solutions(question: Question, limit: int) -> Generator[Progress, None, int | None]:
    """Return the number of shortest solutions, or None if they cannot be counted. Yield the progress."""
    source, root, began = question.puzzle.source(question.goal), question.root, time.perf_counter()
    yield Progress(limit, 0, 0.0)
    if not source.can_list(root):
        return None
    counter = SolutionCounter(question.puzzle, source, question.goal)
    try:
        for number, _ in enumerate(counter.walk(root)):
            if number % 64 == 0:
                yield Progress(limit, 0, time.perf_counter() - began)
        return counter.count(root)
    except AnswerEvicted:
        return None


def _look_up(question: Question) -> Iterator[Event]:
    """Yield the answer of the source as the events of a search.

    Raises:
        AnswerEvicted: the source does not know the position or a solution. No event has been yielded.
    """
    started = time.perf_counter()
    puzzle, goal, root = question.puzzle, question.goal, question.root
    source = puzzle.source(goal)
    left = source.moves_left(root)
    if left == UNKNOWN:
        raise AnswerEvicted
    if left == DEAD:
        reason = puzzle.rules.obstruction(root, goal) or "table"
        yield Unsolvable(reason, 0, time.perf_counter() - started)
        return
    fewest, moves = question.spent + left, moves_of(question, shortest_solution(puzzle, source, goal, root))
    for limit in range(question.first_limit, fewest):
        yield Exhausted(limit, 0, 0, 0.0)
    count = (yield from count_solutions(question, fewest)) if question.find_all else None
    yield Solved(fewest, 0, time.perf_counter() - started, moves, count, 0)
