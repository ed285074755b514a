"""Every card against a naive solver: fewest moves, shortest solutions, difficulty and idea."""

import math
from collections import Counter
from functools import cache
from itertools import combinations, pairwise, permutations
from statistics import mean, median

import pytest

from hoppers.analysis.card_data import DATA, DAY_LEVELS, LEVELS, Card, DayCard, load_cards
from hoppers.puzzles import PUZZLES
from hoppers.tablebase.engine import Engine
from tests import naive
from tools.cards import choose_deck, choose_more_mini, deck_text, pools_text
from tools.cards.selection import DECKS, Selection

CARDS = {
    f"{deck}/{number}": card
    for deck, stored in load_cards().decks.items()
    for number, card in enumerate(stored.cards, 1)
}
Line = tuple[tuple[int, int], ...]


class Solved:
    """All that follows from a position, decided by memory and recursion alone."""

    def __init__(self, card: Card | DayCard) -> None:
        self.game, self.card = naive.rules(card.puzzle), card
        self.steps = cache(self.game.steps)
        self.left = cache(self._left_on_pegs if isinstance(self.game, naive.Pegs) else self._left)

    def _left_on_pegs(self, text: str) -> float:
        """Return the fewest moves left; every jump takes a peg, so there is no way back."""
        if self.game.solved(text, self.card.goal):
            return 0
        return min((cost + self.left(after) for *_, after, cost in self.steps(text)), default=math.inf)

    def _left(self, text: str) -> float:
        """Return the fewest moves left by a search back from all solved positions: steps can be reversed."""
        return distances(self.card.puzzle, len(self.card.position), self.card.goal).get(text, math.inf)

    def lines(self, text: str) -> list[Line]:
        """Return all shortest solutions."""
        if self.game.solved(text, self.card.goal):
            return [()]
        return [
            ((origin, target), *rest)
            for origin, target, after, cost in self.steps(text)
            if cost + self.left(after) == self.left(text)
            for rest in self.lines(after)
        ]

    def chance(self, line: Line) -> float:
        """Return the chance that random play makes the steps of a line."""
        text, chance = self.card.position, 1.0
        for step in line:
            chance /= len(self.steps(text))
            text = self.after(text, step)
        return chance

    def after(self, text: str, step: tuple[int, int]) -> str:
        return next(after for origin, target, after, _ in self.steps(text) if (origin, target) == step)

    def longest_run(self, line: Line) -> int:
        text, run, longest = self.card.position, 0, 0
        for step in line:
            after, cost = next((a, c) for o, t, a, c in self.steps(text) if (o, t) == step)
            text, run = after, 1 if cost else run + 1
            longest = max(longest, run)
        return longest

    def moved(self, line: Line) -> set[str]:
        """Return the characters of all pieces that move."""
        text, signs = self.card.position, set()
        for step in line:
            signs.add(text[step[0]])
            text = self.after(text, step)
        return signs


@cache
def distances(puzzle: str, cells: int, goal: str) -> dict[str, int]:
    whites = ["w" * gap + "_" + "w" * (cells - 1 - gap) for gap in range(cells)]
    return naive.all_distances(naive.rules(puzzle), [goal] if goal.isdigit() else whites)


@cache
def symmetries(puzzle: str) -> list[tuple[int, ...]]:
    """Return the permutations of a board's holes that keep all distances, by the images of three holes."""
    game = naive.rules(puzzle)
    if not isinstance(game, naive.Pegs):
        cells = 9 if isinstance(game, naive.Sliding) else int(puzzle.split("-")[2])
        return [tuple(range(cells)), tuple(reversed(range(cells)))] if cells != 9 or "flip" in puzzle else []
    places, found = game.places, []
    for images in permutations(range(len(places)), 3):
        bases = [0, 1, len(places) - 1]
        if any(
            abs(
                math.dist(places[bases[a]], places[bases[b]])
                - math.dist(places[images[a]], places[images[b]])
            )
            > 0.01
            for a, b in ((0, 1), (0, 2), (1, 2))
        ):
            continue
        image = [
            [
                other
                for other in range(len(places))
                if all(
                    abs(math.dist(places[hole], places[base]) - math.dist(places[other], places[to])) < 0.01
                    for base, to in zip(bases, images, strict=True)
                )
            ]
            for hole in range(len(places))
        ]
        if all(len(others) == 1 for others in image):
            found.append(tuple(others[0] for others in image))
    return found


def image_of(text: str, image: tuple[int, ...]) -> str:
    cells = [""] * len(text)
    for hole, cell in enumerate(text):
        cells[image[hole]] = cell
    return "".join(cells)


def kept(card: Card) -> list[tuple[int, ...]]:
    """Return the symmetries that keep position and goal of a card."""
    return [
        image
        for image in symmetries(card.puzzle)
        if image_of(card.position, image) == card.position
        and (card.goal == "any" or image[int(card.goal)] == int(card.goal))
    ] or [tuple(range(len(card.position)))]


@pytest.mark.parametrize("name", CARDS)
def test_card_is_as_a_naive_solver_finds_it(name: str) -> None:
    card = CARDS[name]
    solved = Solved(card)
    assert solved.left(card.position) == card.moves
    lines = solved.lines(card.position)
    images = kept(card)
    alike = {min(tuple((image[a], image[b]) for a, b in line) for image in images) for line in lines}
    assert len(alike) == card.solutions
    assert -math.log2(math.fsum(map(solved.chance, lines))) == pytest.approx(card.difficulty, abs=0.006)
    own = tuple(step for move in card.solution for step in pairwise(move))
    assert own in lines
    lefts = [cost + solved.left(after) for *_, after, cost in solved.steps(card.position)]
    assert len(lefts) == card.steps and lefts.count(card.moves) == card.good
    assert sum(card.moves < left < math.inf for left in lefts) == card.costly
    assert min(map(solved.longest_run, lines)) == card.run
    assert has_idea(solved, card, lines)


def has_idea(solved: Solved, card: Card, lines: list[Line]) -> bool:
    moving = set.intersection(*map(solved.moved, lines))
    match card.idea:
        case "line":
            return card.solutions == 1
        case "first":
            return card.good == 1 and card.steps >= 3
        case "red":
            return "r" in moving
        case "run":
            return card.run >= 4
        case "decoy":
            return card.costly > 0
        case "home":
            return any(card.position.index(tile) == card.goal.index(tile) for tile in moving)
        case "greedy":
            blacks = [
                (after.count("b"), cost + solved.left(after))
                for *_, after, cost in solved.steps(card.position)
            ]
            return all(left > card.moves for black, left in blacks if black == min(blacks)[0])


def test_decks_have_levels_of_rising_difficulty() -> None:
    decks = {id: deck.cards for id, deck in load_cards().decks.items()}
    assert [len(cards) for cards in decks.values()] == [40, 24, 24, 24, 24]
    assert sum(card.puzzle == "hoppers-red" for card in decks["hoppers"]) >= 20
    for cards in decks.values():
        assert [card.difficulty for card in cards] == sorted(card.difficulty for card in cards)
        assert [card.level for card in cards] == sorted(card.level for card in cards)
        means = [mean(card.moves for card in cards if card.level == level) for level in LEVELS]
        assert means == sorted(means)
        assert set(Counter(card.level for card in cards).values()) == {len(cards) // 4}


@pytest.mark.parametrize("deck", load_cards().decks)
def test_no_two_cards_are_alike(deck: str) -> None:
    """Neither up to symmetry nor with another colour of the red peg; tiles are renamed by the symmetry."""
    seen: set[str] = set()
    for card in load_cards().decks[deck].cards:
        text = card.position.replace("r", "o")
        images = {image_of(text, image) for image in symmetries(card.puzzle)} or {text, transposed(text)}
        assert not images & seen
        seen |= images


def transposed(text: str) -> str:
    cells = [divmod("123456780".index(tile), 3) for tile in text]
    mirrored = ["123456780"[3 * x + y] for y, x in cells]
    return "".join(mirrored[3 * x + y] for y in range(3) for x in range(3))


@pytest.mark.parametrize("deck", ["hoppers", "flip-it"])
def test_command_chooses_the_same_cards_again(deck: str) -> None:
    chosen = choose_deck(Engine(PUZZLES), DECKS[deck])
    assert f'"{deck}": {deck_text(chosen)}' in DATA.read_text()
    assert list(DECKS) == list(load_cards().decks)


WEEK, MINI = load_cards().week, load_cards().mini_pools()
DAYS = [card for pool in (*WEEK, *MINI) for card in pool]


def test_command_chooses_the_same_further_minis() -> None:
    data = load_cards()
    days = [card for pool in (*data.week, *data.mini) for card in pool]
    chosen: list[Card | DayCard] = [*CARDS.values(), *days]
    more = choose_more_mini(Selection(Engine(PUZZLES), chosen))
    assert f'"more_mini": {pools_text(more)}' in DATA.read_text()


FAMILIES = ("pegs", "pegs", "pegs", "flips", "sliding", "pegs", "pegs")
"""Families of the cards of Monday to Sunday."""


def likes(card: Card | DayCard) -> set[str]:
    """Return all texts of positions that are alike, whatever the colour of the red peg."""
    text = card.position.replace("r", "o")
    return {image_of(text, image) for image in symmetries(card.puzzle)} | (
        {text, transposed(text)} if card.goal == "123456780" else {text}
    )


def test_week_has_a_shape() -> None:
    """Each weekday has its own boards; they grow from Monday to Sunday, and so does the difficulty."""
    puzzles = [{card.puzzle for card in pool} for pool in WEEK]
    assert [{PUZZLES[id].family for id in ids} for ids in puzzles] == [{family} for family in FAMILIES]
    assert all(not one & other for one, other in combinations(puzzles, 2))
    assert [all("r" in card.position for card in pool) for pool in WEEK].index(True) == 2
    medians = [median(card.difficulty for card in pool) for pool in WEEK]
    assert medians == sorted(medians)
    assert list(DAY_LEVELS) == sorted(DAY_LEVELS) and (DAY_LEVELS[0], DAY_LEVELS[-1]) == (1, 5)
    sunday = WEEK[6]
    assert all(8 <= card.position.count("o") <= 11 and len(card.position) == 33 for card in sunday)
    assert [{card.moves for card in pool} for pool in MINI] == [{3}, {3}, {4}, {4}, {4}, {5}, {5}]


def test_no_card_of_a_day_is_a_turned_one() -> None:
    seen = {like for card in CARDS.values() for like in likes(card)}
    for card in DAYS:
        assert not likes(card) & seen, card
        seen |= likes(card)
    assert [len(pool) for pool in WEEK] == [104] * 7
    assert [len(pool) for pool in load_cards().mini] == [52] * 7


@pytest.mark.parametrize("pool", range(14))
def test_cards_of_days_are_proved(pool: int) -> None:
    """Moves and difficulty of every eighth card, and what its weekday promises, by a naive solver."""
    for card in [*WEEK, *MINI][pool][::8]:
        solved = Solved(card)
        assert solved.left(card.position) == card.moves
        lines = solved.lines(card.position)
        bits = -math.log2(math.fsum(map(solved.chance, lines)))
        assert bits == pytest.approx(card.difficulty, abs=0.006)
        if pool == 2:
            assert "r" in set.intersection(*map(solved.moved, lines))
        if pool == 5:
            assert min(map(solved.longest_run, lines)) >= 4


def test_mini_cards_have_no_trap_at_once() -> None:
    for card in (card for pool in MINI for card in pool[::3]):
        solved = Solved(card)
        assert all(solved.left(after) < math.inf for *_, after, _ in solved.steps(card.position))
