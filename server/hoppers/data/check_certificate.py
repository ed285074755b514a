"""Check certificates of peg solitaire: `python check_certificate.py FILE...`, one certificate in a line of JSON.

Needs Python and numpy, and shares nothing with the program that wrote the certificates. The exit status is 0 only if
each certificate proves its claim. docs/certificates.md has the format, and why each kind of proof is one.
"""

import hashlib
import json
import sys
from functools import cache
from itertools import product

import numpy as np

UNSOLVABLE, TABLE_HOLES, LEVEL_HOLES, MOST_ENDS, LARGEST_WEIGHT = 255, 22, 48, 4096, 999


def require(condition, sentence):
    """Raise ValueError with a sentence unless a condition holds."""
    if not condition:
        raise ValueError(sentence)


class Problem:
    """Board, start and goal of a certificate; a set of holes is a number with a bit for each."""

    def __init__(self, certificate):
        rows, lines = certificate["board"]["rows"], certificate["board"]["lines"]
        points = [(x, y) for y, row in enumerate(rows) for x, mark in enumerate(row) if mark == "o"]
        hole_at = {point: hole for hole, point in enumerate(points)}
        self.holes = len(points)
        ways = {(sign * dx, sign * dy) for dx, dy in lines for sign in (1, -1)} - {(0, 0)}
        runs = [[hole_at.get((x + i * dx, y + i * dy)) for i in range(3)] for x, y in points for dx, dy in ways]
        self.jumps = sorted(tuple(run) for run in runs if None not in run)
        text, _, active = certificate["start"].partition(":")
        require(len(text) == self.holes > 0, f"The start {text!r} does not fill the {self.holes} holes.")
        require(set(text) <= set("o.r") and text.count("r") < 2, f"The start {text!r} is no position.")
        self.pegs = frozenset(hole for hole, mark in enumerate(text) if mark != ".")
        self.red, self.active = text.find("r"), int(active or -1)  # -1: none
        require(self.active in self.pegs | {-1}, f"There is no peg in hole {active}.")
        self.start, self.goal = sum(1 << hole for hole in self.pegs), certificate["goal"]
        self.ends = [1 << hole for hole in range(self.holes) if self.goal in ("any", str(hole))]
        require(self.ends, f"The goal {self.goal!r} is neither a hole of the board nor 'any'.")

    def boards_around(self, board, back=False):
        """Return the boards that one jump leads to, or, if `back`, those that it may come from."""
        changes = [((1 << t if back else 1 << a | 1 << o), 1 << a | 1 << o | 1 << t) for a, o, t in self.jumps]
        return {board ^ line for pegs, line in changes if board & line == pegs}


def read_function(function, problem):
    """Return (weights, modulus) after checking that no jump raises the sum, or changes it modulo 2."""
    weights, modulus = function["weights"], function.get("modulo", 0)
    fits = all(type(weight) is int and abs(weight) <= LARGEST_WEIGHT for weight in weights)
    require(fits and len(weights) == problem.holes, "A function needs a small whole number for each hole.")
    require(modulus in (0, 2), f"Sums are taken as they are or modulo 2, not modulo {modulus!r}.")
    for a, over, t in problem.jumps:
        change = weights[t] - weights[a] - weights[over]
        require(change % 2 == 0 if modulus else change <= 0, f"The jump {a} to {t} changes a sum by {change}.")
    return weights, modulus


def excludes(function, board, end):
    """Return whether the sums of a function show that no jumps lead from a board to an end."""
    weights, modulus = function
    loss = sum(w * ((board >> hole & 1) - (end >> hole & 1)) for hole, w in enumerate(weights))
    return loss % 2 == 1 if modulus else loss < 0


def check_functions(problem, proof):
    """Check that a function excludes each end from each board, `first` jumps ahead and `last` jumps back."""
    functions = [read_function(function, problem) for function in proof["functions"]]
    first, last = proof["first"], proof["last"]
    require(first in range(4) and last in range(4), "At most three jumps are made ahead, and taken back.")
    require(first + last < len(problem.pegs) - 1, "So many jumps are not needed to reach an end.")
    early, late = {problem.start}, set(problem.ends)
    for _ in range(first):
        early = {after for board in early for after in problem.boards_around(board)}
    for _ in range(last):
        late = {before for board in late for before in problem.boards_around(board, back=True)}
    for board, end in product(early, late):
        excluded = any(excludes(function, board, end) for function in functions)
        require(excluded, f"No function excludes the board {end:#x} after the board {board:#x}.")


def table_of(problem):
    """Return fewest moves and first movers of all states, by retrograde analysis with one jump at a time.

    A state is a board, with the hole of the red peg in the bits above. After a jump the same peg may go on at no cost.
    """
    n, has_red = problem.holes, problem.red >= 0
    require(n <= TABLE_HOLES, f"Tables have at most {TABLE_HOLES} holes, not {n}.")
    fewest = np.full((n if has_red else 1) << n, UNSOLVABLE, np.uint8)
    movers = np.zeros(len(fewest), np.uint32)
    states = np.array([(end.bit_length() - 1) * has_red << n | end for end in problem.ends])
    fewest[states] = 0
    while len(states):  # all with the same number of pegs
        found = [states[:0]]
        for origin, over, target in problem.jumps:
            line, bit = 1 << origin | 1 << over | 1 << target, np.uint32(1 << origin)
            after = states[states & line == 1 << target]
            red = np.where(has_red & (after >> n == target), origin, after >> n)
            before = red << n | (after & (1 << n) - 1) ^ line
            moves = fewest[after] + 1 - (movers[after] >> target & 1).astype(np.uint8)
            known = fewest[before]
            found.append(before[known == UNSOLVABLE])
            movers[before] = np.where(moves > known, 0, bit) | np.where(moves < known, 0, movers[before])
            fewest[before] = np.minimum(moves, known)
        states = np.unique(np.concatenate(found))
    return fewest, movers


def check_table(problem, proof, claim):
    """Make the table again, and compare its digest, the fewest moves and the number of solutions."""
    fewest, movers = table_of(problem)
    digest = hashlib.sha256(fewest.tobytes()).hexdigest()
    require(digest == proof["sha256"], f"The table made again has the digest {digest}.")

    def moves_of(board, red, active):
        state = max(red, 0) << problem.holes | board
        return int(fewest[state]) - int(active >= 0 and movers[state] >> max(active, 0) & 1)

    @cache
    def solutions(board, red, active):
        total = int(board.bit_count() == 1)
        for a, over, t in problem.jumps:
            if board >> a & board >> over & ~board >> t & 1 and over != red:
                after = board ^ (1 << a | 1 << over | 1 << t), t if a == red else red, t
                is_best = moves_of(*after) + (a != active) == moves_of(board, red, active) < UNSOLVABLE
                total += solutions(*after) if is_best else 0
        return total

    start = problem.start, problem.red, problem.active
    moves, expected = moves_of(*start), UNSOLVABLE if claim == "impossible" else claim["moves"]
    require(moves == expected, f"The fewest moves are {moves} ({UNSOLVABLE}: impossible), not {expected!r}.")
    if "solutions" in claim and claim != "impossible":
        require(solutions(*start) == claim["solutions"], f"There are {solutions(*start)} shortest solutions.")


def check_line(problem, proof, claim):
    """Replay a line, such as "2-0-6.9-3", of at most the claimed number of moves."""
    moves = [[int(hole) for hole in move.split("-")] for move in proof["line"].split(".")]
    pegs, red = set(problem.pegs), problem.red
    for a, t in (step for move in moves for step in zip(move, move[1:])):
        over = next((over for origin, over, target in problem.jumps if (origin, target) == (a, t)), None)
        require({a, over} <= pegs and t not in pegs and over != red, f"The jump {a} to {t} is not possible.")
        pegs, red = pegs - {a, over} | {t}, t if a == red else red
    require(sum(1 << hole for hole in pegs) in problem.ends, "The line does not end at the goal.")
    made = len(moves) - (moves[0][0] == problem.active)
    require(made <= claim["most"], f"The line has {made} moves, not {claim['most']!r} or fewer.")


def sums_of(boards, weights):
    """Return the sum of each board (rows) by each function (columns)."""
    pegs = boards[:, None] >> np.arange(weights.shape[1], dtype=np.uint64) & np.uint64(1)
    return (pegs.astype(np.float32) @ weights.T.astype(np.float32)).astype(np.int64)


def kept(boards, weights, ends):
    """Return the boards from which one and the same end is excluded by no function."""
    require(0 < len(ends) <= MOST_ENDS, f"{len(ends)} ends are kept; 1 to {MOST_ENDS} can be compared.")
    low, high = int(np.minimum(weights, 0).sum(1).min()), int(np.maximum(weights, 0).sum(1).max())
    is_open = np.arange(low, high + 1)[:, None] >= sums_of(ends, weights).T[:, None, :]
    open_ends = np.packbits(np.pad(is_open, ((0, 0), (0, 0), (0, -len(ends) % 64))), axis=-1).view(np.uint64)
    parts = []
    for part in np.array_split(boards, len(boards) // 100_000 + 1):
        sums = sums_of(part, weights) - low
        common = np.bitwise_and.reduce([row[sums[:, i]] for i, row in enumerate(open_ends)])
        parts.append(part[common.any(1)])
    return np.concatenate(parts)


def merged(parts):
    """Return all boards of several arrays, sorted, each once."""
    boards = np.sort(np.concatenate(parts))
    return boards[np.diff(boards, prepend=boards[:1] + np.uint64(1)) != 0]


def boards_after(problem, boards):
    """Yield the boards that one jump leads to, from a million boards at a time."""
    lines = [(np.uint64(1 << a | 1 << o), np.uint64(1 << a | 1 << o | 1 << t)) for a, o, t in problem.jumps]
    for part in np.array_split(boards, len(boards) // 1_000_000 + 1):
        yield merged([part[:0], *(part[part & line == pegs] ^ line for pegs, line in lines)])


def levels_after(problem, boards, weights, ends, sizes):
    """Return the boards kept after as many jumps as there are sizes, each the number kept."""
    for size in sizes:
        boards = merged([kept(part, weights, ends) for part in boards_after(problem, boards)])
        print(f"a level of {len(boards):,} boards", file=sys.stderr, flush=True)
        if size: require(len(boards) == size, f"A level has {len(boards)} boards, not {size!r}.")
    return boards


def check_levels(problem, proof):
    """Check that no jump leads from a board after the last level of the start to one of the goal.

    With pegs and holes exchanged, a jump taken back is a jump. So the boards before the goal are those of a
    game from the goal's complement to the start's. All boards `ahead` jumps from each end are the other's ends.
    """
    require(problem.holes <= LEVEL_HOLES and len(problem.ends) == 1, "Levels are for one goal and 48 holes.")
    functions = [read_function({"weights": row["weights"]}, problem)[0] for row in proof["functions"]]
    weights, everything = np.array(functions, np.int64), np.uint64((1 << problem.holes) - 1)
    begin = np.array([problem.start], np.uint64)
    finish = everything ^ np.array([problem.ends[0]], np.uint64)
    ahead, (of_start, of_goal) = proof["ahead"], proof["sizes"]
    require(0 < ahead <= min(len(of_start), len(of_goal)), "Each end needs at least `ahead` levels.")
    require(len(of_start) + len(of_goal) + 2 == len(problem.pegs), "The levels do not meet.")
    early = levels_after(problem, begin, weights, everything ^ finish, of_start[:ahead])
    late = levels_after(problem, finish, weights, everything ^ begin, of_goal[:ahead])
    last = levels_after(problem, early, weights, everything ^ late, of_start[ahead:])
    first = levels_after(problem, late, weights, everything ^ early, of_goal[ahead:])
    wanted = np.append(np.sort(everything ^ first), everything)  # no board after a jump has all pegs
    meeting = sum((wanted[np.searchsorted(wanted, part)] == part).sum() for part in boards_after(problem, last))
    require(not meeting, f"{meeting} boards may be on a solution.")


def check(certificate):
    """Check one certificate, and return in a sentence what it proves; raise ValueError if it proves nothing."""
    problem, claim, proof = Problem(certificate), certificate["claim"], certificate["proof"]
    kind = proof["kind"], "impossible" if claim == "impossible" else "most" if "most" in claim else "moves"
    if kind == ("line", "most"):
        check_line(problem, proof, claim)
    elif kind in (("table", "impossible"), ("table", "moves")):
        check_table(problem, proof, claim)
    elif kind == ("functions", "impossible"):
        check_functions(problem, proof)
    elif kind == ("levels", "impossible"):
        check_levels(problem, proof)
    else:
        raise ValueError(f"No proof of the kind {kind[0]!r} proves {claim!r}.")
    return f"{certificate['start']} to {problem.goal}: {json.dumps(claim)}, proved by {kind[0]}."


def main(names):
    """Check all certificates of files, print a sentence for each, and return the exit status."""
    lines = [line for name in names for line in open(name, encoding="utf-8") if line.strip()]
    refused = 0 if lines else 1
    for number, line in enumerate(lines, 1):
        try:
            print(number, check(json.loads(line)))
        except (ArithmeticError, LookupError, MemoryError, RecursionError, TypeError, ValueError) as error:
            print(number, f"Refused: {error if type(error) is ValueError else repr(error)}")
            refused += 1
    print(f"{len(lines) - refused} of {len(lines)} certificates are proofs." if lines else "There is no certificate.")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
