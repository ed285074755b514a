"""Logging configuration: text or JSON lines, and a rate limit for lines that clients can provoke."""

import hashlib
import json
import logging
import logging.config
import sys
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from hoppers import __version__

log = logging.getLogger(__name__)

FORMATS = ("text", "json")
"""Formats of a server's log, both with times."""
SHORT = "short"
"""Format of programs that somebody watches: text without times."""
STANDARD_FIELDS = {*vars(logging.makeLogRecord({})), "message", "asctime", "taskName"}
"""Attributes of every log record; all others were passed in `extra`."""

LIMITED_LOGGERS = (
    "hoppers.jobs.worker_process",
    "hoppers.web.http.limits",
    "hoppers.web.servers.http_server",
)
"""Loggers of lines that clients can provoke, such as one for every refused request."""
MAX_LINES, PERIOD_SECONDS = 20, 10.0  # most lines of a logger in one period
MAX_LINE_LENGTH = 400  # characters, without the note on suppressed lines


class JsonLines(logging.Formatter):
    """Formatter of log lines: JSON objects with time in UTC, level, logger, message and extra fields."""

    def format(self, record: logging.LogRecord) -> str:
        """Return `record` as one line of JSON."""
        more = {key: value for key, value in vars(record).items() if key not in STANDARD_FIELDS}
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "service": "hoppers",
            "version": __version__,
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **more,
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)


def limit_rate() -> Callable[[logging.LogRecord], bool]:
    """Return a filter that limits the lines caused by clients, which could fill the disk.

    It drops the records of a limited logger after `MAX_LINES` in a period, and shortens those before to
    `MAX_LINE_LENGTH`. It adds to the first record of a period the number dropped in the period before.
    Records of other loggers are not changed.
    """
    periods: dict[str, tuple[float, int]] = {}  # logger -> end of its current period, lines logged in it

    def is_written(record: logging.LogRecord) -> bool:
        if record.name not in LIMITED_LOGGERS:
            return True
        until, count = periods.get(record.name, (0.0, 0))
        text = record.getMessage()[:MAX_LINE_LENGTH]
        if time.monotonic() >= until:
            if count > MAX_LINES:
                text = f"{text} ({count - MAX_LINES} more lines were left out)"
            until, count = time.monotonic() + PERIOD_SECONDS, 0
        periods[record.name] = until, count + 1
        record.msg, record.args = text, ()
        return count < MAX_LINES

    return is_written


def configuration(format: str) -> dict[str, Any]:
    """Return the configuration for `logging.config.dictConfig`, of a log on standard error.

    `format`: one of `FORMATS`, or `SHORT`, which begins at the level WARNING instead of INFO.
    """
    line = "%(levelname)s %(name)s: %(message)s"
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "text": {"format": f"%(asctime)s {line}"},
            "json": {"()": JsonLines},
            SHORT: {"format": line},
        },
        "filters": {"rate_limit": {"()": limit_rate}},
        "handlers": {
            "all": {"class": "logging.StreamHandler", "formatter": format, "filters": ["rate_limit"]}
        },
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
