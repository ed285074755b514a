"""The method "best", and the recording of the proofs that a search yields."""

from collections.abc import Callable, Iterator

from hoppers.core.events import Event, Exhausted, Found, Solved, Unsolvable
from hoppers.core.model import DEAD, Position, Step, Words, steps_of
from hoppers.core.puzzle import Method, Question
from hoppers.search.iterative_deepening import Search

Proof = tuple[Position, int, list[Step]]
"""A position, its fewest moves or DEAD, and the steps of a shortest solution: see `Source.learn`."""


FROM_TABLE = (
    Words("Best proof: the table", "最強の証明：表"),
    Words(
        "All positions were solved once, backwards from the end; the answer is looked up.",
        "終わりから逆向きに全局面を解いてあるので、答えは表を引くだけです。",
    ),
)
FROM_TABLE_OR_SEARCH = (
    Words("Best proof", "最強の証明"),
    Words(
        "Looked up where a table or a quick count of all that can happen knows the answer; otherwise "
        "searched from both ends. On the largest boards a good way is found first.",
        "表か、起こりうる全局面の数え上げで分かるときはそれを引き、そうでなければ両端から探索します。"
        "とくに大きい盤では、先によい手順を見つけます。",
    ),
)


def best(
    search: Search,
    label: tuple[Words, Words] = FROM_TABLE,
    may_look_up: Callable[[Question], bool] = lambda question: True,
) -> Method:
    """Return the method "best", which may give known answers (see `analysis.known_answers`).

    `search`: the strongest search of the family, used if no answer is known or a fresh search is requested.
    `label`: title and short description. `may_look_up`: whether a known answer may replace the search.
    """
    return Method(*label, search, may_look_up=may_look_up)


def recorded(search: Search, learns: bool = True, least_nodes: int = 0) -> Search:
    """Return `search` with side effects: each proof is saved and, if `learns`, each event is learnt.

    An event is learnt (see `learn`) before it is sent. Its proof is saved afterwards, because writing takes
    some 2 ms. A proof of fewer than `least_nodes` nodes is only passed to `Source.learn`: another process
    finds it as fast as it would read it.
    """

    def events(question: Question) -> Iterator[Event]:
        for event in search(question):
            proof = learn(question, event) if learns else _proof(question, event)
            try:
                yield event
            finally:  # also if the search is closed after its last event
                if proof is not None:
                    source = question.puzzle.source(question.goal)
                    keep = source.save if getattr(event, "total_nodes", 0) >= least_nodes else source.learn
                    keep(*proof)

    return events


def learn(question: Question, event: Event) -> Proof | None:
    """Pass the proof in a search event to `Source.learn`, and its bounds to `Engine.bounds`.

    Return the proof, or None if the event has none or is not proved. Bounds are not passed on if the source
    is complete, or if it remembers the proved solution: it then answers for all positions on that solution.
    """
    if not getattr(event, "proved", True):
        return None
    puzzle, goal = question.puzzle, question.goal
    source, bounds, proof = puzzle.source(goal), puzzle.engine.bounds, _proof(question, event)
    if proof is not None:
        source.learn(*proof)
    is_remembered = source.remembers_solutions and isinstance(event, Solved) and question.first is None
    if source.is_complete or is_remembered:
        return proof
    if isinstance(event, Exhausted):
        bounds.raise_least(puzzle, goal, question.root, event.limit + 1 - question.spent)
    if isinstance(event, Found | Solved):
        bounds.learn_line(puzzle, goal, question.position, _solution(question, event))
    if proof is not None and isinstance(event, Solved):
        bounds.raise_least(puzzle, goal, *proof)
    return proof


def _solution(question: Question, event: Found | Solved) -> list[Step]:
    """Return the steps of the solution in an event, from `question.position` on."""
    return question.puzzle.replay(question.position, steps_of(event.moves))


def _proof(question: Question, event: Event) -> Proof | None:
    """Return the proof in a search event, or None."""
    if isinstance(event, Solved):
        steps = _solution(question, event)
        after_first = steps if question.first is None else steps[1:]
        return question.root, event.limit - question.spent, after_first
    return (question.root, DEAD, []) if isinstance(event, Unsolvable) else None
