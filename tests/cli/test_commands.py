"""The commands of the command line, their output and exit codes."""

import json
import re
import signal
import socket
import subprocess
import sys
from functools import partial
from importlib import metadata

import pytest
import requests

import hoppers
from hoppers.analysis.requests import parse_search
from hoppers.cli.exit_status import FAILED, OPEN
from hoppers.cli.solve import _print_search
from hoppers.core.events import Event, Exhausted, Found, Stopped
from hoppers.runtime.build import code_digest
from tests import ROOT
from tests.fleet.fixtures import LONG
from tests.support.command_line import SERVER, run, running_server
from tests.support.engine import ENGINE, PUZZLES
from tests.support.socket_client import TIMEOUT_SECONDS

pytestmark = pytest.mark.slow

HOPPERS = ["solve", "hoppers", "oooooo.oooooo"]


def rows(output: str) -> dict[int, int]:
    """Return the nodes of each limit in the output of `solve`."""
    found = re.findall(r"^limit +(\d+) +([\d,]+) nodes", output, re.MULTILINE)
    return {int(limit): int(nodes.replace(",", "")) for limit, nodes in found}


def solutions(output: str) -> list[list[list[int]]]:
    return [json.loads(line) for line in output.splitlines() if line.startswith("[")]


def test_published_search_has_its_nodes_and_solutions() -> None:
    done = run(*HOPPERS, "--method", "deepening", "--first-move", "0,6", "--all")
    assert done.exit_code == 0
    nodes = rows(done.stdout)
    assert [nodes[limit] for limit in range(2, 8)] == [18, 110, 638, 3010, 11520, 29554]
    found = solutions(done.stdout)
    assert len(found) == len({str(moves) for moves in found}) == 18
    assert {tuple(moves[0][:2]) for moves in found} == {(0, 6)}
    assert {len(moves) for moves in found} == {7}
    assert "18 solutions of 7 moves" in done.stdout.splitlines()[-1]


def test_one_solution_is_printed_without_all() -> None:
    done = run(*HOPPERS)
    assert done.exit_code == 0
    assert len(solutions(done.stdout)) == 1
    assert "one solution of 7 moves, the fewest possible (--all counts them all)" in done.stdout


def test_wrong_bound_proves_nothing() -> None:
    wrong = (*HOPPERS, "--method", "corners-misprint")
    for done in (run(*wrong), run(*wrong, "--all")):
        assert done.exit_code == 0 and len(solutions(done.stdout)[0]) == 7
        assert "one solution of 7 moves, not proved to be the fewest" in done.stdout
        assert "fewest possible" not in done.stdout and "no solution" not in done.stdout


def test_wrong_bound_does_not_prove_a_position_dead() -> None:
    right, wrong = (
        run("solve", "hoppers", "oo.o.oo.o...o", "--method", name) for name in ("corners", "corners-misprint")
    )
    assert (right.exit_code, "There is no solution" in right.stdout) == (1, True)
    assert (wrong.exit_code, "no solution" in wrong.stdout.lower()) == (3, False)


def test_goal_can_be_given_and_start_omitted() -> None:
    assert len(solutions(run("solve", "hoppers", "--goal", "any").stdout)[0]) <= 7
    assert solutions(run("solve", "hoppers").stdout) == solutions(run(*HOPPERS).stdout)


def test_first_move_may_continue_with_more_jumps() -> None:
    position = ["solve", "hoppers", ".ooooo.oo.ooo", "--all"]
    every = solutions(run(*position).stdout)
    begun = solutions(run(*position, "--first-move", "2,0").stdout)
    assert begun == [moves for moves in every if moves[0][:2] == [2, 0]]
    assert [2, 0, 6] in [moves[0] for moves in begun]


def test_unproved_solution_is_labelled(capsys: pytest.CaptureFixture[str]) -> None:
    events: list[Event] = [Found(3, 0.1, [[0, 6]]), Exhausted(1, 5, 0, 0.2), Stopped("limit", 1, 5, 0.3)]
    search = parse_search(ENGINE, "hoppers", fresh=True)
    assert (
        _print_search(search._replace(method=search.method._replace(search=lambda _: iter(events)))) == OPEN
    )
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "best so far (not proved): 3 moves [[0,6]]"
    assert lines[-1] == "Out of memory. Proved so far: at least 2 moves. Best so far (not proved): 3 moves."


def test_known_answer_is_one_line_unless_fresh_is_requested() -> None:
    known, fresh = run("solve", "hoppers"), run("solve", "hoppers", "--fresh")
    assert (known.exit_code, fresh.exit_code) == (0, 0)
    assert known.stdout.count("limit ") == 1 and "known: table" in known.stdout
    assert fresh.stdout.count("limit ") == 7 and "known" not in fresh.stdout
    assert len(solutions(known.stdout)[0]) == len(solutions(fresh.stdout)[0]) == 7


@pytest.mark.parametrize(
    ("puzzle", "position", "why", "numbers"),
    [
        ("hoppers", "o...........o", "no moves left.", None),
        (
            "hoppers",
            "oo.oo..o..o.o",
            "no jump raises the sum",
            r"Numbers by hole, on oo\.oo\S+: 0: -1, 2: -1, ",
        ),
        (
            "triangle-15",
            "ooooooo.ooooooo",
            "there are 10 pegs in the marked holes.",
            r"Marked holes of o{7}\.o{7}: 0,",
        ),
        ("eight-puzzle", "213456780", "each number counts the smaller tiles", r"on 213456780: 0: 1$"),
    ],
)
def test_reason_why_there_is_no_solution_is_printed(
    puzzle: str, position: str, why: str, numbers: str | None
) -> None:
    done = run("solve", puzzle, position, *(["--goal", "0"] if puzzle == "triangle-15" else []))
    assert done.exit_code == 1 and f"There is no solution: {why}" in done.stdout
    assert re.search(numbers or r"left\.$", done.stdout, re.MULTILINE)


def test_unsolvable_position_exits_with_1() -> None:
    for method in ("deepening", "best"):
        done = run("solve", "hoppers", "o...........o", "--method", method)
        assert done.exit_code == 1
        assert "There is no solution" in done.stdout
        assert solutions(done.stdout) == []


@pytest.mark.parametrize(
    ("arguments", "quote"),
    [
        (["solve"], "PUZZLE"),
        (["solve", "hopers"], "Did you mean 'hoppers'"),
        (["solve", "hoppers", "oo"], "'oo'"),
        (["solve", "hoppers", "o" * 500], "500 characters"),
        ([*HOPPERS, "--goal", "13"], "'13'"),
        ([*HOPPERS, "--method", "magic"], "'magic'"),
        ([*HOPPERS, "--first-move", "0"], "'0'"),
        ([*HOPPERS, "--first-move", "0,x"], "'0,x'"),
        ([*HOPPERS, "--first-move", "0,7"], "[0, 7]"),
        ([*HOPPERS, "--depth", "3"], "--depth"),
        (["run", "--port", "65536"], "65536"),
        (["play"], "'play'"),
    ],
)
def test_bad_input_is_quoted_and_exits_with_2(arguments: list[str], quote: str) -> None:
    done = run(*arguments)
    assert done.exit_code == 2
    assert quote in done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr


def test_puzzles_are_listed() -> None:
    assert run("puzzles").stdout.split() == list(PUZZLES)


def test_without_a_command_the_commands_are_listed() -> None:
    done = run()
    for command in ("run", "solve", "puzzles"):
        assert command in done.output


def test_solving_never_loads_the_web_framework() -> None:
    program = (
        "import sys; from hoppers.cli.main import main; main(['puzzles'], standalone_mode=False);"
        "sys.exit(any(name in sys.modules for name in ('flask', 'werkzeug', 'socketio')))"
    )
    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True).returncode == 0


def test_lines_are_printed_while_the_search_runs() -> None:
    """The search does not end during the test."""
    command = [*SERVER, "solve", *LONG, "--method", "deepening"]
    # in the background of a shell SIGINT is ignored, and child processes would inherit this
    default_interrupt = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, text=True, preexec_fn=default_interrupt
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline().startswith("limit  1")
            assert process.poll() is None
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=TIMEOUT_SECONDS)
        finally:
            process.kill()
    assert process.returncode == 130


def test_server_starts_immediately_and_ends_silently() -> None:
    """The server is stopped long before the kernels of all puzzles are ready."""
    with running_server("--port", "0") as (process, url):
        early = requests.get(f"{url}/readyz", timeout=TIMEOUT_SECONDS).json()
        assert (
            early["error"]["code"] == "warming_up"
            and f"of {len(PUZZLES)} puzzles" in early["error"]["message"]
        )
        process.send_signal(signal.SIGTERM)
        _, complaints = process.communicate(timeout=TIMEOUT_SECONDS)
    assert process.returncode == 0
    assert complaints == ""


def test_taken_port_is_reported_in_a_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = subprocess.run([*SERVER, "run", "--port", port], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == FAILED
    assert done.stderr.startswith(f"Error: cannot listen on '127.0.0.1', port {port}")
    assert len(done.stderr.splitlines()) == 1


def test_environment_configures_the_server_and_an_interrupt_ends_it() -> None:
    settings = {"HOPPERS_API_RATE": "1 per minute", "HOPPERS_WARM_UP": "false"}
    with running_server("--port", "0", **settings) as (process, url):
        answers = [requests.get(f"{url}/api/puzzles", timeout=TIMEOUT_SECONDS).status_code for _ in range(2)]
        process.send_signal(signal.SIGINT)
        _, complaints = process.communicate(timeout=TIMEOUT_SECONDS)
    assert answers == [200, 429]
    assert (process.returncode, complaints) == (0, "")


def test_version_is_that_of_the_package() -> None:
    assert run("--version").stdout == f"hoppers {hoppers.__version__} ({code_digest()})\n"
    assert hoppers.__version__ == metadata.version("hoppers")
