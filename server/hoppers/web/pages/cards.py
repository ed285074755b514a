"""Pages of the decks of cards, of the cards of the days, and of those on drawn boards."""

import calendar
import datetime
from typing import Any

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from hoppers.analysis.card_data import (
    FIRST_DAY,
    Card,
    Day,
    DayCard,
    cards_of,
    present_dates,
    read_date,
)
from hoppers.core.drawings import PREFIX
from hoppers.core.errors import PuzzleError, quoted
from hoppers.core.puzzle import Puzzle, Question
from hoppers.drawing import board_picture
from hoppers.web.api.positions import graded_fields
from hoppers.web.current import read_puzzle, read_request
from hoppers.web.decks import ShownDeck, idea_text, read_day, read_deck, read_number
from hoppers.web.http.addresses import url_with_query
from hoppers.web.http.i18n import format_date, gettext, localized, ngettext, words_with_prefix
from hoppers.web.pages.card_page import card_page
from hoppers.web.pages.goals import degree_word
from hoppers.web.pages.play import PageCard
from hoppers.web.servers.faults import Fault

blueprint = Blueprint("cards", __name__)


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


def _glyphs(deck: ShownDeck) -> list[str]:
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


def _deck_card(deck: ShownDeck, number: int) -> PageCard:
    card = deck.cards[number - 1]
    return PageCard(
        id=f"{deck.id}/{number}",
        title=str(gettext("Card {number} · {degree}", number=number, degree=degree_word(card.level))),
        home=url_with_query("cards.show_deck", {"deck_id": deck.id}, {}),
        home_title=str(gettext("All cards")),
        puzzle=card.puzzle,
        position=card.position,
        goal=card.goal,
        address=url_with_query("cards.play_card", {"deck_id": deck.id, "number": str(number)}, {}),
        moves=card.moves,
        cards=len(deck.cards),
    )


@blueprint.app_template_global()
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


@blueprint.get("/decks")
def to_decks() -> ResponseReturnValue:
    """Redirect from the address of a deck without its name to the list of decks."""
    return redirect(url_for("home.show", _anchor="decks"))


@blueprint.get("/archive")
def to_archive() -> ResponseReturnValue:
    """Redirect to the archive of the days."""
    return redirect(url_for("cards.show_archive"))


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
        title=gettext("{month} {year}", month=format_date(month, "LLLL"), year=format_date(month, "y")),
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
        title=ngettext("{n} move", "{n} moves", moves),
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
    title = gettext("{date} · {degree}", date=_short_date(day.date), degree=degree_word(day.level))
    address = url_with_query("cards.play_day", {"date": str(day.date)}, {})
    return _page_card(day.today, f"daily/{day.date}", str(title), address)


def mini_card(day: Day) -> PageCard:
    """Return the mini card of a day."""
    title = gettext("{date} · mini", date=_short_date(day.date))
    address = url_with_query("cards.play_mini", {"date": str(day.date)}, {})
    return _page_card(day.mini, f"daily/{day.date}/mini", str(title), address)


def _short_date(date: datetime.date) -> str:
    """Return the weekday and the date without the year, in the language of the request."""
    return format_date(date, gettext("EEE d MMM"))


def _page_card(card: DayCard, id: str, title: str, address: str) -> PageCard:
    home, home_title = url_with_query("home.show", {}, {}), str(gettext("Home"))
    return PageCard(id, title, home, home_title, card.puzzle, card.position, card.goal, address, card.moves)
