"""Check certificates of peg solitaire: `python check_certificate.py FILE...`, one a line of JSON.

Needs Python and numpy, and shares nothing with the program that wrote the certificates. The exit status is 0
only if each certificate proves its claim. docs/certificates.md has the format, and why each proof is one.
"""

import hashlib
import json
import sys
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

UNSOLVABLE, TABLE_HOLES, LEVEL_HOLES, MOST_HOLES, MOST_ENDS, LARGEST_WEIGHT = 255, 21, 48, 63, 4096, 999


def require(condition: object, sentence: str) -> None:
    """Raise ValueError with a sentence unless a condition holds."""
    if not condition:
        raise ValueError(sentence)


def object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object as a dictionary; a name must not come twice."""
    require(len(dict(pairs)) == len(pairs), "A name comes twice in an object.")
    return dict(pairs)


def require_fields(fields: Any, names: str, optional: str = "") -> None:
    """Require that an object has all fields of `names`, and no others but the optional ones."""
    wrong = (set(fields) ^ set(names.split())) - ({*fields} & {*optional.split()})
    require(type(fields) is dict and not wrong, f"Missing or unknown fields: {sorted(map(str, wrong))}.")


def whole(numbers: Any) -> Any:
    """Return a list after requiring that all its items are whole numbers, and no truth values."""
    is_whole = type(numbers) is list and all(type(number) is int for number in numbers)
    require(is_whole, f"{numbers!r:.99} is no list of whole numbers.")
    return numbers


class PegProblem:
    """Board, start and goal of a certificate; a set of holes is a number with a bit for each."""

    def __init__(self, certificate: Any) -> None:
        require_fields(certificate, "board start goal claim proof")
        require_fields(certificate["board"], "rows lines")
        rows, lines = certificate["board"]["rows"], map(whole, certificate["board"]["lines"])
        require(type(rows) is list and all(type(row) is str for row in rows), "Rows of a board are texts.")
        points = [(x, y) for y, row in enumerate(rows) for x, mark in enumerate(row) if mark == "o"]
        hole_at = {point: hole for hole, point in enumerate(points)}
        self.holes = len(points)
        ways = {(sign * dx, sign * dy) for dx, dy in lines for sign in (1, -1)} - {(0, 0)}
        starts = [(x, y, dx, dy) for x, y in points for dx, dy in ways]
        runs = [[hole_at.get((x + i * dx, y + i * dy)) for i in range(3)] for x, y, dx, dy in starts]
        self.jumps: Any = sorted(tuple(run) for run in runs if None not in run)
        text, _, active = certificate["start"].partition(":")
        require(self.holes <= MOST_HOLES, f"The board has more than {MOST_HOLES} holes.")
        require(len(text) == self.holes > 0, f"The start {text!r} does not fill the {self.holes} holes.")
        require(set(text) <= set("o.r") and text.count("r") < 2, f"The start {text!r} is no position.")
        self.pegs = frozenset(hole for hole, mark in enumerate(text) if mark != ".")
        self.red, self.active = text.find("r"), int(active or -1)  # -1: none
        require(self.active in self.pegs | {-1}, f"There is no peg in hole {active}.")
        self.start, self.goal = sum(1 << hole for hole in self.pegs), certificate["goal"]
        self.ends = [1 << hole for hole in range(self.holes) if self.goal in ("any", str(hole))]
        require(self.ends and self.pegs, f"The goal {self.goal!r} is no hole, or there is no peg.")


def read_functions(given: Any, problem: PegProblem, optional: str = "") -> tuple[Any, Any]:
    """Return weights, a row for each function, and which sums are taken modulo 2, after trying all jumps."""
    for function in given:
        require_fields(function, "weights", optional)
        weights, modulus = whole(function["weights"]), function.get("modulo")
        fits = len(weights) == problem.holes and all(abs(weight) <= LARGEST_WEIGHT for weight in weights)
        require(fits, f"A function needs a weight for each hole, of at most {LARGEST_WEIGHT}.")
        require(modulus in (None, 2), f"Sums are taken as they are or modulo 2, not modulo {modulus!r}.")
        for a, over, t in problem.jumps:
            change = weights[t] - weights[a] - weights[over]
            is_law = change % 2 == 0 if modulus else change <= 0
            require(is_law, f"The jump {a} to {t} changes a sum by {change}.")
    is_modulo = np.array([function.get("modulo") == 2 for function in given])
    return np.array([function["weights"] for function in given], np.float32), is_modulo


def sums_of(boards: Any, functions: tuple[Any, Any]) -> Any:
    """Return a row of whole numbers for each board; no jump raises one of them.

    A sum modulo 2, which no jump changes, gives two: itself, and itself with the other sign.
    """
    weights, is_modulo = functions
    pegs = boards[:, None] >> np.arange(weights.shape[1], dtype=np.uint64) & np.uint64(1)
    sums = (pegs.astype(np.float32) @ weights.T).astype(np.int32)  # exact, because they are small
    rests = sums[:, is_modulo] % 2
    return np.hstack([sums[:, ~is_modulo], rests, -rests])


def kept(boards: Any, functions: tuple[Any, Any], ends: Any) -> Any:
    """Return the boards from which one and the same end is excluded by no function.

    An end is left out if another has no higher sum: from where the one is open, the other is open, too.
    """
    require(0 < len(ends) <= MOST_ENDS, f"{len(ends)} ends are kept; 1 to {MOST_ENDS} can be compared.")
    sums = np.unique(sums_of(ends, functions), axis=0)
    least = [row for row in sums if (sums <= row).all(1).sum() == 1]
    rows = sums_of(boards, functions)
    return boards[np.any([(rows >= row).all(1) for row in least], axis=0)]


def merged(parts: list[Any]) -> Any:
    """Return all boards of several arrays, sorted, each once."""
    boards = np.sort(np.concatenate(parts))
    return boards[np.diff(boards, prepend=boards[:1] + np.uint64(1)) != 0]


def boards_around(problem: PegProblem, boards: Any, back: bool = False) -> Iterator[Any]:
    """Yield the boards that one jump leads to, or may come from if `back`, for 100,000 boards at a time."""
    lines = [(1 << a | 1 << over, 1 << t) for a, over, t in problem.jumps]
    pairs = [(np.uint64(t if back else pegs), np.uint64(pegs | t)) for pegs, t in lines]
    for part in np.array_split(boards, len(boards) // 100_000 + 1):
        yield merged([part[:0], *(part[part & line == before] ^ line for before, line in pairs)])


def check_functions(problem: PegProblem, proof: Any, claim: Any) -> None:
    """Check that a function excludes each end from each board, `first` jumps ahead, `last` jumps back."""
    functions, (first, last) = (
        read_functions(proof["functions"], problem, "modulo"),
        whole([proof["first"], proof["last"]]),
    )
    require(first in range(4) and last in range(4), "At most three jumps are made ahead, and taken back.")
    require(first + last < len(problem.pegs), "A solution does not have as many jumps.")
    early, late = np.array([problem.start], np.uint64), np.array(problem.ends, np.uint64)
    for _ in range(first):
        early = merged([*boards_around(problem, early)])
    for _ in range(last):
        late = merged([*boards_around(problem, late, back=True)])
    left = kept(early, functions, late)
    require(not len(left), f"No function excludes the goal from the boards {left[:9]}.")


@lru_cache(maxsize=2)
def table_of(jumps: Any, n: int, has_red: bool, ends: tuple[int, ...]) -> tuple[Any, Any, str]:
    """Return fewest moves and first movers of all states, by retrograde analysis with one jump at a time.

    A state is a board of n holes, with the hole of the red peg in the bits above. The peg that has just
    jumped may jump again at no cost. So if it begins a shortest solution, one move less is left.
    """
    fewest = np.full((n if has_red else 1) << n, UNSOLVABLE, np.uint8)
    movers = np.zeros(len(fewest), np.uint32)
    states = np.array([(end.bit_length() - 1) * has_red << n | end for end in ends])
    fewest[states] = 0
    while len(states):  # all with the same number of pegs
        found = [states[:0]]
        for origin, over, target in jumps:
            line, bit = 1 << origin | 1 << over | 1 << target, np.uint32(1 << origin)
            after = states[states & line == 1 << target]
            red = np.where(has_red & (after >> n == target), origin, after >> n)
            before = red << n | (after & (1 << n) - 1) ^ line
            moves = fewest[after] + 1 - (movers[after] >> target & 1).astype(np.uint8)
            known = fewest[before]
            fresh = before[known == UNSOLVABLE]
            movers[before] = np.where(moves > known, 0, bit) | np.where(moves < known, 0, movers[before])
            fewest[before] = np.minimum(moves, known)
            found.append(fresh)
        states = np.concatenate(found)
    return fewest, movers, hashlib.sha256(fewest.tobytes()).hexdigest()


def check_table(problem: PegProblem, proof: Any, claim: Any) -> None:
    """Make the table again, and compare its digest, the fewest moves and the number of solutions."""
    require(problem.holes <= TABLE_HOLES, f"Tables have at most {TABLE_HOLES} holes, not {problem.holes}.")
    made = table_of(tuple(problem.jumps), problem.holes, problem.red >= 0, tuple(problem.ends))
    fewest, movers, digest = made
    require(digest == proof["sha256"], f"The table made again has the digest {digest}.")

    def moves_of(board: int, red: int, active: int) -> int:
        state = max(red, 0) << problem.holes | board
        return int(fewest[state]) - int(active >= 0 and movers[state] >> max(active, 0) & 1)

    @cache
    def solutions(board: int, red: int, active: int) -> int:
        total = int(board.bit_count() == 1)
        for a, over, t in problem.jumps:
            if board >> a & board >> over & ~board >> t & 1 and over != red:
                after = board ^ (1 << a | 1 << over | 1 << t), t if a == red else red, t
                is_best = moves_of(*after) + (a != active) == moves_of(board, red, active)
                total += solutions(*after) if is_best else 0
        return total

    start = problem.start, problem.red, problem.active
    moves, claimed = moves_of(*start), {} if claim == "impossible" else claim
    require((moves == UNSOLVABLE) == (claim == "impossible"), f"The fewest moves are {moves} (255: none).")
    require(moves == claimed.get("moves", UNSOLVABLE), f"The fewest moves are {moves}.")
    if "solutions" in claimed:
        require(solutions(*start) == claimed["solutions"], f"There are {solutions(*start)} solutions.")


def check_line(problem: PegProblem, proof: Any, claim: Any) -> None:
    """Replay a line, such as "2-0-6.9-3", of at most the claimed number of moves."""
    moves = [[int(hole) for hole in move.split("-")] for move in proof["line"].split(".")]
    pegs, red = set(problem.pegs), problem.red
    for a, t in (step for move in moves for step in pairwise(move)):
        over = next((over for origin, over, target in problem.jumps if (origin, target) == (a, t)), None)
        require({a, over} <= pegs and t not in pegs and over != red, f"The jump {a} to {t} is not possible.")
        pegs, red = pegs - {a, over} | {t}, t if a == red else red
    require(sum(1 << hole for hole in pegs) in problem.ends, "The line does not end at the goal.")
    made = len(moves) - (moves[0][0] == problem.active)
    require(made <= claim["most"], f"The line has {made} moves, more than are claimed.")


def check_levels(problem: PegProblem, proof: Any, claim: Any) -> None:
    """Check that no jump joins the boards that may follow the start to those that may come before the goal.

    With pegs and holes exchanged, a jump taken back is a jump. So if a symmetry exchanges start and goal,
    too, the image of a solution is a solution, and its boards some jumps before the end are images of boards
    as many jumps after the start. After the first `ahead` levels, the images of the last one are the ends.
    """
    n, jumps, symmetry = problem.holes, problem.jumps, whole(proof["symmetry"])
    require(n <= LEVEL_HOLES and len(problem.ends) == 1, "Levels are for one goal and 48 holes.")
    is_involution = sorted(symmetry) == [*range(n)] and all(symmetry[symmetry[i]] == i for i in range(n))
    moved_jumps = sorted(tuple(symmetry[hole] for hole in jump) for jump in jumps)
    require(is_involution and moved_jumps == jumps, "This is no symmetry of the board that undoes itself.")

    def image(boards: Any) -> Any:
        pegs = ((boards >> np.uint64(i) & np.uint64(1)) << np.uint64(symmetry[i]) for i in range(n))
        return sum(pegs) ^ np.uint64((1 << n) - 1)

    boards, ends = np.array([[problem.start], problem.ends], np.uint64)
    require(image(boards) == ends, "The symmetry does not exchange start and goal.")
    functions = read_functions(proof["functions"], problem)
    ahead, *sizes = whole([proof["ahead"], *proof["sizes"]])
    require(0 < ahead <= len(sizes) and 2 * len(sizes) + 2 == len(problem.pegs), "The levels do not meet.")
    for level, size in enumerate(sizes, 1):
        boards = merged([kept(part, functions, ends) for part in boards_around(problem, boards)])
        print(f"a level of {len(boards):,} boards", file=sys.stderr, flush=True)
        require(len(boards) == size, f"A level has {len(boards)} boards, not {size}.")
        ends = image(boards) if level == ahead else ends
    wanted = np.append(np.sort(image(boards)), np.uint64((1 << n) - 1))  # no board after a jump is full
    for part in boards_around(problem, boards):
        require(not (wanted[np.searchsorted(wanted, part)] == part).any(), "The levels meet.")


KINDS = {  # kind -> its check, what it proves, and the fields of the proof
    "functions": (check_functions, "impossible", "functions first last"),
    "levels": (check_levels, "impossible", "functions symmetry ahead sizes"),
    "table": (check_table, "impossible moves", "sha256"),
    "line": (check_line, "most", "line"),
}


def check(certificate: Any) -> str:
    """Return in a sentence what a certificate proves; raise an exception if it proves nothing."""
    problem, claim, proof = PegProblem(certificate), certificate["claim"], certificate["proof"]
    kind, claimed = proof["kind"], "impossible" if claim == "impossible" else min(claim)
    check_kind, claims, fields = KINDS[kind]
    require(claimed in claims.split(), f"No proof of the kind {kind!r} proves {claim!r}.")
    if claim != "impossible":
        require_fields(claim, claimed, "solutions" if claimed == "moves" else "")
        whole([*claim.values()])
    require_fields(proof, f"kind {fields}")
    check_kind(problem, proof, claim)
    board = "/".join(certificate["board"]["rows"])
    return f"{certificate['start']!r} to {problem.goal} on {board!r}: {json.dumps(claim)}, by {kind}."


def main(names: list[str]) -> int:
    """Check all certificates of files, print a sentence for each, and return the exit status."""
    lines = [line for name in names for line in Path(name).read_text("utf-8").split("\n") if line.strip()]
    accepted = 0
    for number, line in enumerate(lines, 1):
        try:
            print(number, check(json.loads(line, object_pairs_hook=object_of)), flush=True)
            accepted += 1
        except Exception as error:  # whatever fails, proves nothing
            print(number, f"Refused: {error if type(error) is ValueError else repr(error)}")
    print(f"{accepted} of {len(lines)} certificates are proofs.")
    return 0 if accepted == len(lines) > 0 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
