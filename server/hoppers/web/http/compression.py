"""Texts travel compressed where the browser takes that: a page with all its scripts shrinks to a third."""

import gzip
from functools import lru_cache

from flask import Response, request

SMALLEST = 1_400
"""Bytes that fit into one packet anyway."""
TEXTS = ("text/", "application/json", "application/javascript", "image/svg+xml")


def compress(response: Response) -> Response:
    """Compress an answer that is worth it."""
    if response.status_code != 200 or not (response.mimetype or "").startswith(TEXTS):
        return response
    response.vary.add("Accept-Encoding")
    if "Content-Encoding" in response.headers or not request.accept_encodings["gzip"]:
        return response
    response.direct_passthrough = False
    data = response.get_data()
    if len(data) >= SMALLEST:
        response.set_data(_gzipped(data))
        response.headers["Content-Encoding"] = "gzip"
    return response


@lru_cache(maxsize=256)
def _gzipped(data: bytes) -> bytes:
    return gzip.compress(data, 6, mtime=0)
