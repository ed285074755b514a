"""The progress of a compilation in the terminal and in the log."""

import logging
import re
import sys
from typing import Any

import pytest

from hoppers.cli.serve import log_compilation, show_compilation
from hoppers.jobs.kernel_warmup import Compiler


class Counted(Compiler):
    """A compiler without processes, in which `advance` ends one part."""

    def __init__(self, parts: int) -> None:
        super().__init__([])
        self.total = self.left = parts

    def remaining(self) -> int:
        return self.left

    def advance(self) -> None:
        self.left, self.stored = self.left - 1, self.stored + 1
        for listener in self.listeners:
            listener()


def test_progress_has_few_plain_lines_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    compiler = Counted(100)
    show_compilation(compiler)
    for _ in range(100):
        compiler.advance()
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 11 and not any(re.search(r"[\r\x1b]", line) for line in lines)
    assert lines[0].startswith("Compiled 0 of 100") and lines[-1].startswith("Compiled 100 of 100")


def test_progress_rewrites_one_line_of_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    compiler = Counted(3)
    show_compilation(compiler)
    for _ in range(3):
        compiler.advance()
    written = capsys.readouterr().out
    assert written.count("\n") == 1 and written.endswith("\n")
    assert re.findall(r"Compiled (\d) of 3", written) == ["0", "1", "2", "3"]
    assert written.count("\r") == 3


@pytest.mark.parametrize("show", [show_compilation, log_compilation])
def test_nothing_is_shown_if_nothing_is_compiled(
    show: Any, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    show(Counted(0))
    assert (capsys.readouterr().out, caplog.records) == ("", [])


def test_beginning_and_end_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    compiler = Counted(2)
    log_compilation(compiler)
    compiler.advance()
    compiler.advance()
    first, last = (record.getMessage() for record in caplog.records)
    assert first.startswith("Compiling 2 parts") and last == "All parts of the solver are compiled."
