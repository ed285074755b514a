"""The client of each request. The outermost layer reads its address; no layer behind it sees another form."""

import logging
from collections.abc import Iterable
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from hoppers.core.errors import quoted
from hoppers.runtime.clients import UNKNOWN, ClientAddress, client_of

log = logging.getLogger(__name__)

CLIENT = "hoppers.client"
"""Key in a WSGI environment under which a request has its `ClientAddress`, instead of REMOTE_ADDR."""


def client_in(environ: WSGIEnvironment) -> ClientAddress:
    """Return the client of a request that has passed `with_clients`."""
    client: ClientAddress = environ[CLIENT]
    return client


def with_clients(wsgi: WSGIApplication) -> WSGIApplication:
    """Return an application that gives every request its client and passes it on to `wsgi`.

    Behind a proxy that forwards no addresses all clients are one, which the log says once.
    """
    warned = False

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        nonlocal warned
        text = environ.pop("REMOTE_ADDR", "")
        environ[CLIENT] = client_of(text)
        if environ[CLIENT] is UNKNOWN and not warned:
            warned = True
            log.warning(
                "%s is not the address of a client; all requests like it count as one client's", quoted(text)
            )
        return wsgi(environ, start_response)

    return answer
