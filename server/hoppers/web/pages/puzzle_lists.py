"""Lists of puzzles: the cards of the gallery, the list next to the board, and the members of a family.

The order in which a page offers the problems of a puzzle is here, too.
"""

from typing import Any

from hoppers.analysis import verdicts
from hoppers.analysis.atlas_results import known_result
from hoppers.core.puzzle import Puzzle, cached_in_puzzle
from hoppers.drawing import board_picture
from hoppers.web.current import puzzles, warmup
from hoppers.web.decks import all_decks
from hoppers.web.http.i18n import gettext, localized, ngettext
from hoppers.web.http.responses import may_change
from hoppers.web.pages.goals import degree_word


def deck_lengths() -> list[dict[str, Any]]:
    """Return id and number of cards of each deck, as the scripts need them to find the next card."""
    return [{"id": deck.id, "cards": len(deck.cards)} for deck in all_decks()]


def boards_of_gallery() -> list[dict[str, Any]]:
    """Return the boards of the gallery: title, caption and puzzles. Rows of one family share an entry."""
    featured = [_card(puzzle) for puzzle in puzzles() if puzzle.gallery.featured]
    groups: list[list[dict[str, Any]]] = []
    for card in featured:
        last = groups[-1][0] if groups else None
        if last and card["picture"].wide and last["puzzle"].family == card["puzzle"].family:
            groups[-1].append(card)
        else:
            groups.append([card])
    return [_entry(group) for group in groups]


def _entry(group: list[dict[str, Any]]) -> dict[str, Any]:
    puzzle, title = group[0]["puzzle"], group[0]["title"]
    if len(group) > 1:
        return {"title": title.rstrip(" 0123456789"), "caption": "", "cards": group}
    return {"title": title, "caption": _caption(puzzle), "cards": group}


def _caption(puzzle: Puzzle) -> str:
    """Return difficulty and fewest moves of a puzzle's own problem in a few words; '' if neither is known."""
    known = known_result(puzzle, puzzle.start, puzzle.goal)
    if known is not None:
        parts = [degree_word(known.grade), _moves_text(known.moves, known.state == "proved")]
    elif warmup().can_answer(puzzle.id):  # without kernels the verdict is unknown
        parts = ["", _moves_text(_verdict(puzzle, puzzle.start, puzzle.goal).moves_left, True)]
    else:
        parts = []
    return str(gettext(" · ")).join(filter(None, parts))


def _moves_text(moves: int | None, is_proved: bool) -> str:
    if moves is None:
        return ""
    if is_proved:
        return ngettext("%(num)s move", "%(num)s moves", moves)
    return str(gettext("at most %(moves)s moves", moves=moves))


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
