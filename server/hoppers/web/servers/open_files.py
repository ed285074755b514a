"""The limit of open files. Each connection takes one file, and a WebSocket takes no second file."""

import logging
import sys

if sys.platform != "win32":
    import resource

from hoppers.web.servers.http_server import MAX_CONNECTIONS

log = logging.getLogger(__name__)

OTHER_FILES = 1_000  # tables, pipes, databases and listening sockets


def raise_limit(wanted: int = MAX_CONNECTIONS + OTHER_FILES) -> None:
    """Raise this process's limit of open files to `wanted`, as far as the system allows."""
    if sys.platform == "win32":
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < allowed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    if allowed < wanted:
        log.warning("the system allows %d open files; %d may be needed", allowed, wanted)
