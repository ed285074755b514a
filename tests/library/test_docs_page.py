"""docs/python.md is what Python prints, and its examples have the types that it promises."""

import doctest
import subprocess
import sys
from pathlib import Path

from hoppers.runtime.cache_folder import cache_folder
from tests import ROOT


def test_page_is_as_printed() -> None:
    failed, tried = doctest.testfile(str(ROOT / "docs" / "python.md"), module_relative=False)
    assert tried > 25 and not failed


def test_examples_pass_the_strict_type_check(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    examples = doctest.DocTestParser().get_examples(text)
    program = tmp_path / "examples.py"
    program.write_text("".join(example.source for example in examples), encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--config-file=",
        f"--cache-dir={cache_folder() / 'mypy-examples'}",
        str(program),
    ]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
