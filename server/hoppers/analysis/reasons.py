"""Why a position is dead, for people: the shortest proof that can be checked by hand."""

from hoppers.analysis import verdicts
from hoppers.core.model import Position
from hoppers.core.puzzle import Puzzle
from hoppers.core.reasons import Reason
from hoppers.core.texts import Text

FEW_BOARDS, MAX_BOARDS = 12, 1000
"""Most boards that are listed rather than weighed, and most that are counted at all, in some 20 ms."""


def reason_of(puzzle: Puzzle, goal: int, position: Position) -> Reason | None:
    """Return why a position is dead, or None if its verdict is not "dead".

    Proofs are tried in this order: no step is legal; at most FEW_BOARDS boards can follow; the proof of
    the rules (`Rules.dead_reason`); at most MAX_BOARDS boards can follow; the position after each step is
    dead. If none holds, the reason names the table or the search that has proved it.
    """
    verdict, _ = verdicts.graded(puzzle, goal, position)
    if verdict.verdict != verdicts.DEAD_END:
        return None
    reason = short_reason(puzzle, goal, position)
    if reason is None and puzzle.is_compiled:
        reason = _reason_by_steps(puzzle, goal, position)
    return reason or _long_proof(puzzle, goal, position)


def short_reason(puzzle: Puzzle, goal: int, position: Position) -> Reason | None:
    """Return a short proof that a position is dead, or None if none is found, as for a live position."""
    few = reachable_boards(puzzle, position, FEW_BOARDS)
    if few is not None:
        return _exhausted(few)
    reason = puzzle.rules.dead_reason(position, goal)
    if reason is not None:
        return reason
    boards = reachable_boards(puzzle, position, MAX_BOARDS)
    return None if boards is None else _exhausted(boards)


def reachable_boards(puzzle: Puzzle, position: Position, most: int) -> dict[int, bool] | None:
    """Return all boards that can follow, the first included, and whether a step is legal on each.

    The result is None if there are more than `most`.
    """
    found: dict[int, bool] = {}
    waiting = [position]
    while waiting:
        at = waiting.pop()
        if at.state in found:
            continue
        steps = puzzle.legal_steps(at)
        found[at.state] = bool(steps)
        waiting += [step.after for step in steps if step.after.state not in found]
        if len(found) > most:
            return None
    return found


def _exhausted(boards: dict[int, bool]) -> Reason:
    """Return the reason that the goal is not among all boards that can follow."""
    count, stuck = len(boards), list(boards.values()).count(False)
    if count == 1:
        return Reason("stuck", Text("No moves left."), boards=1)
    sentence = Text(
        "Only {count} positions can be reached from here, and none of them is solved. In one of them no "
        "jump is left.",
        {"count": count, "n": stuck},
        "Only {count} positions can be reached from here, and none of them is solved. In {n} of them no "
        "jump is left.",
    )
    return Reason("boards", sentence, boards=count)


def _reason_by_steps(puzzle: Puzzle, goal: int, position: Position) -> Reason | None:
    """Return the reason that every step leads to a dead position, or None.

    Each of these positions must have a short reason, unless the source has proved the position by its steps.
    """
    source, found = puzzle.source(goal), []
    is_by_steps = source.known_answer(position).reason == "steps"
    for step in puzzle.steps(position):
        reason = short_reason(puzzle, goal, step.after)
        if reason is None and is_by_steps:
            reason = _long_proof(puzzle, goal, step.after)
        if reason is None:
            return None
        found.append((step, reason))
    return Reason(
        "steps",
        Text("Every possible step leads to a position that cannot be solved, each for its own reason."),
        steps=tuple(found),
    )


def _long_proof(puzzle: Puzzle, goal: int, position: Position) -> Reason:
    source = puzzle.source(goal)
    proof = source.known_answer(position).proof
    if proof == "atlas":
        return Reason("search", Text("The atlas has the proof. It is too long to be drawn on the board."))
    if source.is_complete or proof == "table":
        return Reason(
            "table",
            Text(
                "Every position reachable from here has been computed, and the goal is not among them. "
                "They are too many to list, and no shorter proof is known."
            ),
        )
    return Reason(
        "search",
        Text("A search has followed every line to its end. No shorter proof is known."),
    )
