"""Check of the reasons that the API gives, by hand as it were: naive rules, and no code of the program."""

from typing import Any

from tests import naive

MAX_POSITIONS = 5000  # of a search that must find as many boards as a reason says


def check_reason(puzzle_id: str, position: str, goal: str, reason: dict[str, Any]) -> None:
    """Fail the test unless `reason` proves that no steps lead from a position to a goal."""
    twin = naive.rules(puzzle_id)
    excluded = {pair for proof in reason["proofs"] for pair in _excluded_pairs(twin, proof)}
    match reason["reason"]:
        case "class" | "pagoda":
            assert isinstance(twin, naive.Pegs) and _covers(twin, position.partition(":")[0], goal, excluded)
        case "parity":
            assert excluded == {(position, "".join(sorted(position.replace("0", ""))) + "0")}
        case "stuck" if reason["boards"] is None:
            assert not any(twin.steps(later) for _, _, later, _ in twin.steps(position))
        case "stuck" | "boards":
            boards = _reachable(twin, position)
            assert len(boards) == reason["boards"] and not any(twin.solved(at, goal) for at in boards)
            assert (reason["reason"] == "stuck") == (not twin.steps(position))
        case "steps":
            moves = {(move["from"], move["to"]): move for move in reason["moves"]}
            steps = {(origin, target): after for origin, target, after, _ in twin.steps(position)}
            assert moves.keys() == steps.keys() and steps
            for step, after in steps.items():
                check_reason(puzzle_id, after, goal, moves[step])
        case code:
            assert code in ("table", "search") and not reason["proofs"]


def check_slack(twin: naive.Pegs, slack: dict[str, Any]) -> None:
    """Fail the test unless no jump raises the sum, and the sums of all boards are right."""
    weights = {int(hole): number for hole, number in slack["weights"].items()}
    position, goals = slack["position"].partition(":")[0], slack["goals"]
    for a, b, c in twin.jumps:
        assert weights.get(a, 0) + weights.get(b, 0) >= weights.get(c, 0)
    assert slack["sum"] == _total(twin, position, weights)
    assert slack["goal_sum"] == min(_total(twin, goal, weights) for goal in goals)
    assert {(step["from"], step["to"]): step["sum"] for step in slack["after"]} == {
        (origin, target): _total(twin, after.partition(":")[0], weights)
        for origin, target, after, _ in twin.steps(position)
    }


def _excluded_pairs(twin: naive.Rules, proof: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the pairs of boards of which a proof excludes the way from the first to the second."""
    weights = {int(hole): number for hole, number in proof["weights"].items()}
    assert all(type(number) is int and number for number in weights.values())
    position, is_parity = proof["position"], proof["law"] == "parity"
    assert proof["sum"] == _total(twin, position, weights)
    for origin, target, after, _ in twin.steps(position):
        (step,) = [step for step in proof["after"] if (step["from"], step["to"]) == (origin, target)]
        later = weights if isinstance(twin, naive.Pegs) else _disorder(twin, after)
        assert step["sum"] == _total(twin, after.partition(":")[0], later)
        assert (step["sum"] - proof["sum"]) % 2 == 0 if is_parity else step["sum"] <= proof["sum"]
    assert len(proof["after"]) == len(twin.steps(position))
    for goal in proof["goals"]:
        later = weights if isinstance(twin, naive.Pegs) else _disorder(twin, goal)
        assert proof["goal_sum"] == _total(twin, goal, later)
    assert (proof["goal_sum"] - proof["sum"]) % 2 if is_parity else proof["goal_sum"] > proof["sum"]
    for a, b, c in twin.jumps if isinstance(twin, naive.Pegs) else ():
        one, over, other = (weights.get(hole, 0) for hole in (a, b, c))
        assert (one + over + other) % 2 == 0 if is_parity else one + over >= other
    return [(position, goal) for goal in proof["goals"]]


def _total(twin: naive.Rules, position: str, weights: dict[int, int]) -> int:
    if isinstance(twin, naive.Pegs):
        return sum(weights.get(hole, 0) for hole, cell in enumerate(position) if cell != ".")
    assert weights == _disorder(twin, position)
    return sum(weights.values())


def _disorder(twin: naive.Rules, position: str) -> dict[int, int]:
    """Return the smaller tiles behind each tile, and on an even width the rows below the gap."""
    assert isinstance(twin, naive.Sliding)
    tiles = [int(tile, 16) for tile in position]
    numbers = {cell: len([low for low in tiles[cell:] if 0 < low < tile]) for cell, tile in enumerate(tiles)}
    if len(tiles) == 16:
        numbers[tiles.index(0)] = 3 - tiles.index(0) // 4
    return {cell: number for cell, number in numbers.items() if number}


def _covers(twin: naive.Pegs, position: str, goal: str, excluded: set[tuple[str, str]]) -> bool:
    """Return whether each way, through a board after a first and one before a last jump, has a pair."""
    holes = range(len(position))
    ends = ["".join(twin.last if at == hole else "." for at in holes) for hole in holes]
    firsts = [after.partition(":")[0] for _, _, after, _ in twin.steps(position)]
    for end in ends if goal == "any" else [ends[int(goal)]]:
        if end in (position, *firsts):
            return False
        lasts = [_before(end, jump) for jump in twin.jumps if end[jump[2]] != "."]
        for first in [first for first in firsts if twin.steps(first)]:
            for last in lasts or [end]:
                if not excluded & {(position, end), (first, end), (position, last), (first, last)}:
                    return False
    return True


def _before(end: str, jump: tuple[int, int, int]) -> str:
    cells = list(end)
    cells[jump[0]], cells[jump[1]], cells[jump[2]] = end[jump[2]], "o", "."
    return "".join(cells)


def _reachable(twin: naive.Rules, position: str) -> set[str]:
    """Return all boards that can follow, the first included, without active pegs."""
    found: set[str] = set()
    waiting = [position.partition(":")[0]]
    while waiting and len(found) < MAX_POSITIONS:
        at = waiting.pop()
        if at not in found:
            found.add(at)
            waiting += [after.partition(":")[0] for _, _, after, _ in twin.steps(at)]
    return found
