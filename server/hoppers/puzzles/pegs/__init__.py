"""Peg solitaire: jump over a neighbour into an empty hole; the jumped peg leaves.

A board is a drawing and its directions; everything else comes from them.
"""

import itertools
from collections.abc import Callable, Generator, Iterator
from functools import partial

from hoppers.core.board import Board, Permutation
from hoppers.core.events import Event
from hoppers.core.manner import Manner
from hoppers.core.model import Position, Problem, Source, Words
from hoppers.core.puzzle import Method, Puzzle, Question
from hoppers.puzzles.pegs import precompile, source
from hoppers.puzzles.pegs.beam.line_first import with_line
from hoppers.puzzles.pegs.beam.search import Land, land_of
from hoppers.puzzles.pegs.best_first import search as best_first_search
from hoppers.puzzles.pegs.bidirectional import search as bidirectional_search
from hoppers.puzzles.pegs.bidirectional.kernels import Ends
from hoppers.puzzles.pegs.bidirectional.path import rest_starts
from hoppers.puzzles.pegs.bitboards.jump_masks import JumpList, invariants
from hoppers.puzzles.pegs.bitboards.pagoda import proves_dead
from hoppers.puzzles.pegs.boards import (
    DIAMOND_13,
    DIAMOND_41,
    ENGLISH_33,
    FRENCH_37,
    HOPPERS,
    TRIANGLE_15,
    TRIANGLE_21,
)
from hoppers.puzzles.pegs.dead_position_proof import evidence_on
from hoppers.puzzles.pegs.hint_search import Guesses
from hoppers.puzzles.pegs.lower_bounds import CLASSES, CORNERS, MEMORY, MERSON, PLAIN, useful_jumps
from hoppers.puzzles.pegs.misprinted_bound import MISPRINT
from hoppers.puzzles.pegs.rules import ANYWHERE, RULES, jump_tables
from hoppers.puzzles.pegs.tables.complete_table import MOST_HOLES, complete_tables
from hoppers.tablebase.elsewhere import elsewhere
from hoppers.tablebase.table_method import Search, best, searched, taught

MANNER = Manner(
    Words(
        "Press a peg, then the hole it should jump to; or drag it there. Every legal hole is marked.",
        "ペグを押してから行き先の穴を押すか、ペグをそこまでドラッグします。跳べる穴には印がつきます。",
    ),
    Words(
        "Tap a hole to put a peg in or take it out, or type the position.",
        "穴を押すとペグを入れたり抜いたりできます。文字でも入力できます。",
    ),
    Words("last peg", "最後のペグ"),
)


def _fault(cells: tuple[int, ...]) -> Words | None:
    return None if any(cells) else Words("there is no peg on it", "ペグが一本もありません")


def _kept(image: Permutation, goal: int) -> bool:
    return goal == ANYWHERE or image[goal] == goal


def _vacated(holes: int, vacancy: int) -> str:
    return "".join("." if hole == vacancy else "o" for hole in range(holes))


def _problem(holes: int, start: int, end: int) -> Problem:
    name = f"{start} → {end}"
    return Problem(Words(name, name), _vacated(holes, start), str(end))


def position_class(jumps: JumpList, holes: int) -> Callable[[Position, int], str | None]:
    """The obstruction "class": the parities that no jump changes differ from those of every end."""
    sets = list(invariants(jumps, holes).values())

    def parities(state: int) -> tuple[int, ...]:
        return tuple((state & members).bit_count() & 1 for members in sets)

    ends = {goal: {parities(1 << goal)} for goal in range(holes)}
    ends[ANYWHERE] = set().union(*ends.values())

    def obstruction(position: Position, goal: int) -> str | None:
        return None if parities(position.state) in ends[goal] else "class"

    return obstruction


def _obstruction(board: Board) -> Callable[[Position, int], str | None]:
    """The position class, and in openings that no table knows also "pagoda" (see `search.pagoda`)."""
    holes = len(board.points)
    other_class, proved = position_class(board.jumps, holes), proves_dead(board.jumps, holes)
    opening = source.openings_without_table(board.jumps, holes)

    def obstruction(position: Position, goal: int) -> str | None:
        reason = other_class(position, goal)
        if reason is not None or position.state.bit_count() < opening:
            return reason
        ends = [goal] if goal != ANYWHERE else range(holes)
        allowed = [end for end in ends if other_class(position, end) is None]
        return "pagoda" if all(proved(position.state, 1 << end) for end in allowed) else None

    return obstruction


def _methods(board: Board, start: str, goal: int, land: Land) -> dict[str, Method]:
    """The methods that say something on this board; `classes` where its argument holds at the start."""
    holes = len(board.points)
    state = sum(1 << hole for hole in range(holes) if start[hole] == "o")
    methods = {"deepening": PLAIN, "corners": CORNERS, "merson": MERSON, "memory": MEMORY}
    if useful_jumps(board.jumps, holes, state, goal) != board.jumps:
        methods["classes"] = CLASSES
    by_hash = bidirectional_search.both_ends(board.jumps, board.symmetries, ends_of)
    search = searched(*BOTH_ENDS, by_hash)
    if holes <= MOST_HOLES:
        return {**methods, "both-ends": search, "best": best()}
    quickest = searched(*BOTH_ENDS, _quickest(board))
    line_first = with_line(quickest.search, land)
    return {**methods, "both-ends": search, "best": best(line_first)}


BOTH_ENDS = (
    Words("From both ends", "両端から"),
    Words(
        "Moves are made from the start and taken back from the end, always on the side with fewer boards, "
        "until the two meet.",
        "始めからは手を進め、終わりからは手を戻し、局面の少ない側を伸ばして、両側が出会うまで続けます。",
    ),
)


def ends_of(question: Question) -> Ends:
    """Where both ends of a search begin: after the move under way, and at the solved boards."""
    goals = range(question.puzzle.holes) if question.goal == ANYWHERE else [question.goal]
    return Ends(rest_starts(question), [1 << goal for goal in goals])


def _source(board: Board, prove: source.Prove) -> Callable[[int], Source]:
    if len(board.points) <= MOST_HOLES:
        return complete_tables(board.jumps, len(board.points))
    return source.big_board_sources(board.jumps, board.symmetries, prove)


def _proof(question: Question) -> Generator[Event, None, None]:
    yield from _quickest(question.puzzle.board)(question)


def _quickest(board: Board) -> Search:
    by_hash = bidirectional_search.both_ends(board.jumps, board.symmetries, ends_of)
    return best_first_search.best_first(board.jumps, board.symmetries, ends_of, by_hash)


def _rehearsals(board: Board) -> dict[str, Callable[[], None]]:
    """All that another problem than the own one may need, by what the kernels are compiled for."""
    shape, widths = (board.jumps, board.symmetries), bidirectional_search.numbers_kept(board.symmetries)
    kinds = {"both ends": bidirectional_search.rehearse}
    rehearsals: dict[str, Callable[[], None]] = {}
    if len(board.points) > MOST_HOLES:
        kinds |= {"best first": best_first_search.rehearse, "tables": precompile.rehearse_tables}
        rehearsals["closures"] = partial(precompile.rehearse_closures, *shape)
    for (name, rehearse), width in itertools.product(kinds.items(), widths):
        rehearsals[f"{name}, {width} symmetries"] = partial(rehearse, *shape, width)
    return rehearsals


def peg_puzzle(
    id: str,
    title: Words,
    board: Board,
    problems: list[tuple[int, int]],
    frame: str = "hull",
    lesson: str = "deepening",
) -> Puzzle:
    """The puzzle on a board. `problems`: (vacancy, finish) of the classic ones, the first is the start."""
    holes = len(board.points)
    start, goal = _vacated(holes, problems[0][0]), problems[0][1]
    land = land_of(board.jumps, holes)
    guesses = Guesses(land)

    def prove(goal: int, position: Position) -> Iterator[Event]:
        return taught(lambda question: elsewhere(_proof, question))(Question(puzzle, goal, position))

    puzzle = Puzzle(
        id=id,
        family="pegs",
        title=title,
        objective=Words(
            "Jump one peg over another into an empty hole; the jumped peg is taken away. Leave one.",
            "隣のペグを跳び越えて空いた穴へ。跳び越したペグは取り除き、最後に一本だけ残します。",
        ),
        board=board,
        alphabet=".o",
        bits=1,
        pieces=("", "peg"),
        frame=frame,
        start=start,
        goal=str(goal),
        goals={**{str(hole): hole for hole in range(holes)}, "any": ANYWHERE},
        starts={str(hole): _vacated(holes, hole) for hole in range(holes)},
        problems=tuple(_problem(holes, *ends) for ends in problems),
        rules=RULES,
        tables=jump_tables(board.jumps, holes),
        chains=True,
        find_active=lambda cells: -1,
        find_fault=_fault,
        obstruction=_obstruction(board),
        source=_source(board, prove),
        methods=_methods(board, start, goal, land),
        lesson=lesson,
        kept=_kept,
        place=holes,
        guess=guesses.way if holes > MOST_HOLES else lambda *question: None,
        recall=guesses.recall,
        hear=guesses.hear,
        rehearsals=_rehearsals(board),
        manner=MANNER,
        exhibits={"corners-misprint": MISPRINT},
        evidence=evidence_on(board.jumps, holes),
    )
    return puzzle


PUZZLES = [
    peg_puzzle("hoppers", Words("Hoppers", "ホッパーズ"), HOPPERS, [(6, 6)]),
    peg_puzzle("diamond-13", Words("Diamond 13", "ダイヤ 13"), DIAMOND_13, [(6, 6)]),
    peg_puzzle(
        "triangle-15", Words("Triangle 15", "三角 15"), TRIANGLE_15, [(0, 0), (1, 1), (3, 3), (4, 12)]
    ),
    peg_puzzle("triangle-21", Words("Triangle 21", "三角 21"), TRIANGLE_21, [(6, 6)], lesson="corners"),
    peg_puzzle(
        "english-33",
        Words("English 33", "イギリス式 33"),
        ENGLISH_33,
        [(16, 16), (0, 0), (1, 1), (3, 3), (4, 4), (8, 8), (9, 9)],
        lesson="best",
    ),
    peg_puzzle(
        "french-37",
        Words("French 37", "フランス式 37"),
        FRENCH_37,
        [(0, 19), (5, 11), (11, 25)],
        lesson="best",
    ),
    peg_puzzle(
        "diamond-41",
        Words("Diamond 41", "ダイヤ 41"),
        DIAMOND_41,
        [(1, 3), (1, 18), (6, 9), (6, 34)],
        lesson="best",
    ),
]
