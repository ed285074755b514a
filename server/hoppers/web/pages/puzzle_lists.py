"""Lists of puzzles: the cards of the gallery, the list next to the board, and the members of a family.

The order in which a page offers the problems of a puzzle is here, too.
"""

from typing import Any

from hoppers.analysis import verdicts
from hoppers.analysis.atlas_results import known_result
from hoppers.core.puzzle import Puzzle, cached_in_puzzle
from hoppers.drawing import board_picture
from hoppers.web.current import puzzles
from hoppers.web.decks import all_decks
from hoppers.web.http.i18n import localized
from hoppers.web.http.responses import may_change


def deck_lengths() -> list[dict[str, Any]]:
    """Return id and number of cards of each deck, as the scripts need them to find the next card."""
    return [{"id": deck.id, "cards": len(deck.cards)} for deck in all_decks()]


def boards_of_gallery() -> list[dict[str, Any]]:
    """Return the boards of the gallery: title and puzzles. Rows of one family share an entry.

    A board on which several puzzles are played is there once; the list next to the board has all.
    """
    groups: list[list[dict[str, Any]]] = []
    for card in map(_card, _first_of_boards()):
        last = groups[-1][0] if groups else None
        if last and card["picture"].wide and last["puzzle"].family == card["puzzle"].family:
            groups[-1].append(card)
        else:
            groups.append([card])
    return [_entry(group) for group in groups]


def _entry(group: list[dict[str, Any]]) -> dict[str, Any]:
    title = group[0]["title"]
    return {"title": title if len(group) == 1 else title.rstrip(" 0123456789"), "cards": group}


def _first_of_boards() -> list[Puzzle]:
    featured = [puzzle for puzzle in puzzles() if puzzle.gallery.featured]
    boards = [puzzle.board for puzzle in featured]
    return [puzzle for place, puzzle in enumerate(featured) if puzzle.board not in boards[:place]]


def _card(puzzle: Puzzle) -> dict[str, Any]:
    return {"puzzle": puzzle, "title": localized(puzzle.texts.title), "picture": _thumbnail(puzzle)}


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
    return sorted(problems, key=lambda problem: getattr(known_result(puzzle, *problem), "bits", None) or 0.0)


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
    verdict = verdicts.verdict_of(puzzle, puzzle.parse_goal(goal), puzzle.parse(start))
    if not verdict.is_final:
        may_change()
    return verdict


@cached_in_puzzle
def _thumbnail(puzzle: Puzzle) -> board_picture.Picture:
    return board_picture.picture(puzzle, puzzle.parse(puzzle.start), puzzle.goal, margin=6)
