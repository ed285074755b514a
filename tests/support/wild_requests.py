"""Strategies of Hypothesis for HTTP requests as bytes, from valid to unreadable.

Most are valid but for one or two parts, so that they get past the first check that would refuse them.
"""

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

NUMBERS = st.sampled_from(
    [b"0", b"-1", b"1", b"99999999999999999999", b"9" * 5_000, b"1e999", b"nan", b"0x1"]
)
BYTES = st.binary(max_size=6)
ODD = st.sampled_from(
    [
        b"", b"\xff", b"\xc3\x28", b"\xed\xa0\x80", b"\xf0\x9f\x98\x80", b"\xe2\x80\xae", b"\x00",
        b"\x1b[31m", b"\x7f", b"\x85", b"\xa0", b"\t", b"%", b"%0a", b"%0d%0aX:%20y", b"%00", b"%ff",
        b"%ed%a0%80", b"%1b", b"%u0041", b"..", b"{}", b"{0.x}", b"%s%n", b"<script>", b"'\"", b"a" * 300,
        b";", b"&amp;", b"=", b"@",
    ]
)  # fmt: skip
"""Bytes that some parser trips over: no UTF-8, controls, escapes, separators, placeholders."""
TEXTS = st.one_of(ODD, BYTES, NUMBERS)

PATHS = st.sampled_from(
    [
        b"/", b"/lessons", b"/lessons/1", b"/classics", b"/robots.txt", b"/sw.js", b"/manifest.webmanifest",
        b"/icon-192.png", b"/favicon.ico", b"/static/icon.svg", b"/static/css/board.css", b"/healthz",
        b"/readyz", b"/metrics", b"/socket.io/",
        b"/puzzles/hoppers", b"/Puzzles/Hoppers/", b"/puzzles//hoppers",
        b"/puzzles/hoppers/race", b"/puzzles/hoppers/explore", b"/puzzles/hoppers/inside",
        b"/puzzles/hoppers/goals", b"/puzzles/hoppers/print", b"/puzzles/hoppers/board.svg", b"/api/puzzles",
        b"/api/puzzles/hoppers", b"/api/puzzles/hoppers/atlas", b"/api/puzzles/hoppers/line",
        b"/api/puzzles/hoppers/deals/any", b"/api/puzzles/hoppers/positions/oooooo.oooooo",
        b"/api/puzzles/hoppers/positions/oooooo.oooooo/hint",
        b"/api/puzzles/hoppers/positions/oooooo.oooooo/solutions", b"//evil.example/x", b"/\\evil.example",
    ]
)  # fmt: skip
OPTIONS = st.sampled_from(
    [
        b"goal", b"lang", b"position", b"line", b"start", b"deal", b"seed", b"lesson", b"embed", b"method",
        b"methods", b"find", b"size", b"theme", b"limit", b"offset", b"unique", b"verdicts",
        b"EIO", b"transport", b"sid", b"j", b"t", b"amp;goal", b"utm_source", b"fbclid",
    ]
)  # fmt: skip
VALUES = st.one_of(
    TEXTS, st.sampled_from([b"6", b"ja", b"oooooo.oooooo", b"0-6", b"4", b"polling", b"websocket"])
)
METHODS = st.one_of(
    st.sampled_from([b"GET"] * 6 + [b"HEAD", b"POST", b"PUT", b"OPTIONS", b"TRACE", b"CONNECT", b"get"]),
    TEXTS,
)
HOSTS = st.one_of(
    st.sampled_from(
        [
            b"a..b", b".", b"a" * 64, b"xn--", b"xn--a", b"evil.example", b"[::1", b"[zz]", b"u@x",
            b"x:99999", b"x:abc", b"localhost.", b"LOCALHOST", b"a.localhost", b"xn--a.localhost",
            b"127.1.2.3", b"8.8.8.8", b"localhost,evil.example",
        ]
    ),
    TEXTS,
)  # fmt: skip
DATES = st.builds(
    b"Mon, %s Jan %s 00:00:00 %s".__mod__,
    st.tuples(
        st.sampled_from([b"01", b"99"]), NUMBERS, st.sampled_from([b"GMT", b"+9999", b"+" + b"9" * 30])
    ),
)
RANGES = st.builds(b"%s=%s-%s".__mod__, st.tuples(st.sampled_from([b"bytes", b"x"]), NUMBERS, NUMBERS))
LISTS = st.builds(b"%s;q=%s, %s".__mod__, st.tuples(TEXTS, NUMBERS, TEXTS))
FIELD_VALUES = {
    b"Cookie": st.one_of(TEXTS, st.builds(b"lang=%s; a=\"\\%s\"".__mod__, st.tuples(TEXTS, TEXTS))),
    b"Accept": LISTS, b"Accept-Encoding": LISTS, b"Accept-Language": LISTS, b"Range": RANGES,
    b"If-Range": st.one_of(DATES, TEXTS), b"If-Modified-Since": st.one_of(DATES, TEXTS),
    b"If-Unmodified-Since": DATES, b"If-None-Match": LISTS, b"If-Match": TEXTS, b"Authorization": TEXTS,
    b"Content-Type": LISTS, b"Content-Length": NUMBERS, b"Transfer-Encoding": TEXTS, b"Expect": TEXTS,
    b"Connection": TEXTS, b"Upgrade": st.sampled_from([b"websocket", b"h2c", b"\xff"]), b"Referer": TEXTS,
    b"Origin": st.builds(b"http://%s".__mod__, HOSTS), b"X-Forwarded-Host": HOSTS, b"X-Forwarded-For": TEXTS,
    b"X-Forwarded-Proto": TEXTS, b"Forwarded": TEXTS, b"Sec-WebSocket-Key": TEXTS, b"Cache-Control": TEXTS,
    b"Access-Control-Request-Headers": TEXTS, b"User-Agent": TEXTS, b"X-\xff": TEXTS,
}  # fmt: skip
FIELDS = st.sampled_from(sorted(FIELD_VALUES)).flatmap(
    lambda name: st.builds(lambda value: b"%s: %s\r\n" % (name, value), FIELD_VALUES[name])
)


@st.composite
def targets(draw: st.DrawFn) -> bytes:
    """Return the target of a request: the path of a route, and a query, both perhaps with odd bytes."""
    path = draw(PATHS) + draw(st.one_of(st.just(b""), st.just(b""), TEXTS))
    options = draw(st.lists(st.tuples(OPTIONS, VALUES), max_size=3))
    query = b"&".join(b"%s=%s" % option for option in options) + draw(st.one_of(st.just(b""), TEXTS))
    return path + b"?" + query if query else path


def requests(host: str) -> SearchStrategy[bytes]:
    """Return a strategy of requests, whole or broken off, to the server whose name is `host`.

    The server ends the connection after the answer to any of them, perhaps not before its time limits.
    """
    return st.one_of(*(_request(host, is_right_host=is_right) for is_right in (True, True, False)))


@st.composite
def _request(draw: st.DrawFn, host: str, is_right_host: bool) -> bytes:
    version = draw(st.sampled_from([b"HTTP/1.1"] * 8 + [b"HTTP/1.0", b"HTTP/1.1.1", b"HTTP/2", b"\xff"]))
    name = host.encode() if is_right_host else draw(HOSTS)
    fields = b"".join(draw(st.lists(FIELDS, max_size=3)))
    method = draw(METHODS) if draw(st.booleans()) else b"GET"
    first = b" ".join([method, draw(targets()), version])
    return b"%s\r\nHost: %s\r\nConnection: close\r\n%s\r\n" % (first, name, fields) + draw(BYTES)
