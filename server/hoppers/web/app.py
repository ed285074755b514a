"""The application: its configuration, and all its parts put together. Nothing is shared between two."""

import atexit
import contextlib
import logging
import threading
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, cast

from flask import Flask
from flask.json.provider import DefaultJSONProvider
from flask_socketio import SocketIO
from werkzeug.middleware.proxy_fix import ProxyFix

from hoppers.core.kernels import cache_folder
from hoppers.jobs import worker_process
from hoppers.jobs.kernel_warmup import Compiler, Warmup, load_searches
from hoppers.jobs.messages import Configure, SearchLimits
from hoppers.jobs.service import EmitTo, InProcess, LocalSearches, SearchService, learn
from hoppers.puzzles import PUZZLES
from hoppers.runtime.disk_cache import DiskStore
from hoppers.runtime.paths import web_folder
from hoppers.tablebase import elsewhere, proved_answers
from hoppers.tablebase.builder import WORKSHOP
from hoppers.web.api import fast_hints, images, positions
from hoppers.web.channel import connections, handlers
from hoppers.web.http import (
    assets,
    errors,
    health,
    i18n,
    rate_counters,
    rate_limit,
    response_cache,
    security,
)
from hoppers.web.http import (
    warmup as warming,
)
from hoppers.web.pages import explorer, goal_chooser, lessons, play, print, pwa, race, trace
from hoppers.web.settings import settings

log = logging.getLogger(__name__)


def build(config: Mapping[str, Any]) -> Flask:
    """Put an application together (see `hoppers.create_app`)."""
    web = web_folder()
    static = web / "static"
    app = Flask(
        "hoppers",
        static_folder=str(static),
        static_url_path=assets.address(static),
        template_folder=str(web / "templates"),
    )
    vars(app)["ensure_sync"] = _as_it_is
    configure(app, config)
    health.measure(app)
    security.protect(app)
    limits = rate_limit.Rates(app.config["API_RATE"], counted_elsewhere(app.config["QUEUE_URL"]))
    limits.guard(app)
    i18n.speak(app)
    errors.explain(app)
    app.register_blueprint(play.pages)
    for study in (goal_chooser.choosing, race.racing, explorer.exploring, trace.watching, lessons.lessons):
        app.register_blueprint(study)
    app.register_blueprint(positions.api)
    app.register_blueprint(assets.assets)
    app.register_blueprint(images.images)
    app.register_blueprint(pwa.install)
    app.register_blueprint(print.printing)
    app.register_blueprint(health.watch)
    warming.heed(app)
    start_engines(app)
    wsgi = fast_hints.hints(app, app.wsgi_app, limits.allow)
    wsgi = response_cache.repeating(
        security.sealed(wsgi), response_cache.Answers(app.config["ANSWERS"]), limits.allow
    )
    if proxies := app.config["PROXIES"]:  # outside of all, for the channel counts addresses too
        wsgi = ProxyFix(wsgi, proxies, proxies, proxies)
    vars(app)["wsgi_app"] = wsgi
    return app


def _as_it_is(view: Callable[..., Any]) -> Callable[..., Any]:
    """Nothing here is a coroutine, which Flask would otherwise look at a dozen times for each request."""
    return view


def configure(app: Flask, config: Mapping[str, Any]) -> None:
    """Fill in the configuration."""
    app.config.from_mapping(settings(config))
    json = DefaultJSONProvider(app)
    json.sort_keys = json.ensure_ascii = False
    app.json = json


def start_engines(app: Flask) -> None:
    """Start the warm-up, the search threads and the channel, found later under `app.extensions`."""
    warmup = Warmup(list(PUZZLES.values()), Compiler(), searches=not searches_elsewhere(app.config))
    if app.config["WARM_UP"]:
        warmup.start()
        atexit.register(warmup.end)
    app.extensions["warmup"] = warmup
    # These would log a traceback for every packet that is no packet; our own handlers log for themselves.
    logging.getLogger("engineio.server").setLevel(logging.CRITICAL)
    line: dict[str, Any] = {"client_manager": line_to(url)} if (url := app.config["QUEUE_URL"]) else {}
    # A new object for every application, for one remembers only the last application it was given.
    socketio = SocketIO(
        app,
        async_mode="threading",
        async_handlers=False,  # in order: a `stop` never overtakes its `search`
        manage_session=False,
        **line,
        max_http_buffer_size=app.config["MAX_MESSAGE_LENGTH"],
        ping_interval=app.config["PING_SECONDS"],
        ping_timeout=app.config["PING_SECONDS"],
        cors_credentials=False,
        **connections.READING,
    )
    app.extensions["gate"] = connections.Gate(socketio, app.config)
    app.extensions["gate"].guard()
    is_crowded = WORKSHOP.is_crowded = app.extensions["gate"].is_crowded
    WORKSHOP.is_calm = warmup.is_settled
    if app.config["ANSWERS_BYTES"]:
        proved_answers.keep_in(answer_store(app.config))
    searches = start_searches(app.config, socketio, warmup, is_crowded)
    atexit.register(searches.close)
    app.extensions["searches"] = searches
    handlers.Channel(socketio, searches, app.config).listen()


def start_searches(
    config: Mapping[str, Any], socketio: SocketIO, warmup: Warmup, is_crowded: Callable[[], bool]
) -> SearchService:
    """Return what runs searches: a fleet, the worker process, or threads of this process."""
    limits, most, grace = _limits(config), config["SEARCHES"], config["REJOIN_SECONDS"]
    if config["QUEUE_URL"]:
        from hoppers.fleet.service import Fleet  # here, for its libraries are installed only where it is used

        line = cast(Any, socketio).server.manager
        emit: EmitTo = partial(cast(Any, socketio.emit), ignore_queue=True)
        is_warm = partial(warmup.is_ready, "") if config["WARM_UP"] else lambda: True
        return Fleet(config["QUEUE_URL"], emit, line, most, grace, is_warm)
    process = process_beside(config, warmup)
    elsewhere.use(None if process is None else process.run_build)
    if process is None:
        transport = InProcess(Configure(config["SEARCH_THREADS"], limits, 0))
        return LocalSearches(transport, socketio.emit, most, grace)
    process.is_busy = is_crowded
    is_compiled = warmup.is_ready if config["WARM_UP"] else lambda puzzle_id: True
    searches = LocalSearches(process, socketio.emit, most, grace, is_compiled=is_compiled, learn=learn)
    warmup.on_ready = searches.start_waiting
    searches.on_close = partial(elsewhere.leave, process.run_build)
    return searches


def _limits(config: Mapping[str, Any]) -> SearchLimits:
    return SearchLimits(config["SEARCH_SECONDS"], config["SEARCH_NODES"])


def searches_elsewhere(config: Mapping[str, Any]) -> bool:
    """Return whether another process searches and builds, so that this one need not load those kernels."""
    return bool(config["QUEUE_URL"] or (config["WORKER_PROCESS"] and worker_process.CAN_RUN))


def process_beside(config: Mapping[str, Any], warmup: Warmup) -> worker_process.WorkerProcess | None:
    """Return the process in which searches run and tables are built, or None if the settings exclude it."""
    if not searches_elsewhere(config):
        return None
    configure = Configure(config["SEARCH_THREADS"], _limits(config), config["ANSWERS_BYTES"])
    process = worker_process.WorkerProcess(configure)
    if config["WARM_UP"]:
        threading.Thread(target=make_ready, args=(process, warmup), name="load-kernels", daemon=True).start()
    return process


def make_ready(process: worker_process.WorkerProcess, warmup: Warmup) -> None:
    """Start the process, and let it load the kernels of searches once they are on disk."""
    try:
        process.pid()
        for puzzle in PUZZLES.values():
            if puzzle.featured and warmup.wait(puzzle.id, threading.TIMEOUT_MAX):
                _load(process, puzzle.id)
    except (worker_process.WorkerLost, RuntimeError) as error:  # the first search of a puzzle loads them
        log.info("kernels are not loaded in advance: %r", error)


def _load(process: worker_process.WorkerProcess, puzzle_id: str) -> None:
    """Load the search kernels of a puzzle, except under high load: that takes a hundred megabytes."""
    if process.is_busy():
        return
    with contextlib.closing(process.run_build(load_searches, puzzle_id)) as build:
        for _ in build:
            if process.is_busy():
                return


def answer_store(config: Mapping[str, Any]) -> proved_answers.Store:
    """Where proved answers are kept: on disk, or in the Redis of the fleet."""
    most = config["ANSWERS_BYTES"]
    if config["QUEUE_URL"]:
        from hoppers.fleet.answer_store import RedisStore

        return RedisStore(config["QUEUE_URL"], most)
    return DiskStore(cache_folder() / "answers", most)


def counted_elsewhere(url: str) -> rate_counters.Elsewhere:
    """What counts the requests to all servers of a fleet."""
    if not url:
        return rate_counters.nowhere
    from hoppers.fleet.rate_limits import Rates

    return Rates(url).count


def line_to(url: str) -> Any:
    """What passes events on between the processes of a fleet."""
    from hoppers.fleet.pubsub_manager import Line

    return Line(url)
