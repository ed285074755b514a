"""Lists of puzzles: the cards of the gallery, the list next to the board, and the members of a family.

The order in which a page offers the problems of a puzzle is here, too.
"""

from typing import Any, NamedTuple

from flask_babel import gettext

from hoppers.analysis import verdicts
from hoppers.analysis.atlas_results import known_result
from hoppers.analysis.card_data import Card, load_cards
from hoppers.core.puzzle import Puzzle, cached_in_puzzle
from hoppers.web.current import puzzles, read_puzzle, warmup
from hoppers.web.drawing import board_picture
from hoppers.web.http.i18n import localized
from hoppers.web.pages import goals


class Deck(NamedTuple):
    """A deck as the pages show it."""

    id: str
    cards: list[Card]

    @property
    def title(self) -> str:
        """The title in the language of the request: that of the first card's puzzle, without its length."""
        title = localized(read_puzzle(self.cards[0].puzzle).texts.title)
        return title if self.id == self.cards[0].puzzle else title.rstrip(" 0123456789")


def all_decks() -> list[Deck]:
    """Return all decks, in the order of the data file."""
    return [Deck(*entry) for entry in load_cards().decks.items()]


def gallery_cards() -> list[dict[str, Any]]:
    """Return the cards of the gallery, each with the classic problems that have an atlas result."""
    return [
        {**_card(puzzle), "subtitle": _subtitle(puzzle), "problems": _card_problems(puzzle)}
        for puzzle in puzzles()
        if puzzle.gallery.featured
    ]


def _card(puzzle: Puzzle) -> dict[str, Any]:
    return {"puzzle": puzzle, "title": localized(puzzle.texts.title), "picture": _thumbnail(puzzle)}


def _card_problems(puzzle: Puzzle) -> list[dict[str, Any]]:
    problems = [
        {
            "name": localized(problem.name),
            "start": problem.start,
            "goal": problem.goal,
            "result": goals.result_text(puzzle, problem.start, problem.goal),
        }
        for problem in puzzle.gallery.problems
    ]
    return [problem for problem in problems if problem["result"] is not None]


def puzzle_list(current: Puzzle) -> list[dict[str, Any]]:
    """Return cards for the list next to the board: the puzzles of the gallery, and `current`."""
    return [_card(puzzle) for puzzle in puzzles() if puzzle.gallery.featured or puzzle is current]


def family_members(current: Puzzle) -> list[Puzzle]:
    """Return all puzzles of the family of `current`, or an empty list if the gallery shows all of them."""
    family = [puzzle for puzzle in puzzles() if puzzle.family == current.family]
    return [] if all(puzzle.gallery.featured for puzzle in family) else family


def problem_order(puzzle: Puzzle) -> list[tuple[str, str]]:
    """Return start and goal of the problems that the game page offers, in its order.

    With a complete table, these are the solvable classic problems and offered starts, sorted by fewest moves.
    Otherwise, they are the classic problems, sorted by difficulty.
    """
    is_complete = puzzle.source(puzzle.parse_goal(None)).is_complete
    return _by_moves(puzzle) if is_complete else _by_difficulty(puzzle)


def _by_difficulty(puzzle: Puzzle) -> list[tuple[str, str]]:
    """Return the classic problems by difficulty in the atlas; those of unknown difficulty come first."""
    problems = [(problem.start, problem.goal) for problem in puzzle.gallery.problems]
    return sorted(
        problems, key=lambda problem: getattr(known_result(puzzle, *problem), "difficulty_bits", None) or 0.0
    )


def _by_moves(puzzle: Puzzle) -> list[tuple[str, str]]:
    """Return (start, goal) of the solvable classic problems and offered starts, sorted by fewest moves.

    An offered start has the puzzle's own goal. Solved positions are left out. While a verdict is not final,
    return the result of `_by_difficulty`.
    """
    classic = [(problem.start, problem.goal) for problem in puzzle.gallery.problems]
    problems = dict.fromkeys([*classic, *((start, puzzle.goal) for start in puzzle.starts.values())])
    by_problem = {problem: _verdict(puzzle, *problem) for problem in problems}
    if not all(verdict.is_final for verdict in by_problem.values()):
        return _by_difficulty(puzzle)
    solvable = [problem for problem in problems if by_problem[problem].moves_left]
    return sorted(solvable, key=lambda problem: by_problem[problem].moves_left or 0)


def _verdict(puzzle: Puzzle, start: str, goal: str) -> verdicts.Verdict:
    return verdicts.verdict_of(puzzle, puzzle.parse_goal(goal), puzzle.parse(start))


@cached_in_puzzle
def _thumbnail(puzzle: Puzzle) -> board_picture.Picture:
    return board_picture.picture(puzzle, puzzle.parse(puzzle.start), puzzle.goal, margin=6)


def _subtitle(puzzle: Puzzle) -> str:
    """Return the subtitle of a card: the number of holes, and the fewest moves if known from a table.

    Fewest moves from the atlas are left out, because another part of the card shows them.
    """
    holes = str(gettext("%(number)s places", number=puzzle.holes))
    in_atlas = known_result(puzzle, puzzle.start, puzzle.goal) is not None
    if in_atlas or not warmup().can_answer(puzzle.id):  # without kernels the verdict is unknown
        return holes
    fewest = _verdict(puzzle, puzzle.start, puzzle.goal).moves_left
    if fewest is None:
        return holes
    return str(gettext("%(holes)s, %(moves)s moves at best", holes=holes, moves=fewest))
