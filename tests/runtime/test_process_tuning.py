"""The heaps of glibc: few where asked for, and what is free is given back."""

import subprocess
import sys

import pytest

from tests import ROOT

THREADS = """
import ctypes, pathlib, re, sys, threading
from hoppers.runtime import process_tuning as heap
if sys.argv[1] == "few":
    heap.use_few()
take, met = ctypes.CDLL(None).malloc, threading.Barrier(9)
def work():
    met.wait()
    for _ in range(1000):
        take(1000)
    met.wait()
threads = [threading.Thread(target=work) for _ in range(8)]
for thread in threads:
    thread.start()
met.wait()
met.wait()
for thread in threads:
    thread.join()
maps = pathlib.Path("/proc/self/maps").read_text()
spans = re.findall("^(\\\\w+)-(\\\\w+) ---p 00000000 00:00 0", maps, re.M)
print(sum(2**25 < int(end, 16) - int(start, 16) < 2**26 for start, end in spans))
"""
"""Prints how many heaps the threads have beside the first: glibc reserves 64 MB for each."""


@pytest.mark.parametrize(("how", "fewest", "most"), [("few", 0, 1), ("usual", 2, 8)])
def test_threads_share_few_heaps(how: str, fewest: int, most: int) -> None:
    done = subprocess.run([sys.executable, "-c", THREADS, how], cwd=ROOT, capture_output=True, text=True)
    assert done.stderr == ""
    assert fewest <= int(done.stdout) <= most


def test_what_is_free_is_given_back() -> None:
    program = (
        "from hoppers.runtime import process_tuning as heap; from pathlib import Path;"
        "size = lambda: int(Path('/proc/self/statm').read_text().split()[1]) * 4096;"
        "parts = [bytes(10_000) for _ in range(10_000)]; kept = bytes(10_000); full = size();"
        "del parts; left = size(); heap.give_back(); print(full, left, size())"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    full, left, after = map(int, done.stdout.split())
    assert left > full - 50_000_000  # held back by what was taken last
    assert after < full - 50_000_000


LARGE = """
import sys
from pathlib import Path
from hoppers.runtime import process_tuning as heap
if sys.argv[1] == "few":
    heap.use_few()
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
"""Prints how much of a hundred megabytes goes back to the system at once, behind something larger."""


@pytest.mark.parametrize(("how", "fewest", "most"), [("few", 90e6, 110e6), ("usual", -1e6, 10e6)])
def test_what_is_large_goes_back_at_once(how: str, fewest: int, most: int) -> None:
    done = subprocess.run([sys.executable, "-c", LARGE, how], cwd=ROOT, capture_output=True, text=True)
    assert done.stderr == ""
    assert fewest <= int(done.stdout) <= most
