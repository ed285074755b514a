"""Celery application that delivers search ids to workers with free capacity.

All other data of a search is in its record in Redis (see `search_records`).
"""

from celery import Celery

from hoppers.fleet.search_records import PREFIX

TASK = f"{PREFIX}.search"


def celery_app(url: str) -> Celery:
    """Return the Celery application for the broker at `url`, for servers and workers."""
    app = Celery(PREFIX, broker=url)
    app.conf.update(
        task_default_queue=PREFIX,
        task_ignore_result=True,
        task_acks_late=True,  # so that a worker fetches no more ids than it has capacity for
        worker_prefetch_multiplier=1,
        worker_hijack_root_logger=False,
        worker_enable_remote_control=False,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        broker_transport_options={
            "socket_connect_timeout": 1,
            "retry_on_timeout": False,
            "max_retries": 0,
        },
    )
    return app


def deliver(app: Celery, id: str) -> None:
    """Put a search id into the Celery queue, from which a worker with free capacity takes the id.

    A second delivery of an id is harmless: only the worker that claims the search runs the search.
    """
    # an undelivered id expires; the watchdog delivers waiting searches again before that
    app.send_task(TASK, (id,), expires=60, retry=False, ignore_result=True)
