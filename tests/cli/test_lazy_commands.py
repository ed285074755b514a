"""The list of commands needs none of them, and `solve` answers from tables without compiling."""

import os
import subprocess
import sys
from pathlib import Path

import click
from click.shell_completion import ShellComplete

from hoppers.cli.main import COMMANDS, main
from hoppers.puzzles import PUZZLES
from tests.support.machine_code import copied_to

LOADED = """
import sys
from hoppers.cli.main import main
main(["--help"], standalone_mode=False)
print(sorted({"numpy", "numba", "flask", "gevent"} & sys.modules.keys()))
"""
WITHOUT_NUMBA = """
import sys
sys.modules["numba"] = None
from hoppers.__main__ import run
sys.argv = ["hoppers", *sys.argv[1:]]
sys.exit(run("hoppers"))
"""


def test_list_has_every_command_with_its_own_help() -> None:
    context = click.Context(main)
    for name, place in COMMANDS.items():
        command = main.get_command(context, name)
        assert command is not None and command.name in (name, None)
        start = place.help.rstrip(".").split(",")[0].split(" with ")[0]
        assert (command.help or "").startswith(start), name


def test_help_loads_no_command() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]" and "solve" in done.stdout


def run_without_numba(cache: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", WITHOUT_NUMBA, *arguments],
        env={**os.environ, "HOPPERS_CACHE": str(cache)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_solve_answers_small_boards_without_numba(tmp_path: Path) -> None:
    done = run_without_numba(tmp_path, "solve", "hoppers", "--all")
    assert done.returncode == 0 and done.stderr == "" and not [*tmp_path.iterdir()]
    assert done.stdout.splitlines()[-1] == "72 solutions of 7 moves, the fewest possible"
    named = run_without_numba(tmp_path, "solve", "hoppers", "--method", "corners")
    assert (
        named.returncode == 4
        and "pip install 'hoppers[search]'" in named.stderr
        and "Traceback" not in named.stderr
    )


def test_solve_says_that_it_compiles(tmp_path: Path) -> None:
    copied_to(tmp_path, left_out="*flips_deepening*")
    command = [sys.executable, "-m", "hoppers", "solve", "flip-it-5", "--method", "deepening"]
    environment = {**os.environ, "HOPPERS_CACHE": str(tmp_path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert "compiling" in done.stderr and "compiling" not in done.stdout
    seconds = [float(line.split(" s ")[0].split()[-1]) for line in done.stdout.splitlines() if " s " in line]
    assert seconds and max(seconds) < 1.0


def completions(words: str) -> list[str]:
    """Return what the shell offers for the last word of a command line; "" is a word, too."""
    typed = words.split(" ")
    found = ShellComplete(main, {}, "hoppers", "_HOPPERS_COMPLETE").get_completions(typed[:-1], typed[-1])
    return [item.value for item in found]


def test_shell_completes_commands_ids_and_methods() -> None:
    assert "solve" in completions("so")
    assert completions("solve ") == [*PUZZLES]
    assert completions("solve triangle-2") == [id for id in PUZZLES if id.startswith("triangle-2")] != []
    assert "corners" in completions("solve hoppers --method cor")
    assert completions("solve hoppers --method nosuch") == []
