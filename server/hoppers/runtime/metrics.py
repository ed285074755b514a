"""What this process has counted since its start, for whoever watches it (Prometheus).

Labels are words of ours, never of a client, so that there are only so many of them.
"""

from collections.abc import Callable
from functools import partial

from prometheus_client import Counter, Gauge, Histogram, start_http_server

SEARCHES_ENDED = Counter("hoppers_searches_ended", "Searches that ended, by their last event.", ["event"])
SEARCHES = Gauge("hoppers_searches", "Searches now, by what they do.", ["state"])
NODES = Counter("hoppers_nodes", "Nodes of searches that ended.")
SEARCH_SECONDS = Histogram(
    "hoppers_search_seconds",
    "Running time of searches that ended, without their waiting.",
    buckets=(0.01, 0.1, 1, 10, 60, 300),
)
HANDED_OVER = Counter("hoppers_searches_handed_over", "Searches taken from lost workers of a fleet.")
SILENT_LOOKS = Gauge(
    "hoppers_worker_silent_looks", "Looks between the last sign of the worker lost last and its loss."
)
TABLES_BUILT = Counter("hoppers_tables_built", "Tables and closures built in the background.")
ANSWERS = Counter("hoppers_answers", "Look-ups of kept answers, by what became of them.", ["found"])
REPEATED = Counter("hoppers_repeated", "Answers to requests that were given before, given again from memory.")
CONNECTIONS = Gauge("hoppers_connections", "Socket.IO connections now.")
PUZZLES = Gauge("hoppers_puzzles", "Puzzles.")
PUZZLES_WARM = Gauge("hoppers_puzzles_warm", "Puzzles whose kernels are compiled.")
HTTP_SECONDS = Histogram(
    "hoppers_http_seconds",
    "Time to answer requests.",
    ["route", "status"],
    buckets=(0.005, 0.02, 0.1, 0.5, 2),
)


def watch_searches(counts: Callable[[], dict[str, int]]) -> None:
    """Ask for the searches of a process without pages whenever somebody reads its measures."""
    for state in counts():
        SEARCHES.labels(state).set_function(partial(_count, counts, state))


def _count(counts: Callable[[], dict[str, int]], state: str) -> int:
    return counts()[state]


def tell(host: str, port: int) -> None:
    """Answer Prometheus on a port of its own, where there is no server for pages.

    Raises:
        OSError: the port is taken.
    """
    start_http_server(port, host)
