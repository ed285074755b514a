"""What the program logs, as lines for people or as JSON for programs."""

import hashlib
import json
import logging
from typing import Any

FORMATS = ("text", "json")
TEXT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
ORDINARY = {*vars(logging.makeLogRecord({})), "message", "asctime", "taskName"}
"""What every record has; the rest was given by whoever logged it."""


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


def setup(format: str) -> dict[str, Any]:
    """The configuration of `logging`: everything from "info" on, to standard error."""
    formatters: dict[str, Any] = {"text": {"format": TEXT}, "json": {"()": JsonLines}}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": formatters,
        "handlers": {"all": {"class": "logging.StreamHandler", "formatter": format}},
        "root": {"level": "INFO", "handlers": ["all"]},
        "loggers": {
            "gunicorn.error": {
                "level": "INFO",
                "handlers": [],
                "propagate": True,
                "qualname": "gunicorn.error",
            }
        },
    }


def disguised(owner: str) -> str:
    """A name for somebody in the log: the same in all lines, and of no use to anybody else."""
    return hashlib.sha256(owner.encode(errors="replace")).hexdigest()[:12]
