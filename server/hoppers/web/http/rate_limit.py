"""How many requests an address may make, in windows that the limits library counts; files are free.

Flask-Limiter asks the same library, but takes a third of a hint's time to find out which limits a route has.
Here every route has the same ones.
"""

import logging

from flask import Flask, request
from limits import parse_many
from limits.strategies import FixedWindowRateLimiter
from werkzeug.exceptions import TooManyRequests

from hoppers.web.http import rate_counters
from hoppers.web.http.security import is_static

log = logging.getLogger(__name__)

SCOPE = "all"
"""What is counted under an address: requests of all kinds together."""
COUNTED = "hoppers.counted"
"""Marks a request in its environment that was counted before it came to the framework."""


class Rates:
    """The requests of every address, counted."""

    def __init__(self, rates: str, elsewhere: rate_counters.Elsewhere) -> None:
        """Nothing is counted. `rates`: such as `10 per second;60 per minute`; `elsewhere`: see `counters`."""
        self._rates = parse_many(rates)
        self._windows = FixedWindowRateLimiter(rate_counters.Counters(elsewhere=elsewhere))

    def exceeded(self, address: str) -> TooManyRequests | None:
        """Count a request; what is to be said if it is one too many."""
        for rate in self._rates:
            if not self._windows.hit(rate, address, SCOPE):
                return TooManyRequests(str(rate), retry_after=rate.get_expiry())
        return None

    def allow(self, address: str) -> bool:
        """Count a request; whether it is none too many."""
        return self.exceeded(address) is None

    def guard(self, app: Flask) -> None:
        """Refuse requests beyond the limits."""
        app.before_request(self._check)

    def _check(self) -> None:
        if is_static() or COUNTED in request.environ:
            return
        refusal = self.exceeded(request.remote_addr or "")
        if refusal is not None:
            log.info("%s exceeds %s at %s", request.remote_addr, refusal.description, request.endpoint)
            raise refusal
