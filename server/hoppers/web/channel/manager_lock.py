"""The library's record of who is connected, changed by one thread at a time.

It is made for a server whose clients take turns. Where each has a thread, one who came while another went
could find that a list which was there was gone: the newcomer was sent away, or whoever left stayed in the
record.
"""

import threading
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

CHANGES = (
    "pre_connect",
    "connect",
    "is_pre_connected",
    "is_connected",
    "sid_from_eio_sid",
    "eio_sid_from_sid",
    "pre_disconnect",
    "basic_disconnect",
    "is_sid_room",
    "basic_enter_room",
    "basic_leave_room",
    "basic_close_room",
)
"""What reads or changes the record in more than one step, and calls nothing that may wait."""


def one_at_a_time(record: Any) -> None:
    """Let one thread at a time into the record."""
    lock = threading.RLock()
    for name in CHANGES:
        setattr(record, name, _alone(getattr(record, name), lock))
    participants = record.get_participants

    def at_one_moment(*room: Any) -> Iterator[tuple[str, str]]:
        with lock:
            return iter(list(participants(*room)))

    record.get_participants = at_one_moment


def _alone(act: Callable[..., Any], lock: Any) -> Callable[..., Any]:
    @wraps(act)
    def alone(*arguments: Any, **named: Any) -> Any:
        with lock:
            return act(*arguments, **named)

    return alone
