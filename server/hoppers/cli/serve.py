"""The commands `run` and `serve`, which start a server, and `worker`, which starts a worker of a fleet."""

import logging
import logging.config
import socket
import sys
import threading
import time
from collections.abc import Callable

import click
from prometheus_client import start_http_server

from hoppers import create_app
from hoppers.jobs.kernel_warmup import Compiler, Warmup
from hoppers.runtime import logging_config, process_tuning

log = logging.getLogger(__name__)

PORT = click.IntRange(0, 65535)
HOST = click.option("--host", default="127.0.0.1", help="Address to listen on.")
MODULES = click.option(
    "--modules",
    is_flag=True,
    help="Serve scripts and styles as they stand in static/, not as a bundle, for development.",
)


@click.command()
@HOST
@click.option("--port", default=8000, type=PORT, help="0 takes any free one.")
@MODULES
def run(host: str, port: int, modules: bool) -> None:
    """Serve the game until Ctrl-C."""
    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s")
    listening = _listen(host, port)
    click.echo(f"Hoppers is at {url_of(listening)} (Ctrl-C ends it)")
    _serve(listening, modules, show_compilation)


@click.command()
@HOST
@click.option("--port", default=8000, type=PORT)
@click.option(
    "--log",
    "log_format",
    default="text",
    type=click.Choice(logging_config.FORMATS),
    help="What the log on standard error looks like.",
)
@MODULES
def serve(host: str, port: int, log_format: str, modules: bool) -> None:
    """Serve the game in production, best behind a proxy, until SIGTERM or Ctrl-C (see docs/serving.md)."""
    logging.config.dictConfig(logging_config.configuration(log_format))
    listening = _listen(host, port)
    log.info("Listening at: %s", url_of(listening))
    _serve(listening, modules, log_compilation)


def _listen(host: str, port: int) -> socket.socket:
    """Return a listening socket; raise ClickException if it cannot listen, as when the port is taken."""
    from hoppers.web.servers.http_server import listen

    try:
        return listen(host, port)
    except OSError as error:
        reason = str(error.strerror).partition(" (")[0]
        raise click.ClickException(f"cannot listen on {host}, port {port}: {reason}") from error


def url_of(listening: socket.socket) -> str:
    """Return the URL of a listening socket."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _serve(listening: socket.socket, modules: bool, report_compilation: Callable[[Compiler], None]) -> None:
    """Serve until SIGTERM or Ctrl-C; raise ClickException if scripts and styles cannot be prepared."""
    from hoppers.web.bundle import BundleError
    from hoppers.web.servers.http_server import raise_file_limit, serve_until_signal

    raise_file_limit()
    process_tuning.shorten_switch_interval()
    process_tuning.limit_arenas()
    try:
        app = create_app({"MODULES": True} if modules else {})
    except BundleError as error:
        listening.close()
        raise click.ClickException(str(error)) from error
    if app.config["WARM_UP"]:
        warmup = app.extensions["warmup"]
        report_compilation(warmup.compiler)
        parts = warmup, app.extensions["connections"].is_busy
        threading.Thread(target=collect_garbage_in_background, args=parts, daemon=True).start()
    serve_until_signal(app, listening)


def collect_garbage_in_background(warmup: Warmup, is_busy: Callable[[], bool]) -> None:
    """Exempt all objects from garbage collection after the warm-up; then collect every minute at low load.

    Exemption and collection stop every thread. The exemption therefore comes as soon as this process has
    loaded its kernels, and this function collects nothing under high load. It never returns, so it needs a
    separate thread.
    """
    while not (warmup.can_answer("") or warmup.failed()):
        time.sleep(0.1)
    process_tuning.freeze_loaded_objects()
    while True:
        time.sleep(60)
        if not is_busy():
            process_tuning.collect_garbage()


def show_compilation(compiler: Compiler) -> None:
    """Print the progress of a compiler: on a terminal in one rewritten line, else in plain lines.

    Print nothing if nothing has to be compiled.
    """
    shown = False, -1

    def show() -> None:
        nonlocal shown
        done, is_terminal, is_over = compiler.stored, sys.stdout.isatty(), not compiler.remaining()
        step = done if is_terminal else 10 * done // compiler.total  # ten lines, as none can be rewritten
        if (is_over, step) <= shown:
            return
        shown = is_over, step
        text = f"Compiled {done} of {compiler.total} parts of the solver, once for all starts."
        if is_terminal:  # clear the line first; after the carriage return the next output replaces the line
            click.echo(f"\x1b[2K{text}" + ("" if is_over else "\r"), nl=is_over)
        else:
            click.echo(text)

    if compiler.total:
        compiler.listeners.append(show)
        show()


def log_compilation(compiler: Compiler) -> None:
    """Log the start of a compilation, and its end once all parts are stored on disk.

    Log nothing if nothing has to be compiled.
    """

    def note() -> None:
        if compiler.stored == compiler.total:
            log.info("All parts of the solver are compiled.")

    if compiler.total:
        log.info("Compiling %d parts of the solver; the server answers meanwhile.", compiler.total)
        compiler.listeners.append(note)


@click.command()
@click.option("--metrics-host", default="127.0.0.1", help="Address for Prometheus.")
@click.option("--metrics-port", type=PORT, help="Port for Prometheus; left out, no metrics are served.")
def worker(metrics_host: str, metrics_port: int | None) -> None:
    """Run the searches of a fleet's servers until SIGTERM (see docs/fleet.md).

    HOPPERS_QUEUE_URL is the address of the Redis that servers and workers share.
    """
    from hoppers.puzzles import PUZZLES
    from hoppers.tablebase.engine import Engine
    from hoppers.web.app import answer_store, settings, worker_config

    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s")
    config = settings({})
    if not config["QUEUE_URL"]:
        raise click.UsageError("a worker needs HOPPERS_QUEUE_URL, such as redis://127.0.0.1:6379/0")
    from hoppers.fleet import worker as fleet

    engine = Engine(PUZZLES, answers=answer_store(config))
    if config["WARM_UP"]:
        Warmup(engine, Compiler(engine.puzzles.values())).start()
    if metrics_port is not None:
        _serve_metrics(metrics_host, metrics_port)
    fleet.serve(engine, config["QUEUE_URL"], worker_config(config), config["REJOIN_SECONDS"])


def _serve_metrics(host: str, port: int) -> None:
    """Serve the metrics of this process to Prometheus from a background thread.

    Raises:
        ClickException: the system refuses the address or the port.
    """
    try:
        start_http_server(port, host)
    except OSError as error:
        raise click.ClickException(f"cannot listen on {host}, port {port}: {error.strerror}") from error
