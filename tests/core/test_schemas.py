"""Decoders of messages: built at import time, so that threads can use them simultaneously."""

import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import msgspec

from hoppers.core.model import PREBUILT
from tests import ROOT

SIMULTANEOUS = """
import sys, threading, msgspec
from typing import Annotated
from hoppers.core.model import PREBUILT, prebuild_decoder

sys.setswitchinterval(1e-6)
fields = {f"field_{number}": number for number in range(12)}
kind = Annotated[int, msgspec.Meta(ge=0)] | str | None

def decode():
    barrier.wait()
    read.append(msgspec.convert(fields, schema))

for _ in range(300):
    schema = prebuild_decoder(msgspec.defstruct("Schema", [(name, kind) for name in fields]))
    barrier, read = threading.Barrier(4), []
    threads = [threading.Thread(target=decode) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [msgspec.structs.asdict(one) for one in read] == [fields] * 4
print("decoded")
"""


def subclasses(schema: type[Any]) -> Iterator[type[Any]]:
    for one in schema.__subclasses__():
        yield one
        yield from subclasses(one)


def test_every_schema_has_a_prebuilt_decoder() -> None:
    import_module("hoppers.web.app")  # loads all modules with schemas
    ours = {schema for schema in subclasses(msgspec.Struct) if schema.__module__.startswith("hoppers.")}
    assert len(ours) > 10 and ours == PREBUILT


def test_threads_can_decode_a_new_schema_simultaneously() -> None:
    done = subprocess.run([sys.executable, "-c", SIMULTANEOUS], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "decoded\n"), done.stderr
