"""Worker processes for tests."""

from collections.abc import Iterator

import pytest

from hoppers.jobs.messages import Configure, SearchLimits
from hoppers.jobs.worker_process import WorkerProcess

CONFIG = Configure(threads=1, limits=SearchLimits(900, 10**12), answers_bytes=0)


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
