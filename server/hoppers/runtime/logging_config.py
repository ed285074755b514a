"""What the program logs, as lines for people or as JSON for programs."""

import hashlib
import json
import logging
import time
from typing import Any

FORMATS = ("text", "json")
TEXT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
ORDINARY = {*vars(logging.makeLogRecord({})), "message", "asctime", "taskName"}
"""What every record has; the rest was given by whoever logged it."""

PROVOKED = ("hoppers.web.http.rate_limit", "hoppers.web.servers.http_server")
"""Loggers with a line for every request that is refused."""
MOST_LINES, IN_SECONDS = 20, 10.0
LONGEST_LINE = 200


class JsonLines(logging.Formatter):
    """One JSON object a line: time (UTC), level, logger, message, and what else was given."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        more = {key: value for key, value in vars(record).items() if key not in ORDINARY}
        line = {
            "time": self.formatTime(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **more,
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)


class Sparing(logging.Filter):
    """Few and short lines about what strangers send: who asks too much must not fill the disk as well."""

    def __init__(self) -> None:
        """Nothing was said yet."""
        super().__init__()
        self._said: dict[str, tuple[float, int]] = {}
        """Logger -> when its seconds are over, and how many lines it had in them."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a line is written; the first one after others were left out says how many."""
        if record.name not in PROVOKED:
            return True
        until, count = self._said.get(record.name, (0.0, 0))
        text = record.getMessage()
        if time.monotonic() >= until:
            if count > MOST_LINES:
                text = f"{text[:LONGEST_LINE]} ({count - MOST_LINES} more lines were left out)"
            until, count = time.monotonic() + IN_SECONDS, 0
        self._said[record.name] = until, count + 1
        record.msg, record.args = text[: 2 * LONGEST_LINE], ()
        return count < MOST_LINES


def setup(format: str) -> dict[str, Any]:
    """The configuration of `logging`: everything from "info" on, to standard error."""
    formatters: dict[str, Any] = {"text": {"format": TEXT}, "json": {"()": JsonLines}}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": formatters,
        "filters": {"sparing": {"()": Sparing}},
        "handlers": {"all": {"class": "logging.StreamHandler", "formatter": format, "filters": ["sparing"]}},
        "root": {"level": "INFO", "handlers": ["all"]},
    }


def disguised(owner: str) -> str:
    """A name for somebody in the log: the same in all lines, and of no use to anybody else."""
    return hashlib.sha256(owner.encode(errors="replace")).hexdigest()[:12]
