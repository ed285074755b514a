"""Addresses of clients that tests call by a name."""

from hoppers.runtime.clients import ClientAddress


def named(name: str) -> ClientAddress:
    """Return a client on a network of this name."""
    return ClientAddress(((name, 1),))
