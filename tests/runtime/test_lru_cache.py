"""The cache that drops its least recently used entries."""

from hoppers.runtime.lru_cache import LRUCache


def test_most_recently_used_entry_stays() -> None:
    cache: LRUCache[str, bytes] = LRUCache(2, len)
    for name in ("a", "b"):
        cache.put(name, name.encode())
    assert cache.get("a") == b"a"
    cache.put("c", b"c")
    assert [cache.get(name) is not None for name in "abc"] == [True, False, True]
    cache.put("d", bytes(3))  # larger than the cache
    assert cache.get("c") is not None


def test_value_too_large_to_store_replaces_the_previous_one() -> None:
    cache: LRUCache[str, bytes] = LRUCache(2, len)
    cache.put("a", b"a")
    cache.put("a", bytes(3))
    assert cache.get("a") is None
    cache.put("b", bytes(2))
    assert cache.get("b") is not None
