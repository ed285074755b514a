"""A process that compiles parts of the solver, so that the memory this takes ends with it.

The server writes the name of a part into a line, and reads a line: empty, or the reason of a failure. The
process ends when its input does, so it never outlives the server.
"""

import contextlib
import os
import queue
import subprocess
import sys
import threading

from hoppers.analysis.kernel_parts import Part, load_part, parts_of
from hoppers.core.kernels import cores
from hoppers.puzzles import PUZZLES
from hoppers.runtime import cache_folder, logging_config, process_tuning
from hoppers.runtime.builder import finish
from hoppers.tablebase.engine import Engine

NICE = 5  # leaves the server three quarters of a core, even if all are busy
LOST = "the process ended"
"""Failure of a part whose process has died, was closed or cannot be started."""


class CompilingProcess:
    """A process that starts with its first part, and again after a loss. Only `kill` is thread-safe."""

    def __init__(self, log_format: str) -> None:
        """`log_format`: of the process (see `logging_config.configuration`)."""
        self._log_format = log_format
        self.process: subprocess.Popen[str] | None = None
        self._lock, self._closed = threading.Lock(), False

    def compile(self, part: Part) -> str:
        """Compile a part; return "" or the reason of the failure."""
        try:
            process = self._running()
            assert process is not None and process.stdin is not None and process.stdout is not None
            process.stdin.write(f"{part.puzzle_id}\t{part.name}\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        except (AssertionError, OSError, ValueError):  # closed, or it cannot be started
            return LOST
        if not answer:
            process.kill()
            process.wait()  # so that the next part finds it ended
        return answer.strip() if answer else LOST

    def kill(self) -> None:
        """Kill the process, and start no other."""
        with self._lock:
            self._closed, process = True, self.process
        if process is not None:
            process.kill()

    def close(self) -> None:
        """Kill the process, and wait until it has ended."""
        self.kill()
        self._release()

    def _release(self) -> None:
        """Close the pipes to a dead process."""
        if self.process is not None:
            for pipe in filter(None, (self.process.stdin, self.process.stdout)):
                with contextlib.suppress(OSError):  # a part that was never sent
                    pipe.close()
            self.process.wait()

    def _running(self) -> subprocess.Popen[str] | None:
        """Return the process; start one if none runs. None after `close`."""
        with self._lock:
            if self._closed:
                return None
            if self.process is None or self.process.poll() is not None:
                self._release()
                self.process = subprocess.Popen(
                    [sys.executable, "-m", "hoppers.jobs.compiling_process", self._log_format],
                    env={**os.environ, **cache_folder.environment()},
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                    encoding="utf-8",
                    process_group=0 if os.name == "posix" else None,
                )
            return self.process


def compiling_processes(log_format: str = logging_config.SHORT) -> list[CompilingProcess]:
    """Return a process for each core, but at most four: each takes up to half a gigabyte."""
    return [CompilingProcess(log_format) for _ in range(min(cores(), 4))]


def compile_part(engine: Engine, line: str) -> str:
    """Compile the part that a line names; return "" or the reason of the failure."""
    puzzle_id, name = line.rstrip("\n").split("\t")
    (part,) = (part for part in parts_of(engine.find(puzzle_id)) if part.name == name)
    try:
        finish(load_part(engine, part))
    except Exception as error:  # of any kind: what a puzzle's kernel or the compiler raises
        return " ".join(f"{type(error).__name__}: {error}".split())
    return ""


def read_lines(lines: queue.SimpleQueue[str]) -> None:
    """Put the lines of the input into a queue; end this process with them, whatever its other threads do."""
    for line in sys.stdin:
        lines.put(line)
    os._exit(0)


def main() -> None:
    """Compile parts until the input ends. The argument is the format of the log."""
    logging_config.configure(sys.argv[1])
    process_tuning.limit_arenas()
    with contextlib.suppress(OSError, AttributeError):  # there is no such priority on Windows
        os.nice(NICE)
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what anything else prints is no answer
    lines = queue.SimpleQueue[str]()
    threading.Thread(target=read_lines, args=(lines,), daemon=True).start()
    engine = Engine(PUZZLES, builds_large=False)
    while True:
        print(compile_part(engine, lines.get()), file=answers, flush=True)


if __name__ == "__main__":
    main()
