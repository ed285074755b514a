"""Clients as all limits count them: each address in one form, whatever form a socket or a proxy gives it.

An address is counted on every level of its network. Of IPv6, a client can use all addresses of its network of
64 bits, and access lines come with up to 65,536 such networks, so the site around it is counted, too.
"""

import ipaddress
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

IPV6_LEVELS = ((64, 1), (48, 8))
"""Bits of an IPv6 address that name a client's network and its site, and the clients that each counts as."""
WITH_PORT = re.compile(r"\[(?P<ipv6>[^\[\]]*)\](?::\d*)?|(?P<ipv4>[\d.]+):\d*")
"""An address as some proxies forward it: in brackets, with or without a port; or IPv4 with a port."""


@dataclass(frozen=True, slots=True, eq=False)
class ClientAddress:
    """The address of a client. It can be compared only with its like: a text may be another form of it."""

    levels: tuple[tuple[str, int], ...]
    """Names of its networks, the client's own first, each with the number of clients that it counts as."""
    is_local: bool = False
    """Whether it is an address of the loopback interface."""

    @property
    def names(self) -> list[str]:
        """The names of its networks."""
        return [name for name, _ in self.levels]

    def __str__(self) -> str:
        return self.levels[0][0]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ClientAddress):
            raise TypeError(f"the address {self} of a client is compared with {other!r}")
        return self.levels[0] == other.levels[0]

    def __hash__(self) -> int:
        return hash(self.levels[0])


UNKNOWN = ClientAddress((("unknown", 1),))
"""The one client to which all texts belong that are no addresses."""


@lru_cache(4_096)
def client_of(text: str) -> ClientAddress:
    """Return the client to which a network address belongs, in whatever form; `UNKNOWN` for others."""
    parts = WITH_PORT.fullmatch(text.strip())
    try:
        found = ipaddress.ip_address((parts["ipv6"] or parts["ipv4"] or "") if parts else text.strip())
    except ValueError:
        return UNKNOWN
    if isinstance(found, ipaddress.IPv6Address) and found.ipv4_mapped is not None:
        found = found.ipv4_mapped
    if isinstance(found, ipaddress.IPv4Address):
        return ClientAddress(((str(found), 1),), found.is_loopback)
    levels = [(ipaddress.IPv6Network((int(found), bits), strict=False), share) for bits, share in IPV6_LEVELS]
    return ClientAddress(tuple((str(network), share) for network, share in levels), found.is_loopback)


class ClientCounts:
    """Numbers of things that clients have, such as connections, counted on every level of their addresses."""

    def __init__(self, owners: Iterable[ClientAddress] = ()) -> None:
        """`owners`: the client of each thing."""
        self._counts = Counter(name for owner in owners for name in owner.names)

    def full_level(self, client: ClientAddress, most: float) -> str | None:
        """Return the name of the first level of `client` on which it may have no more; None if there is none.

        `most`: largest number of one client. A site may have as many as the clients that it counts as.
        """
        return next((name for name, share in client.levels if self._counts[name] >= share * most), None)

    def at(self, level: str) -> int:
        """Return the number on a level, such as `full_level` returns."""
        return self._counts[level]

    def add(self, client: ClientAddress) -> None:
        """Count one more."""
        self._counts.update(client.names)

    def remove(self, client: ClientAddress) -> None:
        """Count one less."""
        for name in client.names:
            self._counts[name] -= 1
            if not self._counts[name]:
                del self._counts[name]

    def __contains__(self, client: ClientAddress) -> bool:
        return self._counts[str(client)] > 0
