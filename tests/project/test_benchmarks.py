"""What the benchmarks are made of, where it can go wrong by itself."""

import os

from benchmarks import processes


def test_a_pipe_that_is_closed_ends_who_reads_it_without_a_word() -> None:
    """A server's child may hold the other end for longer than anybody waits."""
    read, write = os.pipe()
    pipe = os.fdopen(read)
    pipe.close()
    processes._listen(pipe)
    os.close(write)
