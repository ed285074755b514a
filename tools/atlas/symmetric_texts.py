"""Positions that are alike up to symmetry, as texts."""

from hoppers.core.board import Permutation
from hoppers.core.puzzle import Puzzle


def images(puzzle: Puzzle, goal: str, text: str) -> set[str]:
    """Return the texts of all positions that are alike up to symmetry, `text` among them.

    A symmetry of a board of tiles that keeps the place of the blank moves the tiles and renames them, so
    that each is as far from its own place as before.
    """
    if puzzle.family in ("pegs", "flips"):
        return {_moved(text, image) for image in puzzle.board.symmetries if _keeps(puzzle, goal, image)}
    blank = goal.index(puzzle.rules.alphabet[0])
    kept = (image for image in puzzle.board.symmetries if image[blank] == blank)
    return {_moved("".join(goal[image[goal.index(tile)]] for tile in text), image) for image in kept}


def goals_up_to_symmetry(puzzle: Puzzle) -> list[str]:
    """Return the goals of a puzzle, of those that a symmetry of the board exchanges only the first."""
    found: dict[int, str] = {}
    for goal in puzzle.rules.goals:
        code = puzzle.parse_goal(goal)
        alike = {puzzle.rules.goal_image(image, code) for image in puzzle.board.symmetries}
        if not alike & found.keys():
            found[code] = goal
    return list(found.values())


def _keeps(puzzle: Puzzle, goal: str, image: Permutation) -> bool:
    code = puzzle.parse_goal(goal)
    return puzzle.rules.goal_image(image, code) == code


def _moved(text: str, image: Permutation) -> str:
    moved = [""] * len(text)
    for hole, cell in zip(image, text, strict=True):
        moved[hole] = cell
    return "".join(moved)
