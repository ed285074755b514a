"""Settings of the running process: memory allocator, garbage collector, thread switching, priority.

The docstring of a setting says why the default is not good enough, with figures where it was measured. Other
functions return free memory to the system. The functions for memory and priority do nothing where the
platform lacks the setting.
"""

import ctypes
import gc
import os
import sys
import threading
from contextlib import suppress

NOT_GLIBC = (AttributeError, OSError, TypeError)  # errors if the C library lacks a function of glibc
NICE = 8  # what threads that search add to their nice value


def limit_arenas() -> None:
    """Let glibc's allocator share two arenas among threads, and map large blocks separately.

    glibc gives threads up to eight arenas per core, and each arena grows to its own peak: with a thread for
    each of a thousand players, 100 MB are held that are not in use. Two arenas suffice, because the
    interpreter lock lets one thread allocate at a time.

    Blocks of at least 1 MB go back to the system as soon as they are freed. By default glibc raises this
    threshold to 32 MB, and a process that allocates and frees arrays of all sizes then holds half as much
    memory again as it uses.
    """
    with suppress(*NOT_GLIBC):
        libc = ctypes.CDLL(None)
        libc.mallopt(-8, 2)  # M_ARENA_MAX in <malloc.h>
        libc.mallopt(-3, 1 << 20)  # M_MMAP_THRESHOLD in <malloc.h>


def trim_heap() -> None:
    """Return the free memory of glibc's heaps to the system."""
    with suppress(*NOT_GLIBC):
        ctypes.CDLL(None).malloc_trim(0)


def collect_garbage() -> None:
    """Free unreachable reference cycles, such as tables, and return the memory to the system.

    A collection takes about a microsecond an object under load. Caches therefore keep bytes and plain tuples
    of them, which are not examined: besides the objects of `freeze_loaded_objects` there are some 20,000.
    """
    gc.collect()
    trim_heap()


def freeze_loaded_objects() -> None:
    """Exempt all objects that exist now from garbage collection, and collect the others in short pauses.

    Call this function after everything is loaded. A collection stops every thread. With Python's own
    thresholds, a full collection took 100 ms, every 5 to 20 s under high load. A collection of the middle
    generation (42,000 objects) took 50 to 80 ms, every 8 s with a thousand players. With the thresholds set
    here, full collections are minutes apart; any other takes 7 ms for at most some 3,000 young objects.
    """
    collect_garbage()
    gc.freeze()
    gc.set_threshold(1_000, 1, 1_000)  # Python's own: 700, 10, 10


def shorten_switch_interval() -> None:
    """Make a running thread release the interpreter lock after 0.5 ms if another thread waits.

    With Python's own interval of 5 ms, the thread that distributes requests waits 5 ms for each request.
    Messages under high load then took twice as long (20 instead of 9 ms).
    """
    sys.setswitchinterval(0.0005)


def use_low_priority() -> None:
    """Let the threads that answer requests run before this one, on Linux.

    For searches and builds. With a thousand players and two proofs, the 99th percentile of hints took five to
    ten times as long without it. It cannot be the lowest priority: a thread that waits for a core while it
    holds the interpreter lock stops all others. Beside two busy programs on two cores, hints took 229 ms
    (99th percentile) with a nice value of 19, and 25 ms with 8. A thread of an unprivileged user cannot raise
    its priority again.
    """
    if sys.platform == "linux":  # elsewhere it would be the priority of the whole process
        thread = threading.get_native_id()
        with suppress(OSError):  # the thread keeps its priority
            nice = os.getpriority(os.PRIO_PROCESS, thread)
            os.setpriority(os.PRIO_PROCESS, thread, min(19, nice + NICE))
