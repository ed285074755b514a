"""A process beside the server for long work, at a lower priority: players come first.

What runs there is a generator function of a module and its arguments. Here it is an iterator that gives the
same values: with each turn that it is granted, the other process goes on for some milliseconds and answers
with all that came up. The process starts when it is first needed, ends with the one that started it, and when
it dies another takes its place; what ran in it is `Lost`.
"""

import contextlib
import itertools
import logging
import os
import queue
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

log = logging.getLogger(__name__)

"""Where `server` is found."""
TURN_SECONDS = 0.02
CAN_RUN = os.name == "posix"
"""Whether this system can hand a process its lines."""

Work = Callable[..., Generator[Any, None, Any]]


class Lost(Exception):
    """The process has died, and all that ran in it with it."""


class Ask(NamedTuple):
    """A turn for some work, which begins with its first; with no time at all it ends, without an answer."""

    number: int
    seconds: float
    begin: tuple[Work, tuple[Any, ...]] | None = None
    is_crowded: bool = False
    """Whether so many play that it is for what they leave of the machine, and no more."""


class Answer(NamedTuple):
    """What came up in a turn: values, each with the running time until then, and how the work ended.

    `number`: of the work that had the turn.
    """

    number: int
    values: list[tuple[Any, float]]
    ended: bool = False
    result: Any = None
    fault: str = ""


class Machine:
    """One process and the lines to it."""

    def __init__(self, lines: int) -> None:
        """Start it.

        Raises:
            OSError: the system starts none.
        """
        pairs = [Pipe() for _ in range(lines)]
        theirs = [pair[1].fileno() for pair in pairs]
        command = [sys.executable, "-m", "hoppers.jobs.worker_main", *map(str, theirs)]
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, pass_fds=theirs, process_group=0
            )
        finally:
            for _, other in pairs:
                other.close()
        self.pid = self._process.pid
        self._free: queue.LifoQueue[Any] = queue.LifoQueue()
        for ours, _ in pairs:
            self._free.put(ours)
        self._ending: deque[int] = deque()

    def ask(self, ask: Ask) -> Answer:
        """Have work go on.

        Raises:
            Lost: the process has died.
        """
        line = self._free.get()
        try:
            self._say_ending(line)
            line.send(ask)
            answer: Answer = line.recv()
            if answer.number != ask.number:
                raise EOFError("an answer to another question")
            return answer
        except (EOFError, OSError) as error:
            raise Lost from error
        finally:
            self._free.put(line)

    def end(self, number: int) -> None:
        """Give work up, with the next word on any line if none is free now."""
        self._ending.append(number)
        with contextlib.suppress(queue.Empty, OSError):
            line = self._free.get_nowait()
            try:
                self._say_ending(line)
            finally:
                self._free.put(line)

    def _say_ending(self, line: Connection) -> None:
        while self._ending:
            with contextlib.suppress(IndexError):
                line.send(Ask(self._ending.popleft(), 0))

    def close(self) -> None:
        """End the process."""
        with contextlib.suppress(OSError):
            self._process.kill()
        self._process.wait()


class Run:
    """Work beside this process, as an iterator of its values; `result` is what it returned."""

    def __init__(self, beside: "Beside", work: Work, arguments: tuple[Any, ...], turn: float) -> None:
        """Nothing runs before the first value is asked for. `turn`: seconds it is granted at a time."""
        self._beside, self._begin, self._turn = beside, (work, arguments), turn
        self._machine: Machine | None = None
        self._number, self._ended = next(beside.numbers), False
        self._values: deque[tuple[Any, float]] = deque()
        self.result: Any = None
        self._fault = ""
        self.seconds = 0.0
        """For how long it had run when the last value came up."""

    def __iter__(self) -> "Run":
        return self

    def __next__(self) -> Any:
        """The next value.

        Raises:
            Lost: it died with its process.
            RuntimeError: it failed; the traceback is in its words.
        """
        while not self._values and not self._ended:
            self._go_on()
        if not self._values and self._fault:
            raise RuntimeError(self._fault)
        if not self._values:
            raise StopIteration
        value, self.seconds = self._values.popleft()
        return value

    def at_hand(self) -> bool:
        """Whether the next value is here already."""
        return bool(self._values)

    def close(self) -> None:
        """Give it up."""
        if self._machine is not None and not self._ended:
            self._machine.end(self._number)
        self._ended = True
        self._values.clear()

    def _go_on(self) -> None:
        begin = None
        if self._machine is None:
            self._machine, begin = self._beside.machine(), self._begin
        try:
            crowded = self._beside.is_crowded()
            answer = self._machine.ask(Ask(self._number, self._turn, begin, crowded))
        except Lost:
            self._ended = True
            self._beside.forget(self._machine)
            raise
        self._ended, self.result, self._fault = answer.ended, answer.result, answer.fault
        self._values.extend(answer.values)


class Beside:
    """The process beside this one, whichever it is at the moment."""

    def __init__(self, lines: int, *first: Any) -> None:
        """Nothing is started. `lines`: how much goes on there at once. `first`: what it does before all."""
        self._lines, self._first = lines, first
        self._machine: Machine | None = None
        self._lock, self._closed = threading.Lock(), False
        self.numbers = itertools.count()
        self.is_ready: Callable[[str], bool] = lambda puzzle_id: True
        """Whether the kernels of a puzzle are compiled; before that no search should begin."""
        self.is_crowded: Callable[[], bool] = lambda: False
        """Whether many play; see `Ask`."""

    def run(self, work: Work, *arguments: Any, turn: float = TURN_SECONDS) -> Run:
        """Do work there, for so long at a time; the function and its arguments must be fit for pickle."""
        return Run(self, work, arguments, turn)

    def machine(self) -> Machine:
        """The process, started now if there is none.

        Raises:
            Lost: the system starts none, or none is wanted any more.
        """
        with self._lock:
            if self._closed:
                raise Lost
            if self._machine is None:
                try:
                    machine = Machine(self._lines)
                except OSError as error:
                    raise Lost from error
                if self._first:
                    machine.ask(Ask(next(self.numbers), TURN_SECONDS, (self._first[0], self._first[1:])))
                self._machine = machine
            return self._machine

    def forget(self, machine: Machine) -> None:
        """It has died; the next work starts another."""
        with self._lock:
            if machine is not self._machine:
                return
            self._machine = None
        log.warning("the process %d that searched beside this one is lost", machine.pid)
        machine.close()

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._closed = True
            machine, self._machine = self._machine, None
        if machine is not None:
            machine.close()
