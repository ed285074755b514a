"""The command line, in this process and in one of its own."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from click.testing import CliRunner, Result

from hoppers.cli.main import main
from tests import ROOT

SERVER = [sys.executable, "-m", "hoppers"]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, prog_name="python -m hoppers")


@contextmanager
def running_server(
    *arguments: str, shown: str = "http://", **environment: str
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start `hoppers run`; yield the process and the address that it prints, which begins with `shown`."""
    process = subprocess.Popen(
        [*SERVER, "run", *arguments],
        cwd=ROOT,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        found = re.search(rf"{shown}\S+", process.stdout.readline())
        assert found is not None, process.stderr and process.stderr.read()
        yield process, found[0]
    finally:
        process.kill()
        process.communicate()
