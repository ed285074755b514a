"""Check of proofs by weights, in integers and with the jumps of the naive twin; no code of the program."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from hoppers.puzzles.pegs.pagoda import SLACK_BITS, PagodaTables, pagoda_words
from tests import naive

Pegs = frozenset[int]


def proves_dead(puzzle_id: str, start: Pegs, finish: int, proofs: Iterable[Any]) -> bool:
    """Return whether pagoda weights prove that no jumps lead from the pegs `start` to one peg in `finish`.

    Each proof is [board, later board, weights], with both boards as bit masks. A line of two jumps or more
    passes a board after a first jump from which another is possible, and a board before a last jump. For
    each pair of these boards, weights must exclude the way from one, or from `start`, to the other, or to
    the finish. Invalid weights fail the test.
    """
    twin = naive.rules(puzzle_id)
    assert isinstance(twin, naive.Pegs)
    holes, end, excluded = range(len(twin.places)), frozenset([finish]), set[tuple[Pegs, Pegs]]()
    for *boards, weights in proofs:
        assert all(type(weight) is int for weight in weights) and len(weights) == len(holes)
        assert all(weights[a] + weights[b] >= weights[c] for a, b, c in twin.jumps)
        one, other = (frozenset(hole for hole in holes if board >> hole & 1) for board in boards)
        assert sum(weights[hole] for hole in one) < sum(weights[hole] for hole in other)
        excluded.add((one, other))
    firsts = _after(twin, start)
    lasts = [end - {c} | {a, b} for a, b, c in twin.jumps if c == finish]
    return end not in (start, *firsts) and all(
        excluded & {(start, end), (first, end), (start, last), (first, last)}
        for first in firsts
        if _after(twin, first)
        for last in lasts
    )


def _after(twin: naive.Pegs, pegs: Pegs) -> list[Pegs]:
    return [pegs - {a, b} | {c} for a, b, c in twin.jumps if {a, b} <= pegs and c not in pegs]


def is_too_light(board: int, tables: PagodaTables) -> bool:
    """Return whether pagoda functions exclude every end: the highest bit of a lane of its words is 0."""
    words, ends, enough = np.zeros(max(1, len(tables.bases)), np.uint64), [], True
    pagoda_words(np.uint64(board), tables, words)
    for word, last in zip(words.tolist(), tables.lasts.tolist(), strict=False):
        enough = enough and word & SLACK_BITS == SLACK_BITS
        if last:
            ends.append(enough)
            enough = True
    return len(tables.bases) > 0 and not any(ends)
