"""Prometheus metrics of this process.

Label values never come from clients, so that the number of time series is bounded.
"""

from collections.abc import Callable, Iterator
from functools import partial

from prometheus_client import REGISTRY, Counter, Gauge, Histogram, Info, disable_created_metrics
from prometheus_client.core import CounterMetricFamily
from prometheus_client.registry import Collector

from hoppers.runtime import __version__, event_counts
from hoppers.runtime.build import code_digest

# else each counter would have a second series, with nothing but the time of its creation
disable_created_metrics()  # type: ignore[no-untyped-call]  # its types leave it out

BUILD = Info("hoppers_build", "Version of the program, and digest of its code.")
BUILD.info({"version": __version__, "code": code_digest()})
SEARCHES_ENDED = Counter("hoppers_searches_ended", "Searches that ended, by their last event.", ["event"])
SEARCHES = Gauge("hoppers_searches", "Searches now, by state.", ["state"])
NODES = Counter("hoppers_nodes", "Nodes of searches that ended.")
SEARCH_SECONDS = Histogram(
    "hoppers_search_seconds",
    "Running time of searches that ended, without time in the queue.",
    buckets=(0.01, 0.1, 1, 10, 60, 300),
)
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


class EventCounts(Collector):
    """The numbers of `event_counts`, which is used where this library need not be installed."""

    def collect(self) -> Iterator[CounterMetricFamily]:
        """Yield one counter for each of them, at every scrape."""
        built = "Tables and reachable-set tables built in the background."
        yield CounterMetricFamily("hoppers_tables_built", built, event_counts.TABLES_BUILT.total)
        answers = CounterMetricFamily(
            "hoppers_answers", "Look-ups of stored answers, by result.", labels=["found"]
        )
        for found, count in event_counts.ANSWER_LOOKUPS.items():
            answers.add_metric([found], count.total)
        yield answers


REGISTRY.register(EventCounts())


def export_searches(counts: Callable[[], dict[str, int]]) -> None:
    """Make the gauge SEARCHES call `counts` (-> number of searches of each state) at every scrape."""
    for state in counts():
        SEARCHES.labels(state).set_function(partial(lambda state: counts()[state], state))
