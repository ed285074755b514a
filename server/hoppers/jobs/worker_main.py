"""The process beside the server, from within: it goes on with work for as long as each turn lasts."""

import contextlib
import logging
import os
import sys
import threading
import time
import traceback
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from hoppers.core.kernels import drop_ir
from hoppers.jobs.worker_process import Answer, Ask
from hoppers.runtime import process_tuning
from hoppers.tablebase.builder import WORKSHOP

log = logging.getLogger(__name__)

NICE = 19
"""How far it stands behind the server for the system: as far as can be, for the server never wants more than
one core. With 5 the median player of a crowd waited half as long again."""

IDLE = getattr(os, "SCHED_IDLE", None)
"""Linux then lets it wait for the whole server, at once: with `NICE` alone a thread that wakes up may have to
wait three milliseconds for it, and an answer takes several threads. Without a crowd it would wait too long
where other programs want the machine. A thread of a user without rights never comes back from there, so turns
in a crowd have a thread of their own."""


class Worked(NamedTuple):
    """Work under way in this process, and for how long it has run."""

    steps: Generator[Any, None, Any]
    seconds: float = 0.0


def take_turn(works: dict[int, Worked], ask: Ask) -> Answer:
    """Go on with work for about so long, or to its end."""
    if ask.begin is not None:
        works[ask.number] = Worked(ask.begin[0](*ask.begin[1]))
    steps, before = works.pop(ask.number)
    values: list[tuple[Any, float]] = []
    began = time.perf_counter()
    seconds = 0.0
    try:
        while seconds < ask.seconds:
            value = next(steps)
            seconds = time.perf_counter() - began
            values.append((value, before + seconds))
    except StopIteration as end:
        return Answer(ask.number, values, True, end.value)
    except Exception:
        return Answer(ask.number, values, True, fault=traceback.format_exc())
    works[ask.number] = Worked(steps, before + seconds)
    return Answer(ask.number, values)


def stand_back() -> None:
    """Let this thread have only what nobody else wants of the machine. There may be no way back for it."""
    with contextlib.suppress(OSError):  # then it stays as it is
        if IDLE is not None:
            os.sched_setscheduler(0, IDLE, os.sched_param(0))


def give_back() -> None:
    """Let go of what work that has ended leaves behind; it is no matter where that fails."""
    try:
        drop_ir()
        process_tuning.trim_heap()
    except Exception:
        log.exception("memory could not be given back")


def give_up(works: dict[int, Worked], number: int) -> None:
    """End work in the middle, if it is here; nobody hears of it, whatever happens."""
    work = works.pop(number, None)
    if work is None:
        return
    try:
        work.steps.close()
    except Exception:
        log.exception("work was not given up in good order")
    del work
    give_back()


def _listen(line: Connection, works: dict[int, Worked]) -> None:
    """Do what is asked on a line; end the process with the one that asks."""
    behind = ThreadPoolExecutor(1, "behind", stand_back)
    try:
        while True:
            ask: Ask = line.recv()
            if ask.seconds > 0:
                crowded = ask.is_crowded
                answer = behind.submit(take_turn, works, ask).result() if crowded else take_turn(works, ask)
                _answer(line, answer)
            else:
                give_up(works, ask.number)
    except (EOFError, OSError):
        os._exit(0)
    except Exception:
        log.exception("a line to the server cannot be read any more")
        os._exit(1)


def _answer(line: Connection, answer: Answer) -> None:
    try:
        line.send(answer)
    except OSError:
        raise
    except Exception:  # it is no value that can be sent, and nothing of it was
        line.send(Answer(answer.number, [], True, fault=traceback.format_exc()))
    if answer.ended:
        give_back()  # only now, for it may have to wait for a compiler


def main() -> None:
    """Do what is asked on all lines."""
    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s")
    os.nice(NICE)
    process_tuning.limit_arenas()
    WORKSHOP.grants_heavy = False  # the server has it made here, when there is room
    works: dict[int, Worked] = {}
    lines = [Connection(int(number)) for number in sys.argv[1:]]
    threads = [threading.Thread(target=_listen, args=(line, works)) for line in lines]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main()
