import os
from pathlib import Path

import pytest

from geoaudit.shardcheck.discovery.cache import Cache, cache_folder, key_of


def test_what_is_kept_is_found_again(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    assert cache.get(key_of([b"a"])) is None
    cache.put(key_of([b"a"]), b"content")
    assert Cache(tmp_path).get(key_of([b"a"])) == b"content"
    assert Cache(tmp_path).get(key_of([b"b"])) is None


def test_parts_of_a_key_are_apart() -> None:
    assert key_of([b"ab", b"c"]) != key_of([b"a", b"bc"])


def test_a_damaged_entry_is_thrown_away(tmp_path: Path) -> None:
    cache, key = Cache(tmp_path), key_of([b"a"])
    for damage in (b"", b"short", b"x" * 100):
        cache.put(key, b"content")
        file = next(one for one in tmp_path.rglob("*") if one.is_file())
        file.write_bytes(damage)
        assert cache.get(key) is None
        assert not file.exists()


def test_the_oldest_are_pruned(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    keys = [key_of([bytes([number])]) for number in range(4)]
    for number, key in enumerate(keys):
        cache.put(key, b"x" * 84)
        os.utime(tmp_path / key[:2] / key[2:], (number, number))
    cache.prune(most_bytes=400)
    assert all(cache.get(key) for key in keys)
    cache.prune(most_bytes=300)
    assert [bool(cache.get(key)) for key in keys] == [False, False, True, True]


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder in (None, tmp_path / "file" / "below"):
        cache = Cache(folder)
        cache.put(key_of([b"a"]), b"content")
        assert cache.get(key_of([b"a"])) is None
        cache.prune()


def test_the_folder_is_the_users_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "geoaudit" / "shard-check"
