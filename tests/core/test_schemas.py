"""Decoders of messages: built at import time, so that threads can use them simultaneously."""

import subprocess
import sys

from tests import ROOT

ALL_SCHEMAS = """
import msgspec

prebuilt, decoder = set(), msgspec.json.Decoder

def recording_decoder(schema):
    prebuilt.add(schema)
    return decoder(schema)

def subclasses(schema):
    for one in schema.__subclasses__():
        yield one
        yield from subclasses(one)

msgspec.json.Decoder = recording_decoder
import hoppers.web.app  # loads all modules with schemas

ours = {schema for schema in subclasses(msgspec.Struct) if schema.__module__.startswith("hoppers.")}
assert len(ours) > 10 and ours <= prebuilt, ours - prebuilt  # and the answers of the API
print("prebuilt")
"""

SIMULTANEOUS = """
import sys, threading, msgspec
from typing import Annotated
from hoppers.core.model import prebuild_decoder

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


def run(script: str) -> tuple[int, str, str]:
    """Run a script in a new process; return its exit status, output and errors."""
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def test_every_schema_has_a_prebuilt_decoder() -> None:
    assert run(ALL_SCHEMAS) == (0, "prebuilt\n", "")


def test_threads_can_decode_a_new_schema_simultaneously() -> None:
    assert run(SIMULTANEOUS) == (0, "decoded\n", "")
