"""A server whose clock shows another time, for its cards of the days."""

import datetime
from types import SimpleNamespace

import pytest

from hoppers.web import app, decks
from hoppers.web.api import cards as api_cards
from hoppers.web.pages import cards, home


def set_server_time(monkeypatch: pytest.MonkeyPatch, now: datetime.datetime) -> None:
    """Let the pages of the days of a server in this process show a time, until the test ends."""

    class Clock(datetime.datetime):
        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> "Clock":
            return cls.fromtimestamp(now.timestamp(), tz)

    module = SimpleNamespace(**{**vars(datetime), "datetime": Clock})
    for part in (app, api_cards, cards, decks, home):
        monkeypatch.setattr(part, "datetime", module)
