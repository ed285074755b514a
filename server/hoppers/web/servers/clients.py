"""Clients as all limits count them: connections, requests, and turns in the queues for threads."""

import ipaddress
from functools import lru_cache

IPV6_PREFIX = 64
"""Bits of an IPv6 address that name a network. One client can use all addresses of its network."""


@lru_cache(4_096)
def client_of(address: str) -> str:
    """Return the client to which a network address belongs.

    This is the address itself, the IPv4 address in an IPv6 one, or the network of an IPv6 address. A text
    that is no address is a client of its own.
    """
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.IPv6Network((int(found), IPV6_PREFIX), strict=False))
