"""What each address of the API answers, in a sentence for people, and an example of each."""

from typing import NamedTuple

from hoppers.core.texts import Text


class Summary(NamedTuple):
    """What an address answers."""

    sentence: Text
    asked: tuple[str, ...] = ()
    """Names in the query string of the example; their values are those of the API's description."""


PUZZLE = "/api/puzzles/<puzzle_id>"
POSITION = f"{PUZZLE}/positions/<position>"
SUMMARIES = {
    "/api": Summary(Text("This list")),
    "/api/openapi.json": Summary(Text("The description of the API for programs: OpenAPI 3.1")),
    "/api/puzzles": Summary(Text("All puzzles")),
    PUZZLE: Summary(Text("What a program needs to draw and play a puzzle")),
    f"{PUZZLE}/deals/<name>": Summary(
        Text("A random position, of a number of moves if you wish; the same seed gives the same position"),
        ("seed", "moves"),
    ),
    f"{PUZZLE}/distribution": Summary(Text("How many positions need 0, 1, 2, … moves")),
    f"{PUZZLE}/line": Summary(Text("The positions of a line of play, each with its verdict"), ("line",)),
    f"{PUZZLE}/number": Summary(
        Text("The number of a line among all shortest solutions"), ("start", "goal", "line")
    ),
    f"{PUZZLE}/atlas": Summary(Text("What the atlas says of a start, for each goal")),
    POSITION: Summary(Text("The verdict on a position and on every legal step"), ("goal",)),
    f"{POSITION}/hint": Summary(Text("The next move of the best known solution"), ("goal",)),
    f"{POSITION}/solution": Summary(Text("A shortest solution, or the best known"), ("goal",)),
    f"{POSITION}/solutions": Summary(Text("All shortest solutions, page by page"), ("goal",)),
    f"{POSITION}/reason": Summary(Text("Why a position is a dead end"), ("goal",)),
    f"{POSITION}/slack": Summary(Text("Numbers of the holes, and how far their sum may fall"), ("goal",)),
    f"{POSITION}/certificate": Summary(Text("A proof that another program can check"), ("goal",)),
    f"{POSITION}/bound": Summary(Text("The lower bound of a method, or of a set of holes"), ("holes",)),
    f"{POSITION}/trace": Summary(Text("What a search does at one limit, node by node"), ("goal",)),
    f"{POSITION}/search": Summary(Text("The events of a search, a line each, as they come"), ("goal",)),
    "/api/decks": Summary(Text("All decks of cards")),
    "/api/decks/<deck_id>": Summary(Text("The cards of a deck")),
    "/api/daily": Summary(Text("The cards of every date that is today somewhere on earth")),
    "/api/daily/<date>": Summary(Text("The cards of a day")),
}
"""Address -> what it answers, in the order of the list."""
