"""What the system says about the work of another process."""

from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

AT_REST = {"S", "T", "I", "Z", "X"}
"""States of threads that wait for something else than a core or the disk (see proc(5))."""


class Work(NamedTuple):
    """Work of a process: equal values at two times mean that it has done nothing in between."""

    ticks: int  # processor time of all threads that run, in clock ticks
    is_waiting: bool  # whether a thread runs, or would if a core or the disk were free


def work_of(pid: int) -> Work | None:
    """Return the work of a process so far; None if the system does not show it, or there is no process."""
    ticks, states = 0, set[str]()
    with suppress(OSError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError):  # the thread has just ended
                fields = (thread / "stat").read_text().rpartition(")")[2].split()  # a name may have blanks
                states.add(fields[0])
                ticks += int(fields[11]) + int(fields[12])
    return Work(ticks, not states <= AT_REST) if states else None
