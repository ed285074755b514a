"""Hash sets of boards, and the buckets into which boards are packed, compared with plain sets."""

import random
from typing import Any

import numpy as np
import pytest

from hoppers.core.kernels import kernel_threads
from hoppers.puzzles.pegs.tables.hash_buckets import (
    board_at,
    doubled,
    empty_slots,
    has_room,
    index_of,
    insert_hashes,
    list_unseen,
    pack_slots,
    sample_boards,
)
from hoppers.runtime.builder import finish
from hoppers.search.hash_tables import MIXER


def codes_of(boards: list[int], holes: int) -> Any:
    return np.array([board * MIXER % (1 << holes) << 64 - holes for board in boards], np.uint64)


def insert(boards: list[int], holes: int, slots: Any) -> None:
    """Insert boards into both halves of a set that has room for them."""
    codes = codes_of(boards, holes)[None]
    insert_hashes(codes, np.array([len(boards)]), np.uint64(0b11), slots, np.zeros(2, np.int64))


@pytest.mark.parametrize("halves", [0b01, 0b10, 0b11])
def test_list_unseen_lists_every_new_hash(halves: int) -> None:
    rng, slots, unseen = random.Random(18), empty_slots(600), np.empty(600, np.uint64)
    boards = rng.sample(range(1, 1 << 33), 600)
    known = boards[:300]
    insert(known, 33, slots)
    codes = codes_of(boards, 33)
    before = codes.tolist()
    listed = unseen[: list_unseen(codes, np.uint64(halves), slots, unseen)].tolist()
    others = [code for code in before[300:] if halves >> (code >> 63) & 1]
    assert [code for code in listed if code in before[300:]] == others  # every new hash is listed, in order
    assert len(listed) < len(others) + len(known) / 2  # most known hashes are not listed
    assert all(halves >> (code >> 63) & 1 for code in listed) and codes.tolist() == before


@pytest.mark.parametrize("shares", [(0b11,), (0b01, 0b10), (0b10, 0b01)])
def test_halves_of_a_set_are_filled_separately(shares: tuple[int, ...]) -> None:
    rng, slots, counts = random.Random(19), empty_slots(6000), np.zeros(2, np.int64)
    boards = [rng.randrange(1, 1 << 37) for _ in range(3000)]
    rows = codes_of([*boards[:2000], *boards[1000:]], 37).reshape(2, 2000)
    ends = np.array([1999, 1500])
    wanted = {*rows[0, :1999].tolist(), *rows[1, :1500].tolist()}
    for _ in range(2):  # the second time there is nothing new
        for share in shares:
            insert_hashes(rows, ends, np.uint64(share), slots, counts)
        assert sorted(slots[slots != 0].tolist()) == sorted(wanted)
        assert counts.tolist() == [sum(code >> 63 == half for code in wanted) for half in range(2)]
    half = len(slots) // 2
    assert all(code >> 63 == (place >= half) for place, code in enumerate(slots.tolist()) if code)


def test_set_has_room_until_one_half_is_nearly_full() -> None:
    slots = np.zeros(200, np.uint64)
    assert has_room(slots, np.array([60, 0]), 35) and not has_room(slots, np.array([0, 60]), 36)
    assert has_room(slots, np.array([0, 0]), 95) and not has_room(slots, np.array([61, 0]), 0)


@pytest.mark.parametrize("holes", [13, 33, 41])
@pytest.mark.parametrize("count", [1, 60, 3000])
@pytest.mark.parametrize("threads", [1, 2])
def test_packed_levels_contain_exactly_the_boards_of_a_set(holes: int, count: int, threads: int) -> None:
    rng, unused = random.Random(holes), np.uint64(64 - holes)
    boards = set(rng.sample(range(1, 1 << holes), count))
    slots = empty_slots(2 * count)
    insert([*boards, *boards], holes, slots)
    assert np.count_nonzero(slots) == count
    with kernel_threads(threads) as crew:
        larger = finish(doubled(slots, crew))
        assert set(larger.tolist()) == set(slots.tolist())
        rows = finish(pack_slots(larger, count, unused, crew))
    assert rows.size == count
    buckets = np.repeat(np.arange(len(rows.starts) - 1), np.diff(rows.starts))
    assert {board_at(bucket, index, rows) for index, bucket in enumerate(buckets.tolist())} == boards
    assert sorted(index_of(np.uint64(board), rows) for board in boards) == [*range(count)]
    others = {rng.randrange(1, 1 << holes) for _ in range(500)} - boards
    assert {index_of(np.uint64(board), rows) for board in others} == {-1}
    assert {*sample_boards(rows, 40)} <= boards and len(sample_boards(rows, 40)) >= min(count, 20)
