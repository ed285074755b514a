"""Limits of requests: length of the URL and of the body, and number of requests of an address.

Requests of an address are counted with token buckets; requests for static files do not count. A rate such as
`1000 per second` is a bucket of 1000 tokens that refills at 1000 tokens per second.
"""

import logging
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple
from wsgiref.types import WSGIEnvironment

from flask import abort, current_app, request
from werkzeug.exceptions import TooManyRequests

from hoppers.core.errors import quoted
from hoppers.runtime.lru_cache import LRUCache
from hoppers.runtime.token_bucket import TokenBucket
from hoppers.web.http.assets import is_static
from hoppers.web.servers.clients import client_of
from hoppers.web.servers.faults import Fault
from hoppers.web.servers.http_server import SHORTENED
from hoppers.web.settings import RATE, UNITS

log = logging.getLogger(__name__)

MAX_ADDRESSES = 20_000  # addresses with buckets; the least recently used are dropped


def refuse_long_requests() -> None:
    """Refuse a URL over MAX_URL_LENGTH (414), and a declared length over MAX_CONTENT_LENGTH (413).

    Raise a Fault or an HTTPException.
    """
    check_address(request.environ, current_app.config["MAX_URL_LENGTH"])
    if (request.content_length or 0) > current_app.config["MAX_CONTENT_LENGTH"]:
        abort(413)


def check_address(environ: WSGIEnvironment, most: int) -> None:
    """Raise a Fault (414) if the URL of a request, as it was sent, has more than `most` characters."""
    if len(environ["RAW_URI"]) > most or environ.get(SHORTENED):
        raise Fault(
            414,
            "too_long",
            "The address {address} has more than {most} characters.",
            address=quoted(environ["RAW_URI"]),
            most=most,
        )


class Rate(NamedTuple):
    """A rate limit of `amount` requests in `seconds`."""

    amount: int
    seconds: int
    text: str  # as clients read it

    @property
    def refill(self) -> float:
        """Tokens added to an address's bucket per second."""
        return self.amount / self.seconds


def parse_rates(text: str) -> list[Rate]:
    """Read rates such as `10 per second;60 per minute`; raise a ValueError if one cannot be read."""
    rates = []
    for part in re.split("[;,|]", text):
        found = re.fullmatch(RATE, part)
        if not found:
            example = "10 per second;60 per minute"
            raise ValueError(f"API_RATE {text!r} is not a list of rates such as {example!r}")
        amount, periods, unit = int(found[1]), int(found[2] or 1), found[3]
        rates.append(Rate(amount, periods * UNITS[unit], f"{amount} per {periods} {unit}"))
    return rates


SharedCount = Callable[[str, Sequence[Rate]], int | None]
"""Function that counts a request of an address for all servers of a fleet. It returns the index of the first
rate that the request exceeds, -1 if there is none, or None while Redis cannot be reached."""


class RateLimit:
    """Rate limits of requests: token buckets for every address, in this process or shared by a fleet."""

    def __init__(self, rates: str, count_shared: SharedCount | None = None) -> None:
        """Raise a ValueError if `rates` cannot be read (see `parse_rates`).

        `count_shared`: counts first. Without it, or if it returns None, this process counts.
        """
        self._rates, self._count_shared = parse_rates(rates), count_shared
        self._buckets: LRUCache[str, list[TokenBucket]] = LRUCache(MAX_ADDRESSES)

    def exceeded(self, address: str) -> Rate | None:
        """Count a request from `address`; return the first rate that its client exceeds, or None."""
        client = client_of(address)
        index = self._count_shared(client, self._rates) if self._count_shared else None
        if index is None:
            index = self._count_here(client)
        return self._rates[index] if index >= 0 else None

    def allow(self, address: str) -> bool:
        """Count a request from `address`; return whether the request is within all rates."""
        return self.exceeded(address) is None

    def check(self) -> None:
        """Count the current request, unless it is for a static file (a hook of Flask).

        Raise TooManyRequests if the request exceeds a rate.
        """
        if is_static():
            return
        if rate := self.exceeded(request.remote_addr or ""):
            log.info("%s exceeds %s at %s", request.remote_addr, rate.text, request.endpoint)
            raise TooManyRequests(rate.text, retry_after=rate.seconds)

    def _count_here(self, client: str) -> int:
        buckets = self._buckets.get(client)
        if buckets is None:
            buckets = [TokenBucket(rate.amount, rate.refill) for rate in self._rates]
            self._buckets.put(client, buckets)
        for index, bucket in enumerate(buckets):
            if not bucket.take():
                return index
        return -1
