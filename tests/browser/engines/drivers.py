"""Firefox and WebKit by the commands of WebDriver: Firefox over its Marionette socket, WebKit over HTTP."""

import json
import os
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

WINDOW = Path(__file__).with_name("webkit_window.py")
SYSTEM_PYTHON = "/usr/bin/python3"
START_SECONDS = 40


class Driver(NamedTuple):
    """A running browser."""

    go: Callable[[str], Any]
    run: Callable[[str], Any]  # the body of a function in the page; returns its value
    resize: Callable[[int, int], Any]  # the size of the page
    back: Callable[[], Any]  # to the page before
    close: Callable[[], Any] = lambda: None  # the connection to the browser


def missing_part(engine: str) -> str | None:
    """Return what this machine lacks for an engine."""
    commands = ["firefox-esr"] if engine == "firefox" else ["WebKitWebDriver", "xvfb-run"]
    absent = [command for command in commands if shutil.which(command) is None]
    if engine == "webkit" and not absent:
        binding = "import gi; gi.require_version('WebKit2', '4.1')"
        found = subprocess.run([SYSTEM_PYTHON, "-c", binding], capture_output=True).returncode == 0
        absent = [] if found else ["gir1.2-webkit2-4.1"]
    return ", ".join(absent) or None


@contextmanager
def started(engine: str, folder: Path) -> Iterator[Driver]:
    """Provide a browser whose profile is in `folder`."""
    port = free_port()
    start, connect = {"firefox": (firefox_command, firefox), "webkit": (webkit_command, webkit)}[engine]
    home = {"HOME": str(folder), "XDG_DATA_HOME": str(folder), "XDG_CACHE_HOME": str(folder)}
    quiet = {"LIBGL_ALWAYS_SOFTWARE": "1", "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1"}
    with (folder / "log").open("w") as log:
        child = subprocess.Popen(
            start(port, folder),
            env={**os.environ, **home, **quiet},
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        try:
            driver = connect(port)
            yield driver
            driver.close()
        finally:
            os.killpg(child.pid, 15)
            child.wait(10)


def free_port() -> int:
    """Return a port on which nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


def firefox_command(port: int, folder: Path) -> list[str]:
    """Return the command that starts Firefox with Marionette on a port."""
    settings = {"marionette.port": port, "services.settings.server": "data:,", "app.update.enabled": False}
    lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in settings.items()]
    (folder / "user.js").write_text("\n".join(lines))
    options = ["--marionette", "--remote-allow-system-access", "--headless", "--no-remote"]
    return ["firefox-esr", *options, "--profile", str(folder)]


def firefox(port: int) -> Driver:
    """Connect to Firefox, whose messages are JSON after their length."""
    connection = when_it_answers(lambda: socket.create_connection(("127.0.0.1", port), 60))
    stream = connection.makefile("rwb")

    def close() -> None:
        stream.close()
        connection.close()

    def receive() -> Any:
        size = b""
        while (digit := stream.read(1)) != b":":
            size += digit
        return json.loads(stream.read(int(size)))

    def command(name: str, **values: Any) -> Any:
        message = json.dumps([0, 1, name, values]).encode()
        stream.write(b"%d:%b" % (len(message), message))
        stream.flush()
        _, _, fault, answer = receive()
        assert fault is None, fault
        return answer

    def run(script: str) -> Any:
        return command("WebDriver:ExecuteScript", script=script, args=[])["value"]

    def resize(
        width: int, height: int
    ) -> None:  # a window has at least 500 pixels; the page in it may be narrower
        command("WebDriver:SetWindowRect", width=max(520, width), height=height + 160)
        command("Marionette:SetContext", value="chrome")
        run(
            "const { style } = gBrowser.selectedBrowser; style.flex = 'none'; style.alignSelf = 'start';"
            f"style.width = style.minWidth = style.maxWidth = '{width}px';"
            f"style.height = style.minHeight = style.maxHeight = '{height}px'"
        )
        command("Marionette:SetContext", value="content")

    receive()
    command("WebDriver:NewSession")

    def back() -> None:
        command("WebDriver:Back")

    return Driver(lambda url: command("WebDriver:Navigate", url=url), run, resize, back, close)


def webkit_command(port: int, folder: Path) -> list[str]:
    """Return the command that starts the driver of WebKit on a port, with a display."""
    return ["xvfb-run", "-a", "WebKitWebDriver", f"--port={port}"]


def webkit(port: int) -> Driver:
    """Connect to the driver of WebKit, and open a window."""
    base = f"http://127.0.0.1:{port}/session"

    def post(path: str, **values: Any) -> Any:
        request = urllib.request.Request(base + path, json.dumps(values).encode())
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["value"]

    window = {"binary": SYSTEM_PYTHON, "args": [str(WINDOW)]}
    wanted = {"alwaysMatch": {"webkitgtk:browserOptions": window}}
    session = when_it_answers(lambda: post("", capabilities=wanted))
    base += f"/{session['sessionId']}"

    def run(script: str) -> Any:
        return post("/execute/sync", script=script, args=[])

    def resize(width: int, height: int) -> None:
        post("/window/rect", width=width, height=height, x=0, y=0)

    return Driver(lambda url: post("/url", url=url), run, resize, lambda: post("/back"))


def when_it_answers(connect: Callable[[], Any]) -> Any:
    """Return what `connect` returns as soon as the browser listens."""
    until = time.monotonic() + START_SECONDS
    while True:
        try:
            return connect()
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)
