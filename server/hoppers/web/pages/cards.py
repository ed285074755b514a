"""Pages and JSON of the decks of cards, of the cards of the days, and of those on drawn boards."""

import calendar
import datetime
from typing import Any

from babel.dates import format_skeleton
from flask import Blueprint, Response, jsonify, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from flask_babel import format_date, get_locale, gettext, ngettext

from hoppers.analysis.card_data import (
    FIRST_DAY,
    Card,
    Day,
    DayCard,
    cards_of,
    has_begun,
    load_cards,
    present_dates,
    read_date,
)
from hoppers.core.drawings import PREFIX
from hoppers.core.errors import PuzzleError, quoted
from hoppers.core.puzzle import Puzzle, Question
from hoppers.drawing import board_picture
from hoppers.web.api import answers
from hoppers.web.api.operations import LanguageQuery, operation
from hoppers.web.api.positions import cache_publicly, graded_fields, read_request, url_with_query
from hoppers.web.current import read_puzzle
from hoppers.web.http.i18n import localized, words_with_prefix
from hoppers.web.pages.card_page import card_page
from hoppers.web.pages.goals import degree_word
from hoppers.web.pages.play import PageCard
from hoppers.web.pages.puzzle_lists import Deck, all_decks
from hoppers.web.random_play import fewest_text
from hoppers.web.servers.faults import Fault

blueprint = Blueprint("cards", __name__)


def read_deck(text: str) -> Deck:
    """Return the deck with the id `text`; raise a Fault (404) if there is none."""
    decks = load_cards().decks
    if text not in decks:
        raise Fault(
            404,
            "unknown_deck",
            "There is no deck {deck}; decks are {decks}.",
            deck=quoted(text),
            decks=", ".join(decks),
        )
    return Deck(text, decks[text])


def read_number(deck: Deck, text: str) -> int:
    """Return the number of a card of a deck; raise a Fault (404) if `text` is none."""
    numbers = {str(number): number for number in range(1, len(deck.cards) + 1)}
    if text not in numbers:
        raise Fault(
            404,
            "unknown_card",
            "There is no card {card} in the deck {deck}; its cards are 1 to {last}.",
            card=quoted(text),
            deck=deck.title,
            last=len(numbers),
        )
    return numbers[text]


def read_day(text: str) -> Day:
    """Return the cards of the day `text`; raise a Fault (404) if it is no day that has begun somewhere."""
    date = read_date(text)
    if date is None:
        raise Fault(
            404,
            "unknown_day",
            "{day} is not a day with a card; days are written as 2026-01-31 and begin with 2026-01-01.",
            day=quoted(text),
        )
    if not has_begun(date, datetime.datetime.now(datetime.UTC)):
        raise Fault(
            404, "unknown_day", "The day {day} has not begun anywhere on earth yet.", day=quoted(text)
        )
    return cards_of(date)


@blueprint.get("/api/decks")
@operation(answers.DeckList)
def list_decks(query: LanguageQuery) -> Response:
    """Return all decks with their numbers of cards."""
    decks = [answers.DeckSummary(id=deck.id, title=deck.title, cards=len(deck.cards)) for deck in all_decks()]
    return cache_publicly(jsonify(answers.DeckList(decks=decks)))


@blueprint.get("/api/decks/<deck_id>")
@operation(answers.DeckAnswer)
def show_deck_data(deck_id: str, query: LanguageQuery) -> Response:
    """Return all cards of a deck with their measures."""
    deck = read_deck(deck_id)
    cards = [card_fields(number, card) for number, card in enumerate(deck.cards, 1)]
    about = gettext("fewest bits: how unlikely random play is to solve the card in the fewest moves")
    answer = answers.DeckAnswer(id=deck.id, title=deck.title, measures=[about], cards=cards)
    return cache_publicly(jsonify(answer))


def card_fields(number: int, card: Card) -> answers.CardAnswer:
    """Return the JSON fields of a card."""
    return {
        "number": number,
        "level": card.level,
        "puzzle": card.puzzle,
        "position": card.position,
        "goal": card.goal,
        "moves": card.moves,
        "solutions": card.solutions,
        "difficulty": card.difficulty,
        "idea": card.idea,
        "measures": [idea_text(card), fewest_text(card.difficulty)],
    }


def idea_text(card: Card) -> str:
    """Return the idea of a card in words, with its measure."""
    match card.idea:
        case "line":
            return str(gettext("exactly one shortest solution"))
        case "first":
            return str(gettext("one good first step of %(steps)s", steps=card.steps))
        case "red":
            return str(gettext("the red peg has to move"))
        case "run":
            return str(gettext("a chain of %(steps)s jumps", steps=card.run))
        case "decoy":
            decoys = ngettext("%(num)s decoy costs a move", "%(num)s decoys cost a move", card.costly)
            return str(decoys)
        case "home":
            return str(gettext("a tile that is in place has to move"))
        case "greedy":
            return str(gettext("the jump that turns the most discs is wrong"))


@blueprint.get("/decks/<deck_id>")
def show_deck(deck_id: str) -> str:
    """Return the page of a deck: its cards as small boards, by level."""
    deck = read_deck(deck_id)
    shown: list[dict[str, Any]] = [
        {
            "number": number,
            "card": card,
            "picture": _picture(card.puzzle, card.position, card.goal),
            "idea": idea_text(card),
        }
        for number, card in enumerate(deck.cards, 1)
    ]
    return render_template(
        "pages/deck.html",
        deck=deck,
        levels=[
            (level, [each for each in shown if each["card"].level == level])
            for level in sorted({card.level for card in deck.cards})
        ],
        glyphs=_glyphs(deck),
        deck_words=words_with_prefix("result.", "medal.", "deck.", "tally", "continue"),
    )


def _picture(puzzle_id: str, position: str, goal: str) -> board_picture.Picture:
    puzzle = read_puzzle(puzzle_id)
    return board_picture.picture(puzzle, puzzle.parse(position), goal, margin=6)


def _glyphs(deck: Deck) -> list[str]:
    """Return the glyphs of all cards of a deck, each once."""
    puzzles = dict.fromkeys(card.puzzle for card in deck.cards)
    glyphs = (board_picture.glyphs_of(read_puzzle(puzzle)).values() for puzzle in puzzles)
    return list(dict.fromkeys(glyph for each in glyphs for glyph in each))


@blueprint.get("/decks/<deck_id>/print")
def print_deck(deck_id: str) -> str:
    """Return a deck to print: the cards, and their solutions on sheets of their own."""
    deck = read_deck(deck_id)
    printed = [
        {
            "number": number,
            "picture": board_picture.picture(puzzle, puzzle.parse(card.position), card.goal),
            "card": card,
            "notation": _notation(puzzle, card),
        }
        for number, card in enumerate(deck.cards, 1)
        for puzzle in [read_puzzle(card.puzzle)]
    ]
    first = read_puzzle(deck.cards[0].puzzle)
    objectives = dict.fromkeys(localized(read_puzzle(card.puzzle).texts.objective) for card in deck.cards)
    return render_template(
        "pages/deck_print.html",
        deck=deck,
        printed=printed,
        glyphs=_glyphs(deck),
        seat=board_picture.seat_of(first),
        objectives=list(objectives),
    )


def _notation(puzzle: Puzzle, card: Card) -> list[str]:
    """Return the moves of a solution as people write them: the number of a tile, or the holes visited."""
    if not puzzle.rules.are_numbers:
        return ["–".join(map(str, move)) for move in card.solution]
    cells, written = list(card.position), []
    for origin, target in card.solution:
        written.append(str(puzzle.rules.alphabet.index(cells[origin])))
        cells[origin], cells[target] = cells[target], cells[origin]
    return written


@blueprint.get("/decks/<deck_id>/<number>")
def play_card(deck_id: str, number: str) -> ResponseReturnValue:
    """Return the page of a card."""
    deck = read_deck(deck_id)
    return card_page(_deck_card(deck, read_number(deck, number)))


def _deck_card(deck: Deck, number: int) -> PageCard:
    card = deck.cards[number - 1]
    return PageCard(
        id=f"{deck.id}/{number}",
        title=str(gettext("Card %(number)s · %(degree)s", number=number, degree=degree_word(card.level))),
        home=url_with_query("cards.show_deck", {"deck_id": deck.id}, {}),
        home_title=str(gettext("All cards")),
        puzzle=card.puzzle,
        position=card.position,
        goal=card.goal,
        address=url_with_query("cards.play_card", {"deck_id": deck.id, "number": str(number)}, {}),
        moves=card.moves,
        cards=len(deck.cards),
    )


def find_card(id: str) -> PageCard | None:
    """Return the card of a deck or of a day by its id, such as `hoppers/17`; None if there is none."""
    try:
        match id.split("/"):
            case ["daily", date]:
                return today_card(read_day(date))
            case ["daily", date, "mini"]:
                return mini_card(read_day(date))
            case ["draw", board, position, goal]:
                return drawn_card(read_request(board, position, goal))
            case [deck_id, number]:
                deck = read_deck(deck_id)
                return _deck_card(deck, read_number(deck, number))
    except (Fault, PuzzleError):
        pass
    return None


@blueprint.get("/api/daily/<date>")
@operation(answers.DayAnswer)
def show_day_data(date: str, query: LanguageQuery) -> Response:
    """Return the two cards of a day."""
    return cache_publicly(jsonify(_day_fields(read_day(date))))


@blueprint.get("/api/daily")
@operation(answers.DaysAnswer)
def show_present_days(query: LanguageQuery) -> Response:
    """Return the cards of the two or three days that are today somewhere on earth, in order."""
    dates = present_dates(datetime.datetime.now(datetime.UTC))
    answer: answers.DaysAnswer = {"days": [_day_fields(cards_of(date)) for date in dates]}
    response = jsonify(answer)
    response.headers["Cache-Control"] = "no-store"  # else a cache would show them a day too long
    return response


def _day_fields(day: Day) -> answers.DayAnswer:
    """Return the two cards of a day as JSON."""
    return {
        "date": day.date.isoformat(),
        **_day_card_fields(day.today),
        "level": day.level,
        "mini": _day_card_fields(day.mini),
    }


def _day_card_fields(card: DayCard) -> answers.DayCard:
    return {"puzzle": card.puzzle, "position": card.position, "goal": card.goal, "moves": card.moves}


@blueprint.get("/daily")
def play_today() -> ResponseReturnValue:
    """Return the page of today's card by UTC; a script corrects it by the reader's own date."""
    now = datetime.datetime.now(datetime.UTC)
    return card_page(today_card(cards_of(now.date())), present_dates=present_dates(now))


@blueprint.get("/daily/archive")
def show_archive() -> str:
    """Return the page of all days of a month, `month=2026-01`, with the player's figures."""
    last = present_dates(datetime.datetime.now(datetime.UTC))[-1]
    month = _read_month(request.args.get("month", f"{last:%Y-%m}"), last)
    weeks = calendar.Calendar().monthdatescalendar(month.year, month.month)
    before, after = month - datetime.timedelta(1), month + datetime.timedelta(31)
    return render_template(
        "pages/archive.html",
        title=gettext("%(month)s %(year)s", month=format_date(month, "LLLL"), year=format_date(month, "y")),
        weekdays=[(format_date(day, "EEEEE"), format_date(day, "EEEE")) for day in weeks[0]],
        weeks=[[day if day.month == month.month else None for day in week] for week in weeks],
        dates=(FIRST_DAY, last),
        before=f"{before:%Y-%m}" if before >= FIRST_DAY else None,
        after=f"{after:%Y-%m}" if (after.year, after.month) <= (last.year, last.month) else None,
        archive_words=words_with_prefix("medal.", "comma"),
        as_set=_links([day for week in weeks for day in week if day.month == month.month], last),
    )


def _links(days: list[datetime.date], last: datetime.date) -> str:
    """Return links of the cards of the latest ten `days` that are not after `last`, one on each line."""
    begun = [day for day in days if day <= last][-10:]
    return "\n".join(url_for("cards.play_day", date=day, _external=True) for day in begun)


def _read_month(text: str, last: datetime.date) -> datetime.date:
    """Return the first day of a month; raise a Fault (404) unless it has a day from FIRST_DAY to `last`."""
    date = read_date(f"{text}-01")
    if date is None or date > last:
        raise Fault(
            404,
            "unknown_month",
            "{month} is not a month with cards; months are written as 2026-01 and begin with 2026-01.",
            month=quoted(text),
        )
    return date


@blueprint.get("/daily/<date>")
def play_day(date: str) -> ResponseReturnValue:
    """Return the page of the card of a day."""
    return card_page(today_card(read_day(date)))


@blueprint.get("/daily/<date>/mini")
def play_mini(date: str) -> ResponseReturnValue:
    """Return the page of the mini card of a day."""
    return card_page(mini_card(read_day(date)))


@blueprint.get("/draw/<board>/<position>/<goal>")
def play_drawn(board: str, position: str, goal: str) -> ResponseReturnValue:
    """Return the page of a card on a drawn board.

    Redirect to the game page of the puzzle if the fewest moves are not proved, or there is nothing to play.
    """
    question = read_request(board, position, goal)
    card = drawn_card(question)
    if card is not None:
        return card_page(card)
    return redirect(url_with_query("pages.play", {"puzzle_id": board}, {"position": position, "goal": goal}))


def drawn_card(question: Question) -> PageCard | None:
    """Return the card of a position on a drawn board; None unless its fewest moves are proved."""
    puzzle, moves = question.puzzle, graded_fields(question)["moves_left"]
    position, goal = puzzle.format(question.position), puzzle.goal_text(question.goal)
    if not puzzle.id.startswith(PREFIX) or not moves:
        return None
    drawing = {"board": puzzle.id.removesuffix("-red"), "position": position, "goal": goal}
    place = {"board": puzzle.id, "position": position, "goal": goal}
    return PageCard(
        id=f"draw/{puzzle.id}/{position}/{goal}",
        title=str(ngettext("%(num)s move", "%(num)s moves", moves)),
        home=url_with_query("draw.show", {}, drawing),
        home_title=str(gettext("Change this board")),
        puzzle=puzzle.id,
        position=position,
        goal=goal,
        address=url_with_query("cards.play_drawn", place, {}),
        moves=moves,
    )


def today_card(day: Day) -> PageCard:
    """Return the card of a day."""
    title = gettext("%(date)s · %(degree)s", date=_short_date(day.date), degree=degree_word(day.level))
    address = url_with_query("cards.play_day", {"date": str(day.date)}, {})
    return _page_card(day.today, f"daily/{day.date}", str(title), address)


def mini_card(day: Day) -> PageCard:
    """Return the mini card of a day."""
    title = gettext("%(date)s · mini", date=_short_date(day.date))
    address = url_with_query("cards.play_mini", {"date": str(day.date)}, {})
    return _page_card(day.mini, f"daily/{day.date}/mini", str(title), address)


def _short_date(date: datetime.date) -> str:
    """Return the weekday and the date without the year, in the language of the request."""
    return str(format_skeleton("MMMEd", date, locale=get_locale()))


def _page_card(card: DayCard, id: str, title: str, address: str) -> PageCard:
    home, home_title = url_with_query("home.show", {}, {}), str(gettext("Home"))
    return PageCard(id, title, home, home_title, card.puzzle, card.position, card.goal, address, card.moves)
