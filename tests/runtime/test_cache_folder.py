"""The cache folder: only one that this user owns and nobody else can write, else another one."""

import grp
import logging
import os
import pwd
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hoppers.runtime import cache_folder as module
from hoppers.runtime.cache_folder import SUBFOLDERS, cache_folder, open_private, subfolder, write_private

FOREIGN = 1  # number of another user
as_root = pytest.mark.skipif(os.name != "posix" or os.getuid() != 0, reason="only root can give files away")

Spoil = Callable[[Path], object]


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let this process want the folder `tmp_path`/wanted, and put temporary folders into `tmp_path`/tmp."""
    (tmp_path / "tmp").mkdir(mode=0o700)
    monkeypatch.setenv("HOPPERS_CACHE", str(tmp_path / "wanted"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    let_group_be(monkeypatch, members=["other"])
    for function in (module._warn_once, module._fresh_folder):
        function.cache_clear()
    yield
    module._fresh_folder.cache_clear()


def let_group_be(
    monkeypatch: pytest.MonkeyPatch, name: str = "me", members: Sequence[str] = (), more: Sequence[str] = ()
) -> None:
    """Let the user `me` be in a group with these members, also the first group of the users `more`."""
    users = [SimpleNamespace(pw_name=user, pw_gid=os.getgid()) for user in ("me", *more)]
    group = SimpleNamespace(gr_name=name, gr_mem=members)
    monkeypatch.setattr(pwd, "getpwuid", lambda number: users[0])
    monkeypatch.setattr(pwd, "getpwall", lambda: users)
    monkeypatch.setattr(grp, "getgrgid", lambda number: group)
    module._private_group.cache_clear()


def fallback(tmp_path: Path) -> Path:
    return tmp_path / "tmp" / f"hoppers-{os.getuid()}"


def test_folders_and_files_are_made_for_this_user_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        folder = subfolder("tables-2")
        write_private(folder / "file", b"content")
    finally:
        os.umask(before)
    assert folder == tmp_path / "wanted" / "tables-2"
    assert [stat.S_IMODE(path.stat().st_mode) for path in (folder.parent, folder, folder / "file")] == [
        0o700,
        0o700,
        0o600,
    ]


def given_away(path: Path) -> None:
    os.chown(path, FOREIGN, FOREIGN)


def replaced(make: Spoil) -> Spoil:
    def act(folder: Path) -> None:
        shutil.rmtree(folder)
        make(folder)

    return act


UNSAFE: dict[str, Spoil] = {
    "anyone may write": lambda folder: folder.chmod(0o777),
    "the group may write": lambda folder: folder.chmod(0o770),
    "anyone may replace it": lambda folder: folder.parent.chmod(0o777),
    "anyone may write a subfolder": lambda folder: (folder / SUBFOLDERS[0]).chmod(0o777),
    "it is a file": replaced(Path.touch),
    "it is a pipe": replaced(os.mkfifo),
}
FOREIGN_OWNER: dict[str, Spoil] = {
    "it is another user's": given_away,
    "a subfolder is another user's": lambda folder: given_away(folder / SUBFOLDERS[0]),
    "the folder above is another user's": lambda folder: given_away(folder.parent),
}


@pytest.mark.parametrize(
    "spoil",
    [*UNSAFE.values(), *(pytest.param(spoil, marks=as_root) for spoil in FOREIGN_OWNER.values())],
    ids=[*UNSAFE, *FOREIGN_OWNER],
)
def test_unsafe_folder_is_not_used_and_logged_once(
    spoil: Spoil, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    wanted = tmp_path / "above" / "wanted"
    (wanted / SUBFOLDERS[0]).mkdir(parents=True)
    monkeypatch.setenv("HOPPERS_CACHE", str(wanted))
    assert cache_folder() == wanted
    spoil(wanted)
    assert [cache_folder() for _ in range(3)] == [fallback(tmp_path)] * 3
    [line] = [record.getMessage() for record in caplog.records if record.name == module.__name__]
    assert str(wanted) in line and str(fallback(tmp_path)) in line and "\n" not in line


SHARED: dict[str, dict[str, Any]] = {
    "a member": {"members": ["me", "other"]},
    "another user's first group": {"more": ["other"]},
    "a group of all users, with no list of them": {"name": "users"},
}


def test_group_of_this_user_alone_may_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where each user has a group of their own, new folders are often group-writable (umask 002)."""
    let_group_be(monkeypatch, members=["me"])
    wanted = tmp_path / "wanted"
    (wanted / SUBFOLDERS[0]).mkdir(parents=True)
    for folder in (tmp_path, wanted, wanted / SUBFOLDERS[0]):
        folder.chmod(0o775)
    assert cache_folder() == wanted
    (wanted / "file").write_bytes(b"content")
    (wanted / "file").chmod(0o664)
    with open_private(wanted / "file") as file:
        assert file.read() == b"content"
    (wanted / "file").chmod(0o666)
    with pytest.raises(module.NotPrivateError):
        open_private(wanted / "file")
    (wanted / SUBFOLDERS[0]).chmod(0o777)
    assert cache_folder() == fallback(tmp_path)


@pytest.mark.parametrize("group", SHARED.values(), ids=SHARED)
def test_shared_group_may_not_write(
    group: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_group_be(monkeypatch, **group)
    (tmp_path / "wanted").mkdir()
    (tmp_path / "wanted").chmod(0o770)
    assert cache_folder() == fallback(tmp_path)


def test_user_without_a_name_has_no_private_group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pwd, "getpwuid", {}.__getitem__)
    (tmp_path / "wanted").mkdir(mode=0o700)
    assert cache_folder() == tmp_path / "wanted"
    (tmp_path / "wanted").chmod(0o770)
    assert cache_folder() == fallback(tmp_path)


@as_root
def test_another_group_may_not_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    let_group_be(monkeypatch)
    (tmp_path / "wanted").mkdir()
    os.chown(tmp_path / "wanted", -1, FOREIGN)
    (tmp_path / "wanted").chmod(0o770)
    assert cache_folder() == fallback(tmp_path)


@pytest.mark.skipif(shutil.which("setfacl") is None, reason="setfacl is not installed")
def test_list_of_other_users_may_not_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The mode shows the most that such a list permits as that of the group."""
    let_group_be(monkeypatch)
    (tmp_path / "wanted").mkdir(mode=0o700)
    subprocess.run(["setfacl", "-m", f"u:{FOREIGN}:rwx", tmp_path / "wanted"], check=True)
    assert cache_folder() == fallback(tmp_path)


@as_root
def test_unsafe_temporary_folder_is_replaced_by_a_new_one(tmp_path: Path) -> None:
    (tmp_path / "wanted").touch()
    fallback(tmp_path).mkdir()
    given_away(fallback(tmp_path))
    folder = cache_folder()
    assert folder == cache_folder() != fallback(tmp_path)
    assert folder.parent == tmp_path / "tmp" and stat.S_IMODE(folder.stat().st_mode) == 0o700


@as_root
@pytest.mark.parametrize("is_absolute", [True, False])
def test_link_of_another_user_is_not_followed(tmp_path: Path, is_absolute: bool) -> None:
    (tmp_path / "own").mkdir(mode=0o700)
    link = tmp_path / "wanted"
    link.symlink_to(tmp_path / "own" if is_absolute else "own")
    assert cache_folder() == link
    os.lchown(link, FOREIGN, FOREIGN)
    assert cache_folder() == fallback(tmp_path)


@as_root
def test_link_to_a_link_of_another_user_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir(mode=0o700)
    (tmp_path / "theirs").symlink_to(tmp_path / "own")
    os.lchown(tmp_path / "theirs", FOREIGN, FOREIGN)
    (tmp_path / "wanted").symlink_to(tmp_path / "theirs")
    assert cache_folder() == fallback(tmp_path)


def test_sticky_folder_above_is_safe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sticky").mkdir()
    (tmp_path / "sticky").chmod(0o1777)
    monkeypatch.setenv("HOPPERS_CACHE", str(tmp_path / "sticky" / "mine"))
    assert cache_folder() == tmp_path / "sticky" / "mine"


def test_folder_deleted_while_the_program_runs_is_made_again(tmp_path: Path) -> None:
    subfolder("answers").rmdir()
    (tmp_path / "wanted").rmdir()
    assert subfolder("answers").is_dir()


def test_file_in_place_of_a_subfolder_is_replaced(tmp_path: Path) -> None:
    cache_folder()
    (tmp_path / "wanted" / "answers").touch()
    assert subfolder("answers") == tmp_path / "wanted" / "answers" and subfolder("answers").is_dir()


NOT_PRIVATE: dict[str, Spoil] = {
    "link": lambda path: path.symlink_to(path.with_name("other")),
    "pipe": os.mkfifo,
    "folder": Path.mkdir,
    "writable": lambda path: os.close(os.open(path, os.O_CREAT, 0o666)),
}


@pytest.mark.parametrize("make", NOT_PRIVATE.values(), ids=NOT_PRIVATE)
def test_only_regular_files_of_this_user_are_opened(make: Spoil, tmp_path: Path) -> None:
    write_private(tmp_path / "other", b"content")
    with open_private(tmp_path / "other") as file:
        assert file.read() == b"content"
    before = os.umask(0)
    make(tmp_path / "file")
    os.umask(before)
    with pytest.raises(OSError):
        open_private(tmp_path / "file")


@as_root
def test_file_of_another_user_is_not_opened(tmp_path: Path) -> None:
    write_private(tmp_path / "file", b"content")
    given_away(tmp_path / "file")
    with pytest.raises(OSError, match="belongs to another user"):
        open_private(tmp_path / "file")


def test_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_private(tmp_path / "file", b"old")

    def fail(path: Path, target: Path) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError):
        write_private(tmp_path / "file", b"new")
    assert (tmp_path / "file").read_bytes() == b"old"
    assert {path.name for path in tmp_path.iterdir()} == {"file", "tmp"}


TEMPORARY = """
from hoppers.runtime.cache_folder import cache_folder
print(cache_folder(), cache_folder().is_dir())
"""


def test_new_temporary_folder_is_deleted_with_its_process(tmp_path: Path) -> None:
    fallback(tmp_path).touch()
    environment = {**os.environ, "HOPPERS_CACHE": "/proc/none", "TMPDIR": str(tmp_path / "tmp")}
    done = subprocess.run(
        [sys.executable, "-c", TEMPORARY], env=environment, capture_output=True, text=True, check=True
    )
    folder, was_there = done.stdout.split()
    assert was_there == "True" and Path(folder).parent == tmp_path / "tmp" and not Path(folder).exists()
    assert len(done.stderr.splitlines()) == 1


IMPORT = """
import os, sys
from pathlib import Path
import numba
from numba.core import caching, config

sys.path.insert(0, sys.argv[1])

def state():
    owners = config, caching._CacheLocator, caching.CacheImpl, caching.FunctionCache
    return [dict(vars(one)) for one in owners], dict(os.environ)

before = state()
import hoppers, hoppers.puzzles
assert state() == before
assert not Path(os.environ["HOPPERS_CACHE"]).exists()
import mine
assert mine.one_more(1) == 2
print(*(path.name for path in Path(sys.argv[1]).rglob("*.nbi")))
"""


def test_import_changes_nothing_in_numba_and_makes_no_folder(tmp_path: Path) -> None:
    """The functions of an importing program stay in the cache that Numba chooses for them."""
    code = "import numba\n@numba.njit(cache=True)\ndef one_more(value):\n    return value + 1\n"
    (tmp_path / "mine.py").write_text(code)
    done = subprocess.run([sys.executable, "-c", IMPORT, str(tmp_path)], capture_output=True, text=True)
    assert done.stdout.startswith("mine.one_more-2."), done.stderr
    assert not (tmp_path / "wanted").exists()


def test_log_line_names_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    (tmp_path / "wanted").mkdir(mode=0o700)
    (tmp_path / "wanted").chmod(0o722)
    cache_folder()
    assert "other users can write to" in caplog.text and "chmod go-w" in caplog.text


def test_user_without_a_home_gets_the_temporary_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def raise_error(name: str) -> str:
        raise RuntimeError("could not determine the home directory")

    monkeypatch.delenv("HOPPERS_CACHE")
    monkeypatch.setattr("platformdirs.user_cache_dir", raise_error)
    assert cache_folder() == cache_folder() == fallback(tmp_path)
    assert module.read_only_folder() is None
    assert len(caplog.records) == 1 and "no home folder" in caplog.text


def test_folder_that_cannot_be_written_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    write_private(subfolder("tables-2") / "old", b"old")
    write_private(subfolder("tables-2") / "both", b"old")
    wanted, access = tmp_path / "wanted", os.access
    monkeypatch.setattr(
        os, "access", lambda path, mode: access(path, mode) and not (path == wanted and mode & os.W_OK)
    )
    write_private(subfolder("tables-2") / "both", b"new")
    assert cache_folder() == fallback(tmp_path) and module.read_only_folder() == wanted
    assert [module.existing("tables-2", name).read_bytes() for name in ("old", "both")] == [b"old", b"new"]
    assert module.existing("tables-2", "none") == fallback(tmp_path) / "tables-2" / "none"
    assert len(caplog.records) == 1 and "is only read" in caplog.text
    for name, value in module.environment().items():  # a compiling process uses the same two
        monkeypatch.setenv(name, value)
    assert cache_folder() == fallback(tmp_path) and module.read_only_folder() == wanted
    (wanted / "tables-2").chmod(0o777)
    assert module.read_only_folder() is None
