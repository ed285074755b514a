"""A process with an engine of its own that runs builds for tests, one step per request."""

import itertools
import multiprocessing
import threading
from collections.abc import Callable, Generator
from multiprocessing.connection import Connection
from typing import Any, NamedTuple, TypeVar, TypeVarTuple, cast

from hoppers.core.puzzle import PuzzleEngine
from tests.support.engine import ENGINE

Args = TypeVarTuple("Args")
Yielded = TypeVar("Yielded")
Result = TypeVar("Result")


class Step(NamedTuple):
    """A request for one step of a build; the first has function and arguments, the last closes the build."""

    number: int
    start: tuple[Callable[..., Any], tuple[Any, ...]] | None = None
    is_last: bool = False


class Reply(NamedTuple):
    """Outcome of a step: a value that the build yields or, at the end, its result or its failure."""

    value: Any = None
    has_ended: bool = False
    failure: str = ""


class RemoteBuilds:
    """A worker process for builds. Its `run_build` is an argument of `Engine`."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()
        self._numbers, self._lock = itertools.count(), threading.Lock()

    def run_build(
        self, function: Callable[[PuzzleEngine, *Args], Generator[Yielded, None, Result]], *arguments: *Args
    ) -> Generator[Yielded, None, Result]:
        """Yield the values of `function(engine, *arguments)`, and return its result or raise RuntimeError."""
        number, start = next(self._numbers), (function, arguments)
        reply = self._step(Step(number, start))
        try:
            while not reply.has_ended:
                yield reply.value
                reply = self._step(Step(number))
        finally:
            if not reply.has_ended:
                self._step(Step(number, is_last=True))
        if reply.failure:
            raise RuntimeError(reply.failure)
        return cast(Result, reply.value)

    def _step(self, step: Step) -> Reply:
        with self._lock:
            self._connection.send(step)
            reply: Reply = self._connection.recv()
            return reply

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.join()


def _serve(connection: Connection) -> None:
    """Run steps of builds in an engine of this process until the connection is closed."""
    builds: dict[int, Generator[Any, None, Any]] = {}
    while True:
        try:
            step = connection.recv()
        except EOFError:
            return
        if step.start is not None:
            function, arguments = step.start
            builds[step.number] = function(ENGINE, *arguments)
        connection.send(_reply(builds, step))


def _reply(builds: dict[int, Generator[Any, None, Any]], step: Step) -> Reply:
    if step.is_last:
        builds.pop(step.number).close()
        return Reply(has_ended=True)
    try:
        return Reply(next(builds[step.number]))
    except StopIteration as end:
        return Reply(end.value, has_ended=True)
    except Exception as error:
        return Reply(has_ended=True, failure=repr(error))
