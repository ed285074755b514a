"""The log: lines that clients provoke are limited in number and length, and none of them forges another."""

import io
import json
import logging
import logging.config
import sys
from collections.abc import Iterator
from typing import Any, NoReturn

import pytest

from hoppers.runtime import logging_config
from hoppers.runtime.logging_config import FORMATS, MAX_LINE_LENGTH, MAX_LINES, PERIOD_SECONDS, SHORT
from tests.support.processes import wait_for

EVIL = "x\r\nWARNING forged\x1b[31m\x00\x7f\x85\u2028\u202e\ud800" + "y" * 5_000


class Log:
    """A logger whose lines are kept, with a clock that is set by hand."""

    def __init__(self, format: str) -> None:
        self.now, self._stream = 100.0, io.StringIO()
        configuration: Any = logging.config.DictConfigurator(logging_config.configuration(format))
        self.handler = configuration.configure_handler(
            logging_config.configuration(format)["handlers"]["all"]
        )
        formatters = logging_config.configuration(format)["formatters"]
        self.handler.setFormatter(configuration.configure_formatter(formatters[format]))
        self.handler.setStream(self._stream)
        # not registered: what pytest captures goes through pipes that take no surrogates
        self.own = logging.Logger("of a test", logging.INFO)
        self.own.addHandler(self.handler)

    @property
    def lines(self) -> list[str]:
        """Lines written so far."""
        return self._stream.getvalue().splitlines()

    def refuse(self, what: str) -> None:
        """Log a refusal."""
        self.own.warning("refused: %s", what)

    def fail(self, what: str) -> None:
        """Log a fault with a traceback."""
        try:
            failing(what)
        except ValueError:
            self.own.exception("failed at %s", what)

    def end(self) -> None:
        """Remove the handler."""
        self.own.removeHandler(self.handler)
        self.handler.close()


def failing(what: str) -> NoReturn:
    raise ValueError(what)


@pytest.fixture(params=[*FORMATS, SHORT])
def log(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Log]:
    made = Log(request.param)
    monkeypatch.setattr("hoppers.runtime.logging_config.time.monotonic", lambda: made.now)
    yield made
    made.end()


def test_equal_lines_are_written_once_with_a_count(log: Log) -> None:
    for _ in range(50):
        log.refuse("a")
    assert len(log.lines) == 1
    log.now += PERIOD_SECONDS
    log.refuse("a")
    assert len(log.lines) == 3 and "49 more in 10 s, such as: refused: a" in log.lines[1]


def test_different_lines_of_a_place_are_limited(log: Log) -> None:
    for number in range(100):
        log.refuse(f"{number}")
    log.own.warning("another place")
    assert len(log.lines) == MAX_LINES + 1
    log.handler.close()
    assert len(log.lines) == MAX_LINES + 2
    assert f"80 more in 10 s, such as: refused: {MAX_LINES}" in log.lines[-1]


def test_count_is_written_though_no_line_follows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logging_config, "PERIOD_SECONDS", 0.05)
    log = Log("text")
    log.refuse("a")
    log.refuse("a")
    wait_for(lambda: len(log.lines) == 2)
    assert "1 more in" in log.lines[1]
    log.end()


def test_equal_faults_are_written_once_whatever_their_messages_say(log: Log) -> None:
    for number in range(50):
        log.fail(f"{number}")
    text = "\n".join(log.lines)
    assert text.count("Traceback (most recent call last)") == 1 and "ValueError: 0" in text
    log.handler.close()
    assert "49 more in 10 s, such as: failed at 1" in log.lines[-1]
    assert "\n".join(log.lines).count("Traceback") == 1


def test_text_of_clients_makes_no_line_of_its_own(log: Log) -> None:
    log.refuse(EVIL)
    assert len(log.lines) == 1
    log.fail(EVIL)
    written = "\n".join(log.lines)
    assert all(character.isprintable() for character in written.replace("\n", ""))
    assert r"\nWARNING forged\x1b[31m\x00" in written or r"\nWARNING forged\u001b[31m\u0000" in written
    assert not any(line.lstrip().startswith("WARNING forged") for line in log.lines)
    heads = [line for line in log.lines if not line.startswith("  ")]
    assert len(heads) == 2 and max(map(len, heads)) < 4 * MAX_LINE_LENGTH


def test_chained_faults_are_shown_whole(log: Log) -> None:
    try:
        try:
            failing("a\nb")
        except ValueError as error:
            raise KeyError("c") from error
    except KeyError:
        log.own.exception("twice")
    written = "\n".join(log.lines)
    for part in ("in failing", r"ValueError: a\nb", "direct cause", "KeyError: 'c'"):
        assert part in written


def test_lines_of_json_have_times_with_a_zone_and_tracebacks() -> None:
    try:
        failing("of ours")
    except ValueError:
        fault = sys.exc_info()
    record = logging.LogRecord("server", logging.ERROR, __file__, 1, "it %s", ("failed",), fault)
    record.created = 1_800_000_000.25
    line = logging_config.JsonLines().format(record)
    shown = json.loads(line)
    assert (shown["time"], shown["message"]) == ("2027-01-15T08:00:00.250+00:00", "it failed")
    assert "ValueError: of ours" in shown["traceback"] and "\n" not in line
