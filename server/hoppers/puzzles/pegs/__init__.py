"""Peg solitaire: jump over a neighbour into an empty hole; the jumped peg is removed.

A board is given as a drawing and the directions of its lines. All other facts about the board are derived
from these.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from hoppers.core.board import Board
from hoppers.core.drawings import PREFIX, read_drawing
from hoppers.core.errors import PuzzleError
from hoppers.core.model import ANY_GOAL, NO_SOLUTION, Position, Problem, Source
from hoppers.core.numbering import (
    StateNumbering,
    are_odd,
    bits_of_cells,
    cells_of_bits,
    cells_with_mark,
    moved_bits,
    moved_marked,
    number_with_mark,
    with_mark,
)
from hoppers.core.puzzle import Algorithm, Gallery, Method, Puzzle, Rules, Solving, Texts
from hoppers.core.texts import Text
from hoppers.puzzles.pegs import boards, lower_bounds
from hoppers.puzzles.pegs.beam_search import with_beam_search
from hoppers.puzzles.pegs.bidirectional import search as proof_search
from hoppers.puzzles.pegs.large_tables import table_builds
from hoppers.puzzles.pegs.large_tables.solvable_positions import open_solvable
from hoppers.puzzles.pegs.large_tables.tables_in_memory import FEW_PEGS_SHARE
from hoppers.puzzles.pegs.peg_board import PegBoard
from hoppers.puzzles.pegs.proofs.certificates import certificate
from hoppers.puzzles.pegs.proofs.reasons import dead_reason, fitting_tally
from hoppers.puzzles.pegs.random_positions import random_kinds
from hoppers.puzzles.pegs.rules import ANYWHERE, KERNELS, RED_BIT, jump_tables
from hoppers.puzzles.pegs.source import LargeBoardSource
from hoppers.puzzles.pegs.symmetries import symmetry_counts
from hoppers.puzzles.pegs.tables.array_table import fewest_moves
from hoppers.puzzles.pegs.tables.complete_table import MAX_HOLES, complete_table
from hoppers.search.breadth_first import BREADTH_FIRST
from hoppers.search.iterative_deepening import checked
from hoppers.tablebase.best_method import FROM_TABLE_OR_SEARCH, best

SIGNS = ".or"  # characters of an empty hole, a peg and the red peg
EMPTY, PEG, RED = SIGNS[0], SIGNS[1], SIGNS[2]
NOTATIONS = (*(hole + peg for hole in "._-" for peg in "ox*1●"), "01", "○●")
"""Signs of an empty hole and a peg that positions may use. `0` is an empty hole only beside `1`: beside other
signs it may be meant as a letter."""


def _start_with_vacancy(holes: int, vacancy: int) -> str:
    return "".join("." if hole == vacancy else "o" for hole in range(holes))


def vacancy_problems(holes: int, *ends: tuple[int, int]) -> list[Problem]:
    """Return the problem of each (vacancy, finishing hole).

    Where both are the same hole it is a complement problem; in the middle hole, it is the central game.
    """
    return [
        Problem(_problem_name(holes, start, end), _start_with_vacancy(holes, start), str(end))
        for start, end in ends
    ]


def _problem_name(holes: int, vacancy: int, end: int) -> Text:
    values = {"vacancy": vacancy, "end": end}
    if vacancy != end:
        return Text("{vacancy} → {end}", values)
    if vacancy == holes // 2:
        return Text("{vacancy} → {end} (central game)", values)
    return Text("{vacancy} → {end} (same hole)", values)


def red_problems(holes: int, *starts: tuple[int, int]) -> list[Problem]:
    """Return the problem of each (vacancy, hole of the red peg), whose goal is any hole."""
    boards = [[*_start_with_vacancy(holes, vacancy)] for vacancy, _ in starts]
    for board, (_, red) in zip(boards, starts, strict=True):
        board[red] = RED
    return [
        Problem(Text("red {red}, gap {vacancy}", {"red": red, "vacancy": vacancy}), "".join(board), ANY_GOAL)
        for board, (vacancy, red) in zip(boards, starts, strict=True)
    ]


def _board_of(start: str) -> int:
    """Return the mask of the holes with a peg in the text of a position."""
    return sum(1 << hole for hole, cell in enumerate(start) if cell != EMPTY)


def numbering(shape: Board, board: PegBoard, has_red: bool) -> StateNumbering:
    """Return the numbers of the boards: their masks, or with a red peg its hole, then the other holes."""
    holes = board.holes

    def boards(numbers: Any) -> Any:
        if not has_red:
            return numbers
        others, reds = with_mark(numbers, holes)
        return others | np.int64(1) << reds

    def may_reach(goal: int, numbers: Any) -> Any:
        pegs = boards(numbers)
        odd = [are_odd(pegs & members) == bool(members >> goal & 1) for members in board.sets]
        return np.logical_and.reduce(odd)

    def moves(goal: int) -> Any:
        return fewest_moves(shape, [*range(holes)] if goal == ANYWHERE else [goal], has_red)

    if has_red:
        values = (SIGNS.index(EMPTY), SIGNS.index(PEG), SIGNS.index(RED))
        return StateNumbering(
            holes << holes - 1,
            moved_marked,
            may_reach,
            lambda cells: number_with_mark(cells, values),
            lambda number: cells_with_mark(number, holes, values),
            moves,
        )
    to_cells = partial(cells_of_bits, holes=holes)
    return StateNumbering(1 << holes, moved_bits, may_reach, bits_of_cells, to_cells, moves, first=1)


def _obstruction(facts: PegBoard) -> Callable[[Position, int], str | None]:
    """Return the function `Rules.obstruction` of a board, which gives the codes of `PegBoard.dead_reason`.

    Only the position class is tried if the board is small enough for winning tables, or the position has few
    enough pegs for a closure (table of everything reachable) in a request.
    """
    opening = int(FEW_PEGS_SHARE * facts.holes) + 1

    def obstruction(position: Position, goal: int) -> str | None:
        state = position.state & facts.every
        if facts.supports_winning_tables or state.bit_count() < opening:
            return None if facts.ends(goal, state) else "class"
        return facts.dead_reason(goal, state)

    return obstruction


BIDIRECTIONAL = Method(
    Text("Bidirectional search"),
    Text(
        "Moves are made from the start and taken back from the goal until the two sides meet. Both "
        "together stay within the limit."
    ),
    checked(proof_search.search),
    algorithm=Algorithm(node=Text("A node is one jump made or taken back.")),
)


def _methods(board: PegBoard, own: Problem, has_red: bool) -> dict[str, Method]:
    """Return the search methods of a board, by id. `own`: the puzzle's own problem.

    "regions" is omitted up to MAX_HOLES holes, where the Merson bound alone is as good, and "classes" if it
    excludes no jump at the start. The search from both ends knows no red peg. On boards too large for winning
    tables "best" includes a beam search.
    """
    methods = dict(lower_bounds.METHODS)
    goal = ANYWHERE if own.goal == ANY_GOAL else int(own.goal)
    if lower_bounds.useful_jumps(board.jumps, board.holes, _board_of(own.start), goal) == board.jumps:
        del methods["classes"]
    methods["breadth-first"] = BREADTH_FIRST
    if has_red:
        del methods["regions"]
        return {**methods, "best": best(methods["memory"].search)}
    methods["bidirectional"] = BIDIRECTIONAL
    if board.holes <= MAX_HOLES:
        del methods["regions"]
        return {**methods, "best": best(BIDIRECTIONAL.search, algorithm=BIDIRECTIONAL.algorithm)}
    search = proof_search.search
    strongest = search if board.supports_winning_tables else with_beam_search(search)
    return {
        **methods,
        "best": best(
            checked(strongest), FROM_TABLE_OR_SEARCH, algorithm=BIDIRECTIONAL.algorithm, least_saved=0
        ),
    }


def _precompile(board: Board, has_red: bool) -> dict[str, Callable[[], None]]:
    """Return functions that compile a board's kernels of bidirectional search and large tables, by name.

    See `Solving.precompile`. A board with a red peg uses none of them.
    """
    functions: dict[str, Callable[[], None]] = {}
    if has_red:
        return functions
    for width in symmetry_counts(proof_search.usable_symmetries(board)):
        functions[f"both ends, {width} symmetries"] = partial(proof_search.precompile, board, width)
    if len(board.points) > MAX_HOLES:
        functions["closures"] = partial(table_builds.precompile_closures, board)
        for width in symmetry_counts(board.symmetries) if PegBoard(board).supports_winning_tables else ():
            functions[f"tables, {width} symmetries"] = partial(table_builds.precompile_tables, board, width)
    return functions


RULE = Text("Jump over a peg into the empty hole behind it; the peg jumped over is removed.")


def _texts(title: Text, remark: Text | None) -> Texts:
    """Return the texts of a board without a red peg."""
    return Texts(
        title,
        RULE,
        Text("Press a peg, then the hole to jump to, or drag it there. Legal holes are marked."),
        Text("Tap a hole to put a peg in or take it out, or type the position."),
        Text("last peg"),
        Text("Leave one peg."),
        remark,
    )


def _red_texts(title: Text) -> Texts:
    return _texts(title, None)._replace(
        rule=Text(
            "Jump over a peg into the empty hole behind it; the peg jumped over is removed. The red peg "
            "jumps, too, but must never be jumped over."
        ),
        aim=Text("Leave only the red peg on the board."),
        setting=Text(
            "Tap a hole to put a peg in or take it out. Tap the red peg, then the hole it should be in. Or "
            "type the position."
        ),
        last_piece=Text("red peg"),
    )


def _validate(cells: tuple[int, ...]) -> Text | None:
    """Return why a board without a red peg has no such position, or None if it has."""
    return None if any(cells) else Text("there is no peg on the board")


def _validate_red(cells: tuple[int, ...]) -> Text | None:
    """Return why a board with a red peg has no such position, or None if it has."""
    reds = cells.count(SIGNS.index(RED))
    if reds == 1:
        return None
    if reds == 0:
        return Text("the red peg, r, is missing")
    return Text("it has {reds} red pegs, r, instead of one", {"reds": reds})


def _rules(board: Board, facts: PegBoard, has_red: bool) -> Rules:
    """Return the rules of a peg board. `has_red`: whether every position has one red peg."""
    holes = facts.holes
    return Rules(
        kernels=KERNELS,
        tables=jump_tables(board.jumps, holes, has_red),
        alphabet=SIGNS if has_red else SIGNS[:2],
        notations=() if has_red else NOTATIONS,
        bits_per_cell=1,
        cell_bits=(0, 1, 1 | 1 << RED_BIT) if has_red else None,
        unique=RED if has_red else "",
        goals={**{str(hole): hole for hole in range(holes)}, ANY_GOAL: ANYWHERE},
        find_active=lambda cells: -1,
        validate=_validate_red if has_red else _validate,
        goal_image=lambda image, goal: goal if goal == ANYWHERE else image[goal],
        multi_step_moves=True,
        numbering=numbering(board, facts, has_red) if holes <= MAX_HOLES else None,
        description={"kind": "jumps", "jumps": board.jumps, "parities": facts.sets},
        obstruction=_obstruction(facts),
        dead_reason=partial(dead_reason, facts, has_red),
        fitting_tally=partial(fitting_tally, facts, has_red),
    )


def _large_source(puzzle: Puzzle, goal: int) -> Source:
    """Return the source of a board too large for a complete table: the engine's files, if it has them."""
    return open_solvable(puzzle, goal) or LargeBoardSource(puzzle, goal)


def peg_puzzle(
    id: str,
    title: Text,
    board: Board,
    problems: list[Problem],
    default_method: str = "deepening",
    remark: Text | None = None,
    is_drawn: bool = False,
) -> Puzzle:
    """Return the peg puzzle on a board.

    `problems`: the first is the puzzle's own. If its start has a red peg, every position of the puzzle has
    one, and the board has at most MAX_HOLES holes. `remark`: see `Texts` (not with a red peg). `is_drawn`:
    whether it is made from its id, is not listed and keeps no tables on disk.
    """
    facts, holes, has_red = PegBoard(board), len(board.points), RED in problems[0].start
    own_goal = problems[0].goal
    ends = list(range(holes)) if own_goal == ANY_GOAL else [int(own_goal)]
    vacancies = {str(hole): _start_with_vacancy(holes, hole) for hole in range(holes)}
    return Puzzle(
        id=id,
        family="pegs",
        board=board,
        rules=_rules(board, facts, has_red),
        texts=_red_texts(title) if has_red else _texts(title, remark),
        solving=Solving(
            methods=_methods(facts, problems[0], has_red),
            open_source=(
                _large_source
                if holes > MAX_HOLES
                else lambda puzzle, goal: complete_table(puzzle.board, goal, has_red, not is_drawn)
            ),
            max_sources=2 if is_drawn else 64,
            kernels_of=_KERNELS_OF[has_red, holes > MAX_HOLES] if is_drawn else "",
            default_method=default_method,
            chosen_bound=lower_bounds.chosen_regions,
            hidden_methods={
                "corners-misprint": lower_bounds.MISPRINT,
                **({} if has_red else {"both-ends": BIDIRECTIONAL}),  # its former id
            },
            precompile=_precompile(board, has_red),
            certificate=certificate,
            lower_bound=lower_bounds.bound_of_regions
            if holes > MAX_HOLES
            else lambda puzzle, position, goal: 0,
        ),
        gallery=Gallery(
            problems=tuple(problems),
            pieces=("", "peg", "peg-red") if has_red else ("", "peg"),
            order=holes,
            starts=None if has_red or holes == 1 else vacancies,
            random_kinds=random_kinds(board.jumps, holes, ends, has_red),
            featured=not is_drawn,
        ),
    )


_KERNELS_OF = {(False, False): "hoppers", (True, False): "hoppers-red", (False, True): "english-33"}
"""(red peg, large board) -> the listed puzzle whose kernels a drawn one shares."""
RED_SUFFIX = "-red"
MAX_SORTED_HOLES = 15
"""Holes of a drawn board whose table numpy builds in some ten milliseconds, to choose its own problem."""
MAX_RED_HOLES = 17
"""Holes of a drawn board with a red peg, for which pages and numpy build tables, too."""


def make_puzzle(id: str) -> Puzzle | None:
    """Return the puzzle on a drawn board (see `core.drawings`), perhaps with a red peg; None for another id.

    Raises:
        PuzzleError: no puzzle has the drawing that the id spells.
    """
    if not id.startswith(PREFIX):
        return None
    has_red = id.endswith(RED_SUFFIX)
    drawing = read_drawing(id.removesuffix(RED_SUFFIX))
    holes = len(drawing.points)
    if has_red and holes > MAX_RED_HOLES:
        raise PuzzleError(
            "{id!r} has {holes} holes; a drawn board with a red peg has at most {most}.",
            "unknown_puzzle",
            id=id,
            holes=holes,
            most=MAX_RED_HOLES,
        )
    title = Text("Own board, {n} hole", {"n": holes}, "Own board, {n} holes")
    if has_red:
        title = Text("Own board, {n} hole, red peg", {"n": holes}, "Own board, {n} holes, red peg")
    board = drawing.board()
    return peg_puzzle(id, title, board, _drawn_problems(board, has_red), is_drawn=True)


def _drawn_problems(board: Board, has_red: bool) -> list[Problem]:
    """Return problems of a drawn board: one peg missing, one of each set of holes that symmetries exchange.

    Those that the table of a board of up to MAX_SORTED_HOLES, or else the position class, proves impossible
    come last.
    """
    holes, facts = len(board.points), PegBoard(board)
    vacancies = [hole for hole in range(holes) if hole == min(image[hole] for image in board.symmetries)]
    starts = {hole: _start_with_vacancy(holes, hole) if holes > 1 else PEG for hole in vacancies}
    moves = fewest_moves(board, [*range(holes)], False) if holes <= MAX_SORTED_HOLES and not has_red else None

    def is_impossible(hole: int) -> bool:
        state = _board_of(starts[hole])
        return not facts.ends(ANYWHERE, state) if moves is None else bool(moves[state] == NO_SOLUTION)

    able = sorted(vacancies, key=is_impossible)
    problems = [Problem(Text("gap {vacancy}", {"vacancy": hole}), starts[hole], ANY_GOAL) for hole in able]
    if not has_red:
        return problems
    return [problem._replace(start=problem.start.replace(PEG, RED, 1)) for problem in problems]


PUZZLES = [
    peg_puzzle(
        "hoppers",
        Text("Hoppers 13"),
        boards.HOPPERS,
        vacancy_problems(13, (6, 6)),
        remark=Text("The same puzzle as Diamond 13."),
    ),
    peg_puzzle(
        "hoppers-red",
        Text("Hoppers 13, red peg"),
        boards.HOPPERS,
        red_problems(13, (6, 0), (0, 2), (1, 10), (3, 2), (0, 6), (3, 12)),
    ),
    peg_puzzle(
        "diamond-13",
        Text("Diamond 13"),
        boards.DIAMOND_13,
        vacancy_problems(13, (6, 6)),
        remark=Text("Hoppers 13 and Diamond 13 are one puzzle, turned by 45 degrees."),
    ),
    peg_puzzle(
        "triangle-15",
        Text("Triangle 15"),
        boards.TRIANGLE_15,
        vacancy_problems(15, (0, 0), (1, 1), (3, 3), (4, 12)),
    ),
    peg_puzzle(
        "triangle-15-red",
        Text("Triangle 15, red peg"),
        boards.TRIANGLE_15,
        red_problems(15, (0, 10), (3, 0), (3, 9), (0, 6), (4, 10), (1, 5)),
    ),
    peg_puzzle(
        "triangle-21",
        Text("Modified triangle 21"),
        boards.TRIANGLE_21,
        vacancy_problems(21, (6, 6)),
        default_method="corners",
    ),
    peg_puzzle(
        "triangle-21-red",
        Text("Modified triangle 21, red peg"),
        boards.TRIANGLE_21,
        red_problems(21, (6, 12), (6, 19), (3, 1), (6, 3), (6, 8), (3, 8)),
        default_method="corners",
    ),
    peg_puzzle(
        "english-33",
        Text("English 33"),
        boards.ENGLISH_33,
        vacancy_problems(33, (16, 16), (0, 0), (1, 1), (3, 3), (4, 4), (8, 8), (9, 9)),
        default_method="best",
    ),
    peg_puzzle(
        "french-37",
        Text("French 37"),
        boards.FRENCH_37,
        vacancy_problems(37, (0, 19), (5, 11), (11, 25)),
        default_method="best",
    ),
    peg_puzzle(
        "diamond-41",
        Text("Diamond 41"),
        boards.DIAMOND_41,
        vacancy_problems(41, (1, 3), (1, 18), (6, 9), (6, 34)),
        default_method="best",
    ),
]
