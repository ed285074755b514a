"""Right answers to check a server by: naive rules and exhaustive searches, which share no code with it."""

import random
from collections import deque
from functools import cache
from itertools import pairwise

from tests import naive
from tests.support.engine import PUZZLES

FEW_PEGS = 9
"""Most pegs of positions of large boards that are solved here, by following every line of play."""
SMALL = 15  # holes of peg boards of which every position is solved
MANY_CELLS, NEAR = 10, 14  # from this length on, sliding puzzles are solved up to NEAR moves from the goal
SAMPLES = 300  # solved positions of each board at which games may begin
SEED = 2026

UNKNOWN = -1


class Board:
    """A puzzle by naive rules, with the fewest moves of many positions to one goal."""

    def __init__(self, puzzle_id: str) -> None:
        """Solve the positions that are few enough; that takes up to some seconds."""
        known = PUZZLES[puzzle_id]
        self.id, self.goal = puzzle_id, known.goal
        self.game = naive.rules(puzzle_id)
        self._left: dict[str, int | None] = {}
        self._dice = random.Random(SEED)
        self.starts = list(known.starts.values())
        self.starts += self._samples()

    def steps(self, text: str) -> dict[tuple[int, int], tuple[str, int]]:
        """Return (position, cost) after each legal step, by (from, to)."""
        return {(origin, target): (after, cost) for origin, target, after, cost in self.game.steps(text)}

    def left(self, text: str) -> int | None:
        """Return the fewest moves left, None for a dead position, UNKNOWN for one too large to be solved."""
        if text in self._left:
            return self._left[text]
        if isinstance(self.game, naive.Pegs) and text.count("o") <= self._most_pegs():
            return self._follow(text)
        return UNKNOWN

    def _most_pegs(self) -> int:
        return SMALL if len(self.starts[0]) <= SMALL else FEW_PEGS

    def _follow(self, text: str) -> int | None:
        """Return the fewest moves left on a peg board by following every line of play; keep all results."""
        if text not in self._left:
            least: int | None = 0 if self.game.solved(text, self.goal) else None
            for _, _, after, cost in self.game.steps(text) if least is None else ():
                rest = self._follow(after)
                if rest is not None and (least is None or cost + rest < least):
                    least = cost + rest
            self._left[text] = least
        return self._left[text]

    def _samples(self) -> list[str]:
        """Solve positions, and return some of them, most of them solvable."""
        match self.game:
            case naive.Pegs() as game:
                return [self._played_back(game) for _ in range(SAMPLES)]
            case naive.Sliding():
                self._left |= _distances(self.game, [self.goal], NEAR if len(self.goal) >= MANY_CELLS else 99)
            case naive.Flips():
                discs = "w" * (len(self.starts[0]) - 1)
                solved = [discs[:gap] + "_" + discs[gap:] for gap in range(len(discs) + 1)]
                self._left |= _distances(self.game, solved, 99)
        return self._dice.sample(sorted(self._left), min(SAMPLES, len(self._left)))

    def _played_back(self, game: naive.Pegs) -> str:
        """Return a position from which the goal is reached: jumps played back from a last peg."""
        last = self._dice.randrange(len(game.places)) if self.goal == "any" else int(self.goal)
        pegs = {last: game.last}
        for _ in range(self._dice.randint(2, self._most_pegs() - 2)):
            backwards = [(a, b, c) for a, b, c in game.jumps if c in pegs and not pegs.keys() & {a, b}]
            if backwards:
                a, b, c = self._dice.choice(backwards)
                pegs |= {a: pegs.pop(c), b: "o"}
        return "".join(pegs.get(hole, ".") for hole in range(len(game.places)))


def _distances(game: naive.Rules, solved: list[str], most: int) -> dict[str, int | None]:
    """Return the fewest moves, up to `most`, to the nearest of `solved`; steps must be reversible."""
    found: dict[str, int | None] = dict.fromkeys(solved, 0)
    layer = deque((text, 0) for text in solved)
    while layer:
        text, moves = layer.popleft()
        for _, _, after, _ in game.steps(text) if moves < most else ():
            if after not in found:
                found[after] = moves + 1
                layer.append((after, moves + 1))
    return found


@cache
def boards() -> dict[str, Board]:
    """Return the puzzles of the gallery, by id."""
    return {puzzle.id: Board(puzzle.id) for puzzle in PUZZLES.values() if puzzle.gallery.featured}


def fault_in_verdict(board: Board, text: str, answer: dict[str, object]) -> str | None:
    """Return what is wrong with a verdict on a position: '' if nothing is, None if that is not known."""
    left, verdict, told = board.left(text), answer["verdict"], answer.get("moves_left")
    right = "dead" if left is None else "solved" if board.game.solved(text, board.goal) else "live"
    if left == UNKNOWN or verdict == "unknown":
        return None
    if verdict != right or told not in (None, left) or (verdict == "solved" and told != 0):
        return f"{board.id} {text}: {verdict} {told}, but right is {right} {left}"
    return ""


def fault_in_hint(board: Board, text: str, answer: dict[str, object]) -> str | None:
    """Return what is wrong with a hint: its verdict, or its step, which must be legal and the best."""
    step = answer["step"]
    if (fault := fault_in_verdict(board, text, answer)) or not isinstance(step, dict):
        return fault
    after, cost = board.steps(text).get((step["from"], step["to"]), ("", 0))
    if not after:
        return f"{board.id} {text}: the hint {step} is not legal"
    left, rest = board.left(text), board.left(after)
    if UNKNOWN in (left, rest) or not answer["proved"]:
        return None
    if left != (None if rest is None else cost + rest):
        return f"{board.id} {text}: the hint {step} leads to {rest}, but {left} are left"
    return ""


def fault_in_solution(board: Board, text: str, answer: dict[str, object]) -> str:
    """Return what is wrong with a solution: it must be legal, lead to the goal, and be shortest if proved."""
    moves, at, paid = answer["moves"], text, 0
    assert isinstance(moves, list)
    for move in moves:
        for step in pairwise(move):
            at, cost = board.steps(at).get(step, ("", 0))
            paid += cost
            if not at:
                return f"{board.id} {text}: {step} of the solution {moves} is not legal"
    left = board.left(text)
    if moves and not board.game.solved(at, board.goal):
        return f"{board.id} {text}: the solution {moves} does not reach the goal"
    if answer["proved"] and left is not None and left != UNKNOWN and paid != left:
        return f"{board.id} {text}: the solution {moves} has {paid} moves, but {left} are enough"
    return ""
