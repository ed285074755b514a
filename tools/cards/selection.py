"""The choice of cards: what each level of a deck and each pool of days draws from."""

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from hoppers.analysis.card_data import Card, DayCard, Idea
from hoppers.core.model import GivenUp
from hoppers.tablebase.engine import Engine
from tools.atlas.symmetric_texts import images
from tools.cards.candidates import exact_lookup, shuffled, texts_of
from tools.cards.measures import IDEAS, Facts, measured

MAX_SOLUTIONS = 2_000  # shortest solutions up to symmetry of a card
PEG_IDEAS: tuple[Idea, ...] = ("first", "run", "decoy", "line")
RED_IDEAS: tuple[Idea, ...] = ("red", *PEG_IDEAS)
TILE_IDEAS: tuple[Idea, ...] = ("home", "line", "first")
FLIP_IDEAS: tuple[Idea, ...] = ("greedy", "line", "first")


class Draw(NamedTuple):
    """Cards to draw from the positions of one puzzle."""

    puzzle: str
    goal: str
    cards: int
    moves: range
    bits: tuple[float, float]
    """Least difficulty, and the one that all stay below."""
    ideas: tuple[Idea, ...] = ()
    """Ideas that the cards have in about equal numbers; none: a card needs no idea."""
    is_kind: bool = False
    """Whether no first step may make the position unsolvable."""
    pieces: range | None = None
    """Numbers of pegs; None: any."""


class Drawn(NamedTuple):
    """A position that has been drawn."""

    draw: Draw
    text: str
    facts: Facts
    idea: Idea | None


def _pegs(bits: list[float], *levels: tuple[range, int, int], board: str) -> list[list[Draw]]:
    """Return the draws of the levels of a deck of pegs: cards without, and cards with a red peg.

    `bits`: least difficulty of each level, then one that no card reaches. `levels`: (moves, plain cards, red
    cards) of each.
    """
    return [
        [
            Draw(board, "any", plain, moves, (least, most), PEG_IDEAS),
            Draw(f"{board}-red", "any", red, moves, (least, most), RED_IDEAS),
        ]
        for (moves, plain, red), least, most in zip(levels, bits, bits[1:], strict=False)
    ]


def _flips(count: int, lengths: tuple[str, ...], moves: range, bits: tuple[float, float]) -> list[Draw]:
    return [Draw(f"flip-it-{length}", "any", count, moves, bits, FLIP_IDEAS) for length in lengths]


class DeckDraws(NamedTuple):
    """What a deck is made of: its title in English, and the draws of each level."""

    title: str
    levels: list[list[Draw]]


DECKS = {
    "hoppers": DeckDraws(
        "Hoppers 13",
        _pegs(
            [2, 5.5, 8, 11, 99],
            (range(2, 4), 6, 4),
            (range(3, 6), 5, 5),
            (range(5, 7), 4, 6),
            (range(6, 12), 3, 7),
            board="hoppers",
        ),
    ),
    "triangle-15": DeckDraws(
        "Triangle 15",
        _pegs(
            [2.5, 6, 9, 12, 99],
            (range(2, 4), 6, 0),
            (range(4, 6), 5, 1),
            (range(5, 8), 4, 2),
            (range(7, 12), 3, 3),
            board="triangle-15",
        ),
    ),
    "eight-puzzle": DeckDraws(
        "8-puzzle",
        [
            [Draw("eight-puzzle", "123456780", 6, moves, bits, TILE_IDEAS)]
            for moves, bits in [
                (range(5, 9), (4, 9)),
                (range(9, 14), (9, 15)),
                (range(14, 20), (15, 22)),
                (range(20, 32), (22, 99)),
            ]
        ],
    ),
    "flip-it": DeckDraws(
        "Flip It",
        [
            _flips(3, ("5", "6-slide"), range(2, 5), (2, 6)),
            _flips(3, ("6", "7"), range(4, 6), (6, 9)),
            _flips(3, ("7", "8"), range(6, 8), (9, 12.5)),
            _flips(3, ("8", "9"), range(7, 12), (12.5, 99)),
        ],
    ),
    "english-33": DeckDraws(
        "English 33",
        [
            [Draw("english-33", "16", 6, moves, bits, PEG_IDEAS)]
            for moves, bits in [
                (range(3, 5), (3, 7)),
                (range(4, 7), (7, 11)),
                (range(6, 9), (11, 16)),
                (range(8, 14), (16, 99)),
            ]
        ],
    ),
}
"""Id -> deck. The difficulties of its levels do not overlap."""


def _day(moves: range, bits: tuple[float, float], ideas: tuple[Idea, ...] = (), **counts: int) -> list[Draw]:
    """Return the draws of a pool. `counts`: puzzle, with `_` for `-`, and how many cards are of it."""
    return [Draw(name.replace("_", "-"), "any", count, moves, bits, ideas) for name, count in counts.items()]


WEEK = [
    _day(range(3, 7), (4, 6.5), hoppers=104),
    _day(range(4, 7), (6.5, 8), triangle_15=104),
    _day(range(4, 8), (8, 9.5), ("red",), hoppers_red=52, triangle_15_red=52),
    _day(range(5, 9), (9.5, 11), flip_it_7=18, flip_it_7_slide=12, flip_it_8=46, flip_it_8_slide=28),
    [Draw("eight-puzzle", "123456780", 104, range(8, 11), (10.5, 14))],
    [Draw("triangle-21", "any", 104, range(5, 9), (12.5, 15), ("run",), pieces=range(10, 12))],
    [Draw("english-33", "16", 104, range(6, 12), (14, 99), pieces=range(8, 12))],
]
"""Draws of the pools of Monday to Sunday, which begin again after two years."""


def _mini(moves: int, bits: tuple[float, float], *counts: int) -> list[Draw]:
    """Return the draws of a weekday's pool of mini cards: numbers of cards of each board."""
    boards = ("hoppers", range(3, 12)), ("triangle-15", range(3, 12)), ("triangle-21", range(5, 10))
    return [
        Draw(board, "any", count, range(moves, moves + 1), bits, is_kind=True, pieces=pieces)
        for (board, pieces), count in zip(boards, counts, strict=True)
    ]


MINI = [
    *2 * [_mini(3, (2, 7), 15, 25, 12)],
    *3 * [_mini(4, (3, 9), 10, 12, 30)],
    *2 * [_mini(5, (4, 11), 8, 10, 34)],
]
"""Draws of the pools of mini cards, Monday first, which begin again after a year: few more are kind."""


def _more_mini(moves: int, bits: tuple[float, float], **counts: int) -> list[Draw]:
    """Return the draws of further mini cards of a weekday. `counts`: as in `_day`."""
    draws = _day(range(moves, moves + 1), bits, (), **counts)
    return [draw._replace(is_kind=True, pieces=range(3, 12)) for draw in draws]


MORE_MINI = [
    _more_mini(3, (2, 7), triangle_15=11, diamond_13=4),
    _more_mini(3, (2, 7), hoppers=14, diamond_13=8),
    _more_mini(4, (3, 9), diamond_13=12),
    *2 * [_more_mini(4, (3, 9))],
    _more_mini(5, (4, 11), hoppers=16, triangle_15=14, diamond_13=3),
    _more_mini(5, (4, 11)),
]
"""Draws of further mini cards, for weekdays with cards on the boards of mini cards: nearly all that exist."""


class Selection:
    """Draws positions, none of which is alike another up to symmetry and the colour of the red peg."""

    def __init__(self, engine: Engine, chosen: Iterable[Card | DayCard] = ()) -> None:
        """Begin a selection. `chosen`: cards that no further card is to be like."""
        self._engine = engine
        self._taken = {like for card in chosen for like in self._likes(card.puzzle, card.goal, card.position)}
        self.candidates = cache(self._candidates)

    def _likes(self, puzzle: str, goal: str, text: str) -> set[str]:
        return images(self._engine.puzzles[puzzle], goal, text.replace("r", "o"))

    def _candidates(self, puzzle_id: str, goal: str, pieces: range | None) -> list[str]:
        return shuffled(texts_of(self._engine.puzzles[puzzle_id], goal, pieces), puzzle_id)

    def deck(self, levels: list[list[Draw]]) -> list[Card]:
        """Return the cards of a deck, by rising difficulty."""
        return [
            _card(level, found)
            for level, draws in enumerate(levels, 1)
            for found in sorted(self._drawn(draws), key=lambda found: found.facts.difficulty)
        ]

    def pool(self, draws: list[Draw], about: str) -> list[DayCard]:
        """Return the cards of a pool of days, in an order as good as random. `about`: a name of the pool."""
        by_text = {f"{found.draw.puzzle} {found.text}": found for found in self._drawn(draws)}
        return [_day_card(by_text[name]) for name in shuffled(iter(by_text), about)]

    def _drawn(self, draws: list[Draw]) -> Iterator[Drawn]:
        for draw in draws:
            yield from self._draw(draw)

    def _draw(self, draw: Draw) -> Iterator[Drawn]:
        """Yield `draw.cards` positions; where one idea is too rare, the other ideas take its places.

        Raises:
            ValueError: there are too few such positions.
        """
        ideas: Counter[Idea | None] = Counter()
        share = -(-draw.cards // max(len(draw.ideas), 1))
        for most in (share, draw.cards):
            for text in self.candidates(draw.puzzle, draw.goal, draw.pieces):
                if ideas.total() == draw.cards:
                    return
                if found := self._fitting(draw, text, [idea for idea in draw.ideas if ideas[idea] < most]):
                    ideas[found.idea] += 1
                    yield found
        if ideas.total() < draw.cards:
            raise ValueError(f"only {ideas.total()} positions of {draw} were found")

    def _fitting(self, draw: Draw, text: str, ideas: list[Idea]) -> Drawn | None:
        """Return a position as a card with one of `ideas`, or None if it does not fit. Mark it as taken."""
        puzzle = self._engine.puzzles[draw.puzzle]
        lookup = exact_lookup(puzzle, draw.goal, text)
        if lookup is None or lookup(puzzle.parse(text)) not in draw.moves:
            return None
        likes = self._likes(draw.puzzle, draw.goal, text)
        if likes & self._taken:
            return None
        try:
            facts = measured(puzzle, draw.goal, puzzle.parse(text), lookup)
        except GivenUp:
            return None
        idea = next((idea for idea in ideas if IDEAS[idea](facts)), None)
        if (draw.ideas and idea is None) or not _is_fair(draw, facts):
            return None
        self._taken |= likes
        return Drawn(draw, text, facts, idea)


def _is_fair(draw: Draw, facts: Facts) -> bool:
    """Return whether the facts are within the bounds of a draw, and the first step is a choice."""
    least, most = draw.bits
    if not least <= facts.difficulty < most or facts.solutions > MAX_SOLUTIONS or facts.steps < 2:
        return False
    return not draw.is_kind or facts.good + facts.costly == facts.steps


def _card(level: int, found: Drawn) -> Card:
    draw, facts, idea = found.draw, found.facts, found.idea
    if idea is None:
        raise ValueError(f"{draw} has no ideas")
    return Card(
        level=level,
        puzzle=draw.puzzle,
        position=found.text,
        goal=draw.goal,
        moves=facts.moves,
        solutions=facts.solutions,
        difficulty=facts.difficulty,
        idea=idea,
        good=facts.good,
        costly=facts.costly,
        steps=facts.steps,
        run=facts.run,
        line=facts.line,
    )


def _day_card(found: Drawn) -> DayCard:
    draw, facts = found.draw, found.facts
    return DayCard(draw.puzzle, found.text, draw.goal, facts.moves, facts.difficulty)
