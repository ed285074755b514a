"""WSGI layer in front of all others: it admits only requests for hosts that may be named.

The name in the Host header appears in links, redirects and the check of origins, so a name that is not
allowed would let another site speak for this server (DNS rebinding).
"""

import ipaddress
import logging
import re
import socket
from collections.abc import Callable, Iterable
from functools import lru_cache
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from hoppers.core.errors import quoted
from hoppers.web.servers.faults import Fault
from hoppers.web.servers.http_server import BOUND_TO

log = logging.getLogger(__name__)

LABEL = "[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
NAME = re.compile(rf"{LABEL}(?:\.{LABEL})*\.?")
HOST = re.compile(r"(?P<name>[^:\[\]]{1,254}|\[[0-9a-f:.]{2,45}\])(?::(?P<port>[0-9]{1,5}))?")
"""A Host header in lower case; its name is a host name or an IP address."""
ENTITY_TAG = re.compile(r'(?:W/)?"[^"]*"')
UNUSED = (
    "HTTP_IF_MODIFIED_SINCE",
    "HTTP_IF_UNMODIFIED_SINCE",
    "HTTP_X_FORWARDED_HOST",
    "HTTP_X_FORWARDED_PROTO",
)
"""Headers that are not passed on. Clients ask by tags: Werkzeug raises an OverflowError for some dates.
ProxyFix has used what trusted proxies forward; the Socket.IO library would believe anybody."""


def admission(wsgi: WSGIApplication, is_allowed: Callable[[str, str], bool]) -> WSGIApplication:
    """Return an application that passes readable requests for allowed hosts on to `wsgi`, refusing others.

    `is_allowed`: see `allowed_hosts`. A refusal is an error in the format of the API, whatever the path.
    """

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        try:
            _check_host(environ, is_allowed)
        except Fault as refusal:
            return refusal.respond(start_response)
        for name in UNUSED:
            environ.pop(name, None)
        if not ENTITY_TAG.fullmatch(environ.get("HTTP_IF_RANGE", '""')):
            environ.pop("HTTP_RANGE", None)
            del environ["HTTP_IF_RANGE"]
        return wsgi(environ, start_response)

    return answer


def _check_host(environ: WSGIEnvironment, is_allowed: Callable[[str, str], bool]) -> None:
    """Raise a Fault unless the Host header is valid (400) and names an allowed host (421).

    A request of HTTP/1.0 without this header is for the server's own address.
    """
    host = environ.get("HTTP_HOST")
    if host is None:
        return
    name = host_name(host)
    if name is None or environ.get("wsgi.url_scheme") not in ("http", "https"):
        sentence = "{host} is not the name of a host."
        raise Fault(400, "invalid_request", sentence, host=quoted(host))
    if not is_allowed(name, environ.get(BOUND_TO, "")):
        log.info("a request for the host %s was refused; HOPPERS_HOSTS names the allowed ones", quoted(host))
        sentence = "{host} is not a name of this server. Its operator lists the names in HOPPERS_HOSTS."
        raise Fault(421, "unknown_host", sentence, host=quoted(host))


@lru_cache(maxsize=256)
def host_name(host: str) -> str | None:
    """Return the name in a Host header, in lower case and without the root's dot; None if it is not valid."""
    found = HOST.fullmatch(host.lower())
    if found is None or not is_name(found["name"]) or int(found["port"] or 0) > 65_535:
        return None
    return found["name"].removesuffix(".")


def allowed_hosts(setting: str) -> Callable[[str, str], bool]:
    """Return a function of a host name and the address that the server is bound to: whether it is allowed.

    Names of the loopback interface and those in `setting`, separated by commas, are always allowed. If
    `setting` is empty and the server is bound to a network, so are IP addresses, to which no other site can
    lead a browser, and the name of this machine. Raise a ValueError if `setting` is not a list of names.
    """
    names = {name.strip().lower() for name in setting.split(",") if name.strip()}
    for name in names:
        if not is_name(name):
            example = "puzzles.example,www.puzzles.example"
            raise ValueError(f"HOSTS {setting!r} is not a list of names such as {example!r}, without ports")
    allowed = {name.removesuffix(".") for name in names}
    own = socket.gethostname().lower()
    of_machine = {own, own.partition(".")[0], f"{own.partition('.')[0]}.local"}

    def is_allowed(name: str, bound_to: str) -> bool:
        if is_loopback(name) or name in allowed:
            return True
        is_open = not allowed and bound_to != "" and not is_loopback(bound_to)
        return is_open and (name in of_machine or ip_address(name) is not None)

    return is_allowed


def is_name(text: str) -> bool:
    """Return whether a text in lower case is a valid host name or IP address."""
    try:
        text.encode("ascii").decode("idna")
    except UnicodeError:  # not ASCII, or a label that is no Punycode
        return False
    return NAME.fullmatch(text) is not None or ip_address(text) is not None


def is_loopback(name: str) -> bool:
    """Return whether a host name or an IP address means this machine on every machine (RFC 6761)."""
    address = ip_address(name)
    return address.is_loopback if address else name == "localhost" or name.endswith(".localhost")


@lru_cache(maxsize=256)
def ip_address(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return a host name, with or without brackets, as an IP address; None if it is not one."""
    try:
        return ipaddress.ip_address(name.removeprefix("[").removesuffix("]"))
    except ValueError:
        return None
