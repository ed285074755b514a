"""Celery: it brings the ids of searches to workers that have room. All else stands in their records."""

from collections.abc import Callable

from celery import Celery

QUEUE = "hoppers"
TASK = "hoppers.search"
EXPIRES_SECONDS = 60
"""After which a delivery that nobody took is worth nothing; a waiting search is delivered again before."""
CONNECTION = {"socket_connect_timeout": 1, "retry_on_timeout": False, "max_retries": 0}


def celery_app(url: str) -> Celery:
    """Celery on this broker, as servers and workers use it."""
    app = Celery("hoppers", broker=url)
    app.conf.update(
        task_default_queue=QUEUE,
        task_ignore_result=True,
        task_acks_late=True,  # so that a worker fetches no more than it has room for
        worker_prefetch_multiplier=1,
        worker_hijack_root_logger=False,
        worker_enable_remote_control=False,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        broker_transport_options=CONNECTION,
    )
    return app


def deliver(app: Celery, id: str) -> None:
    """Have some worker begin the search; delivered twice it is begun once."""
    app.send_task(TASK, (id,), expires=EXPIRES_SECONDS, retry=False, ignore_result=True)


def task(app: Celery, run: Callable[[str], None]) -> None:
    """What a worker does with what it is brought."""

    @app.task(name=TASK)  # type: ignore[untyped-decorator]
    def search(id: str) -> None:
        run(id)
