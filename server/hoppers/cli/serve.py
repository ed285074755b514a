"""The commands `run` and `serve`, which start a server, and `worker`, which starts a worker of a fleet."""

import errno
import logging
import socket
import sys
import threading
import time
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import click
from msgspec import structs

from hoppers import create_app
from hoppers.cli.base import ABOUT_SETTINGS, BadInput, Command, Failure
from hoppers.core.errors import quoted
from hoppers.core.kernels import CAN_COMPILE
from hoppers.jobs.compiling_process import compiling_processes
from hoppers.jobs.kernel_warmup import Compiler, Warmup
from hoppers.runtime import logging_config, process_tuning
from hoppers.runtime.extras import MissingExtra, needed_for
from hoppers.web.settings import Settings

log = logging.getLogger(__name__)

COLLECTION_SECONDS = 10  # between two collections of garbage, which take some 40 ms


def read_host(context: click.Context, option: click.Parameter, host: str | None) -> str | None:
    """Return the value of an option for an address, None without it; raise BadParameter if it is empty.

    The system would take an empty one for all addresses, which is not what an unset variable means.
    """
    if host is not None and not host.strip():
        raise click.BadParameter(f"{host!r} is not an address; 0.0.0.0 stands for all of IPv4, :: for all.")
    return host


PORT = click.IntRange(0, 65535)
HOST = click.option(
    "--host",
    show_default="HOPPERS_HOST",
    callback=read_host,
    help="Address to listen on; 0.0.0.0: all of IPv4, ::: all of IPv4 and IPv6.",
)
UDS = click.option(
    "--uds",
    metavar="PATH",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Listen on a Unix domain socket instead, for a proxy on this machine.",
)
MODULES = click.option(
    "--modules",
    is_flag=True,
    help="Serve scripts and styles as they stand in static/, not as a bundle, for development.",
)


@click.command(cls=Command, epilog=ABOUT_SETTINGS)
@HOST
@click.option("--port", show_default="HOPPERS_PORT", type=PORT, help="Port to listen on; 0 picks a free one.")
@UDS
@click.option("--open", "is_opened", is_flag=True, help="Open the game in a browser.")
@MODULES
@click.pass_obj
def run(
    settings: Settings, host: str | None, port: int | None, uds: Path | None, is_opened: bool, modules: bool
) -> None:
    """Play on this machine: serve the game until Ctrl-C."""
    check_installed(settings)
    if uds and is_opened:
        raise click.UsageError("a browser cannot open a Unix domain socket: use --open without --uds")
    settings = structs.replace(settings, log="short")
    with _listening(settings, host, port, uds) as listening:
        logging_config.configure(settings.log)
        click.echo(f"Hoppers is running at {url_of(listening)} (press Ctrl-C to stop)")
        if is_opened:
            threading.Thread(target=open_browser, args=[url_of(listening)], daemon=True).start()
        _serve(listening, with_modules(settings, modules), show_compilation)


@click.command(cls=Command, epilog=ABOUT_SETTINGS)
@HOST
@click.option("--port", show_default="HOPPERS_PORT", type=PORT, help="Port to listen on; 0 picks a free one.")
@UDS
@click.option(
    "--log",
    "log_format",
    type=click.Choice(logging_config.FORMATS),
    show_default="HOPPERS_LOG",
    help="Log format on standard error.",
)
@MODULES
@click.pass_obj
def serve(
    settings: Settings,
    host: str | None,
    port: int | None,
    uds: Path | None,
    log_format: str | None,
    modules: bool,
) -> None:
    """Host the game for others, best behind a proxy, until SIGTERM or Ctrl-C (see docs/hosting.md)."""
    check_installed(settings)
    settings = structs.replace(settings, log=log_format or settings.log)
    with _listening(settings, host, port, uds) as listening:
        logging_config.configure(settings.log)
        log.info("Listening at: %s", url_of(listening))
        _serve(listening, with_modules(settings, modules), log_compilation)


def check_installed(settings: Settings) -> None:
    """Raise a MissingExtra for a server's package, and a SettingError if `queue_url` cannot be used."""
    if not CAN_COMPILE:
        raise MissingExtra("a server", "numba", "server")
    with needed_for("a server", "server"):
        import hoppers.web.servers.http_server  # noqa: F401
    if settings.queue_url:
        from hoppers.web.app import fleet  # only here: it takes half a second

        fleet(settings.queue_url)


def with_modules(settings: Settings, modules: bool) -> Settings:
    """Return the settings with the option `--modules`."""
    return structs.replace(settings, modules=True) if modules else settings


@contextmanager
def _listening(
    settings: Settings, host: str | None, port: int | None, uds: Path | None
) -> Iterator[socket.socket]:
    """Provide a listening socket: the Unix domain socket `uds`, which is deleted afterwards, or one of TCP.

    One that the service manager hands over takes the place of both. Options that are None have the values of
    the settings. Errors are those of `listening_faults`.
    """
    from hoppers.web.servers.http_server import listen, listen_unix
    from hoppers.web.servers.service_manager import inherited_socket

    if (inherited := inherited_socket()) is not None:
        with inherited:
            yield inherited
        return

    if uds is None:
        host, port = host or settings.host, settings.port if port is None else port
        with listening_faults(f"{quoted(host)}, port {port}"):
            listening = listen(host, port)
        with listening:
            yield listening
        return
    if host is not None or port is not None:
        raise click.UsageError("--uds takes the place of --host and --port")
    if not hasattr(socket, "AF_UNIX"):
        raise click.UsageError("this system has no Unix domain sockets for --uds")
    with listening_faults(quoted(str(uds))):
        listening = listen_unix(uds)
    with listening:
        try:
            yield listening
        finally:
            uds.unlink(missing_ok=True)


@contextmanager
def listening_faults(place: str) -> Iterator[None]:
    """Raise a Failure if the system refuses `place`; a BadInput if it is not on this machine."""
    try:
        yield
    except (OSError, ValueError) as error:
        reason = str(getattr(error, "strerror", None) or "that is not the name of a host").partition(" (")[0]
        is_refused = getattr(error, "errno", None) in (errno.EADDRINUSE, errno.EACCES)
        kind = Failure if is_refused else BadInput
        raise kind(f"cannot listen on {place}: {reason}") from error


def url_of(listening: socket.socket) -> str:
    """Return the URL of a listening socket, or the name by which nginx knows a Unix domain socket."""
    if isinstance(path := listening.getsockname(), str):
        return f"unix:{path}"
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def open_browser(url: str) -> None:
    """Open a page of this server in a browser; print a line if none can be started."""
    reachable = url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")
    if not webbrowser.open(reachable):
        click.echo(f"No browser can be started here; open {reachable} yourself.", err=True)


def _serve(
    listening: socket.socket, settings: Settings, report_compilation: Callable[[Compiler], None]
) -> None:
    """Serve until SIGTERM or Ctrl-C; raise a Failure if scripts and styles cannot be prepared."""
    from hoppers.web.bundle import BundleError
    from hoppers.web.servers.http_server import raise_file_limit, serve_until_signal
    from hoppers.web.servers.service_manager import report

    raise_file_limit()
    process_tuning.shorten_switch_interval()
    process_tuning.limit_arenas()
    try:
        app = create_app(settings)
    except BundleError as error:
        raise Failure(str(error)) from error
    if settings.warm_up:
        warmup = app.extensions["warmup"]
        report_compilation(warmup.compiler)
        parts = warmup, app.extensions["connections"].is_busy
        threading.Thread(target=collect_garbage_in_background, args=parts, daemon=True).start()
    report("READY=1")  # connections that came before wait in the socket
    serve_until_signal(app, listening)


def collect_garbage_in_background(warmup: Warmup, is_busy: Callable[[], bool]) -> None:
    """Exempt all objects from garbage collection after the warm-up; then collect regularly at low load.

    Exemption and collection stop every thread. The exemption therefore comes as soon as this process has
    loaded its kernels, and this function collects nothing under high load. It never returns, so it needs a
    separate thread.
    """
    while not (warmup.is_ready("") or warmup.failed()):
        time.sleep(0.1)
    process_tuning.freeze_loaded_objects()
    while True:
        time.sleep(COLLECTION_SECONDS)
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
        with suppress(BrokenPipeError):  # no one reads it; that must not end the compilation
            print_line(text, is_terminal, is_over)

    if compiler.total:
        compiler.listeners.append(show)
        show()


def print_line(text: str, is_terminal: bool, is_last: bool) -> None:
    """Print a line of progress; on a terminal, it replaces the line before."""
    if is_terminal:  # clear the line first; after the carriage return the next output replaces the line
        click.echo(f"\x1b[2K{text}" + ("" if is_last else "\r"), nl=is_last)
    else:
        click.echo(text)


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


@click.command(cls=Command, epilog=ABOUT_SETTINGS)
@click.option("--metrics-host", default="127.0.0.1", callback=read_host, help="Address for Prometheus.")
@click.option("--metrics-port", type=PORT, help="Port for Prometheus metrics (default: off).")
@click.pass_obj
def worker(settings: Settings, metrics_host: str, metrics_port: int | None) -> None:
    """Run searches for a fleet of servers until SIGTERM (see docs/fleet.md).

    HOPPERS_QUEUE_URL is the address of the Redis that servers and workers share.
    """
    url = settings.queue_url
    if not url:
        raise click.UsageError("a worker needs HOPPERS_QUEUE_URL, such as redis://127.0.0.1:6379/0")
    check_installed(settings)
    logging_config.configure(settings.log)
    from hoppers.fleet import worker as fleet_worker
    from hoppers.puzzles import PUZZLES
    from hoppers.tablebase.engine import Engine
    from hoppers.web.app import answer_store, search_limits

    engine = Engine(
        PUZZLES,
        answers=answer_store(settings),
        positions=settings.positions_folder(),
        threads=settings.search_threads,
    )
    if settings.warm_up:
        Warmup(engine, Compiler(engine.puzzles.values(), compiling_processes(settings.log))).start()
    if metrics_port is not None:
        from prometheus_client import start_http_server

        with listening_faults(f"{quoted(metrics_host)}, port {metrics_port}"):
            start_http_server(metrics_port, metrics_host)
    fleet_worker.serve(engine, url, search_limits(settings), settings.rejoin_seconds)
