"""The bare echo of the same stack: one route with a constant answer, one event that answers itself.

What a server of Flask, Flask-SocketIO and this way of serving costs before it does anything.
"""

import sys
from typing import Any

from flask import Flask, Response, jsonify
from flask_socketio import SocketIO

from hoppers.web.servers.event_loop import EventLoop
from hoppers.web.servers.http_server import HttpServer, listen

ANSWER = {"verdict": "live", "moves_left": 7, "move": [0, 6], "step": {"from": 0, "to": 6}}


def build() -> Flask:
    """The smallest application that the load programme can ask the same of."""
    app = Flask("echo")
    socketio = SocketIO(app, async_mode="gevent", async_handlers=False, manage_session=False)

    @app.get("/echo")
    def echo() -> Response:
        return jsonify(ANSWER)

    @socketio.on("echo")
    def again(payload: Any = None) -> Any:
        return payload

    return app


def main() -> None:
    """Serve it on a free port with the same HTTP server."""
    listening = listen("127.0.0.1", 0)
    print(f"echo is at http://127.0.0.1:{listening.getsockname()[1]}", flush=True)
    HttpServer(listening, build(), EventLoop()).serve_until_stopped()


if __name__ == "__main__":
    sys.exit(main())
