"""The method "best", and the recording of the proofs that a search yields."""

import math
from collections.abc import Callable, Iterable

from hoppers.core.events import Event, Events, Exhausted, Found, Solved, Unsolvable
from hoppers.core.model import Step, steps_of
from hoppers.core.puzzle import Algorithm, Method, Question
from hoppers.core.texts import Text
from hoppers.search.iterative_deepening import Search

DEPTH_FIRST = Algorithm()
FROM_TABLE = (
    Text("Complete table"),
    Text("Every position was solved in advance, backwards from the goal; the answer is looked up."),
)
FROM_TABLE_OR_SEARCH = (
    Text("Automatic (the best one for this board)"),
    Text(
        "Looks the answer up in a table if it can; otherwise bidirectional search proves it. On the largest "
        "boards a good solution is looked for first."
    ),
)


def best(
    search: Search,
    label: tuple[Text, Text] = FROM_TABLE,
    may_look_up: Callable[[Question], bool] = lambda question: True,
    algorithm: Algorithm = DEPTH_FIRST,
    least_saved: float = math.inf,
) -> Method:
    """Return the method "best", which may give known answers (see `analysis.known_answers`).

    `search`: the strongest search of the family, used if no answer is known or a fresh search is requested.
    `label`: title and short description. `may_look_up`: whether a known answer may replace the search.
    `algorithm`: that of the search. `least_saved`: see `Method.least_saved`.
    """
    return Method(*label, search, may_look_up=may_look_up, algorithm=algorithm, least_saved=least_saved)


def recorded(question: Question, events: Iterable[Event], least_saved: float = math.inf) -> Events:
    """Yield the events of a search; learn from each (see `learn`), and save each proof.

    An event is learnt before it is sent. Its proof is saved afterwards, because writing takes some 2 ms.
    `least_saved`: nodes of a proof from which on it is saved: another process finds a cheaper one as fast as
    it would read it. By default no proof is saved.
    """
    for event in events:
        learn(question, event)
        try:
            yield event
        finally:  # also if the search is closed after its last event
            if isinstance(event, Solved | Unsolvable) and event.total_nodes >= least_saved:
                save(question, event)


def learn(question: Question, event: Event) -> None:
    """Record what a search event proves in `Engine.bounds`, unless the source has a complete table."""
    puzzle, goal, bounds = question.puzzle, question.goal, question.puzzle.engine.bounds
    if not getattr(event, "proved", True) or puzzle.source(goal).is_complete:
        return
    match event:
        case Exhausted():
            bounds.raise_least(puzzle, goal, question.root, event.limit + 1 - question.spent)
        case Unsolvable():
            bounds.learn_dead(puzzle, goal, question.root)
        case Solved():
            bounds.learn_shortest(puzzle, goal, question.root, _solution(question, event))
    if isinstance(event, Found) or (isinstance(event, Solved) and question.first is not None):
        steps = question.puzzle.replay(question.position, steps_of(event.moves))
        bounds.learn_line(puzzle, goal, question.position, steps)


def save(question: Question, proof: Solved | Unsolvable) -> None:
    """Save a proof that has been learnt for later processes, unless the source has a complete table."""
    puzzle, goal = question.puzzle, question.goal
    if proof.proved and not puzzle.source(goal).is_complete:
        steps = _solution(question, proof) if isinstance(proof, Solved) else []
        puzzle.engine.bounds.save(puzzle, goal, question.root, steps)


def _solution(question: Question, solved: Solved) -> list[Step]:
    """Return the steps of a solution from `question.root` on."""
    steps = question.puzzle.replay(question.position, steps_of(solved.moves))
    return steps if question.first is None else steps[1:]
