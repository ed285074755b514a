"""Limits of requests: length of the body, and number of requests of a client.

Requests of a client are counted with token buckets; requests for static files do not count. A rate such as
`1000 per second` is a bucket of 1000 tokens that refills at 1000 tokens per second. In a fleet, each server
counts for itself.
"""

import logging
import re
from typing import NamedTuple

from flask import abort, request
from werkzeug.exceptions import TooManyRequests

from hoppers.runtime.clients import ClientAddress
from hoppers.runtime.lru_cache import LRUCache
from hoppers.runtime.token_bucket import TokenBucket
from hoppers.web.http.assets import is_static
from hoppers.web.servers.clients import client_in
from hoppers.web.settings import RATE, UNITS

log = logging.getLogger(__name__)

MAX_BUCKETS = 40_000  # of clients and rates; the least recently used are dropped


def refuse_long_bodies() -> None:
    """Raise an HTTPException for a declared length over MAX_CONTENT_LENGTH (a hook of Flask)."""
    if (request.content_length or 0) > (request.max_content_length or 0):
        abort(413)


class Rate(NamedTuple):
    """A rate limit of `amount` requests in `seconds`."""

    amount: int
    seconds: int
    text: str  # as clients read it

    @property
    def refill(self) -> float:
        """Tokens added to a bucket per second."""
        return self.amount / self.seconds

    def times(self, share: int) -> "Rate":
        """Return the rate of `share` clients together."""
        amount = self.amount * share
        return Rate(amount, self.seconds, f"{amount} {self.text.partition(' ')[2]}")


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


class RateLimit:
    """Rate limits of requests: token buckets for every client."""

    def __init__(self, rates: str) -> None:
        """Raise a ValueError if `rates` cannot be read (see `parse_rates`)."""
        self._rates = parse_rates(rates)
        self._buckets: LRUCache[tuple[str, Rate], TokenBucket] = LRUCache(MAX_BUCKETS)

    def exceeded(self, client: ClientAddress) -> Rate | None:
        """Count a request of `client`; return the first rate that it or its site exceeds, or None."""
        counted = ((name, rate.times(share)) for name, share in client.levels for rate in self._rates)
        return next((key[1] for key in counted if not self._bucket(key).take()), None)

    def allow(self, client: ClientAddress) -> bool:
        """Count a request of `client`; return whether the request is within all rates."""
        return self.exceeded(client) is None

    def check(self) -> None:
        """Count the current request, unless it is for a static file (a hook of Flask).

        Raise TooManyRequests if the request exceeds a rate.
        """
        if is_static():
            return
        if rate := self.exceeded(client := client_in(request.environ)):
            log.info("%s exceeds %s at %s", client, rate.text, request.endpoint)
            raise TooManyRequests(rate.text, retry_after=rate.seconds)

    def _bucket(self, key: tuple[str, Rate]) -> TokenBucket:
        bucket = self._buckets.get(key)
        if bucket is None:
            self._buckets.put(key, bucket := TokenBucket(key[1].amount, key[1].refill))
        return bucket
