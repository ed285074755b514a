"""Shapes of messages: two threads that meet one at the same moment both read it."""

import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import msgspec

from hoppers.core import schemas
from tests import ROOT

MEETING = """
import sys, threading, msgspec
from typing import Annotated
from hoppers.core import schemas as shapes

sys.setswitchinterval(1e-6)
fields = {f"field_{number}": number for number in range(12)}
kind = Annotated[int, msgspec.Meta(ge=0)] | str | None

def meet():
    barrier.wait()
    read.append(msgspec.convert(fields, shape))

for _ in range(300):
    shape = shapes.known(msgspec.defstruct("Shape", [(name, kind) for name in fields]))
    barrier, read = threading.Barrier(4), []
    threads = [threading.Thread(target=meet) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [msgspec.structs.asdict(one) for one in read] == [fields] * 4
print("all have read it")
"""


def below(shape: type[Any]) -> Iterator[type[Any]]:
    for one in shape.__subclasses__():
        yield one
        yield from below(one)


def test_every_shape_is_worked_out_as_the_program_is_loaded() -> None:
    import_module("hoppers.web.app")  # which loads all there are
    ours = {shape for shape in below(msgspec.Struct) if shape.__module__.startswith("hoppers.")}
    assert len(ours) > 10 and ours == schemas.KNOWN


def test_who_meets_a_shape_at_the_same_moment_reads_it() -> None:
    done = subprocess.run([sys.executable, "-c", MEETING], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "all have read it\n"), done.stderr
