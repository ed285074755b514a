"""Random requests and messages for fuzz tests: almost valid ones and nonsense."""

import json
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, NamedTuple
from urllib.parse import quote

from tests.support.engine import PUZZLES

BROKEN = (b"Traceback (most recent", b'File "/', b"site-packages")
"""Bytes that no response may contain."""
NASTY = (
    "", "0", "-1", "any", "null", "\x00", "\ud7ff", "é", "٦", "😀", "'\"<script>",
    "../../etc/passwd", "%s%n", "%00", "o" * 400, "9" * 60, "1e9", "NaN", "true", "[]", "{}", ":",
    "::", ":6", "a:b:c", "\r\nX: y", "\u202e", " ", "+",
)  # fmt: skip
METHODS = ("GET",) * 12 + ("HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "BREW")
PAGES = (
    "/", "/lessons", "/lessons/1", "/lessons/99", "/classics", "/sw.js", "/manifest.webmanifest",
    "/icon-192.png", "/icon-7.png", "/api/puzzles", "/static/pages/play.js", "/static/../server/job.py",
    "/static/%2e%2e/README.md", "//", "/api", "/api/", "/socket.io/",
    "/socket.io/?EIO=4&transport=polling", "/socket.io/?EIO=9&transport=x", "/favicon.ico",
)  # fmt: skip
OF_PUZZLE = ("", "/race", "/explore", "/inside", "/print", "/board.svg", "/board.png", "/layout.css")
OF_POSITION = ("", "", "/hint", "/hint", "/solution", "/solutions", "/trace")
QUICK = ("hoppers", "diamond-13", "triangle-15", "eight-puzzle", "flip-it-6", "flip-it-7-slide")
"""Puzzles with complete tables: no request to them takes long."""
OPTIONS = (
    "goal", "lang", "limit", "offset", "unique", "size", "numbers", "arrow", "lastmove", "theme",
    "embed", "methods", "method", "find", "start", "line", "seed", "deal", "position", "margin",
    "zoom",
)  # fmt: skip
NAMES = ("search",) * 10 + ("stop", "pause", "resume") * 3 + ("start", "message", "", "SEARCH", "é")
RESERVED = ("connect", "disconnect", "connect_error")
"""Event names reserved by Socket.IO."""


class Request(NamedTuple):
    """An HTTP request, valid or not."""

    method: str
    target: str
    headers: tuple[str, ...]
    body: str

    def bytes(self) -> bytes:
        """Return the request as it is sent."""
        length = f"Content-Length: {len(self.body.encode())}" if self.body else "Accept: */*"
        lines = (f"{self.method} {self.target} HTTP/1.1", "Host: localhost", length, *self.headers)
        return ("\r\n".join(lines) + "\r\n\r\n" + self.body).encode("utf-8", "replace")


class Message(NamedTuple):
    """A Socket.IO message, valid or not."""

    name: str
    payload: tuple[Any, ...]

    def ticket(self) -> str | None:
        """Return the ticket if the message may be a valid search, else None."""
        wanted = self.payload[0] if self.name == "search" and len(self.payload) == 1 else None
        ticket = wanted.get("ticket") if isinstance(wanted, dict) else None
        return ticket if isinstance(ticket, str) else None


def mutated(dice: Random, text: str) -> str:
    """Return `text`, in two cases of three with a random change."""
    place = dice.randrange(len(text) + 1)
    change: Callable[[], str] = dice.choice(
        [
            lambda: text,
            lambda: text,
            lambda: text,
            lambda: text[:place] + text[place + 1 :],
            lambda: text[:place] + dice.choice("o.:0123456789abcdefbw_x é٦") + text[place + 1 :],
            lambda: "".join(dice.sample(text, len(text))),
            lambda: text + dice.choice(NASTY),
            lambda: text * dice.randrange(1, 9),
            lambda: dice.choice(NASTY),
        ]
    )
    return change()


def position(dice: Random, puzzle: str) -> str:
    """Return a text that is, or almost is, a position of the puzzle."""
    known = PUZZLES[puzzle]
    text = dice.choice(
        [known.start, *known.starts.values(), *(problem.start for problem in known.gallery.problems)]
    )
    if dice.random() < 0.3:
        text = "".join(dice.choice(known.rules.alphabet) for _ in text)
    if dice.random() < 0.2:
        text += f":{dice.randrange(-1, 40)}"
    return mutated(dice, text)


def puzzle(dice: Random) -> str:
    """Return the id of a puzzle from `QUICK`."""
    return dice.choice(QUICK)


def value(dice: Random, option: str, id: str) -> str:
    """Return a value for a query option, often an invalid one."""
    known = PUZZLES[id]
    good = {
        "goal": [*known.rules.goals],
        "position": [known.start],
        "start": [known.start],
        "lang": ["en", "ja", "tlh"],
        "methods": [",".join(known.solving.methods), *known.solving.methods],
        "method": [*known.solving.methods],
        "find": ["first", "all"],
        "theme": ["light", "dark"],
        "size": ["1", "64", "640", "5000", "1e3", "-5"],
        "line": ["0-6", "2-0-6.9-3", "0-0", "99-1", "-".join("0123456789" * 20)],
        "arrow": ["9-3", "0-99", "3", "--"],
        "lastmove": ["2-0-6", "0", "x-y"],
        "deal": [*known.gallery.random_kinds, "x"],
    }.get(option, ["0", "1", "2", "100", "10000", "99999999999999999999"])
    return mutated(dice, dice.choice(good))


def request(dice: Random) -> Request:
    """Return a random request."""
    id = puzzle(dice)
    shown = quote(mutated(dice, id) if dice.random() < 0.1 else id, safe=dice.choice(["", "/:%"]))
    place = quote(position(dice, id), safe=dice.choice(["", ":", "/%"]))
    target = dice.choice(
        [
            dice.choice(PAGES),
            f"/puzzles/{shown}{dice.choice(OF_PUZZLE)}",
            f"/api/puzzles/{shown}/{dice.choice(['line', 'distribution', 'deals/any', 'x'])}",
            *[f"/api/puzzles/{shown}/positions/{place}{dice.choice(OF_POSITION)}"] * 5,
        ]
    )
    options = dice.choices(OPTIONS, k=dice.choice([0, 0, 1, 1, 2, 3]))
    query = "&".join(f"{name}={quote(value(dice, name, id), safe='')}" for name in options)
    target += ("&" if "?" in target else "?") + query if query else ""
    return Request(dice.choice(METHODS), target, headers(dice), body(dice))


def headers(dice: Random) -> tuple[str, ...]:
    """Return up to two header lines, valid or not."""
    known = (
        "Accept-Language: ja", "Accept-Language: ;;q=x", "Accept-Encoding: gzip",
        "Accept-Encoding: *;q=-1", "If-None-Match: x", "Cookie: lang=ja", "Cookie: =;=;\x01",
        "Range: bytes=5-1", "Origin: http://x", "Accept: é", "X-Forwarded-For: 1.2.3.4, ::1",
        "Content-Type: application/json", "Expect: x", "Upgrade: websocket",
    )  # fmt: skip
    return tuple(dice.sample(known, dice.choice([0, 0, 0, 1, 2])))


def body(dice: Random) -> str:
    """Return a request body, empty in most cases."""
    return dice.choice(["", "", "", "", "", "", "{}", "x=1", "é" * 50, "x" * 20_000])


def requests(dice: Random, count: int) -> Iterator[Request]:
    """Return an iterator over `count` random requests."""
    return (request(dice) for _ in range(count))


def junk(dice: Random, depth: int = 0) -> Any:
    """Return a random JSON value."""
    leaf: Any = dice.choice([None, True, 0, -1, 2**70, 1.5, 1e300, dice.choice(NASTY), "t"])
    if depth > 3 or dice.random() < 0.6:
        return leaf
    if dice.random() < 0.05:
        return json.loads("[" * 60 + "]" * 60)
    inner = [junk(dice, depth + 1) for _ in range(dice.randrange(4))]
    return inner if dice.random() < 0.5 else {dice.choice(NASTY)[:20]: item for item in inner}


def message(dice: Random) -> Message:
    """Return a random message: a search, a command for a search, or nonsense."""
    name, ticket = dice.choice(NAMES), dice.choice("abcd")
    id = puzzle(dice)
    if name != "search":
        wanted: dict[str, Any] = {"ticket": ticket}
    else:
        wanted = {"ticket": ticket, "puzzle": id, "position": position(dice, id)}
        more = {
            "goal": dice.choice([*PUZZLES[id].rules.goals]),
            "method": dice.choice([*PUZZLES[id].solving.methods]),
            "find": dice.choice(["first", "all"]),
            "first_move": [dice.randrange(10), dice.randrange(10)],
            "race": dice.choice("rs"),
        }
        wanted |= {key: more[key] for key in more if dice.random() < 0.3}
    if dice.random() < 0.15:
        wanted[dice.choice([*wanted, "colour"])] = junk(dice)
    if dice.random() < 0.05:
        return Message(name, tuple(junk(dice) for _ in range(dice.randrange(4))))
    return Message(name, (wanted,))


def messages(dice: Random, count: int) -> Iterator[Message]:
    """Return an iterator over `count` random messages."""
    return (message(dice) for _ in range(count))
