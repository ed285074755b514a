"""Allocator settings: a limited number of arenas, and free memory that returns to the system."""

import subprocess
import sys

import pytest

from tests import ROOT

THREADS = """
import ctypes, pathlib, re, sys, threading
from hoppers.runtime import process_tuning
if sys.argv[1] == "limited":
    process_tuning.limit_arenas()
malloc, barrier = ctypes.CDLL(None).malloc, threading.Barrier(9)
def allocate():
    barrier.wait()
    for _ in range(1000):
        malloc(1000)
    barrier.wait()
threads = [threading.Thread(target=allocate) for _ in range(8)]
for thread in threads:
    thread.start()
barrier.wait()
barrier.wait()
for thread in threads:
    thread.join()
maps = pathlib.Path("/proc/self/maps").read_text()
spans = re.findall("^(\\\\w+)-(\\\\w+) ---p 00000000 00:00 0", maps, re.M)
print(sum(2**25 < int(end, 16) - int(start, 16) < 2**26 for start, end in spans))
"""
"""Program that prints the number of arenas but the main one: glibc reserves 64 MB of addresses for each."""


@pytest.mark.parametrize(("arenas", "least", "most"), [("limited", 0, 1), ("default", 2, 8)])
def test_threads_share_a_limited_number_of_arenas(arenas: str, least: int, most: int) -> None:
    done = subprocess.run([sys.executable, "-c", THREADS, arenas], cwd=ROOT, capture_output=True, text=True)
    assert done.stderr == ""
    assert least <= int(done.stdout) <= most


def test_trimming_returns_free_memory_to_the_system() -> None:
    program = (
        "from hoppers.runtime import process_tuning; from pathlib import Path;"
        "size = lambda: int(Path('/proc/self/statm').read_text().split()[1]) * 4096;"
        "parts = [bytes(10_000) for _ in range(10_000)]; kept = bytes(10_000); full = size();"
        "del parts; left = size(); process_tuning.trim_heap(); print(full, left, size())"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    full, left, after = map(int, done.stdout.split())
    assert left > full - 50_000_000  # the last allocation keeps the heap from shrinking
    assert after < full - 50_000_000


LARGE = """
import sys
from pathlib import Path
from hoppers.runtime import process_tuning
if sys.argv[1] == "limited":
    process_tuning.limit_arenas()
def size():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096
for _ in range(2):
    one = b"x" * 30_000_000
    del one
parts = [b"x" * 4_000_000 for _ in range(25)]
above = b"x" * 100_000
full = size()
del parts
print(full - size())
"""
"""Program that frees 4 MB blocks (100 MB) and prints how many bytes return to the system at once."""


@pytest.mark.parametrize(("arenas", "least", "most"), [("limited", 90e6, 110e6), ("default", -1e6, 10e6)])
def test_large_blocks_return_to_the_system_when_freed(arenas: str, least: int, most: int) -> None:
    done = subprocess.run([sys.executable, "-c", LARGE, arenas], cwd=ROOT, capture_output=True, text=True)
    assert done.stderr == ""
    assert least <= int(done.stdout) <= most
