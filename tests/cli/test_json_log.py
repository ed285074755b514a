"""`serve --log json`: each line is JSON, whatever happens, in the server and in its processes."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import requests

from tests import ROOT
from tests.support.linear_program import LINEAR_PROGRAM
from tests.support.processes import free_port, wait_for
from tests.support.socket_client import TIMEOUT_SECONDS

STRAY_SERVER = """
import threading, warnings
from hoppers.web.servers import http_server

def fail():
    raise RuntimeError("in a thread")

def serve(app, listening, go_on=http_server.serve_until_signal):
    warnings.warn("of a library")
    threading.Thread(target=fail).start()
    app.add_url_rule("/fault", view_func=fail)
    go_on(app, listening)

http_server.serve_until_signal = serve
from hoppers.__main__ import main
main("hoppers")
"""
"""Program of a server that warns, in which a thread fails, and which has a page that fails."""

COMPILING = """
import warnings
from hoppers.jobs import compiling_process

def load(engine, part):
    print("a print", flush=True)
    warnings.warn("of a library")
    raise ValueError("of a kernel")
    yield

compiling_process.load_part = load
compiling_process.main()
"""
"""Program of a compiling process whose part warns, prints and fails."""


def read(lines: str) -> list[dict[str, Any]]:
    """Return the objects on the lines; each must be JSON with the fields that every line has."""
    read = [json.loads(line) for line in lines.splitlines()]
    assert all({"time", "service", "version", "level", "logger", "message"} <= set(line) for line in read)
    return read


def test_each_line_of_a_server_is_json(tmp_path: Path) -> None:
    port, written = free_port(), tmp_path / "log"
    words = [sys.executable, "-c", STRAY_SERVER, "serve", "--log", "json", "--port", str(port)]
    environment = {**os.environ, "HOPPERS_WARM_UP": "false"}
    with written.open("w") as log:
        process = subprocess.Popen(words, cwd=ROOT, env=environment, stdout=log, stderr=log)
        try:
            wait_for(lambda: "Listening at" in written.read_text())
            address = f"http://127.0.0.1:{port}/fault"
            assert requests.get(address, timeout=TIMEOUT_SECONDS).status_code == 500
            process.send_signal(signal.SIGTERM)
            process.wait(TIMEOUT_SECONDS)
        finally:
            process.kill()
            process.wait()
    lines = read(written.read_text())
    said = " ".join(line["message"] for line in lines)
    for message in ("Listening at", "of a library", "an exception ends a thread", "a request failed"):
        assert message in said
    faults = [line["traceback"] for line in lines if "traceback" in line]
    assert len(faults) == 2 and all("RuntimeError: in a thread" in fault for fault in faults)


def test_a_compiling_process_logs_json_and_answers_one_line() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", COMPILING, "json"],
        cwd=ROOT,
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        process.stdin.write("hoppers\tanswers\n")
        process.stdin.flush()
        assert process.stdout.readline() == "ValueError: of a kernel\n"
        process.stdin.close()
        said = process.stderr.read().splitlines()
        assert process.stdout.read() == "" and process.wait(TIMEOUT_SECONDS) == 0
    logged = read("\n".join(line for line in said if line != "a print"))
    assert "of a library" in "".join(line["message"] for line in logged) and len(logged) < len(said)


def test_linear_programs_print_nothing() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LINEAR_PROGRAM],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
