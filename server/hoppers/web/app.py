"""The application factory: the layers in front of a request, in order, and the parts of an application.

Two applications share no state of the web server.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import logging
import threading
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from flask import Flask
from flask.json.provider import DefaultJSONProvider
from werkzeug.middleware.proxy_fix import ProxyFix

from hoppers.core.kernels import cache_folder
from hoppers.jobs import worker_process
from hoppers.jobs.kernel_warmup import Forge, Warmup, load_searches
from hoppers.jobs.remote_search import keep_answers
from hoppers.jobs.scheduler import Jobs
from hoppers.jobs.search_job import Limits
from hoppers.jobs.service import Here, Searches, Tell
from hoppers.puzzles import PUZZLES
from hoppers.runtime.disk_cache import DiskStore
from hoppers.runtime.paths import web_folder
from hoppers.tablebase import elsewhere, proved_answers
from hoppers.tablebase.builder import WORKSHOP
from hoppers.web.api import images, positions
from hoppers.web.api.fast_hints import FastHints
from hoppers.web.channel import socketio_server
from hoppers.web.channel.connections import ConnectionLimits
from hoppers.web.channel.handlers import Channel
from hoppers.web.http import assets, errors, health, i18n, security
from hoppers.web.http import warmup as warming
from hoppers.web.http.rate_limit import RateLimit, count_alone
from hoppers.web.http.response_cache import ResponseCache, cached
from hoppers.web.pages import explorer, goal_chooser, lessons, play, print, pwa, race, trace
from hoppers.web.servers.event_loop import EventLoop
from hoppers.web.settings import settings

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

log = logging.getLogger(__name__)

BUILDERS = 2
"""Lines to the process beside this one that are left for what is no search."""
BLUEPRINTS = (
    play.pages,
    goal_chooser.choosing,
    race.racing,
    explorer.exploring,
    trace.watching,
    lessons.lessons,
    positions.api,
    assets.assets,
    images.images,
    pwa.install,
    print.printing,
    health.watch,
)


class Parts(NamedTuple):
    """What the layers are made of."""

    app: Flask
    loop: EventLoop
    rate_limit: RateLimit
    connections: ConnectionLimits

    def allow(self, address: str) -> bool:
        """Count a request in the event loop; return whether it exceeds no rate."""
        if self.rate_limit.is_shared:  # Redis would hold up the loop
            return self.loop.run(self.rate_limit.allow, address)
        return self.rate_limit.allow(address)


class Layer(NamedTuple):
    """A step on the way of a request: a WSGI application around the next one, or hooks of Flask."""

    name: str
    purpose: str
    wrap: Callable[[Parts, WSGIApplication], WSGIApplication] | None = None
    hook: Callable[[Parts], object] | None = None


def trust_proxies(parts: Parts, wsgi: WSGIApplication) -> WSGIApplication:
    """Return `wsgi` behind as many trusted proxies as the settings say."""
    proxies = parts.app.config["PROXIES"]
    return ProxyFix(wsgi, proxies, proxies, proxies) if proxies else wsgi


def cache_responses(parts: Parts, wsgi: WSGIApplication) -> WSGIApplication:
    """Return `wsgi` behind a response cache."""
    return cached(wsgi, ResponseCache(parts.app.config["RESPONSE_CACHE_BYTES"]), parts.allow)


def route_socketio(parts: Parts, wsgi: WSGIApplication) -> WSGIApplication:
    """Return an application that passes Socket.IO to the connection limits and the rest to `wsgi`."""

    def route(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        is_channel = environ.get("PATH_INFO", "").startswith(f"{socketio_server.PATH}/")
        return (parts.connections if is_channel else wsgi)(environ, start_response)

    return route


def run_in_threads(parts: Parts, wsgi: WSGIApplication) -> WSGIApplication:
    """Return an application that answers in a real thread, whole, while the event loop serves others."""

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        started: list[Any] = []

        def whole() -> bytes:
            body = wsgi(environ, lambda *start: started.__setitem__(slice(None), start) or bytes)
            try:
                return b"".join(body)
            finally:
                getattr(body, "close", bool)()

        body = parts.loop.run(whole)
        start_response(*started)
        return [body]

    return answer


LAYERS = (
    Layer("proxies", "take address, scheme and host from the headers of trusted proxies", wrap=trust_proxies),
    Layer("response cache", "repeat answers about positions", wrap=cache_responses),
    Layer("security headers", "on all that follows", wrap=lambda parts, wsgi: security.sealed(wsgi)),
    Layer(
        "fast hints",
        "answer hints without Flask, in the event loop where a complete table knows them, else in a thread",
        wrap=lambda parts, wsgi: FastHints(parts.app, wsgi, parts.loop, parts.allow),
    ),
    Layer("Socket.IO", "/socket.io goes to connection limits, in the event loop", wrap=route_socketio),
    Layer("threads", "everything that follows runs in a real thread", wrap=run_in_threads),
    Layer("metrics", "measure the time of a request", hook=lambda parts: health.measure(parts.app)),
    Layer("size limits", "refuse long URLs and bodies", hook=lambda parts: security.protect(parts.app)),
    Layer("rate limit", "refuse too many requests", hook=lambda parts: parts.rate_limit.guard(parts.app)),
    Layer("language", "choose it, and remember a choice", hook=lambda parts: i18n.speak(parts.app)),
    Layer("errors", "answer them as JSON, page or picture", hook=lambda parts: errors.explain(parts.app)),
    Layer(
        "routes", "pages, API and files, with the hooks of files", hook=lambda parts: add_routes(parts.app)
    ),
    Layer("warm-up", "interpret rules that are not compiled yet", hook=lambda parts: warming.heed(parts.app)),
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
    start_engines(app, socketio_server.Emitter(socketio, loop))
    Channel(socketio, app.extensions["searches"], loop, app.config).register()
    wsgi: WSGIApplication = flask_alone
    for layer in reversed(LAYERS):
        if layer.wrap is not None:
            wsgi = layer.wrap(parts, wsgi)
    vars(app)["wsgi_app"] = wsgi
    return app


def flask_app(config: Mapping[str, Any]) -> Flask:
    """Return Flask with its configuration, without routes."""
    web = web_folder()
    static = web / "static"
    app = Flask(
        "hoppers",
        static_folder=str(static),
        static_url_path=assets.address(static),
        template_folder=str(web / "templates"),
    )
    vars(app)["ensure_sync"] = (
        _unchanged  # no view is a coroutine: Flask would check a dozen times per request
    )
    configure(app, config)
    return app


def _unchanged(view: Callable[..., Any]) -> Callable[..., Any]:
    return view


def add_routes(app: Flask) -> None:
    """Register all blueprints."""
    for blueprint in BLUEPRINTS:
        app.register_blueprint(blueprint)


def rate_limit_of(config: Mapping[str, Any]) -> RateLimit:
    """Return the rate limit of this server, or of all servers of its fleet."""
    url = config["QUEUE_URL"]
    return RateLimit(config["API_RATE"], fleet().shared_rate_limit(url).count if url else count_alone)


def fleet() -> Any:
    """Return `hoppers.fleet.backend`. It is imported by name, because its libraries are optional."""
    return importlib.import_module("hoppers.fleet.backend")


def configure(app: Flask, config: Mapping[str, Any]) -> None:
    """Fill in the configuration."""
    app.config.from_mapping(settings(config))
    json = DefaultJSONProvider(app)
    json.sort_keys = json.ensure_ascii = False
    app.json = json


def start_engines(app: Flask, emit: Tell) -> None:
    """Start warm-up and searches, found later under `app.extensions`. `emit`: send an event to a client."""
    warmup = Warmup(list(PUZZLES.values()), Forge(), searches=not searches_elsewhere(app.config))
    if app.config["WARM_UP"]:
        warmup.start()
        atexit.register(warmup.end)
    app.extensions["warmup"] = warmup
    is_crowded = WORKSHOP.is_crowded = app.extensions["connections"].is_crowded
    WORKSHOP.is_calm = warmup.is_settled
    if app.config["ANSWERS_BYTES"]:
        proved_answers.keep_in(answer_store(app.config))
    searches = start_searches(app.config, emit, warmup, is_crowded)
    atexit.register(searches.close)
    app.extensions["searches"] = searches


def start_searches(
    config: Mapping[str, Any], emit: Tell, warmup: Warmup, is_crowded: Callable[[], bool]
) -> Searches:
    """Return the search service: of this machine, or of a fleet of workers."""
    limits, patience = Limits(config["SEARCH_SECONDS"], config["SEARCH_NODES"]), config["REJOIN_SECONDS"]
    if config["QUEUE_URL"]:
        is_warm = partial(warmup.is_ready, "") if config["WARM_UP"] else lambda: True
        searches: Searches = fleet().start_searches(config, emit, limits, is_warm)
        return searches
    jobs = Jobs(config["SEARCH_THREADS"], config["SEARCHES"], patience)
    elsewhere.use(process := process_beside(config, warmup))
    if process is not None:
        process.is_crowded = is_crowded
    return Here(jobs, emit, limits, process)


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
        for puzzle in PUZZLES.values():
            if puzzle.featured and warmup.wait(puzzle.id, threading.TIMEOUT_MAX):
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
    """Return where proved answers are kept: on disk, or in the Redis of the fleet."""
    max_bytes = config["ANSWERS_BYTES"]
    if url := config["QUEUE_URL"]:
        store: proved_answers.Store = fleet().answer_store(url, max_bytes)
        return store
    return DiskStore(cache_folder() / "answers", max_bytes)
