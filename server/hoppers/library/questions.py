"""Answers that the library waits for: each question is answered in the thread that asks."""

import logging
from contextlib import AbstractContextManager, nullcontext
from functools import cache

from hoppers.analysis import kernel_parts, verdicts
from hoppers.analysis.reasons import reason_of
from hoppers.analysis.requests import DEFAULT_METHOD, ParsedSearch
from hoppers.analysis.verdicts import NOT_KNOWN, Verdict
from hoppers.core.kernels import MACHINE_CODE
from hoppers.core.puzzle import Puzzle, Question
from hoppers.core.reasons import Reason
from hoppers.puzzles import PUZZLES
from hoppers.runtime.builder import finish
from hoppers.tablebase.engine import Engine
from hoppers.tablebase.solutions import SolutionGraph, SolutionGraphs

log = logging.getLogger(__name__)


@cache
def engine() -> Engine:
    """Return the engine of this process's library, made at the first call. It starts no thread.

    Rules run as plain Python. Kernels are called only inside `kernels`.
    """
    made = Engine(PUZZLES, builds_in_background=False)
    made.defer_kernels(PUZZLES)
    MACHINE_CODE.clock.on_begin = _log_that_it_compiles
    return made


@cache
def _log_that_it_compiles() -> None:
    """Log one line, at the first call: a notebook shows no other reason why an answer takes long."""
    log.info("Loading the compiler, and compiling what no earlier process has: see hoppers.warm.")


def warm(puzzle: Puzzle) -> None:
    """Compile the kernels of a puzzle, build its table, and load both."""
    with engine().compiling():
        kernel_parts.warm(puzzle)


def kernels(puzzle: Puzzle) -> AbstractContextManager[None]:
    """Return a context that allows this thread to call kernels, unless a table has all answers."""
    return nullcontext() if puzzle.can_answer else engine().compiling()


def known_verdict(question: Question) -> Verdict:
    """Return the verdict that is known without a long search, perhaps 'unknown'.

    What tables, rules and the atlas know is asked first, because nothing is compiled for it.
    """
    puzzle, goal, position = question.puzzle, question.goal, question.position
    verdict = verdicts.verdict_of(puzzle, goal, position)
    if verdict.verdict != NOT_KNOWN:
        return verdict
    with kernels(puzzle):
        return verdicts.hint(puzzle, goal, position)[0]


def prove(question: Question) -> Verdict:
    """Search until the answer is proved, however long it takes, and return the verdict.

    It stays open only if memory ends first.
    """
    with kernels(question.puzzle):
        for _ in ParsedSearch(question, question.puzzle.method(DEFAULT_METHOD)).events():
            pass
        return verdicts.verdict_of(question.puzzle, question.goal, question.position)


def decided_verdict(question: Question) -> Verdict:
    """Return the verdict, after a search if it is not known."""
    verdict = known_verdict(question)
    return prove(question) if verdict.verdict == NOT_KNOWN else verdict


def final_verdict(question: Question) -> Verdict:
    """Return the verdict with the proved fewest moves, after a search if they are not known."""
    verdict = known_verdict(question)
    return verdict if verdict.is_final else prove(question)


def solution(question: Question) -> tuple[Verdict, list[list[int]]]:
    """Return the verdict, and the moves of the best known solution: see `verdicts.solution`."""
    found = verdicts.solution(question.puzzle, question.goal, question.position)
    if found[0].is_final:
        return found
    with kernels(question.puzzle):
        return verdicts.solution(question.puzzle, question.goal, question.position)


def reason(question: Question) -> Reason | None:
    """Return why a position is dead, after a search if its verdict is not known; None if it is not dead."""
    if decided_verdict(question).verdict != verdicts.DEAD_END:
        return None
    with kernels(question.puzzle):
        return reason_of(question.puzzle, question.goal, question.position)


def solution_graph(question: Question) -> SolutionGraph:
    """Return the graph of all shortest solutions of a live or solved position.

    Raises:
        GivenUp: there are too many, or they are too costly to find.
    """
    graphs: SolutionGraphs = question.puzzle.engine.resource(SolutionGraphs)
    with kernels(question.puzzle):
        return finish(graphs.build(question.puzzle, question.goal, question.position))
