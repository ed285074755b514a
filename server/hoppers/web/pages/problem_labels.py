"""What the atlas knows of problems, in the words of the page and in those of programs."""

from functools import cache
from typing import Any, NamedTuple

from flask_babel import format_decimal, get_locale, gettext

from hoppers.analysis.atlas_results import KnownResult, known_result
from hoppers.core.puzzle import Puzzle
from hoppers.web.catalogue import catalogue
from hoppers.web.drawing import board_picture
from hoppers.web.http.i18n import in_words


class Mark(NamedTuple):
    """A problem as the page shows it."""

    par: KnownResult
    sign: str
    """In a character or three."""
    short: str
    full: str


class Choice(NamedTuple):
    """A start or a goal that a player may choose."""

    value: str
    label: str
    mark: Mark | None


def fields(known: KnownResult) -> dict[str, Any]:
    """What is known of a problem, for programs."""
    return {
        "state": known.state,
        "moves": known.moves,
        "least": known.least or None,
        "count": known.solutions,
        "unique_count": known.unique,
        "luck": known.difficulty_bits,
        "difficulty": known.grade,
        "reason": known.reason,
    }


def mark_of(puzzle: Puzzle, start: str, goal: str) -> Mark | None:
    """A problem as the page shows it; None where the atlas has nothing to say."""
    known = known_result(puzzle, start, goal)
    return None if known is None else mark(known)


def mark(known: KnownResult) -> Mark:
    """What is known in words."""
    short, more = _told(known)
    parts = [more, _ways(known), degree_in_words(known)]
    return Mark(known, _sign(known), short, gettext(" · ").join(part for part in parts if part))


def _told(known: KnownResult) -> tuple[str, str]:
    """In a few words, and in a sentence."""
    moves, least = known.moves, known.least
    match known.state:
        case "proved":
            short = gettext("%(moves)s moves, proved", moves=moves)
            return short, gettext("%(moves)s moves, proved to be the fewest", moves=moves)
        case "found":
            short = gettext("%(moves)s moves found, not proved", moves=moves)
            most = gettext(
                "%(moves)s moves are the best known, not proved; at least %(least)s", moves=moves, least=least
            )
            return short, most
        case "open":
            open_ = gettext("Nobody knows whether this can be solved; it would take at least %(least)s moves")
            return gettext("open"), open_ % {"least": least}
        case _:
            return gettext("no solution"), _reason(known)


def _reason(known: KnownResult) -> str:
    texts = {
        "class": gettext("No solution: start and end are of different position classes"),
        "pagoda": gettext("No solution: weights of the holes prove it"),
    }
    proved = gettext("No solution: all that can happen was tried")
    return str(texts.get(known.reason or "", proved))


def _sign(known: KnownResult) -> str:
    signs = {"proved": f"{known.moves}", "found": f"≤{known.moves}", "open": "?"}
    return signs.get(known.state, "×")


def _ways(known: KnownResult) -> str:
    if known.solutions is None:
        return ""
    return str(gettext("%(number)s shortest solutions", number=format_decimal(known.solutions)))


def degree_in_words(known: KnownResult) -> str:
    """The difficulty, if it is known."""
    return str(gettext("difficulty %(degree)s of 5", degree=known.grade)) if known.grade else ""


def goals(puzzle: Puzzle, start: str) -> list[Choice]:
    """The goals of a puzzle, with what is known of each from a start."""
    return [Choice(goal, _goal_name(puzzle, goal), mark_of(puzzle, start, goal)) for goal in puzzle.goals]


def map_of(puzzle: Puzzle, start: str) -> dict[str, Any]:
    """What the template of the goals draws: a mark in every hole of the board, or no board but a list.

    A row of cells is no map, and a single goal needs none.
    """
    choices = goals(puzzle, start)
    is_known = len(choices) > 1 and any(choice.mark is not None for choice in choices)
    slab = board_picture.picture(puzzle, puzzle.parse(puzzle.start), puzzle.goal) if is_known else None
    vacant = {str(hole) for hole, cell in enumerate(start) if cell == puzzle.alphabet[0]}
    return {
        "goals": choices,
        "slab": None if slab is None or slab.wide else slab,
        "vacant": vacant if puzzle.chains else set(),
        "sentence": sentence,
    }


def sentence(choice: Choice, in_hole: object) -> str:
    """A goal and all that is known of it; `in_hole`: it is the hole of the last piece."""
    full = choice.mark.full if choice.mark else ""
    if choice.value == "any":
        return str(gettext("Anywhere: %(par)s", par=full))
    if in_hole:
        return str(gettext("Hole %(hole)s: %(par)s", hole=choice.value, par=full))
    return str(gettext("%(name)s: %(par)s", name=choice.label[:1].upper() + choice.label[1:], par=full))


def ending(puzzle: Puzzle, goal: str) -> str:
    """What has to end where, in a sentence; nothing where the goal is no single hole."""
    if not board_picture.is_hole(puzzle, goal):
        return ""
    what = in_words(puzzle.manner.closing)
    return str(gettext("The %(what)s must end in hole %(hole)s.", what=what, hole=goal))


def rules(puzzle: Puzzle, goal: str) -> str:
    """The rules in a sentence or two, and what this goal asks beside them."""
    gap = str(catalogue(str(get_locale().language))["sentence.gap"])
    return gap.join(filter(None, (in_words(puzzle.objective), ending(puzzle, goal))))


def _goal_name(puzzle: Puzzle, goal: str) -> str:
    if board_picture.is_hole(puzzle, goal):
        return goal
    return str(gettext("anywhere") if goal == "any" else gettext("in order"))


def starts(puzzle: Puzzle) -> list[Choice]:
    """The starts of a puzzle, with how many holes the last piece can end in from each."""
    return [Choice(text, _start_name(label, puzzle, text), None) for label, text in puzzle.starts.items()]


def _start_name(label: str, puzzle: Puzzle, start: str) -> str:
    name = next((in_words(problem.name) for problem in puzzle.problems if problem.start == start), None)
    if label != start or name is None:
        return _with_ends(label, puzzle, start)
    return str(gettext("%(name)s (%(start)s)", name=_with_ends(name, puzzle, start), start=start))


def _with_ends(label: str, puzzle: Puzzle, start: str) -> str:
    ends = _ends(puzzle, start)
    if ends is None:
        return label
    solved, undecided = ends
    if not solved and not undecided:
        return str(gettext("%(start)s: no solution", start=label))
    if not solved:
        return str(gettext("%(start)s: open", start=label))
    return str(gettext("%(start)s: %(number)s goals", start=label, number=solved))


@cache
def _ends(puzzle: Puzzle, start: str) -> tuple[int, int] | None:
    """How many single holes are known to be reached from a start, and of how many that is open."""
    holes = [goal for goal in puzzle.goals if goal != "any"] if len(puzzle.goals) > 1 else []
    known = [known_result(puzzle, start, goal) for goal in holes]
    states = [entry.state for entry in known if entry is not None]
    if not states:
        return None
    return sum(state in ("proved", "found") for state in states), states.count("open")
