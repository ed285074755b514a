"""The process beside the server, from within: it goes on with work for as long as each turn lasts."""

import logging
import os
import sys
import threading
import time
import traceback
from collections.abc import Generator
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from . import heap
from .beside import Answer, Ask
from .compiled import put_modules_aside

NICE = 19
"""How far it stands behind the server for the system: as far as can be, for the server never wants more than
one core. With 5 the median player of a crowd waited half as long again."""


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
        give_back()
        return Answer(values, True, end.value)
    except Exception:
        return Answer(values, True, fault=traceback.format_exc())
    works[ask.number] = Worked(steps, before + seconds)
    return Answer(values)


def give_back() -> None:
    """Let go of what work that has ended leaves behind."""
    put_modules_aside()
    heap.give_back()


def _listen(line: Connection, works: dict[int, Worked]) -> None:
    """Do what is asked on a line; end the process with the one that asks."""
    while True:
        try:
            ask: Ask = line.recv()
            if ask.seconds > 0:
                line.send(take_turn(works, ask))
            elif (given_up := works.pop(ask.number, None)) is not None:
                given_up.steps.close()
                del given_up
                give_back()
        except (EOFError, OSError):
            os._exit(0)
        except Exception:
            line.send(Answer([], True, fault=traceback.format_exc()))


def main() -> None:
    """Do what is asked on all lines."""
    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s")
    os.nice(NICE)
    heap.use_few()
    works: dict[int, Worked] = {}
    lines = [Connection(int(number)) for number in sys.argv[1:]]
    threads = [threading.Thread(target=_listen, args=(line, works)) for line in lines]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main()
