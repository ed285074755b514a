"""Minimal server on the same libraries: one route with a constant response, one event that is echoed.

It shows the cost of Flask, Flask-SocketIO and the HTTP server alone, as the rival in load tests.
"""

from types import SimpleNamespace
from typing import Any

from flask import Flask, Response, jsonify
from flask_socketio import SocketIO

from hoppers.web.servers.event_loop import EventLoop
from hoppers.web.servers.http_server import HttpServer, listen
from hoppers.web.settings import Settings

ANSWER = {"verdict": "live", "moves_left": 7, "move": [0, 6], "step": {"from": 0, "to": 6}}


def build() -> Flask:
    """Return the smallest application that the load test can use."""
    app = Flask("echo")
    socketio = SocketIO(app, async_mode="gevent", async_handlers=False, manage_session=False)
    settings = Settings(proxies=1)  # no limit of connections for an address
    app.extensions.update(settings=settings, loop=EventLoop(), connections=SimpleNamespace(close=bool))

    @app.get("/echo")
    def echo() -> Response:
        return jsonify(ANSWER)

    @socketio.on("echo")
    def acknowledge(payload: Any = None) -> Any:
        return payload

    return app


def main() -> None:
    """Serve the application on a free port with the project's HTTP server."""
    listening = listen("127.0.0.1", 0)
    print(f"echo is at http://127.0.0.1:{listening.getsockname()[1]}", flush=True)
    HttpServer(build(), listening).serve_until_stopped()


if __name__ == "__main__":
    main()
