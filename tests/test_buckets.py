"""Sets of boards, and the buckets they are packed into, against plain sets."""

import random

import numpy as np
import pytest

from server.exact.buckets import (
    board_at,
    empty_slots,
    grown,
    hashing_of,
    in_rows,
    index_of,
    keep_unmet,
    put_boards,
    some_of,
)
from server.exact.workshop import finish


def test_hashes_that_are_new_to_a_set_are_kept() -> None:
    rng, slots = random.Random(18), empty_slots(300)
    boards = rng.sample(range(1, 1 << 33), 600)
    known, others = boards[:300], boards[300:]
    put_boards(np.array(known, np.uint64), slots, hashing_of(33))
    multiplier = int(hashing_of(33).multiplier)
    codes = np.array([board * multiplier % (1 << 64) for board in boards], np.uint64)
    before = codes.tolist()
    kept = codes[: keep_unmet(codes, len(codes), slots)].tolist()
    assert [code for code in kept if code in before[300:]] == before[300:]  # in their order, none missing
    assert len(kept) < len(others) + len(known) / 2  # and most of the known ones are gone


@pytest.mark.parametrize("holes", [13, 33, 41])
@pytest.mark.parametrize("count", [1, 60, 3000])
def test_rows_hold_the_boards_of_a_set_and_no_others(holes: int, count: int) -> None:
    rng, hashing = random.Random(holes), hashing_of(holes)
    boards = set(rng.sample(range(1, 1 << holes), count))
    slots = empty_slots(count)
    put_boards(np.array([*boards, *boards], np.uint64), slots, hashing)
    assert np.count_nonzero(slots) == count
    larger = finish(grown(slots))
    assert larger is not None and set(larger.tolist()) == set(slots.tolist())
    rows = finish(in_rows(larger, count, hashing))
    assert rows is not None and rows.size == count
    buckets = np.repeat(np.arange(len(rows.starts) - 1), np.diff(rows.starts))
    assert {board_at(bucket, index, rows) for index, bucket in enumerate(buckets.tolist())} == boards
    assert sorted(index_of(np.uint64(board), rows) for board in boards) == [*range(count)]
    others = {rng.randrange(1, 1 << holes) for _ in range(500)} - boards
    assert {index_of(np.uint64(board), rows) for board in others} == {-1}
    assert {*some_of(rows, 40)} <= boards and len(some_of(rows, 40)) >= min(count, 20)
