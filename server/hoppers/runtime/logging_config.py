"""Logging configuration: text or JSON lines in which repetitions are counted and control characters escaped.

Clients can provoke log lines and choose words in them. They can neither fill the disk, because each place in
the code writes a limited number of lines in a period, nor write lines that look like others.
"""

import hashlib
import json
import logging
import logging.config
import re
import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, TextIO

from hoppers.runtime import __version__

log = logging.getLogger(__name__)

FORMATS = ("text", "json")
"""Formats of a server's log, both with times."""
SHORT = "short"
"""Format of programs that a person watches: text without times."""
STANDARD_FIELDS = {*vars(logging.makeLogRecord({})), "message", "asctime", "taskName"}
"""Attributes of every log record; all others were passed in `extra`."""

MAX_LINES, PERIOD_SECONDS = 20, 10.0  # most different lines of one place in the code in one period
MAX_LINE_LENGTH = 1_000  # characters of a message, and of a line of a traceback
UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that would end a line, command a terminal, turn the reading direction, or cannot be encoded."""

Place = tuple[str, str, int]
"""Where a line is logged: logger, file and line number."""


def escaped(text: str) -> str:
    r"""Return `text` shortened (see `shortened`), with `UNSAFE` characters as escapes such as `\n`."""
    return UNSAFE.sub(lambda found: found[0].encode("unicode_escape").decode(), shortened(text))


def shortened(text: str) -> str:
    """Return the first `MAX_LINE_LENGTH` characters of `text`, with a sign if there are more."""
    return text if len(text) <= MAX_LINE_LENGTH else f"{text[:MAX_LINE_LENGTH]}…"


class TextLines(logging.Formatter):
    """Formatter of log lines as text. A traceback follows in indented lines."""

    def formatMessage(self, record: logging.LogRecord) -> str:
        """Return the first line of `record`."""
        record.message = escaped(record.message)
        return super().formatMessage(record)

    def formatException(self, ei: Any) -> str:
        """Return the traceback of the exception `ei`, in which the message of an exception is one line."""
        return "\n".join("  " + escaped(line) for line in _traceback_lines(ei))


def _traceback_lines(exc_info: Any) -> Iterator[str]:
    """Yield the lines of a traceback. The message of an exception is one line, even with line ends in it."""
    for part in traceback.TracebackException(*exc_info).format():
        text = part.strip("\n")
        yield from text.split("\n") if text.startswith('  File "') else [text]


class JsonLines(logging.Formatter):
    """Formatter of log lines: JSON objects with time in UTC, level, logger, message and extra fields."""

    def format(self, record: logging.LogRecord) -> str:
        """Return `record` as one line of JSON, in ASCII."""
        more = {key: value for key, value in vars(record).items() if key not in STANDARD_FIELDS}
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "service": "hoppers",
            "version": __version__,
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": shortened(record.getMessage()),
            **more,
        }
        if record.exc_info:
            line["traceback"] = "\n".join(map(shortened, _traceback_lines(record.exc_info)))
        return json.dumps(line, default=str)


class CountingHandler(logging.StreamHandler[TextIO]):
    """Handler that writes equal lines of a period once, and at its end says how many it has left out.

    Lines are equal if they come from the same place with the same message or, whatever the message, with the
    same fault: an exception of one type from one line of code. Beyond `MAX_LINES` different lines of a place
    in `PERIOD_SECONDS`, the others are only counted, too.
    """

    def __init__(self) -> None:
        super().__init__()
        self._until = 0.0
        self._written: dict[Place, set[object]] = {}
        self._left_out: Counter[Place] = Counter()
        self._examples: dict[Place, logging.LogRecord] = {}

    def emit(self, record: logging.LogRecord) -> None:
        """Write `record`, or only count it. Called with the lock of the handler."""
        if time.monotonic() >= self._until:
            self._end_period()
        place = record.name, record.pathname, record.lineno
        written, line = self._written.setdefault(place, set()), _essence(record)
        if line not in written and len(written) < MAX_LINES:
            written.add(line)
            super().emit(record)
            return
        if not self._left_out:
            self._end_later()
        self._left_out[place] += 1
        self._examples.setdefault(place, record)

    def close(self) -> None:
        """Write the counts of the current period, and end the handler."""
        self._end_in_time()
        super().close()

    def _end_later(self) -> None:
        timer = threading.Timer(max(0.0, self._until - time.monotonic()), self._end_in_time)
        timer.daemon = True
        timer.start()

    def _end_in_time(self) -> None:
        self.acquire()
        try:
            self._end_period()
        finally:
            self.release()

    def _end_period(self) -> None:
        """Write how many lines of each place were left out, and begin another period."""
        for place, count in self._left_out.items():
            example, (name, path, line) = self._examples[place], place
            text = f"{count} more in {PERIOD_SECONDS:.0f} s, such as: {example.getMessage()}"
            super().emit(logging.LogRecord(name, example.levelno, path, line, text, (), None))
        for counted in (self._written, self._left_out, self._examples):
            counted.clear()
        self._until = time.monotonic() + PERIOD_SECONDS


def _essence(record: logging.LogRecord) -> object:
    """Return what makes two records of a place equal: type and line of an exception, or the message."""
    kind, _, trace = record.exc_info or (None, None, None)
    if trace is None:
        return record.getMessage()
    frame, line = list(traceback.walk_tb(trace))[-1]
    return kind, frame.f_code, line


def configuration(format: str) -> dict[str, Any]:
    """Return the configuration for `logging.config.dictConfig`, of a log on standard error.

    `format`: one of `FORMATS`, or `SHORT`, which begins at the level WARNING instead of INFO.
    """
    line = "%(levelname)s %(name)s: %(message)s"
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "text": {"()": TextLines, "fmt": f"%(asctime)s {line}"},
            "json": {"()": JsonLines},
            SHORT: {"()": TextLines, "fmt": line},
        },
        "handlers": {"all": {"()": CountingHandler, "formatter": format}},
        "root": {"level": "WARNING" if format == SHORT else "INFO", "handlers": ["all"]},
    }


def configure(format: str) -> None:
    """Send everything that this process says of itself to the log, also warnings and uncaught exceptions.

    `format`: see `configuration`.
    """
    logging.config.dictConfig(configuration(format))
    logging.captureWarnings(True)
    sys.excepthook = lambda *fault: log.critical("an exception ends the process", exc_info=fault)
    threading.excepthook = lambda fault: log.critical(
        "an exception ends a thread",
        exc_info=(fault.exc_type, fault.exc_value or fault.exc_type(), fault.exc_traceback),
    )
    sys.unraisablehook = lambda fault: log.error(
        "an exception cannot be raised",
        exc_info=(fault.exc_type, fault.exc_value or fault.exc_type(), fault.exc_traceback),
    )


def pseudonym(player: str) -> str:
    """Return a constant pseudonym for the id of a player, which groups log lines but grants no access."""
    return hashlib.sha256(player.encode(errors="replace")).hexdigest()[:12]
