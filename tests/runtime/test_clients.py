"""Addresses of clients: one form for each, and counts on every level of their networks."""

import pytest

from hoppers.runtime.clients import UNKNOWN, ClientCounts, client_of

MAPPED = "::ffff:192.0.2.1"
IPV4 = ["192.0.2.1", " 192.0.2.1", "192.0.2.1:4001", "192.0.2.1:", MAPPED, f"[{MAPPED}]", f"[{MAPPED}]:4001"]
IPV6 = [
    "2001:db8:1:2:3:4:5:6",
    "2001:0DB8:1:2:ffff::",
    "[2001:db8:1:2::7]",
    "[2001:db8:1:2::7]:443",
    "2001:db8:1:2::7%eth0",
    "[2001:db8:1:2::7%25eth0]:443",
]
NO_ADDRESSES = [
    "",
    "unknown",
    "_hidden",
    "999.1.1.1",
    "1.2.3.4:x",
    "[]",
    "[1.2.3.4]x",
    "2001:db8::1::2",
    "\ud800",
]


@pytest.mark.parametrize(
    ("forms", "levels"),
    [
        (IPV4, (("192.0.2.1", 1),)),
        (IPV6, (("2001:db8:1:2::/64", 1), ("2001:db8:1::/48", 8))),
        (["::1", "[::1]:8000"], (("::/64", 1), ("::/48", 8))),
        (NO_ADDRESSES, (("unknown", 1),)),
    ],
)
def test_all_forms_of_an_address_are_one_client(
    forms: list[str], levels: tuple[tuple[str, int], ...]
) -> None:
    (client,) = {client_of(form) for form in forms}
    assert client.levels == levels
    assert (client == UNKNOWN) == (forms is NO_ADDRESSES)


@pytest.mark.parametrize(
    ("address", "is_local"),
    [("127.0.0.1", True), ("::1", True), ("::ffff:127.0.0.1", True), ("::2", False), ("192.0.2.1", False)],
)
def test_addresses_of_this_machine_are_local(address: str, is_local: bool) -> None:
    assert client_of(address).is_local == is_local


def test_a_client_is_not_compared_with_a_text() -> None:
    client = client_of("192.0.2.1")
    with pytest.raises(TypeError, match="address 192"):
        _ = client == "192.0.2.1"
    assert client == client_of(MAPPED) and client != client_of("192.0.2.2")


def test_a_site_counts_as_eight_clients() -> None:
    """A line with 65,536 networks takes no more than eight clients may have."""
    counts, most = ClientCounts(), 3
    taken = list[str]()
    for number in range(100):
        client = client_of(f"2001:db8:1:{number:x}::1")
        while counts.full_level(client, most) is None:
            counts.add(client)
            taken.append(str(client))
    assert len(taken) == 8 * most and len(set(taken)) == 8
    assert counts.full_level(client_of("2001:db8:1:ffff::1"), most) == "2001:db8:1::/48"
    assert counts.full_level(client_of("2001:db8:1:1::1"), most) == "2001:db8:1:1::/64"
    assert counts.full_level(client_of("2001:db8:2::1"), most) is None
    counts.remove(client_of("2001:db8:1:1::2"))
    assert counts.full_level(client_of("2001:db8:1:ffff::1"), most) is None
    assert client_of("2001:db8:1:1::1") in counts and client_of("192.0.2.1") not in counts
