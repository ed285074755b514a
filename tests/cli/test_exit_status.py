"""A command that fails, or whose output nobody reads, never ends as if it had an answer."""

import os
import subprocess
import sys

import pytest

from hoppers.analysis.requests import parse_search
from hoppers.cli.exit_status import FAILED, INTERRUPTED, OUTPUT_CLOSED
from hoppers.cli.solve import _print_search
from hoppers.core.events import Event, Failed
from tests import ROOT
from tests.fleet.fixtures import LONG
from tests.support.command_line import SERVER, run
from tests.support.engine import ENGINE
from tests.support.socket_client import TIMEOUT_SECONDS

LONG_OUTPUTS = [["solve", *LONG, "--method", "deepening"], ["published", "--quick"]]
OUTPUTS = [
    ["solve", "hoppers"],
    ["puzzles"],
    ["settings"],
    ["--help"],
    ["--version"],
    ["solve", "--help"],
]


@pytest.mark.parametrize("words", LONG_OUTPUTS, ids=lambda words: words[0])
def test_output_whose_reader_leaves_has_a_status_of_its_own(words: list[str]) -> None:
    command = [*SERVER, *words]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.readline()
        process.stdout.close()
        complaints = process.stderr.read()
    assert process.returncode == OUTPUT_CLOSED
    assert complaints.startswith("compiling") or not complaints


def written_to(output: int, words: list[str]) -> tuple[int, str]:
    """Run a command that writes to an open file; return its status and its standard error."""
    command, pipe = [*SERVER, *words], subprocess.PIPE
    try:
        done = subprocess.run(
            command, cwd=ROOT, stdout=output, stderr=pipe, text=True, timeout=TIMEOUT_SECONDS
        )
    finally:
        os.close(output)
    return done.returncode, done.stderr


@pytest.mark.parametrize("words", OUTPUTS, ids=" ".join)
def test_output_that_nobody_reads_has_a_status_of_its_own(words: list[str]) -> None:
    reading, output = os.pipe()
    os.close(reading)
    assert written_to(output, words) == (OUTPUT_CLOSED, "")


@pytest.mark.parametrize("words", [OUTPUTS[0], ["--help"]], ids=" ".join)
def test_output_without_space_is_told_in_a_line(words: list[str]) -> None:
    assert written_to(os.open("/dev/full", os.O_WRONLY), words) == (
        FAILED,
        "Error: [Errno 28] No space left on device\n",
    )


WITHOUT_NUMBA = "import sys; sys.modules['numba'] = None; from hoppers.__main__ import main; main()"


@pytest.mark.parametrize(
    ("words", "need"),
    [
        (
            ["solve", "hoppers", "--method", "corners"],
            "a search or a large board needs numba, which is not installed: pip install 'hoppers[search]'",
        ),
        (
            ["run", "--port", "0"],
            "a server needs numba, which is not installed: pip install 'hoppers[server]'",
        ),
    ],
)
def test_missing_numba_is_told_in_a_line(words: list[str], need: str) -> None:
    command, environment = (
        [sys.executable, "-c", WITHOUT_NUMBA, *words],
        {**os.environ, "PYTHONPATH": str(ROOT / "server")},
    )
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
    assert done.returncode == FAILED and "Traceback" not in done.stderr and "http" not in done.stdout
    assert done.stderr.splitlines()[-1].startswith(f"Error: {need}")


@pytest.mark.parametrize("error", [RuntimeError("of ours"), MemoryError(), EOFError("of a file")])
def test_unforeseen_fault_is_no_answer(
    error: Exception, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr("hoppers.cli.solve.parse_search", fail)
    done = run("solve", "hoppers")
    assert done.exit_code == 4
    assert type(error).__name__ in caplog.text


def test_failed_search_is_no_answer(capsys: pytest.CaptureFixture[str]) -> None:
    search = parse_search(ENGINE, "hoppers", fresh=True)
    events: list[Event] = [Failed({"code": "internal", "message": "It broke."})]
    assert _print_search(search._replace(method=search.method._replace(search=lambda _: iter(events)))) == 4
    assert capsys.readouterr().out == "It broke.\n"
    with pytest.raises(AssertionError):
        _print_search(search._replace(method=search.method._replace(search=lambda _: iter([]))))


INTERRUPTED_WHILE_LOADING = """
import builtins, sys
from hoppers.__main__ import main

def interrupt(name, *rest, load=builtins.__import__):
    if name == "{module}":
        raise KeyboardInterrupt
    return load(name, *rest)

builtins.__import__, sys.argv = interrupt, ["hoppers", "solve", "hoppers"]
main()
"""
"""Program that Ctrl+C reaches while it imports a module."""


@pytest.mark.parametrize("module", ["click", "numpy", "hoppers.puzzles"])
def test_interrupt_while_loading_is_silent(module: str) -> None:
    program = INTERRUPTED_WHILE_LOADING.format(module=module)
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (INTERRUPTED, "", "")
