"""The application factory: the layers that handle a request, in order, and the parts of an application.

`LAYERS` lists everything in front of a view. Views are in `pages` and `api`, Socket.IO handlers in `channel`.
Two applications in one process share no state of the web server.
"""

from __future__ import annotations

import atexit
import importlib
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from flask import Flask
from flask.json.provider import DefaultJSONProvider
from werkzeug.middleware.proxy_fix import ProxyFix

from hoppers.analysis.requests import read_search
from hoppers.core.kernels import cache_folder
from hoppers.jobs import worker_process
from hoppers.jobs.compiler import Compiler
from hoppers.jobs.kernel_warmup import Warmup
from hoppers.jobs.messages import WorkerConfig
from hoppers.jobs.service import EmitTo, LocalSearches, SearchService
from hoppers.jobs.worker_main import SearchWorker
from hoppers.jobs.worker_process import WorkerProcess
from hoppers.puzzles import PUZZLES
from hoppers.runtime.disk_cache import DiskStore
from hoppers.runtime.load import Load
from hoppers.runtime.paths import PACKED, clone
from hoppers.tablebase.engine import Engine
from hoppers.tablebase.proved_answers import AnswerStore
from hoppers.tablebase.table_method import learn
from hoppers.web import bundle, current
from hoppers.web.api import images, positions
from hoppers.web.api.hints import FastHints
from hoppers.web.channel import socketio_server
from hoppers.web.channel.connections import ConnectionLimits
from hoppers.web.channel.handlers import Channel
from hoppers.web.http import assets, errors, health, i18n, limits, responses
from hoppers.web.http.limits import RateLimit, count_alone
from hoppers.web.http.response_cache import cached, response_cache
from hoppers.web.pages import explorer, goals, lessons, play, print, race, trace
from hoppers.web.servers.event_loop import EventLoop
from hoppers.web.settings import settings

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

VIEWS = (play, goals, race, explorer, trace, lessons, positions, assets, images, print, health)
"""Modules with a blueprint, which holds their routes."""


class Parts(NamedTuple):
    """The parts of an application that the request layers use."""

    app: Flask
    loop: EventLoop
    rate_limit: RateLimit
    connections: ConnectionLimits

    def allow(self, address: str) -> bool:
        """Count a request from `address`; return whether it is within all rates. Called in the event loop."""
        if self.rate_limit.is_shared:  # a call of Redis would block the loop
            return self.loop.run(self.rate_limit.allow, address)
        return self.rate_limit.allow(address)


class RequestLayer(NamedTuple):
    """A layer that handles each request: a WSGI application around the next layer, or hooks of Flask."""

    name: str
    purpose: str
    wrap: Callable[[Parts, WSGIApplication], WSGIApplication] | None = None
    hook: Callable[[Parts], object] | None = None


def trust_proxies(parts: Parts, wsgi: WSGIApplication) -> WSGIApplication:
    """Return `wsgi` with client addresses from the headers of the trusted proxies in the settings."""
    proxies = parts.app.config["PROXIES"]
    return ProxyFix(wsgi, proxies, proxies, proxies) if proxies else wsgi


def cache_responses(parts: Parts, wsgi: WSGIApplication) -> WSGIApplication:
    """Return `wsgi` behind a response cache."""
    return cached(wsgi, response_cache(parts.app.config["RESPONSE_CACHE_BYTES"]), parts.allow)


def route_socketio(parts: Parts, wsgi: WSGIApplication) -> WSGIApplication:
    """Return an application that passes Socket.IO to the connection limits and the rest to `wsgi`."""

    def route(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        is_channel = environ.get("PATH_INFO", "").startswith(f"{socketio_server.PATH}/")
        return (parts.connections if is_channel else wsgi)(environ, start_response)

    return route


def run_in_threads(parts: Parts, wsgi: WSGIApplication) -> WSGIApplication:
    """Return an application that calls `wsgi` in a real thread and returns the whole body at once.

    Meanwhile the event loop serves other connections.
    """

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        started: list[Any] = []

        def whole() -> bytes:
            body = wsgi(environ, lambda *start: started.__setitem__(slice(None), start) or bytes)
            try:
                return b"".join(body)
            finally:
                getattr(body, "close", bool)()

        body = parts.loop.run(whole, urgent=environ.get("PATH_INFO") in health.PATHS)
        start_response(*started)
        return [body]

    return answer


LAYERS = (
    RequestLayer(
        "proxies", "take address, scheme and host from the headers of trusted proxies", wrap=trust_proxies
    ),
    RequestLayer("response cache", "repeat answers about positions", wrap=cache_responses),
    RequestLayer(
        "security headers",
        "on all that follows",
        wrap=lambda parts, wsgi: responses.with_security_headers(wsgi),
    ),
    RequestLayer(
        "fast hints",
        "answer hints without Flask (`api.hints`): in the event loop from a complete table, else in a thread",
        wrap=lambda parts, wsgi: FastHints(parts.app, wsgi, parts.loop, parts.allow),
    ),
    RequestLayer("Socket.IO", "/socket.io goes to connection limits, in the event loop", wrap=route_socketio),
    RequestLayer("threads", "everything that follows runs in a real thread", wrap=run_in_threads),
    RequestLayer("metrics", "measure the time of a request", hook=lambda parts: health.init_app(parts.app)),
    RequestLayer(
        "size limits", "refuse long URLs and bodies", hook=lambda parts: limits.limit_sizes(parts.app)
    ),
    RequestLayer(
        "rate limit", "refuse too many requests", hook=lambda parts: parts.rate_limit.init_app(parts.app)
    ),
    RequestLayer("language", "choose it, and remember a choice", hook=lambda parts: i18n.init_app(parts.app)),
    RequestLayer(
        "errors", "answer them as JSON, page or picture", hook=lambda parts: errors.init_app(parts.app)
    ),
    RequestLayer(
        "compression", "text by brotli or gzip", hook=lambda parts: responses.compress_responses(parts.app)
    ),
    RequestLayer(
        "routes", "pages, API and files, with the hooks of files", hook=lambda parts: add_routes(parts.app)
    ),
    RequestLayer(
        "warm-up", "compile the requested puzzle next", hook=lambda parts: current.init_app(parts.app)
    ),
)
"""All layers in front of a request, outermost first."""


def build(config: Mapping[str, Any]) -> Flask:
    """Return an application (see `hoppers.create_app`)."""
    app = flask_app(config)
    loop = app.extensions["loop"] = EventLoop()
    flask_alone = app.wsgi_app
    socketio = socketio_server.build(app, app.config)
    connections = app.extensions["connections"] = ConnectionLimits(app.wsgi_app, app.config)
    parts = Parts(app, loop, rate_limit_of(app.config), connections)
    for layer in LAYERS:
        if layer.hook is not None:
            layer.hook(parts)
    start_engine(app, socketio_server.Emitter(socketio, loop))
    Channel(socketio, app.extensions["searches"], loop, app.config).register()
    wsgi: WSGIApplication = flask_alone
    for layer in reversed(LAYERS):
        if layer.wrap is not None:
            wsgi = layer.wrap(parts, wsgi)
    vars(app)["wsgi_app"] = wsgi
    return app


def flask_app(config: Mapping[str, Any]) -> Flask:
    """Return a configured Flask application without routes."""
    chosen = settings(config)
    static = static_folder(chosen["MODULES"])
    app = Flask(
        "hoppers",
        static_folder=str(static),
        static_url_path=assets.static_url_path(static),
        template_folder=str((clone() or PACKED) / "templates"),
    )
    # No view is a coroutine: Flask would check a dozen times per request.
    vars(app)["ensure_sync"] = lambda view: view
    app.config.from_mapping(chosen)
    json = DefaultJSONProvider(app)
    json.sort_keys = json.ensure_ascii = False  # keep the order of fields and non-ASCII text
    app.json = json
    return app


def static_folder(modules: bool) -> Path:
    """Return the folder of scripts and styles to serve: the bundle, or its sources if `modules` is set.

    Raises:
        BundleError: the bundle is older than its sources and cannot be made here, or there are no sources.
    """
    root = clone()
    if root is not None:
        return bundle.modules(root) if modules else bundle.update(root)
    if modules:
        raise bundle.BundleError("This installation has only the bundle: --modules needs a clone.")
    return PACKED / "static"


def add_routes(app: Flask) -> None:
    """Register all blueprints, which contain the routes of `app`."""
    for module in VIEWS:
        app.register_blueprint(module.blueprint)


def rate_limit_of(config: Mapping[str, Any]) -> RateLimit:
    """Return the rate limit of this server, or of all servers of its fleet."""
    url = config["QUEUE_URL"]
    return RateLimit(config["API_RATE"], fleet().SharedRateLimit(url).count if url else count_alone)


def fleet() -> Any:
    """Return `hoppers.fleet`, imported only where QUEUE_URL is set: its libraries are optional."""
    return importlib.import_module("hoppers.fleet")


def start_engine(app: Flask, emit: EmitTo) -> None:
    """Create the engine, start warm-up and searches, and put them into `app.extensions`.

    `emit`: sends an event to a connection of this server.
    """
    config, is_busy = app.config, app.extensions["connections"].is_busy
    engine = app.extensions["engine"] = Engine(PUZZLES, Load(is_busy), answer_store(config))
    process = worker_process_of(config)
    compiler = Compiler(engine.puzzles.values())
    warmup = Warmup(engine, compiler, not searches_elsewhere(config), process)
    app.extensions["warmup"] = warmup
    engine.load.is_starting = lambda: not warmup.is_settled()
    searches = start_searches(config, emit, engine, warmup, process)
    app.extensions["searches"] = searches
    if config["WARM_UP"]:  # after `start_searches`, which listens to the compiler
        warmup.start()
        atexit.register(warmup.end)
    atexit.register(searches.close)
    atexit.register(engine.builder.cancel_all)  # called first, because the worker process runs builds


def close(app: Flask) -> None:
    """End the builds, the searches and the warm-up of an application, so that its memory can be freed."""
    engine, searches, warmup = (app.extensions[name] for name in ("engine", "searches", "warmup"))
    for end in (engine.builder.cancel_all, searches.close, warmup.end):
        atexit.unregister(end)
        end()


def worker_process_of(config: Mapping[str, Any]) -> WorkerProcess | None:
    """Return the worker process, not started yet; None in a fleet and where threads run searches."""
    is_fleet = bool(config["QUEUE_URL"])
    return None if is_fleet or not searches_elsewhere(config) else WorkerProcess(worker_config(config))


def worker_config(config: Mapping[str, Any]) -> WorkerConfig:
    """Return the settings of the worker process, of a fleet's worker, or of threads that run searches."""
    names = "SEARCH_THREADS", "SEARCH_SECONDS", "SEARCH_NODES", "ANSWERS_BYTES"
    return WorkerConfig(*(config[name] for name in names))


def start_searches(
    config: Mapping[str, Any], emit: EmitTo, engine: Engine, warmup: Warmup, process: WorkerProcess | None
) -> SearchService:
    """Return the search service: of a fleet, of the worker process, or of threads in this process."""
    most, grace, read = config["SEARCHES"], config["REJOIN_SECONDS"], partial(read_search, engine)
    if url := config["QUEUE_URL"]:
        is_warm = partial(warmup.is_ready, "") if config["WARM_UP"] else lambda: True
        fleet_searches: SearchService = fleet().Fleet(engine, url, emit, most, grace, is_warm)
        return fleet_searches
    if process is None:
        worker = SearchWorker(engine, worker_config(config))
        return LocalSearches(worker, emit, most, grace, read=read, learn=learn)
    process.is_busy, engine.run_build = engine.load.is_busy, process.run_build
    is_compiled = warmup.can_search if config["WARM_UP"] else lambda puzzle_id: True
    searches = LocalSearches(process, emit, most, grace, read=read, is_compiled=is_compiled, learn=learn)
    warmup.compiler.listeners.append(searches.start_waiting)
    return searches


def searches_elsewhere(config: Mapping[str, Any]) -> bool:
    """Return whether other processes run searches and builds, so this process does not load their kernels."""
    return bool(config["QUEUE_URL"] or (config["WORKER_PROCESS"] and worker_process.CAN_RUN))


def answer_store(config: Mapping[str, Any]) -> AnswerStore | None:
    """Return the store of proved answers, on disk or in the fleet's Redis; None if its limit is 0 bytes."""
    max_bytes = config["ANSWERS_BYTES"]
    if not max_bytes:
        return None
    if url := config["QUEUE_URL"]:
        store: AnswerStore = fleet().RedisStore(url, max_bytes)
        return store
    return DiskStore(cache_folder() / "answers", max_bytes)
