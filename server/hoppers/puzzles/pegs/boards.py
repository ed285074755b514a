"""Peg boards: drawings and line directions, from which jumps, position classes and symmetries are derived."""

from hoppers.core.board import CHECKERED, EIGHT, SLANTED, SQUARE, TRIANGULAR, Board

HOPPERS = Board.from_text(
    """
o o o
 o o
o o o
 o o
o o o
""",
    CHECKERED,
)
DIAMOND_13 = Board.from_text(
    """
  o
 ooo
ooooo
 ooo
  o
""",
    EIGHT,
)
TRIANGLE_15 = Board.from_text(
    """
    o
   o o
  o o o
 o o o o
o o o o o
""",
    TRIANGULAR,
    SLANTED,
)
TRIANGLE_21 = Board.from_text(
    """
     o o
      o
     o o
    o o o
   o o o o
o o o o o o o
 o         o
""",
    TRIANGULAR,
    SLANTED,
)
ENGLISH_33 = Board.from_text(
    """
  ooo
  ooo
ooooooo
ooooooo
ooooooo
  ooo
  ooo
""",
    SQUARE,
)
FRENCH_37 = Board.from_text(
    """
  ooo
 ooooo
ooooooo
ooooooo
ooooooo
 ooooo
  ooo
""",
    SQUARE,
)
DIAMOND_41 = Board.from_text(
    """
    o
   ooo
  ooooo
 ooooooo
ooooooooo
 ooooooo
  ooooo
   ooo
    o
""",
    SQUARE,
)
