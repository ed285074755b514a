"""The kernels of each puzzle in parts, each of which a process compiles, or loads from disk, in one go."""

import time
from collections.abc import Generator, Iterable
from typing import NamedTuple

from hoppers.analysis import verdicts
from hoppers.analysis.known_answers import known_events
from hoppers.core.kernels import MACHINE_CODE
from hoppers.core.puzzle import Puzzle, PuzzleEngine, Question
from hoppers.runtime.builder import finish

ANSWERS, SEARCHES = "answers", "searches"


class Part(NamedTuple):
    """Kernels of one puzzle that a process compiles in one go."""

    puzzle_id: str
    name: str
    """ANSWERS, SEARCHES, or a name in `Solving.precompile`."""
    group: str
    """Parts of one group share most of their kernels, so they are compiled one after the other."""

    @property
    def marker(self) -> str:
        """Name under which the part is recorded as compiled (see `MachineCode.mark`)."""
        return f"{self.puzzle_id}-{self.name.replace(',', '').replace(' ', '-')}"


def parts_of(puzzle: Puzzle) -> list[Part]:
    """Return the parts of a puzzle: its answers, its searches, and the parts in `Solving.precompile`."""
    id, family = puzzle.id, puzzle.family
    return [
        Part(id, ANSWERS, f"{family} {ANSWERS}"),
        Part(id, SEARCHES, f"{family} {SEARCHES}"),
        *(Part(id, name, name) for name in puzzle.solving.precompile),
    ]


def all_parts(puzzles: Iterable[Puzzle]) -> list[Part]:
    """Return the parts of all puzzles in the order in which they are to be compiled.

    All parts of the first puzzle come first, then the answers of the others, then their parts in
    `Solving.precompile`. Their searches come last, because they use the kernels of the other parts, which
    several processes compile in parallel.
    """
    found = [parts_of(puzzle) for puzzle in puzzles]
    others = [part for parts in found[1:] for part in parts]
    others.sort(key=lambda part: (part.name != ANSWERS, part.name == SEARCHES))
    return [part for parts in found[:1] for part in parts] + others


def load_answers(puzzle: Puzzle) -> None:
    """Run each kernel that answers requests about a puzzle, so that no request waits for the compiler.

    This also requests the verdict on the start, and waits up to a minute while its table is loaded or built.
    The first page of a board then shows proved verdicts.
    """
    goal, position = puzzle.parse_goal(None), puzzle.parse(puzzle.start)
    puzzle.replay(position, [])
    source, until = puzzle.source(goal), time.monotonic() + 60.0
    source.find_solution(position, True)
    source.moves_left(position)
    while source.progress(position) is not None and time.monotonic() < until:
        time.sleep(0.02)
    verdicts.graded(puzzle, goal, position)
    verdicts.hint(puzzle, goal, position)


def load_searches(engine: PuzzleEngine, puzzle_id: str) -> Generator[None, None, None]:
    """Run each search of a puzzle for a moment, so that no later search waits for its kernel or table.

    A bound rules out many limits without visiting a node, so each search runs for eight events, and on while
    they count 0 nodes, unless it ends before. The look-up of known answers counts as a search. Yield
    None after each event.
    """
    puzzle = engine.find(puzzle_id)
    question = Question(puzzle, puzzle.parse_goal(None), puzzle.parse(puzzle.start))
    searches = dict.fromkeys(method.search for method in puzzle.solving.methods.values())
    for search in (known_events, *searches):
        for number, event in enumerate(search(question), 1):
            yield
            if number >= 8 and getattr(event, "nodes", True):
                break


def load_part(engine: PuzzleEngine, part: Part) -> Generator[None, None, None]:
    """Run each kernel of a part once, which compiles the kernel or loads it from disk.

    The part is then recorded as compiled, unless machine code could not be saved.
    """
    puzzle = engine.find(part.puzzle_id)
    if part.name == ANSWERS:
        load_answers(puzzle)
    elif part.name == SEARCHES:
        yield from load_searches(engine, puzzle.id)
    else:
        puzzle.solving.precompile[part.name]()
    MACHINE_CODE.mark(part.marker)
    yield


def warm(puzzle: Puzzle) -> None:
    """Run each kernel of a puzzle once in this process, so that nothing later waits for the compiler."""
    for part in parts_of(puzzle):
        finish(load_part(puzzle.engine, part))
