"""The commands that serve the game: to this machine, and to the world."""

import logging
import signal

import click

from hoppers import create_app
from hoppers.runtime import logging_config, metrics

PORT = click.IntRange(0, 65535)


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=8000, show_default=True, type=PORT, help="0 takes any free one.")
def run(host: str, port: int) -> None:
    """Serve the game until Ctrl-C."""
    from hoppers.web.servers.dev import listen, local_server  # here, for the other commands never need Flask

    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s")
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends like Ctrl-C
    try:
        listening = listen(host, port)
    except OSError as error:
        reason = str(error.strerror).partition(" (")[0]
        raise click.ClickException(f"cannot listen on {host}, port {port}: {reason}") from error
    server = local_server(create_app(), listening)
    shown = f"[{host}]" if ":" in host else host
    click.echo(f"Hoppers is at http://{shown}:{server.port} (Ctrl-C ends it)")
    server.serve_forever()


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=8000, show_default=True, type=PORT)
@click.option(
    "--threads",
    type=click.IntRange(1),
    help="One per Socket.IO client and some for pages; left out, as many as HOPPERS_CONNECTIONS needs.",
)
@click.option(
    "--log",
    "log_format",
    default="text",
    show_default=True,
    type=click.Choice(logging_config.FORMATS),
    help="What the log on standard error looks like.",
)
def serve(host: str, port: int, threads: int | None, log_format: str) -> None:
    """Serve the game to the world, best behind a proxy (see docs/serving.md), until SIGTERM or Ctrl-C."""
    from hoppers.web.servers import gunicorn

    fewest = gunicorn.fewest_threads()
    if threads is not None and threads < fewest:
        raise click.UsageError(
            f"--threads {threads} are too few: HOPPERS_CONNECTIONS needs {fewest}; change one of them"
        )
    gunicorn.serve(host, port, threads or fewest, log_format)


@click.command()
@click.option("--metrics-host", default="127.0.0.1", show_default=True, help="Address for Prometheus.")
@click.option("--metrics-port", type=PORT, help="Port for Prometheus; left out, nothing is told.")
def worker(metrics_host: str, metrics_port: int | None) -> None:
    """Search for the servers that share the Redis at HOPPERS_QUEUE_URL (see docs/fleet.md), until SIGTERM."""
    from hoppers.jobs.kernel_warmup import Compiler, Warmup
    from hoppers.jobs.messages import SearchLimits
    from hoppers.puzzles import PUZZLES
    from hoppers.tablebase import proved_answers  # here, for `serve` is to be small
    from hoppers.web.app import answer_store
    from hoppers.web.settings import settings

    config = settings({})
    if not config["QUEUE_URL"]:
        raise click.UsageError("a worker needs HOPPERS_QUEUE_URL, such as redis://127.0.0.1:6379/0")
    from hoppers.fleet import worker as fleet

    if config["WARM_UP"]:
        Warmup(list(PUZZLES.values()), Compiler()).start()
    if metrics_port is not None:
        tell_measures(metrics_host, metrics_port)
    if config["ANSWERS_BYTES"]:
        proved_answers.keep_in(answer_store(config))
    limits = SearchLimits(config["SEARCH_SECONDS"], config["SEARCH_NODES"])
    fleet.serve(config["QUEUE_URL"], config["SEARCH_THREADS"], limits, config["REJOIN_SECONDS"])


def tell_measures(host: str, port: int) -> None:
    """Answer Prometheus.

    Raises:
        ClickException: the port is taken.
    """
    try:
        metrics.tell(host, port)
    except OSError as error:
        raise click.ClickException(f"cannot listen on {host}, port {port}: {error.strerror}") from error
