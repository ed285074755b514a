"""HTTP requests as bytes, from valid to unreadable.

Most are valid but for one or two parts, so that they get past the first check that would refuse them.
"""

from collections.abc import Callable
from random import Random
from urllib.parse import quote

from tests.attacks.texts import QUICK, mutated, position, some
from tests.support.engine import PUZZLES

NUMBERS = (b"0", b"-1", b"1", b"99999999999999999999", b"9" * 5_000, b"1e999", b"nan", b"0x1")
ODD = (
    b"", b"\xff", b"\xc3\x28", b"\xed\xa0\x80", b"\xf0\x9f\x98\x80", b"\xe2\x80\xae", b"\x00", b"\x1b[31m",
    b"\x7f", b"\x85", b"\xa0", b"\t", b"%", b"%0a", b"%0d%0aX:%20y", b"%00", b"%ff", b"%ed%a0%80", b"%1b",
    b"%u0041", b"..", b"{}", b"{0.x}", b"%s%n", b"<script>", b"'\"", b"a" * 300, b";", b"&amp;", b"=", b"@",
)  # fmt: skip
"""Bytes that some parser trips over: no UTF-8, controls, escapes, separators, placeholders."""
PAGES = (
    b"/", b"/lessons", b"/lessons/1", b"/lessons/99", b"/classics", b"/robots.txt", b"/sw.js",
    b"/manifest.webmanifest", b"/icon-192.png", b"/icon-7.png", b"/favicon.ico", b"/static/icon.svg",
    b"/static/css/board.css", b"/static/../server/hoppers/web/app.py", b"/static/%2e%2e/README.md",
    b"/healthz", b"/readyz", b"/metrics", b"/api", b"/api/", b"/api/puzzles", b"//", b"//evil.example/x",
    b"/\\evil.example", b"*", b"http://evil.example/", b"evil.example:80", b"/socket.io/",
    b"/socket.io/?EIO=4&transport=polling", b"/socket.io/?EIO=9&transport=x",
    b"/socket.io/?EIO=4&transport=websocket", b"/Puzzles/Hoppers/", b"/puzzles//hoppers",
)  # fmt: skip
OF_PUZZLE = (
    "", "/", "/race", "/explore", "/inside", "/goals", "/print", "/board.svg", "/board.png", "/layout.css"
)  # fmt: skip
OF_API = ("", "/atlas", "/line", "/number", "/distribution", "/deals/any", "/deals/random", "/x")
OF_POSITION = ("", "", "/hint", "/hint", "/solution", "/solutions", "/trace")
OPTIONS = (
    "goal", "lang", "position", "line", "start", "deal", "seed", "lesson", "embed", "method", "methods",
    "find", "size", "theme", "limit", "offset", "page", "unique", "verdicts", "numbers", "arrow",
    "lastmove", "margin", "zoom", "EIO", "transport", "sid", "j", "t", "amp;goal", "utm_source",
)  # fmt: skip
METHODS = (b"HEAD", b"POST", b"PUT", b"DELETE", b"OPTIONS", b"PATCH", b"TRACE", b"CONNECT", b"BREW", b"get")
VERSIONS = (b"HTTP/1.1",) * 8 + (b"HTTP/1.0", b"HTTP/1.0", b"HTTP/1.1.1", b"HTTP/2", b"http/1.1", b"\xff")
HOSTS = (
    b"a..b", b".", b"a" * 64, b"xn--", b"xn--a", b"evil.example", b"[::1", b"[zz]", b"u@x", b"x:99999",
    b"x:abc", b"localhost.", b"LOCALHOST", b"a.localhost", b"xn--a.localhost", b"127.1.2.3", b"8.8.8.8",
    b"localhost,evil.example", b"localhost\r\nHost: evil.example",
)  # fmt: skip
BODIES = (b"{}", b"x=1", "é".encode() * 50, b"x" * 20_000, b"\xff\x00", b"5\r\nhello\r\n0\r\n\r\n", b"zz\r\n")

Field = Callable[[Random], bytes]


def _bytes(dice: Random) -> bytes:
    return dice.choice([dice.choice(ODD), dice.choice(ODD), dice.choice(NUMBERS), dice.randbytes(5)])


def _host(dice: Random) -> bytes:
    return dice.choice(HOSTS) if dice.random() < 0.8 else _bytes(dice)


def _list(dice: Random) -> bytes:
    known = b"ja", b"gzip", b"*", b"text/html", b"application/json", b"identity", b"*/*"
    return b"%s;q=%s, %s" % (
        dice.choice([*known, _bytes(dice)]),
        dice.choice([b"1", b"0.5", b"x", *NUMBERS]),
        _bytes(dice),
    )


def _date(dice: Random) -> bytes:
    zone = dice.choice([b"GMT", b"+9999", b"+" + b"9" * 30])
    return b"Mon, %s Jan %s 00:00:00 %s" % (dice.choice([b"01", b"99"]), dice.choice(NUMBERS), zone)


def _range(dice: Random) -> bytes:
    return b"%s=%s-%s" % (dice.choice([b"bytes", b"x"]), dice.choice(NUMBERS), dice.choice(NUMBERS))


def _cookie(dice: Random) -> bytes:
    return b'lang=%s; a="\\%s"; =;=' % (dice.choice([b"ja", _bytes(dice)]), _bytes(dice))


def _origin(dice: Random) -> bytes:
    return b"http://%s" % _host(dice)


def _upgrade(dice: Random) -> bytes:
    return dice.choice([b"websocket", b"h2c", b"\xff"])


FIELDS: dict[bytes, Field] = {
    b"Cookie": _cookie, b"Accept": _list, b"Accept-Encoding": _list, b"Accept-Language": _list,
    b"Range": _range, b"If-Range": _date, b"If-Modified-Since": _date, b"If-Unmodified-Since": _date,
    b"If-None-Match": _list, b"If-Match": _bytes, b"Authorization": _bytes, b"Content-Type": _list,
    b"Content-Length": lambda dice: dice.choice(NUMBERS), b"Transfer-Encoding": _bytes, b"Expect": _bytes,
    b"Connection": _bytes, b"Upgrade": _upgrade, b"Referer": _origin, b"Origin": _origin,
    b"X-Forwarded-Host": _host, b"X-Forwarded-For": _bytes, b"X-Forwarded-Proto": _bytes,
    b"Forwarded": _bytes, b"Sec-WebSocket-Key": _bytes, b"Sec-WebSocket-Version": _bytes,
    b"Cache-Control": _bytes, b"Access-Control-Request-Headers": _bytes, b"User-Agent": _bytes,
    b"X-\xff": _bytes, b"A b": _bytes, b"": _bytes,
}  # fmt: skip


READABLE_FIELDS = (
    b"Accept-Language: ja\r\n", b"Accept-Language: ;;q=x\r\n", b"Accept-Encoding: gzip\r\n",
    b"Accept-Encoding: *;q=-1\r\n", b"If-None-Match: x\r\n", b"Cookie: lang=ja\r\n", b"Cookie: =;=;\r\n",
    b"Range: bytes=5-1\r\n", b"Origin: http://x\r\n", b"Accept: text/html\r\n", b"Accept: */*;q=2\r\n",
    b"X-Forwarded-For: 1.2.3.4, ::1\r\n", b"Content-Type: application/json\r\n", b"Expect: x\r\n",
    b"Upgrade: websocket\r\n", b"User-Agent: facebookexternalhit/1.1\r\n",
)  # fmt: skip


def _value(dice: Random, option: str, id: str) -> str:
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
        "transport": ["polling", "websocket"],
    }.get(option, ["0", "1", "2", "4", "100", "10000", "99999999999999999999"])
    return mutated(dice, dice.choice(good))


def _path(dice: Random, id: str) -> bytes:
    shown = quote(mutated(dice, id) if dice.random() < 0.1 else id, safe=dice.choice(["", "/:%"]))
    place = quote(position(dice, id), safe=dice.choice(["", ":", "/%"]))
    paths = [
        f"/puzzles/{shown}{dice.choice(OF_PUZZLE)}",
        f"/api/puzzles/{shown}{dice.choice(OF_API)}",
        *[f"/api/puzzles/{shown}/positions/{place}{dice.choice(OF_POSITION)}"] * 4,
    ]
    return dice.choice(PAGES) if dice.random() < 0.2 else dice.choice(paths).encode()


def target(dice: Random, is_odd: bool) -> bytes:
    """Return the target of a request: the path of a route, and a query; if `is_odd`, with odd bytes."""
    id = dice.choice(QUICK)
    path = _path(dice, id)
    options = [
        b"%s=%s" % (name.encode(), quote(_value(dice, name, id), safe="").encode())
        for name in some(dice, OPTIONS, 2)
    ]
    if is_odd and dice.random() < 0.3:
        options.append(b"%s=%s" % (_bytes(dice), _bytes(dice)))
    whole = path + (b"&" if b"?" in path else b"?") + b"&".join(options) if options else path
    return whole + (_bytes(dice) if is_odd and dice.random() < 0.3 else b"")


def _body(dice: Random) -> bytes:
    """Return the end of the headers and a body: none, whole, cut off, or without a length."""
    if dice.random() < 0.8:
        return b"\r\n"
    body = dice.choice(BODIES)
    kind = dice.choice([b"Content-Length: %d\r\n" % len(body), b"Transfer-Encoding: chunked\r\n", b""])
    return kind + b"\r\n" + body


def request(dice: Random, host: str) -> bytes:
    """Return a request, whole or broken off, to the server whose name is `host`.

    The server ends the connection after the answer to any of them, perhaps not before its time limits.
    """
    is_odd = dice.random() < 0.4
    name = _host(dice) if is_odd and dice.random() < 0.3 else host.encode()
    method = b"GET" if dice.random() < 0.8 else dice.choice([*METHODS, _bytes(dice)] if is_odd else METHODS)
    fields = _odd_fields(dice) if is_odd else b"".join(some(dice, READABLE_FIELDS, 2))
    version = dice.choice(VERSIONS) if is_odd else b"HTTP/1.1"
    first = b" ".join([method, target(dice, is_odd), version])
    whole = b"%s\r\nHost: %s\r\nConnection: close\r\n%s" % (first, name, fields) + _body(dice)
    return whole[: dice.randrange(1, len(whole))] if dice.random() < 0.02 else whole


def _odd_fields(dice: Random) -> bytes:
    return b"".join(b"%s: %s\r\n" % (name, FIELDS[name](dice)) for name in some(dice, tuple(FIELDS), 2))
