"""Pseudo-code of the searches that can be watched, and what a node is in each.

A node of a depth-first search is one call of `search` in this code: who runs it counts the same nodes as the
program (`tests/search/test_pseudo_code.py` does).
"""

from typing import NamedTuple

from hoppers.core.puzzle import Algorithm, Puzzle
from hoppers.core.texts import Text


class Line(NamedTuple):
    """A line of code, and the kinds of events (see `core.events.Visit`) that happen in it."""

    text: str
    kinds: tuple[str, ...] = ()


def code_of(puzzle: Puzzle, algorithm: Algorithm) -> list[Line]:
    """Return the pseudo-code of an algorithm, as it searches a puzzle."""
    chains = puzzle.rules.multi_step_moves
    if algorithm.order == "both ends":
        return _both_ends()
    if algorithm.order == "breadth":
        return _breadth_first(chains)
    return _depth_first(algorithm) if chains else _depth_first_in_single_steps(algorithm)


def node_of(puzzle: Puzzle, algorithm: Algorithm) -> Text:
    """Return the sentence that says what a node is when an algorithm searches a puzzle."""
    if algorithm.node is not None:
        return algorithm.node
    if puzzle.rules.multi_step_moves:
        return Text("A node is one visit to a position, even if it is pruned at once.")
    return Text("A node is one visit to a position, always within the limit.")


def _depth_first(algorithm: Algorithm) -> list[Line]:
    """Return the code where a step may cost 0: a position is entered first, and then tested."""
    bound = [Line("  f = g + h(position)"), Line("  if f > limit: prune", ("bound",))]
    return [
        Line("for limit in 1, 2, 3, …:", ("root", "end")),
        Line("  search(start, 0)"),
        Line(""),
        Line("search(position, g):", ("enter",)),
        Line("  count a node"),
        Line("  if g > limit: prune", ("limit",)),
        Line("  if position is solved: stop", ("solved",)),
        *(bound if algorithm.has_bound else []),
        *(_LOOK_UP if algorithm.has_table else []),
        Line("  for each step, to next:", ("fatal",)),
        Line("    search(next, g + cost)"),
        *(_STORE if algorithm.has_table else []),
        *([Line("    limit - g, or ∞ if nothing was pruned")] if algorithm.has_table else []),
        Line("  go back", ("leave",)),
    ]


def _depth_first_in_single_steps(algorithm: Algorithm) -> list[Line]:
    """Return the code where every step costs 1: a position is tested before it is entered."""
    kinds = ("limit", "bound")
    least = "g + max(1, h(next))" if algorithm.slack else "g + 1 + h(next)"
    tests = [Line("    if g + 1 > limit: prune", kinds)]
    if algorithm.has_bound:
        tests = [Line(f"    f = {least}"), Line("    if f > limit: prune", kinds)]
    unreachable = Line("  if h(start) > limit: prune", ("root bound",))
    return [
        Line("for limit in 1, 2, 3, …:", ("root", "end")),
        *([unreachable] if algorithm.has_bound else []),
        Line("  search(start, 0)"),
        Line(""),
        Line("search(position, g):", ("enter",)),
        Line("  count a node"),
        Line("  if position is solved: stop", ("solved",)),
        *(_LOOK_UP if algorithm.has_table else []),
        Line("  for each step, to next:"),
        Line("    if next was just before: skip", ("back",)),
        *tests,
        Line("    search(next, g + 1)"),
        *(_STORE if algorithm.has_table else []),
        *([Line("    limit - g")] if algorithm.has_table else []),
        Line("  go back", ("leave",)),
    ]


_LOOK_UP = [Line("  if limit - g <= table[position]: prune", ("seen", "lost"))]
_STORE = [Line("  if no solution: table[position] =")]
_WIDEN = Line("for moves in 1, 2, 3, …:", ("level",))


def _breadth_first(chains: bool) -> list[Line]:
    continued = [Line("  for each step of cost 0 from new: add(next)", ("extend",))]
    first = "of cost 1 from level" if chains else "from level"
    return [
        Line("level = found = {start}", ("first",)),
        _WIDEN,
        Line("  new = {}"),
        Line(f"  for each step {first}: add(next)", ("take",)),
        *(continued if chains else []),
        Line("  if one of new is solved: stop", ("path",)),
        Line("  level = new", ("complete",)),
        Line(""),
        Line("add(next):"),
        Line("  if next in found: skip", ("known",)),
        Line("  count a node", ()),
        Line("  add next to new and found", ("found", "solved")),
    ]


def _both_ends() -> list[Line]:
    return [
        Line("ahead = {start}; behind = goals", ("first",)),
        _WIDEN,
        Line("  level = smaller of ahead, behind", ("forward", "backward")),
        Line("  new = {}"),
        Line("  for each step from level, to next:", ("take",)),
        Line("    if this end has found next: skip", ("known",)),
        Line("    count a node"),
        Line("    add next to new", ("found", "met")),
        Line("  if both ends have one of new: stop", ("path",)),
        Line("  ahead or behind = new", ("complete",)),
    ]
