"""Positions in usual notations: read as the canonical text, or refused with the first wrong sign."""

import pytest

from hoppers.core.errors import PuzzleError
from tests.support.engine import find

FIFTEEN, EIGHT, PEGS, FLIP = "159d26ae37bf48c0", "867254301", "oooooo.oooooo", "b_wbbbb"
NUMBERS = [1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15, 4, 8, 12, 0]
LAYOUT = "  o  \n ooo \noo.oo\n ooo \n  o  "

READ = [
    ("fifteen-puzzle", FIFTEEN, FIFTEEN),
    ("fifteen-puzzle", "159D26AE37BF48C0", FIFTEEN),
    ("fifteen-puzzle", "159d 26ae 37bf 48c0", FIFTEEN),
    ("fifteen-puzzle", "159d\n26ae\r\n37bf\n48c0\n", FIFTEEN),
    ("fifteen-puzzle", "1 5 9 D 2 6 A E 3 7 B F 4 8 C 0", FIFTEEN),
    ("fifteen-puzzle", "159d/26ae/37bf/48c_", FIFTEEN),
    ("fifteen-puzzle", " ".join(map(str, NUMBERS)), FIFTEEN),
    ("fifteen-puzzle", ",".join(map(str, NUMBERS)), FIFTEEN),
    ("fifteen-puzzle", str(NUMBERS), FIFTEEN),
    ("fifteen-puzzle", str([NUMBERS[:4], NUMBERS[4:8], NUMBERS[8:12], NUMBERS[12:]]), FIFTEEN),
    ("fifteen-puzzle", "\t".join(f"{number:02}" for number in NUMBERS), FIFTEEN),
    ("fifteen-puzzle", " ".join(map(str, NUMBERS[:-1])) + " _", FIFTEEN),
    ("fifteen-puzzle", "１５９ｄ２６ａｅ３７ｂｆ４８ｃ０", FIFTEEN),
    ("fifteen-puzzle", "１　５　９　１３　２　６　１０　１４　３　７　１１　１５　４　８　１２　０", FIFTEEN),
    ("eight-puzzle", "8 6 7\n2 5 4\n3 _ 1", "867254301"),
    ("eight-puzzle", "8,6,7,2,5,4,3,0,1", EIGHT),
    ("eight-puzzle", "867|254|3.1", EIGHT),
    ("eight-puzzle", "3\n8 6 7\n2 5 4\n3 0 1\n", EIGHT),
    ("eight-puzzle", "3\n867\n254\n301", EIGHT),
    ("fifteen-puzzle", "4\n" + " ".join(map(str, NUMBERS)), FIFTEEN),
    ("hoppers", "OOOOOO.OOOOOO", PEGS),
    ("hoppers", LAYOUT.replace(" ", "#"), PEGS),
    ("english-33", "##ooo##\n##ooo##\nooooooo\nooo.ooo\nooooooo\n##ooo##\n##ooo##", f"{'o' * 16}.{'o' * 16}"),
    ("hoppers", LAYOUT, PEGS),
    ("hoppers", "oooooo_oooooo", PEGS),
    ("hoppers", "xxxxxx.xxxxxx", PEGS),
    ("hoppers", "XXXXXX-XXXXXX", PEGS),
    ("hoppers", "******.******", PEGS),
    ("hoppers", "1111110111111", PEGS),
    ("hoppers", "1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1", PEGS),
    ("hoppers", "●●●●●●○●●●●●●", PEGS),
    ("hoppers", "ＯＯＯＯＯＯ．ＯＯＯＯＯＯ", PEGS),
    ("hoppers", "O..OOO.OO.OOO: 0", "o..ooo.oo.ooo:0"),
    ("hoppers", "1001110110111：0", "o..ooo.oo.ooo:0"),
    ("flip-it-7", "B_WBBBB", FLIP),
    ("flip-it-7", "b . w b b b b", FLIP),
    ("flip-it-7", "●-○●●●●", FLIP),
]


@pytest.mark.parametrize(("puzzle_id", "written", "canonical"), READ)
def test_usual_notations_are_read(puzzle_id: str, written: str, canonical: str) -> None:
    puzzle = find(puzzle_id)
    assert puzzle.format(puzzle.parse(written)) == canonical


REFUSED = [
    ("fifteen-puzzle", "159g26ae37bf48c0", "'g' for hole 3"),
    ("fifteen-puzzle", "159G 26AE 37BF 48C0", "'G' for hole 3"),
    ("fifteen-puzzle", "1 5 9 13 2 6 10 14 3 7 11 16 4 8 12 0", "'16' for hole 11"),
    ("fifteen-puzzle", "1 5 9 13 2 6 10 14 3 7 11 15 4 8 12", "has 15 numbers"),
    ("fifteen-puzzle", "1 5 9 13 2 6 10 14 3 7 11 15 4 8 8 0", "c is missing"),
    ("fifteen-puzzle", "159d 26ae 37bf 48c", "has 15 characters"),
    ("fifteen-puzzle", "+159d26ae37bf48c", "'+' for hole 0"),
    ("eight-puzzle", "8 6 7 2 5 4 3 9 1", "'9' for hole 7"),
    ("hoppers", "oooooo.ooooox", "'x' for hole 12"),
    ("hoppers", "xxxxxx.xxxxxo", "'o' for hole 12"),
    ("hoppers", "OOOOOO0OOOOOO", "'0' for hole 6"),
    ("hoppers", "0000000000000", "no peg"),
    ("hoppers", "oooooo.ooo_oo", "'_' for hole 10"),
    ("hoppers", "oooooo?oooooo", "'?' for hole 6"),
    ("hoppers", "", "has 0 characters"),
    ("hoppers", "   ", "has 0 characters"),
    ("hoppers", "1 1 1 1 1 1 2 1 1 1 1 1 1", "'2' for hole 6"),
    ("flip-it-7", "bbwbb_x", "'x' for hole 6"),
    ("hoppers", "o" * 241, "241 characters"),
]


@pytest.mark.parametrize(("puzzle_id", "written", "reason"), REFUSED)
def test_first_wrong_sign_is_named(puzzle_id: str, written: str, reason: str) -> None:
    with pytest.raises(PuzzleError) as caught:
        find(puzzle_id).parse(written)
    assert caught.value.code == "invalid_position" and reason in str(caught.value)
