"""Parts of the benchmarks that can fail by themselves."""

import os

from benchmarks import processes


def test_closing_a_pipe_ends_its_reader_silently() -> None:
    """A child of a server may hold the other end of the pipe for a long time."""
    read, write = os.pipe()
    pipe = os.fdopen(read)
    pipe.close()
    processes._drain(pipe)
    os.close(write)
