"""Prometheus metrics of this process.

Label values never come from clients, so that the number of time series is bounded.
"""

from collections.abc import Callable
from functools import partial

from prometheus_client import Counter, Gauge, Histogram, disable_created_metrics

# else each counter would have a second series, with nothing but the time of its creation
disable_created_metrics()  # type: ignore[no-untyped-call]  # its types leave it out

SEARCHES_ENDED = Counter("hoppers_searches_ended", "Searches that ended, by their last event.", ["event"])
SEARCHES = Gauge("hoppers_searches", "Searches now, by state.", ["state"])
NODES = Counter("hoppers_nodes", "Nodes of searches that ended.")
SEARCH_SECONDS = Histogram(
    "hoppers_search_seconds",
    "Running time of searches that ended, without time in the queue.",
    buckets=(0.01, 0.1, 1, 10, 60, 300),
)
TABLES_BUILT = Counter("hoppers_tables_built", "Tables and reachable-set tables built in the background.")
ANSWERS = Counter("hoppers_answers", "Look-ups of stored answers, by result.", ["found"])
REPEATED = Counter("hoppers_repeated", "Responses from the response cache.")
CONNECTIONS = Gauge("hoppers_connections", "Open Socket.IO connections.")
PUZZLES = Gauge("hoppers_puzzles", "Number of puzzles.")
PUZZLES_WARM = Gauge("hoppers_puzzles_warm", "Puzzles whose kernels are compiled.")
HTTP_SECONDS = Histogram(
    "hoppers_http_seconds",
    "Time to answer requests.",
    ["route", "status"],
    buckets=(0.005, 0.02, 0.1, 0.5, 2),
)


for event in (
    "solved",
    "unsolvable",
    "stopped",
    "failed",
    "left",
):  # from 0 on, for rates see the first step only
    SEARCHES_ENDED.labels(event)
for found in ("yes", "no", "damaged"):
    ANSWERS.labels(found)


def export_searches(counts: Callable[[], dict[str, int]]) -> None:
    """Make the gauge SEARCHES call `counts` (-> number of searches of each state) at every scrape."""
    for state in counts():
        SEARCHES.labels(state).set_function(partial(lambda state: counts()[state], state))
