"""What a service manager such as systemd asks for: to use its socket, and to say when the server is ready."""

import os
import socket
from contextlib import suppress

FIRST_DESCRIPTOR = 3


def inherited_socket() -> socket.socket | None:
    """Return the listening socket from the service manager (LISTEN_FDS), or None.

    The manager keeps it open, so connections wait while the server is restarted.
    """
    if os.environ.get("LISTEN_PID") != str(os.getpid()) or os.environ.get("LISTEN_FDS") != "1":
        return None
    os.set_inheritable(FIRST_DESCRIPTOR, False)
    return socket.socket(fileno=FIRST_DESCRIPTOR)


def report(state: str) -> None:
    """Tell the service manager a state such as READY=1 (NOTIFY_SOCKET); do nothing without one."""
    address = os.environ.get("NOTIFY_SOCKET")
    if not address:
        return
    name = "\0" + address[1:] if address.startswith("@") else address
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as own:
        own.sendto(state.encode(), name)
