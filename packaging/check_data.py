"""Check complete tables (`/data`, files `tables/*.gz`) against the rules: `python check_data.py FILE...`.

Plain Python, which shares nothing with the program. Every value must follow from the others: 0 at the goal,
else one more than the least after a move, or 255 if no move leads to a solvable position. Only the right
table can do that.
The format is in docs/tables.md.
"""

import gzip
import itertools
import json
import sys


def numbered(head):
    """Return all positions as texts, in the order of their numbers."""
    kind, signs, size = head["rules"]["kind"], head["alphabet"], len(head["symmetries"][0])
    if kind == "slides":
        return ["".join(tiles) for tiles in itertools.permutations(signs)]
    if kind == "jumps" and len(signs) == 2:
        return [of_mask(number, size, signs) for number in range(1 << size)]
    marked, zero, one = (signs[0], signs[1], signs[2]) if kind == "flips" else (signs[2], signs[0], signs[1])
    others = [of_mask(number, size - 1, zero + one) for number in range(1 << size - 1)]
    return [text[:place] + marked + text[place:] for place in range(size) for text in others]


def of_mask(number, size, signs):
    """Return the text of a set of holes: the second sign for each in it, the first for the others."""
    return "".join(signs[number >> place & 1] for place in range(size))


def moved(text, image):
    """Return a position with the content of every hole in the image of this hole."""
    cells = [""] * len(text)
    for hole, sign in enumerate(text):
        cells[image[hole]] = sign
    return "".join(cells)


def may_reach(head, text, goal):
    """Return whether the parities let a position reach a goal."""
    rules = head["rules"]
    if rules["kind"] == "slides":
        return tile_parity(rules, text) == tile_parity(rules, goal)
    pegs = [hole for hole, sign in enumerate(text) if sign != head["alphabet"][0]]
    return all(
        sum(holes >> hole & 1 for hole in pegs) % 2 == holes >> int(goal) & 1
        for holes in rules.get("parities", [])
    )


def tile_parity(rules, text):
    """Return the parity of an arrangement of tiles, which no slide changes."""
    swaps = sum(one > other for one, other in itertools.combinations(text, 2))
    return (swaps + rules["colours"][text.index("0")]) % 2


def is_goal(head, text, goal):
    """Return whether a position is solved for a goal."""
    kind, signs = head["rules"]["kind"], head["alphabet"]
    if kind == "slides":
        return text == goal
    last = signs[0] if kind == "flips" else signs[-1]  # the gap, or the last peg
    rest = signs[1] if kind == "flips" else signs[0]
    return text == rest * int(goal) + last + rest * (len(text) - int(goal) - 1)


def after_a_move(head, text):
    """Return the positions after one move; the jumps of one peg in a row are one."""
    kind, rules, signs = head["rules"]["kind"], head["rules"], head["alphabet"]
    if kind == "slides":
        gap = text.index("0")
        return [swapped(text, gap, cell) for cell in rules["neighbours"][gap]]
    if kind == "flips":
        gap = text.index("_")
        cells = [cell for cell in range(len(text)) if cell != gap and abs(cell - gap) >= rules["least"]]
        return [flipped(text, gap, cell) for cell in cells]
    found, waiting = set(), [(text, None)]
    while waiting:
        here, mover = waiting.pop()
        for start, over, end in rules["jumps"]:
            if mover in (None, start) and here[start] != "." and here[over] == signs[1] and here[end] == ".":
                cells = list(here)
                cells[start], cells[over], cells[end] = ".", ".", here[start]
                if ("".join(cells), end) not in found:
                    found.add(("".join(cells), end))
                    waiting.append(("".join(cells), end))
    return {here for here, _ in found}


def swapped(text, one, other):
    """Return a position with the contents of two cells exchanged."""
    cells = list(text)
    cells[one], cells[other] = cells[other], cells[one]
    return "".join(cells)


def flipped(text, gap, cell):
    """Return a position after the disc in a cell has jumped into the gap and turned those between over."""
    low, high = sorted((gap, cell))
    between = text[low + 1 : high].translate(str.maketrans("wb", "bw"))
    return swapped(text[: low + 1] + between + text[high:], gap, cell)


def check(path):
    """Check all values of a file; return how many, or exit with the first fault."""
    with gzip.open(path) as file:
        first, _, values = file.read().partition(b"\n")
    head, place, checked = json.loads(first), 0, 0
    texts = numbered(head)
    number_of = {text: number for number, text in enumerate(texts)}
    moves_of = [[number_of[after] for after in after_a_move(head, text)] for text in texts]
    if sum(length for _, length in head["sections"]) != len(values):
        sys.exit(f"{path}: the length is wrong")
    for goal, _ in head["sections"]:
        keeping = [
            image
            for image in head["symmetries"][1:]
            if goal == str(image[int(goal)] if len(goal) < 3 else goal)
        ]
        table, first_place = [255] * len(texts), place
        for number, text in enumerate(texts):
            alike = [number_of[moved(text, image)] for image in keeping]
            if may_reach(head, text, goal) and number <= min(alike, default=number):
                for one in (number, *alike):
                    table[one] = values[place]
                place += 1
        for number, text in enumerate(texts):
            best = min((table[after] for after in moves_of[number]), default=255)
            right = 0 if is_goal(head, text, goal) else min(255, best + 1)
            if table[number] != right:
                sys.exit(f"{path}: goal {goal}, position {text} has {table[number]}, not {right}")
        checked += place - first_place
    return checked


if __name__ == "__main__":
    for name in sys.argv[1:] or sys.exit(__doc__):
        print(f"{name}: {check(name):,} values are right")
