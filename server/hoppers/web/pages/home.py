"""The front page, the card page with today's card above all that there is to play, and the page about it."""

import datetime
from typing import Any

from flask import Blueprint, render_template, request
from flask.typing import ResponseReturnValue

from hoppers.analysis.card_data import cards_of, present_dates
from hoppers.core.texts import Text
from hoppers.drawing import board_picture
from hoppers.runtime import __version__
from hoppers.web.current import read_puzzle
from hoppers.web.decks import all_decks
from hoppers.web.pages.card_page import card_page
from hoppers.web.pages.cards import mini_card, today_card
from hoppers.web.pages.play import all_glyphs
from hoppers.web.pages.puzzle_lists import boards_of_gallery

blueprint = Blueprint("home", __name__)

MINI = "mini"
"""Value of `card` in the address for the mini card."""


SOURCES = {
    Text("Nob Yoshigahara (芦ヶ原伸之)"): Text("Hoppers, a toy of 1999 and 2003, and Flip It"),
    Text("M. Hiroi, Puzzle DE Programming"): Text("the articles this program grew out of, and their figures"),
    Text("J. D. Beasley, The Ins and Outs of Peg Solitaire (1985)"): Text(
        "terms, symmetries, and the proof that the central game needs 18 moves (1964)"
    ),
    Text("橋本哲, C MAGAZINE (1996)"): Text(
        "the terms 補償型 (complement problem) and 中央補償型 (central game), as M. Hiroi cites them"
    ),
    Text("R. Merson (1962)"): Text("lower bounds by regions"),
    Text("E. Bergholt (1912)"): Text("the central game of English 33 in 18 moves"),
    Text("M. Reiss (1857); N. G. de Bruijn (1972)"): Text("position classes"),
    Text("E. R. Berlekamp, J. H. Conway and R. K. Guy (1982), after Conway and Boardman"): Text(
        "pagoda functions"
    ),
    Text("G. I. Bell (2007, 2008)"): Text("triangular boards, bidirectional search, difficulty"),
    Text("J. K. Barker and R. E. Korf (2012)"): Text(
        "bidirectional search of pegs by levels, with lower bounds"
    ),
    Text("R. Zhou and E. A. Hansen (2006)"): Text("breadth-first search within a bound"),
    Text("Durango Bill"): Text("analyses of 37 and 41 holes; not compared with the figures here"),
    Text("Noyes Chapman (1870s)"): Text("the 15-puzzle"),
    Text("W. W. Johnson and W. E. Story (1879)"): Text("which arrangements of the 15-puzzle can be solved"),
    Text("E. F. Moore (1959); I. Pohl (1971)"): Text("breadth-first and bidirectional search"),
    Text("R. E. Korf (1985)"): Text("iterative deepening, IDA*"),
    Text("O. Hansson, A. Mayer and M. Yung (1992)"): Text("linear conflict"),
    Text("K. Takahashi"): Text("walking distance"),
    Text("L. A. Taylor and R. E. Korf (1993)"): Text("moves that only undo others are left out"),
    Text("A. Reinefeld and T. A. Marsland (1994)"): Text("transposition tables"),
    Text("J. Culberson and J. Schaeffer (1996)"): Text("pattern databases"),
    Text("R. E. Korf and A. Felner (2002)"): Text("pattern databases that may be added"),
    Text("A. Felner, R. E. Korf and S. Hanan (2004)"): Text("sums over regions"),
    Text("T. Breyer and R. E. Korf (2010); R. Clausecker and A. Reinefeld (2019)"): Text(
        "pattern databases with about a bit per entry, by the place of the gap"
    ),
    Text("H. Kaindl and G. Kainz (1997)"): Text("two lower bounds under one limit"),
    Text("R. C. Holte, A. Felner, G. Sharon and N. R. Sturtevant (2016), and with J. Chen (2017)"): Text(
        "bidirectional search that meets in the middle"
    ),
    Text("E. C. Sewell and S. H. Jacobson, DIBBS (2021)"): Text(
        "an order of nodes by two bounds, known from programs of others"
    ),
    Text("R. E. Korf and P. Schultze (2005)"): Text("no position of the 15-puzzle needs more than 80 moves"),
}
"""Whose work the program uses -> what of it. docs/sources.md has the titles."""


@blueprint.get("/")
def show() -> ResponseReturnValue:
    """Return the front page, with the card of today by UTC; a script corrects it by the reader's own date."""
    now = datetime.datetime.now(datetime.UTC)
    day = cards_of(now.date())
    return card_page(
        mini_card(day) if request.args.get("card") == MINI else today_card(day),
        present_dates=present_dates(now),
        decks=[(deck, _thumbnail(deck.cards[0])) for deck in all_decks()],
        boards=boards_of_gallery(),
        glyphs_of_lists=all_glyphs(),
    )


def _thumbnail(card: Any) -> board_picture.Picture:
    puzzle = read_puzzle(card.puzzle)
    return board_picture.picture(puzzle, puzzle.parse(card.position), card.goal, margin=6)


@blueprint.get("/about")
def show_about() -> str:
    """Return the page about the program: what it is, whose ideas it uses, and where its data is."""
    return render_template("pages/about.html", sources=SOURCES, version=__version__)
