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
from hoppers.jobs.kernel_warmup import Forge, Warmup, load_searches
from hoppers.jobs.remote_search import keep_answers
from hoppers.jobs.scheduler import Jobs
from hoppers.jobs.search_job import Limits
from hoppers.jobs.service import Here, Searches, Tell
from hoppers.runtime.disk_cache import DiskStore
from hoppers.runtime.paths import web_folder
from hoppers.tablebase import elsewhere, proved_answers
from hoppers.tablebase.builder import WORKSHOP
from hoppers.web import current
from hoppers.web.api import fast_hints, images, positions
from hoppers.web.channel import connections, handlers
from hoppers.web.http import (
    assets,
    compression,
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


BUILDERS = 2
"""Lines to the process beside this one that are left for what is no search."""


def build(config: Mapping[str, Any]) -> Flask:
    """Put an application together (see `hoppers.create_app`)."""
    web = web_folder()
    static = web / "static"
    app = Flask(
        "hoppers",
        static_folder=str(static),
        static_url_path=assets.static_url_path(static),
        template_folder=str(web / "templates"),
    )
    vars(app)["ensure_sync"] = _as_it_is
    configure(app, config)
    health.init_app(app)
    security.init_app(app)
    limits = rate_limit.Rates(app.config["API_RATE"], counted_elsewhere(app.config["QUEUE_URL"]))
    limits.guard(app)
    i18n.init_app(app)
    errors.init_app(app)
    compression.init_app(app)
    for module in (
        play,
        goal_chooser,
        race,
        explorer,
        trace,
        lessons,
        positions,
        assets,
        images,
        pwa,
        print,
        health,
    ):
        app.register_blueprint(module.blueprint)
    warming.heed(app)
    start_engines(app)
    wsgi = fast_hints.hints(app, app.wsgi_app, limits.allow)
    wsgi = response_cache.repeating(
        security.with_security_headers(wsgi), response_cache.Answers(app.config["ANSWERS"]), limits.allow
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
    warmup = Warmup(list(current.puzzles()), Forge(), searches=not searches_elsewhere(app.config))
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
) -> Searches:
    """The place where searches run: this process, or a fleet of workers."""
    limits, patience = Limits(config["SEARCH_SECONDS"], config["SEARCH_NODES"]), config["REJOIN_SECONDS"]
    if config["QUEUE_URL"]:
        from hoppers.fleet.service import Fleet  # here, for its libraries are installed only where it is used

        line = cast(Any, socketio).server.manager
        tell: Tell = partial(cast(Any, socketio.emit), ignore_queue=True)
        is_warm = partial(warmup.is_ready, "") if config["WARM_UP"] else lambda: True
        return Fleet(config["QUEUE_URL"], tell, line, config["SEARCHES"], limits, patience, is_warm)
    jobs = Jobs(config["SEARCH_THREADS"], config["SEARCHES"], patience)
    elsewhere.use(process := process_beside(config, warmup))
    if process is not None:
        process.is_crowded = is_crowded
    return Here(jobs, socketio.emit, limits, process)


def searches_elsewhere(config: Mapping[str, Any]) -> bool:
    """Whether another process searches and builds tables, so that this one need not load what does."""
    return bool(config["QUEUE_URL"] or (config["BESIDE"] and worker_process.CAN_RUN))


def process_beside(config: Mapping[str, Any], warmup: Warmup) -> worker_process.Beside | None:
    """The process in which searches run and tables are built, if there is to be one."""
    if not searches_elsewhere(config):
        return None
    process = worker_process.Beside(
        config["SEARCH_THREADS"] + BUILDERS, keep_answers, config["ANSWERS_BYTES"]
    )
    if config["WARM_UP"]:
        process.is_ready = warmup.is_ready
        threading.Thread(target=make_ready, args=(process, warmup), name="beside", daemon=True).start()
    return process


def make_ready(process: worker_process.Beside, warmup: Warmup) -> None:
    """Start the process, and let it load what searches use once that is on disk: none waits for it later."""
    try:
        process.machine()
        for puzzle in current.puzzles():
            if puzzle.gallery.featured and warmup.wait(puzzle.id, threading.TIMEOUT_MAX):
                _load(process, puzzle.id)
    except (worker_process.Lost, RuntimeError) as error:  # whoever searches loads it then
        log.info("nothing more is loaded beforehand: %r", error)


def _load(process: worker_process.Beside, puzzle_id: str) -> None:
    """Let it load the searches of a puzzle, but not in a crowd: they hold a hundred megabytes meanwhile."""
    if process.is_crowded():
        return
    with contextlib.closing(process.run(load_searches, puzzle_id)) as run:
        for _ in run:
            if process.is_crowded():
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
    from hoppers.fleet.pubsub import PubSub

    return PubSub(url)
