"""Pagoda functions: proofs by weight that a position is dead, or out of reach of the start.

A pagoda function gives every hole a weight such that no jump increases the total: for every jump the two pegs
before it weigh at least as much as the one after it. A position that weighs less than its goal can therefore
never reach it (Berlekamp, Conway and Guy, "Winning Ways", 1982). The best weights for a position and a goal,
and the simplest ones, are solutions of linear programs. A solution in floating point is turned into whole
numbers, and only these are trusted, after every jump has been checked against them.

Kernels apply many functions to every board, four to a machine word. An end is a solved board. A board is dead
if, for each end, some pagoda function gives the board less weight than the end. All boards that can follow
are dead, too. The slack of a function is the board's weight minus the end's weight. Each slack has a lane of
16 bits in a word, offset so that the highest bit of the lane is 0 exactly if the slack is negative. A jump
changes a word by an amount that depends on the jump alone, so one addition updates four functions.

In backward search, complements are weighed. A jump taken back is a jump of the complement, which plays
towards the complement of the start. A board is therefore out of reach of the start if weights prove that the
complement of the start cannot be reached from the board's complement.
"""

import itertools
import threading
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from math import gcd
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hoppers.core.kernels import kernel
from hoppers.puzzles.pegs.jump_masks import JumpList, Shifts, holes_of, jumps_from, jumps_into, jumps_of
from hoppers.runtime.extras import needed_for
from hoppers.search.slicing import Pausable

if TYPE_CHECKING:
    import highspy

LANES, LANE_BITS = 4, 16
SLACK_BITS = sum(1 << LANE_BITS * lane + LANE_BITS - 1 for lane in range(LANES))
"""Mask of the highest bit of each lane, which is 1 if the slack in the lane is not negative."""
PAGODA_CHUNK_BITS = 8  # holes per table look-up
MAX_FUNCTIONS = 12  # functions per end: three words
MIN_SAMPLED, SAMPLE_SIZE = 1000, 6
"""Least length of a list of boards that is sampled for new functions, and maximum number of samples."""
MAX_TRIES = 60  # boards sampled per direction of a search in all, in a twentieth of a second
SCALES = 1, 2, 3, 4, 6, 12  # factors that turn the fractions of the best weights into whole numbers
MAX_SCALE = 12  # largest factor for the simplest weights
MAX_WEIGHT = 2  # largest size of a fitting weight
LEAST_LACK = 1 / 24
"""Least amount, with weights from -1 to 1, by which a board must weigh less than its end for a proof: half of
1/12, the smallest difference of the fractions that `weights_that_prove` tries."""


WeightProof = tuple[int, int, list[int]]
"""Two boards, and pagoda weights that prove that no jumps lead from the first board to the second."""


@lru_cache(maxsize=4096)
def dead_proof(jumps: JumpList, holes: int, state: int, end: int) -> list[WeightProof] | None:
    """Return proofs that together show that no jumps lead from `state` to the solved board `end`.

    The result is None if no such proofs are found, or if `state` is `end`. It is [] if no jump is possible,
    or each leads to a board on which none is. Four kinds of proof are tried in turn: one pagoda function for
    `state` and `end`, one for each board after a first jump, one for each board before a last jump, and one
    for each pair of these two. Boards after a first jump on which no jump is possible need no function.
    """
    firsts = [after for _, _, after in jumps_from(jumps, state)]
    if end in (state, *firsts):
        return None
    firsts = [after for after in firsts if any(jumps_from(jumps, after))]
    if not firsts:
        return []
    lasts = [before for _, _, before in jumps_into(jumps, end)]
    # Jumps add no weight, so weights that prove (state, end), (firsts[0], end) or (state, lasts[0]) prove
    # this pair, too. For most positions of games this one linear program shows that all attempts fail.
    if lasts and not may_prove(jumps, holes, firsts[0], lasts[0]):
        return None
    for sources, targets in ([state], [end]), (firsts, [end]), ([state], lasts), (firsts, lasts):
        proofs = _proofs_of(jumps, holes, sources, targets)
        if proofs is not None:
            return proofs
    return None


def _proofs_of(
    jumps: JumpList, holes: int, sources: Sequence[int], targets: Sequence[int]
) -> list[WeightProof] | None:
    """Return one proof for each pair of a board of `sources` and one of `targets`; None if one is missing."""
    proofs: list[WeightProof] = []
    for source, target in itertools.product(sources, targets):
        weights = weights_that_prove(jumps, holes, source, target)
        if weights is None:
            return None
        proofs.append((source, target, weights))
    return proofs


def is_pagoda(weights: Sequence[int], jumps: JumpList) -> bool:
    """Return whether `weights` is a pagoda function: no jump increases the total weight of the pegs."""
    return all(weights[a] + weights[b] >= weights[c] for a, b, c in jumps)


def weights_that_prove(jumps: JumpList, holes: int, state: int, end: int) -> list[int] | None:
    """Return whole weights that prove that `end` cannot be reached from `state`; None if none are found."""
    if not may_prove(jumps, holes, state, end):
        return None
    return _whole_weights(jumps, best_weights(jumps, holes, state, end), state, end, SCALES)


def simplest_weights(jumps: JumpList, holes: int, state: int, end: int) -> list[int] | None:
    """Return whole weights that prove that `end` cannot be reached from `state`, with the least sum of sizes.

    The sum is the least over all fractions by which `end` outweighs `state` by 1; the result is the smallest
    multiple of these in whole numbers. None: there are none, or their denominators exceed MAX_SCALE.
    """
    fractions = _least_sizes(jumps, holes, state, end)
    whole = _whole_weights(jumps, fractions, state, end, range(1, MAX_SCALE + 1)) if fractions else None
    return [weight // gcd(*whole) for weight in whole] if whole else None


@lru_cache(maxsize=1024)
def fitting_weights(jumps: JumpList, holes: int, state: int, ends: tuple[int, ...]) -> list[int]:
    """Return the pagoda function, in whole numbers, with the least slack of `state` for solved boards `ends`.

    Each end weighs at least 1. Of several functions it is one with the least sum of sizes, so that people can
    add its numbers. There always is one: all weights 1 count the pegs.
    """
    highspy, solver = _highs(), _new_solver()
    size = 1 / (4 * MAX_WEIGHT * holes)  # all sizes together cost less than a slack of 1
    for sign in (1, -1):  # each weight is the difference of two variables that are not negative
        for hole in range(holes):
            solver.addCol(sign * (state >> hole & 1) + size, 0.0, MAX_WEIGHT, 0, [], [])
    for column in range(2 * holes):
        solver.changeColIntegrality(column, highspy.HighsVarType.kInteger)
    for least, terms in [
        *((0.0, ((a, 1), (over, 1), (target, -1))) for a, over, target in jumps),
        *((1.0, tuple((hole, 1) for hole in holes_of(end))) for end in ends),
    ]:
        _add_row(solver, holes, least, terms)
    solver.run()
    values = list(solver.getSolution().col_value)
    return [round(plus - minus) for plus, minus in zip(values[:holes], values[holes:], strict=True)]


def _whole_weights(
    jumps: JumpList, fractions: Sequence[float], state: int, end: int, scales: Iterable[int]
) -> list[int] | None:
    """Return the first multiple of `fractions` that is, rounded, a pagoda function by which `end` outweighs.

    None: no factor of `scales` gives one.
    """
    for scale in scales:
        whole = [round(weight * scale) for weight in fractions]
        if is_pagoda(whole, jumps) and _weight(whole, state) < _weight(whole, end):
            return whole
    return None


def _weight(weights: Sequence[int], state: int) -> int:
    return sum(weights[hole] for hole in holes_of(state))


def may_prove(jumps: JumpList, holes: int, state: int, end: int) -> bool:
    """Return whether some pagoda function makes `end` outweigh `state` by LEAST_LACK or more, as proofs need.

    Weights are from -1 to 1. This takes a third of the time of `best_weights`, because the linear program
    starts at the solution of the previous call. The weights found depend on that call, but the difference
    that they reach does not.
    """
    least, _ = _least_difference(jumps, holes, state, end, starts_warm=True)
    return least <= -LEAST_LACK


def best_weights(jumps: JumpList, holes: int, state: int, end: int) -> list[float]:
    """Return the pagoda function, with weights from -1 to 1, by which `end` outweighs `state` the most."""
    _, weights = _least_difference(jumps, holes, state, end, starts_warm=False)
    return weights


def _least_difference(
    jumps: JumpList, holes: int, state: int, end: int, starts_warm: bool
) -> tuple[float, list[float]]:
    """Minimise the weight of `state` minus that of `end` over all pagoda functions with weights from -1 to 1.

    Return the minimum and the weights that give it. `starts_warm`: start at the solution of the previous
    call, on which the weights found then depend.
    """
    cost = np.array([(state >> hole & 1) - (end >> hole & 1) for hole in range(holes)], float)
    solver, lock = _program(jumps, holes)
    with lock:
        if not starts_warm:
            solver.clearSolver()
        solver.changeColsCost(holes, np.arange(holes, dtype=np.int32), cost)
        solver.run()
        return solver.getObjectiveValue(), list(solver.getSolution().col_value)


@cache
def _program(jumps: JumpList, holes: int) -> "tuple[highspy.Highs, threading.Lock]":
    """Return a solver with the linear program of a board, all costs 0, and the lock for its use.

    Both are cached, because building the program takes longer than solving it.
    """
    highspy = _highs()
    program = highspy.HighsLp()
    program.num_col_, program.num_row_ = holes, len(jumps)
    program.col_cost_ = np.zeros(holes)
    program.col_lower_, program.col_upper_ = np.full(holes, -1.0), np.full(holes, 1.0)
    program.row_lower_, program.row_upper_ = np.zeros(len(jumps)), np.full(len(jumps), highspy.kHighsInf)
    program.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    program.a_matrix_.start_ = np.arange(0, 3 * len(jumps) + 1, 3)
    program.a_matrix_.index_ = np.array(jumps).reshape(-1)
    program.a_matrix_.value_ = np.tile([1.0, 1.0, -1.0], len(jumps))
    solver = _new_solver()
    solver.setOptionValue("presolve", "off")
    solver.passModel(program)
    return solver, threading.Lock()


def _least_sizes(jumps: JumpList, holes: int, state: int, end: int) -> list[float]:
    """Return the pagoda function with the least sum of sizes by which `end` outweighs `state` by 1 or more.

    Each weight is the difference of two variables that are not negative. The list is empty if there is none.
    """
    highspy, solver = _highs(), _new_solver()
    for _ in range(2 * holes):
        solver.addCol(1.0, 0.0, highspy.kHighsInf, 0, [], [])
    lack = [(hole, (end >> hole & 1) - (state >> hole & 1)) for hole in range(holes)]
    rows = [((a, 1), (over, 1), (target, -1)) for a, over, target in jumps]
    for least, row in [(0.0, row) for row in rows] + [(1.0, tuple(term for term in lack if term[1]))]:
        _add_row(solver, holes, least, row)
    solver.run()
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return []
    values = list(solver.getSolution().col_value)
    return [plus - minus for plus, minus in zip(values[:holes], values[holes:], strict=True)]


def _add_row(solver: "highspy.Highs", holes: int, least: float, terms: Sequence[tuple[int, int]]) -> None:
    """Require a sum of weights, (hole, factor) each, to be `least` or more."""
    columns = [hole + half for hole, _ in terms for half in (0, holes)]
    values = [float(sign * factor) for _, factor in terms for sign in (1, -1)]
    solver.addRow(least, _highs().kHighsInf, len(columns), columns, values)


def _new_solver() -> "highspy.Highs":
    """Return a solver of linear programs that prints nothing."""
    solver: highspy.Highs = _highs().Highs()
    solver.setOptionValue("output_flag", False)
    return solver


def _highs() -> ModuleType:
    """Import the library of linear programs: no answer from a table needs it, and it is an extra."""
    with needed_for("a proof by weights", "search"):
        import highspy
    return highspy


class PagodaTables(NamedTuple):
    """Pagoda functions of all ends in the form that kernels use. Tables with no words exclude no board."""

    bases: Any  # uint64[words]: words (four slacks each) of the empty board
    chunks: Any  # uint64[words, chunks, 256]: amount that the pegs in eight holes add to each word
    changes: Any  # uint64[lines, 2, words]: amount that a jump in a line adds; [line, 1]: to a higher hole
    lasts: Any  # uint64[words]: SLACK_BITS for the last word of each end, otherwise 0


@kernel
def pagoda_words(board: Any, pagodas: Any, words: Any) -> None:
    """Write the slacks of a board under all pagoda functions, four to a word, into `words`."""
    for word in range(len(pagodas.bases)):
        total = pagodas.bases[word]
        for chunk in range(pagodas.chunks.shape[1]):
            total += pagodas.chunks[
                word, chunk, board >> np.uint64(PAGODA_CHUNK_BITS * chunk) & np.uint64(255)
            ]
        words[word] = total


@kernel
def heavy_after_jump(words: Any, line: Any, upwards: Any, pagodas: Any) -> bool:
    """Return whether some end stays possible after a jump in `line`: no function excludes the end.

    `words`: words of the board before the jump, from `pagoda_words`. `line`: number of the line, 64 * slot +
    lowest hole. `upwards`: 1 if the jump is towards higher holes, else 0 (uint64).
    """
    may, enough = len(pagodas.bases) == 0, np.uint64(SLACK_BITS)
    for word in range(len(pagodas.bases)):  # no branch: it would be unpredictable
        # A lane's highest bit is lost if its slack is negative. `enough` combines the words of one end, and
        # the last of them resets it for the next end.
        enough &= words[word] + pagodas.changes[line, upwards, word]
        may |= enough & pagodas.lasts[word] == np.uint64(SLACK_BITS)
        enough |= pagodas.lasts[word]
    return may


class PagodaSet:
    """Pagoda functions found so far for each end. Each can be used for every position. Thread-safe."""

    def __init__(self, jumps: JumpList, holes: int, shifts: Shifts) -> None:
        self._jumps, self._holes, self._shifts = jumps, holes, shifts
        numbers = {int(line): number for number, line in enumerate(shifts.lines) if line}
        self._lines = [numbers[sum(1 << hole for hole in jump)] for jump in jumps]
        self._found: dict[int, Any] = {}
        """End (solved board) -> weights of its pagoda functions (int64[functions, holes])."""
        self._lock = threading.Lock()

    def proves_dead(self, state: int, ends: list[int]) -> bool:
        """Return whether known functions prove that no board of `ends` can be reached from `state`."""
        return all(self.known_weights(state, end) is not None for end in ends)

    def known_weights(self, state: int, end: int) -> list[int] | None:
        """Return the weights of a known function that excludes `end` from `state`, or None."""
        known = self._known(end)  # read once: another thread may add functions
        lighter = np.flatnonzero(_weigh(known, state) < _weigh(known, end))
        weights: list[int] | None = known[lighter[0]].tolist() if len(lighter) else None
        return weights

    def learn(self, state: int, ends: Sequence[int]) -> None:
        """Add pagoda functions that prove `state` dead, one for each end that known functions leave possible.

        Nothing is added if one of these ends has no such function, or has MAX_FUNCTIONS functions already.
        """
        found: dict[int, list[int]] = {}
        for end in ends:
            if self.known_weights(state, end) is None:
                full = len(self._known(end)) >= MAX_FUNCTIONS
                weights = None if full else weights_that_prove(self._jumps, self._holes, state, end)
                if weights is None:
                    return
                found[end] = weights
        for end, weights in found.items():
            self.add(end, [weights])

    def add(self, end: int, functions: Sequence[list[int]]) -> None:
        """Add pagoda functions (weights by hole) for an end. Functions beyond MAX_FUNCTIONS are ignored."""
        with self._lock:
            known = self._known(end)
            self._found[end] = np.concatenate([known, *([weights] for weights in functions)])[:MAX_FUNCTIONS]

    def tables(self, ends: Sequence[int]) -> PagodaTables:
        """Return the functions of `ends` as tables for kernels.

        If some end has no function, the tables exclude no board. Without ends they exclude every board.
        """
        never = np.zeros((1, self._holes + 1), np.uint64)  # without ends every board is too light
        words = [self._words(self._known(end), end) for end in ends] or [never]
        if not all(map(len, words)):
            return no_pagodas(len(self._shifts.lines))
        lasts = np.zeros(sum(map(len, words)), np.uint64)
        lasts[np.cumsum([*map(len, words)]) - 1] = SLACK_BITS
        return self._tables(np.concatenate(words), lasts)

    def _known(self, end: int) -> Any:
        return self._found.get(end, np.zeros((0, self._holes), np.int64))

    def _words(self, known: Any, end: int) -> Any:
        """Return the amounts that a peg in each hole adds to the words of the functions `known` of `end`.

        The result is uint64[words, holes + 1]. Its last column has the words of the empty board.
        """
        lanes = np.zeros((-(-len(known) // LANES) * LANES, self._holes), np.uint64)
        lanes[: len(known)] = known.astype(np.uint64)  # negative weights wrap; sums are right modulo 2**64
        shifts = np.uint64(LANE_BITS) * np.arange(LANES, dtype=np.uint64)[:, None]
        shifted = lanes.reshape(-1, LANES, self._holes) << shifts
        words = shifted.sum(axis=1, dtype=np.uint64)
        end_words = words[:, holes_of(end)].sum(axis=1, dtype=np.uint64)
        return np.column_stack([words, np.uint64(SLACK_BITS) - end_words])

    def _tables(self, words: Any, lasts: Any) -> PagodaTables:
        chunks = np.zeros(
            (len(words), -(-self._holes // PAGODA_CHUNK_BITS), 1 << PAGODA_CHUNK_BITS), np.uint64
        )
        for hole in range(self._holes):
            table, half = chunks[:, hole // PAGODA_CHUNK_BITS], 1 << hole % PAGODA_CHUNK_BITS
            table[:, half : 2 * half] = table[:, :half] + words[:, hole, None]
        changes = np.zeros((len(self._shifts.lines), 2, len(words)), np.uint64)
        origins, overs, targets = np.array(self._jumps).T
        change = words[:, targets] - words[:, origins] - words[:, overs]
        changes[self._lines, (origins < targets).astype(np.int64)] = change.T
        return PagodaTables(words[:, -1].copy(), chunks, changes, lasts)


def _weigh(functions: Any, board: int) -> Any:
    """Return the weight of a board under each function (int64[functions, holes])."""
    return functions[:, holes_of(board)].sum(axis=1)


def no_pagodas(lines: int) -> PagodaTables:
    """Return tables without pagoda functions, which exclude no board. `lines`: length of `Shifts.lines`."""
    chunks, none = np.zeros((0, 1, 1 << PAGODA_CHUNK_BITS), np.uint64), np.zeros(0, np.uint64)
    return PagodaTables(none, chunks, np.zeros((lines, 2, 0), np.uint64), none)


class PagodaLearner:
    """Pagoda functions of one direction of a search. More functions are added while the search runs.

    `flip`: holes to toggle before a board is weighed, all in backward search and none in forward search
    (uint64). `tables`: the functions so far, none at first.
    """

    def __init__(self, shifts: Shifts, holes: int, flip: int, ends: list[int]) -> None:
        """`ends`: a board is excluded if, after toggling `flip`, it can reach none of these boards."""
        self.flip, self.tables = np.uint64(flip), no_pagodas(len(shifts.lines))
        self._ends, self._tries = ends, MAX_TRIES
        self._pagoda_set = PagodaSet(jumps_of(shifts), holes, shifts)

    def learn(self, boards: Any) -> Pausable[None]:
        """Sample a list of boards (uint64), and add functions that exclude the samples, if any are found.

        Do nothing for fewer than MIN_SAMPLED boards, or once MAX_TRIES boards have been sampled.
        """
        if len(boards) < MIN_SAMPLED or self._tries <= 0:
            return
        sample = boards[:: -(-len(boards) // SAMPLE_SIZE)]
        self._tries -= len(sample)
        for board in sample:
            self._pagoda_set.learn(int(board ^ self.flip), self._ends)
            yield
        self.tables = self._pagoda_set.tables(self._ends)
