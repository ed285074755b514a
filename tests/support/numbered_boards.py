"""Peg boards as pictures of hole numbers; a dot marks a place without a hole."""

from typing import Any

HOPPERS = """
0 . 1 . 2
. 3 . 4 .
5 . 6 . 7
. 8 . 9 .
10 . 11 . 12
"""
DIAMOND_13 = """
. . 0 . .
. 1 2 3 .
4 5 6 7 8
. 9 10 11 .
. . 12 . .
"""
TRIANGLE_15 = """
. . . . 0 . . . .
. . . 1 . 2 . . .
. . 3 . 4 . 5 . .
. 6 . 7 . 8 . 9 .
10 . 11 . 12 . 13 . 14
"""
TRIANGLE_21 = """
. . . . . 0 . 1 . . . . .
. . . . . . 2 . . . . . .
. . . . . 3 . 4 . . . . .
. . . . 5 . 6 . 7 . . . .
. . . 8 . 9 . 10 . 11 . . .
12 . 13 . 14 . 15 . 16 . 17 . 18
. 19 . . . . . . . . . 20 .
"""
ENGLISH_33 = """
. . 0 1 2 . .
. . 3 4 5 . .
6 7 8 9 10 11 12
13 14 15 16 17 18 19
20 21 22 23 24 25 26
. . 27 28 29 . .
. . 30 31 32 . .
"""
FRENCH_37 = """
. . 0 1 2 . .
. 3 4 5 6 7 .
8 9 10 11 12 13 14
15 16 17 18 19 20 21
22 23 24 25 26 27 28
. 29 30 31 32 33 .
. . 34 35 36 . .
"""
DIAMOND_41 = """
. . . . 0 . . . .
. . . 1 2 3 . . .
. . 4 5 6 7 8 . .
. 9 10 11 12 13 14 15 .
16 17 18 19 20 21 22 23 24
. 25 26 27 28 29 30 31 .
. . 32 33 34 35 36 . .
. . . 37 38 39 . . .
. . . . 40 . . . .
"""

# a picture, and the other arguments of `naive.Pegs`
PEGS: dict[str, Any] = {
    "hoppers": (HOPPERS, 45, 1.0),
    "hoppers-red": (HOPPERS, 45, 1.0, "r"),
    "diamond-13": (DIAMOND_13, 45, 1.0),
    "triangle-15": (TRIANGLE_15, 60, 3**0.5),
    "triangle-15-red": (TRIANGLE_15, 60, 3**0.5, "r"),
    "triangle-21": (TRIANGLE_21, 60, 3**0.5),
    "triangle-21-red": (TRIANGLE_21, 60, 3**0.5, "r"),
    "english-33": (ENGLISH_33, 90, 1.0),
    "french-37": (FRENCH_37, 90, 1.0),
    "diamond-41": (DIAMOND_41, 90, 1.0),
}
