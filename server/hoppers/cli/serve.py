"""Commands that run processes: a local server, a production server, and a search worker of a fleet."""

import logging
import signal

import click

from hoppers import create_app
from hoppers.runtime import logging_config, metrics

PORT = click.IntRange(0, 65535)


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port", default=8000, show_default=True, type=PORT, help="Port to listen on; 0 picks a free one."
)
def run(host: str, port: int) -> None:
    """Play on this machine.

    The server runs until Ctrl-C.
    """
    from hoppers.web.servers.dev import listen, local_server  # here: other commands need no Flask

    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s")
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # end as on Ctrl-C
    try:
        listening = listen(host, port)
    except OSError as error:
        reason = str(error.strerror).partition(" (")[0]
        raise click.ClickException(f"cannot listen on {host}, port {port}: {reason}") from error
    server = local_server(create_app(), listening)
    shown = f"[{host}]" if ":" in host else host
    click.echo(f"Hoppers is running at http://{shown}:{server.port} (press Ctrl-C to stop)")
    server.serve_forever()


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port", default=8000, show_default=True, type=PORT, help="Port to listen on; 0 picks a free one."
)
@click.option(
    "--threads",
    type=click.IntRange(1),
    help="Number of threads (default: enough for HOPPERS_CONNECTIONS clients). "
    "Each connected client needs one.",
)
@click.option(
    "--log",
    "log_format",
    default="text",
    show_default=True,
    type=click.Choice(logging_config.FORMATS),
    help="Log format on standard error.",
)
def serve(host: str, port: int, threads: int | None, log_format: str) -> None:
    """Host the game for others.

    Best behind a proxy (see docs/serving.md). Stops on SIGTERM or Ctrl-C.
    """
    from hoppers.web.servers import gunicorn

    fewest = gunicorn.fewest_threads()
    if threads is not None and threads < fewest:
        raise click.UsageError(
            f"--threads {threads} are too few: HOPPERS_CONNECTIONS needs {fewest}; change one of them"
        )
    gunicorn.serve(host, port, threads or fewest, log_format)


@click.command()
@click.option("--metrics-host", default="127.0.0.1", show_default=True, help="Address for Prometheus.")
@click.option("--metrics-port", type=PORT, help="Port for Prometheus metrics (default: off).")
def worker(metrics_host: str, metrics_port: int | None) -> None:
    """Run searches for a fleet.

    The worker serves the servers that use the Redis at HOPPERS_QUEUE_URL (see docs/fleet.md). Stops on
    SIGTERM.
    """
    from hoppers.jobs.kernel_warmup import Forge, Warmup
    from hoppers.jobs.search_job import Limits
    from hoppers.puzzles import PUZZLES
    from hoppers.tablebase import proved_answers  # here: `serve` must stay small
    from hoppers.web.app import answer_store
    from hoppers.web.settings import settings

    config = settings({})
    if not config["QUEUE_URL"]:
        raise click.UsageError("a worker needs HOPPERS_QUEUE_URL, such as redis://127.0.0.1:6379/0")
    from hoppers.fleet import worker as fleet

    if config["WARM_UP"]:
        Warmup(list(PUZZLES.values()), Forge()).start()
    if metrics_port is not None:
        serve_metrics(metrics_host, metrics_port)
    if config["ANSWERS_BYTES"]:
        proved_answers.keep_in(answer_store(config))
    limits = Limits(config["SEARCH_SECONDS"], config["SEARCH_NODES"])
    fleet.serve(config["QUEUE_URL"], config["SEARCH_THREADS"], limits, config["REJOIN_SECONDS"])


def serve_metrics(host: str, port: int) -> None:
    """Serve the metrics for Prometheus.

    Raises:
        ClickException: the port is in use.
    """
    try:
        metrics.serve(host, port)
    except OSError as error:
        raise click.ClickException(f"cannot listen on {host}, port {port}: {error.strerror}") from error
