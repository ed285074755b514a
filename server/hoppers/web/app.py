"""The application factory: `build` assembles the search service and the layers that handle requests.

Views are in `pages` and `api`, Socket.IO handlers in `channel`. Two
applications in one process share no state of the web server except metrics, caches and the picture renderer.
"""

from __future__ import annotations

import atexit
import datetime
import importlib
import threading
from collections.abc import Callable, Hashable, Iterable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from flask import Flask
from flask.json.provider import DefaultJSONProvider
from werkzeug import Request
from werkzeug.middleware.proxy_fix import ProxyFix

from hoppers.analysis.card_data import present_dates
from hoppers.analysis.requests import parse_search
from hoppers.core.errors import quoted
from hoppers.core.model import ByteStore
from hoppers.jobs.compiling_process import compiling_processes
from hoppers.jobs.kernel_warmup import Compiler, Warmup
from hoppers.jobs.memory_sessions import MemorySessions
from hoppers.jobs.runner import Runner
from hoppers.jobs.search_job import SearchLimits
from hoppers.jobs.service import EmitTo, SearchService
from hoppers.puzzles import PUZZLES
from hoppers.runtime import PACKED, repository_root, resource_folder
from hoppers.runtime.cache_folder import STORED_ANSWERS, cache_folder
from hoppers.runtime.clients import ClientAddress
from hoppers.runtime.disk_cache import DiskStore
from hoppers.tablebase.best_method import learn
from hoppers.tablebase.engine import Engine
from hoppers.web import bundle, current, manifest, position_redirects
from hoppers.web.api import cards as api_cards
from hoppers.web.api import embed, images, index, play_line, positions, reference, results
from hoppers.web.api import trace as api_trace
from hoppers.web.channel.connections import ConnectionLimits, emitter, socketio_server
from hoppers.web.channel.handlers import Channel
from hoppers.web.channel.json_lines import PATH, SearchLines
from hoppers.web.drawing.png import DRAWING, Drawing, Pictures
from hoppers.web.http import addresses, admission, assets, errors, health, i18n, limits, responses
from hoppers.web.http.limits import RateLimit
from hoppers.web.http.responses import Answer, Headers
from hoppers.web.pages import (
    atlas,
    cards,
    draw,
    explorer,
    goals,
    home,
    lessons,
    open_data,
    play,
    race,
    review,
    sheets,
    solution_bounds,
    stream,
    trace,
)
from hoppers.web.servers.clients import client_in, with_clients
from hoppers.web.servers.event_loop import MESSAGES, PICTURES, REQUESTS, TRACES, EventLoop, QueueLimits
from hoppers.web.servers.turns import Full
from hoppers.web.settings import SettingError, Settings, without_password


def build(settings: Settings, library: ModuleType) -> Flask:
    """Return an application (see `hoppers.create_app`). The code adds layers from the innermost outwards.

    `library`: what `/docs` describes.

    Raises:
        BundleError: scripts and styles cannot be prepared.
        SettingError: `queue_url` or `hosts` cannot be used.
    """
    app = flask_app(settings)
    app.extensions["library"] = library
    loop = app.extensions["loop"] = EventLoop()
    rate_limit = RateLimit(settings.api_rate)
    flask_wsgi = app.wsgi_app
    socketio = socketio_server(app)  # replaces `app.wsgi_app`
    connections = app.extensions["connections"] = ConnectionLimits(app, rate_limit.allow)
    add_hooks_and_routes(app, rate_limit)
    lines = SearchLines(app, rate_limit.allow)
    start_engine(app, settings, lines.emitter(emitter(socketio, loop)))
    Channel(socketio, app).register()
    wsgi = health.answering_at_once(channel_or_threads(app, flask_wsgi, connections, lines))
    if not settings.modules:  # whose files change while the server runs
        files = assets.files(Path(str(app.static_folder)))
        wsgi = responses.with_static_files(wsgi, f"{app.static_url_path}/", files)
    wsgi = responses.with_open_data(responses.with_security_headers(wsgi))
    wsgi = responses.cached(wsgi, settings.response_cache_bytes, rate_limit.allow, partial(page_state, app))
    wsgi = responses.refusing_when_full(wsgi)
    wsgi = with_clients(admission.admission(wsgi, hosts_of(settings)))
    if proxies := settings.proxies:  # take address, scheme and host from the headers of trusted proxies
        wsgi = ProxyFix(wsgi, proxies, proxies, proxies)
    vars(app)["wsgi_app"] = wsgi
    return app


def page_state(app: Flask, environ: WSGIEnvironment) -> tuple[Hashable, ...]:
    """Return what a page without a query depends on: site, language, days, records, and what is loaded."""
    request, now = Request(environ), datetime.datetime.now(datetime.UTC)
    language = i18n.language_of_headers(request, app.config["LANGUAGES"])
    known = app.extensions["engine"].bounds.changes, app.extensions["warmup"].changes
    return request.root_url, language, now.date(), *present_dates(now), *known


def hosts_of(settings: Settings) -> Callable[[str, str], bool]:
    """Return `admission.allowed_hosts`; raise a SettingError if a name is not valid."""
    try:
        return admission.allowed_hosts(settings.hosts)
    except ValueError as error:
        raise SettingError(f"HOPPERS_{error}.") from error


def channel_or_threads(
    app: Flask, wsgi: WSGIApplication, connections: ConnectionLimits, lines: SearchLines
) -> WSGIApplication:
    """Return an application that passes each request on: to `connections`, to `lines`, or to `wsgi`.

    `connections` gets Socket.IO requests, `lines` searches that are read as lines. `wsgi` is called in a real
    thread, in the turn of the client, and its whole body is returned at once. Meanwhile the event loop serves
    other connections. The check of life needs no thread; pictures and traces have one each of their own.
    """
    loop: EventLoop = app.extensions["loop"]
    pictures = Pictures(loop)

    def failure(error: Exception, environ: WSGIEnvironment) -> Answer:
        with app.request_context(environ):
            return responses.whole_answer(errors.error_response(error), environ)

    def picture(
        client: ClientAddress, drawing: Drawing, environ: WSGIEnvironment, headers: Headers
    ) -> Answer:
        try:
            data = pictures.render(client, drawing)
        except Exception as error:  # Busy, or of any kind if the renderer fails
            return failure(error, environ)
        kept = [(name, value) for name, value in headers if name.lower() != "content-length"]
        body = b"" if environ["REQUEST_METHOD"] == "HEAD" else data
        return "200 OK", [*kept, ("Content-Length", str(len(data)))], body

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        path = environ.get("PATH_INFO", "")
        if path.startswith("/socket.io/"):
            return connections(environ, start_response)
        place = PATH.fullmatch(path) if environ["REQUEST_METHOD"] == "GET" and loop.is_current else None
        if place is not None:
            try:
                return lines.answer(place, environ, start_response)
            except Exception as error:  # Busy, a PuzzleError, or of any kind
                status, headers, body = failure(error, environ)
                start_response(status, headers)
                return [body]
        client = client_in(environ)
        queue = _queue_of(path)
        if path.endswith(".png") and loop.is_full(client, PICTURES):  # before its SVG is drawn
            status, headers, body = failure(Full(), environ)
        else:
            status, headers, body = loop.run(client, responses.whole_answer, wsgi, environ, queue=queue)
        if (drawing := environ.get(DRAWING)) is not None and status.startswith("200 "):
            status, headers, body = picture(client, drawing, environ, headers)
        start_response(status, headers)
        return [body]

    return answer


def _queue_of(path: str) -> QueueLimits:
    """Return the queue in which the request for a path waits for its turn."""
    if path in health.PATHS:
        return MESSAGES
    return TRACES if path.endswith("/trace") else REQUESTS


def add_hooks_and_routes(app: Flask, rate_limit: RateLimit) -> None:
    """Register the error handler, all views, and hooks.

    Hooks before a view run in the order of registration, hooks after it in reverse order.
    """
    health.measure_requests(app)
    app.before_request(limits.refuse_long_bodies)
    app.before_request(rate_limit.check)
    addresses.init_app(app)
    i18n.init_app(app)
    app.register_error_handler(Exception, errors.error_response)
    app.after_request(responses.tag)  # called behind `compress`, because each coding has its own tag
    app.after_request(responses.compress)
    pages = (
        home,
        manifest,
        play,
        cards,
        goals,
        race,
        explorer,
        review,
        trace,
        solution_bounds,
        lessons,
        sheets,
        stream,
        open_data,
        draw,
        atlas,
    )
    api = index, reference, positions, play_line, results, api_trace, api_cards, images, embed
    for module in (*pages, *api, assets, health):
        app.register_blueprint(module.blueprint)
    current.init_app(app)
    position_redirects.init_app(app)


def flask_app(settings: Settings) -> Flask:
    """Return a configured Flask application whose only route serves static files.

    Views find the settings by `current.settings`. Errors are those of `prepare_static_folder`.
    """
    static = prepare_static_folder(settings.modules)
    app = Flask(
        "hoppers",
        static_folder=str(static),
        static_url_path=f"/static/{assets.version(static)}",
        template_folder=str(resource_folder() / "templates"),
    )
    # Flask would check a dozen times per request whether a view is a coroutine; none is.
    vars(app)["ensure_sync"] = lambda view: view
    app.extensions["settings"] = settings
    app.config["MAX_CONTENT_LENGTH"] = settings.max_content_length  # Flask's own name
    json = DefaultJSONProvider(app)
    json.sort_keys = json.ensure_ascii = False  # keep the order of fields and non-ASCII text
    app.json = json
    return app


def prepare_static_folder(modules: bool) -> Path:
    """Return the folder of scripts and styles to serve: the bundle, or its sources for `modules`.

    In a clone, the bundle is first rebuilt if a source has changed. Raise a BundleError if a source has a
    fault, an npm package is missing, or there are no sources for `modules`.
    """
    root = repository_root()
    if root is not None:
        return bundle.modules(root) if modules else bundle.update(root)
    if modules:
        raise bundle.BundleError("This installation has only the bundle: --modules needs a clone.")
    return PACKED / "static"


def fleet(url: str) -> Any:
    """Import and return `hoppers.fleet`, whose libraries are optional, for a Redis at `url`.

    Raise a SettingError if its libraries are not installed, or `url` is not an address of a Redis.
    """
    try:
        package = importlib.import_module("hoppers.fleet")
        package.check_address(url)
    except ImportError as error:
        package_name = str(error.name).partition(".")[0]
        sentence = f"HOPPERS_QUEUE_URL needs the package {package_name}: pip install 'hoppers[fleet]'."
        raise SettingError(sentence) from error
    except ValueError as error:
        given = quoted(f"HOPPERS_QUEUE_URL={without_password(url)}")
        raise SettingError(f"{given} is not the address of a Redis: {error}.") from error
    return package


def start_engine(app: Flask, settings: Settings, emit: EmitTo) -> None:
    """Create engine, warm-up and search service, and put them into `app.extensions`.

    `app.extensions` must already have the `connections`. Start the warm-up if `warm_up` is set. The
    extension `ending` ends searches, builds and the warm-up; it is closed when this process exits.
    """
    is_busy = app.extensions["connections"].is_busy
    engine = app.extensions["engine"] = Engine(
        PUZZLES,
        is_busy,
        answer_store(settings),
        positions=settings.positions_folder(),
        threads=settings.search_threads,
    )
    compiler = Compiler(engine.puzzles.values(), compiling_processes(settings.log))
    warmup = app.extensions["warmup"] = Warmup(engine, compiler, searches=not settings.queue_url)
    searches = app.extensions["searches"] = start_searches(settings, emit, engine, warmup)
    if settings.warm_up:  # after `start_searches`, which has to listen first to the compiler
        warmup.start()
    ending = app.extensions["ending"] = ExitStack()
    for end in (compiler.close, engine.scheduler.close, searches.close, engine.builder.cancel_all):
        ending.callback(end)
    atexit.register(ending.close)


def search_limits(settings: Settings) -> SearchLimits:
    """Return the limits of each search of this server, or of a fleet's worker."""
    return SearchLimits(settings.search_seconds, settings.search_nodes)


def start_searches(settings: Settings, emit: EmitTo, engine: Engine, warmup: Warmup) -> SearchService:
    """Return the service that runs searches: on the workers of a fleet if `queue_url` is set, else here."""
    read = partial(parse_search, engine)
    if url := settings.queue_url:
        package, closed = fleet(url), threading.Event()
        breaker = package.Breaker()
        sessions = package.RedisSessions(url, settings.rejoin_seconds, breaker)
        submit = package.submitter(url, breaker)
        options: dict[str, Any] = {"read": read, "learn": learn, "on_close": [closed.set]}
        service = SearchService(sessions, submit, emit, settings.searches, **options)
        package.follow_events(sessions, service, closed)
        return service
    memory = MemorySessions(settings.rejoin_seconds)
    is_compiled = warmup.compiler.is_compiled if settings.warm_up else lambda puzzle_id: True
    runner = Runner(memory, engine, search_limits(settings), is_compiled=is_compiled)
    warmup.compiler.listeners.append(runner.start_waiting)
    options = {"read": read, "on_close": [runner.close]}
    service = SearchService(memory, runner.submit, emit, settings.searches, **options)
    memory.on_event, memory.on_change = service.receive, runner.follow
    return service


def answer_store(settings: Settings) -> ByteStore | None:
    """Return the store of proved answers, or None if its limit is 0 bytes.

    If `queue_url` is set, the store is in the fleet's Redis, otherwise on disk.
    """
    max_bytes = settings.answers_bytes
    if not max_bytes:
        return None
    if url := settings.queue_url:
        store: ByteStore = fleet(url).RedisStore(url)
        return store
    return DiskStore(cache_folder() / STORED_ANSWERS, max_bytes)
