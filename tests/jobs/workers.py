"""Worker processes for tests."""

from collections.abc import Iterator

import pytest

from hoppers.jobs.messages import WorkerConfig
from hoppers.jobs.worker_process import WorkerProcess

CONFIG = WorkerConfig(threads=1, search_seconds=900, search_nodes=10**12)


def pid_of(worker: WorkerProcess) -> int:
    """Return the id of the running process."""
    child = worker.current()
    assert child is not None
    return child.pid


@pytest.fixture
def worker() -> Iterator[WorkerProcess]:
    """Worker process for a test that kills it."""
    process = WorkerProcess(CONFIG)
    yield process
    process.close()


@pytest.fixture(scope="session")
def shared_worker() -> Iterator[WorkerProcess]:
    """Worker process for tests that leave it unchanged: starting one takes longer than most tests."""
    process = WorkerProcess(CONFIG)
    yield process
    process.close()
