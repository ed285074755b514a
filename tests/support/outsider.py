"""A checker of certificates, written from docs/certificates.md alone, with sets of holes."""

import hashlib
import itertools
from functools import cache
from typing import Any

Pegs = frozenset[int]
Jumps = list[tuple[int, int, int]]


def jumps_of(board: dict[str, Any]) -> Jumps:
    places = [(x, y) for y, row in enumerate(board["rows"]) for x, sign in enumerate(row) if sign == "o"]
    number = {place: hole for hole, place in enumerate(places)}
    ways = [(s * x, s * y) for x, y in board["lines"] for s in (1, -1)]
    runs = [
        [number.get((x + n * dx, y + n * dy), -1) for n in range(3)] for x, y in places for dx, dy in ways
    ]
    return [(a, b, c) for a, b, c in runs if min(a, b, c) >= 0]


def ahead(boards: set[Pegs], jumps: Jumps) -> set[Pegs]:
    return {b - {x, y} | {z} for b in boards for x, y, z in jumps if {x, y} <= b and z not in b}


def back(boards: set[Pegs], jumps: Jumps) -> set[Pegs]:
    return {b - {z} | {x, y} for b in boards for x, y, z in jumps if z in b and not {x, y} & b}


def total(function: dict[str, Any], board: Pegs) -> int:
    return sum(function["weights"][hole] for hole in board)


def keeps_law(function: dict[str, Any], jumps: Jumps) -> bool:
    w = function["weights"]
    if "modulo" in function:
        return all((w[x] + w[y] + w[z]) % 2 == 0 for x, y, z in jumps)
    return all(w[z] <= w[x] + w[y] for x, y, z in jumps)


def shows(function: dict[str, Any], board: Pegs, end: Pegs) -> bool:
    lost = total(function, board) - total(function, end)
    return lost % 2 == 1 if "modulo" in function else lost < 0


def functions_hold(jumps: Jumps, start: Pegs, ends: set[Pegs], proof: dict[str, Any]) -> bool:
    early, late = {start}, ends
    for _ in range(proof["first"]):
        early = ahead(early, jumps)
    for _ in range(proof["last"]):
        late = back(late, jumps)
    laws = all(keeps_law(function, jumps) for function in proof["functions"])
    pairs = itertools.product(early, late)
    return laws and all(any(shows(one, *pair) for one in proof["functions"]) for pair in pairs)


def levels_hold(jumps: Jumps, start: Pegs, ends: set[Pegs], proof: dict[str, Any]) -> bool:
    image, level, sizes = proof["symmetry"], {start}, list[int]()
    holes = range(len(image))

    def exchanged(board: Pegs) -> Pegs:
        return frozenset(image[hole] for hole in holes if hole not in board)

    def is_open(board: Pegs) -> bool:
        return any(not any(shows(one, board, end) for one in proof["functions"]) for end in ends)

    is_symmetry = {tuple(image[hole] for hole in jump) for jump in jumps} == {*jumps}
    if not is_symmetry or {exchanged(start)} != ends or {exchanged(end) for end in ends} != {start}:
        return False
    for number in range(1, len(start) // 2):
        if not ends:
            return False
        level = set(filter(is_open, ahead(level, jumps)))
        sizes.append(len(level))
        ends = {exchanged(board) for board in level} if number == proof["ahead"] else ends
    is_short = 0 < proof["ahead"] <= len(sizes)
    laws = all(keeps_law(function, jumps) for function in proof["functions"])
    meet = ahead(level, jumps) & {exchanged(board) for board in level}
    return laws and is_short and sizes == proof["sizes"] and not meet


def table_holds(one: dict[str, Any], jumps: Jumps, start: Pegs, ends: set[Pegs], active: int) -> bool:
    text = one["start"].partition(":")[0]

    @cache
    def fewest(board: Pegs, mover: int, red: int) -> tuple[int, int]:
        """Return the fewest moves (255: none) and the number of solutions that have as many."""
        best, number = (0, 1) if board in ends else (255, 0)
        for x, y, z in jumps:
            if {x, y} <= board and z not in board and y != red:
                moves, ways = fewest(board - {x, y} | {z}, z, z if x == red else red)
                moves += (x != mover) * (moves < 255)
                best, number = (
                    min((best, 0), (moves, 0))[0],
                    number * (best <= moves) + ways * (moves <= best),
                )
        return best, number

    sets = [frozenset(h for h in range(len(text)) if bits >> h & 1) for bits in range(1 << len(text))]
    reds = range(len(text)) if "r" in text else [-1]
    digest = hashlib.sha256()
    for red in reds:
        digest.update(bytes(fewest(b, -1, red)[0] if red in b or red < 0 else 255 for b in sets))
    moves, number = fewest(start, active, text.find("r"))
    claim = {"moves": 255, "solutions": 0} if one["claim"] == "impossible" else one["claim"]
    if "moves" not in claim:
        return False
    is_counted = claim.get("solutions", number) == number
    return digest.hexdigest() == one["proof"]["sha256"] and claim["moves"] == moves and is_counted


def line_holds(one: dict[str, Any], jumps: Jumps, board: Pegs, ends: set[Pegs]) -> bool:
    if one["claim"] == "impossible" or "most" not in one["claim"]:  # a line proves nothing else
        return False
    moves = [[int(hole) for hole in move.split("-")] for move in one["proof"]["line"].split(".")]
    for x, z in (pair for move in moves for pair in itertools.pairwise(move)):
        over = [y for a, y, c in jumps if (a, c) == (x, z)]
        if not over or not {x, over[0]} <= board or z in board:
            return False
        board = board - {x, over[0]} | {z}
    return board in ends and len(moves) <= one["claim"]["most"]


def holds(one: dict[str, Any]) -> bool:
    """Return whether a certificate proves its claim; lines of boards without a red peg only."""
    text, _, active = one["start"].partition(":")
    start = frozenset(hole for hole, sign in enumerate(text) if sign != ".")
    ends = {frozenset([hole]) for hole in range(len(text)) if one["goal"] in ("any", str(hole))}
    jumps, proof = jumps_of(one["board"]), one["proof"]
    if proof["kind"] == "functions":
        return one["claim"] == "impossible" and functions_hold(jumps, start, ends, proof)
    if proof["kind"] == "levels":
        return one["claim"] == "impossible" and levels_hold(jumps, start, ends, proof)
    if proof["kind"] == "line":
        return line_holds(one, jumps, start, ends)
    return table_holds(one, jumps, start, ends, int(active or -1))
