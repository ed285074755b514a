"""The folder on disk for machine code, tables and answers, which no other user can write.

Machine code is run and tables are believed, so both are read only from a folder and from files that belong
to this user and that no other user can write. Where each user has a group of their own (as on Debian, whose
folders then are group-writable), that group may write. Systems without user ids (Windows) are not checked.

A folder that this user cannot write, such as one in a read-only image, is read; what is new goes elsewhere.
"""

import atexit
import errno
import functools
import logging
import os
import shutil
import stat
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

import platformdirs

try:
    import grp
    import pwd
except ImportError:  # Windows, and Python in a browser
    HAS_GROUPS = False
else:
    HAS_GROUPS = True

log = logging.getLogger(__name__)

SUBFOLDERS = "machine-code", "tables-2", "answers"
"""Names of the folders in the cache folder. A number is the version of the format of its files."""
MACHINE_CODE, TABLES, STORED_ANSWERS = SUBFOLDERS

OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
HAS_USERS = hasattr(os, "getuid")
CACHE, READ_ONLY = "HOPPERS_CACHE", "HOPPERS_READ_ONLY_CACHE"
"""Environment variables: the wanted folder; for a compiling process, the one that its server only reads."""
_MAKING_FRESH = threading.Lock()


class NotPrivateError(PermissionError):
    """Refusal of a file or folder that another user may have written, or that is of another kind."""


def cache_folder() -> Path:
    """Return the folder for machine code, tables and answers, and create it if necessary (mode 0700).

    It is the first that this user can write and others cannot: `HOPPERS_CACHE` or else the user's cache
    folder; a folder per user in the system's temporary folder; a new temporary folder, which is deleted when
    this process ends. One line is logged if it is not the first of these.
    """
    try:
        wanted = _wanted_folder()
        return _prepared(wanted)
    except (
        RuntimeError
    ):  # a user without an entry in the list of users and without HOME, as in some containers
        reason = f"This user has no home folder, and {CACHE} is not set. Machine"
    except OSError as error:
        use, kind = ("not used", "Machine") if read_only_folder() is None else ("only read", "New machine")
        reason = f"The cache folder {wanted} is {use}: {error.strerror or error}. {kind}"
    try:
        folder = _prepared(Path(tempfile.gettempdir(), f"hoppers-{os.getuid() if HAS_USERS else 0}"))
    except OSError:
        with _MAKING_FRESH:
            folder = _fresh_folder()
    _warn_once(f"{reason} code and tables are in {folder}.")
    return folder


def read_only_folder() -> Path | None:
    """Return the wanted folder if this user can read but not write it, and no other user can; else None."""
    try:
        folder = Path(os.environ[READ_ONLY]) if READ_ONLY in os.environ else _wanted_folder()
        for path in (folder, *(folder / name for name in SUBFOLDERS if (folder / name).exists())):
            check_private(path)
    except (OSError, RuntimeError):
        return None
    return folder if os.access(folder, os.R_OK | os.X_OK) and not os.access(folder, os.W_OK) else None


def environment() -> dict[str, str]:
    """Return the variables with which another process uses the same folders."""
    read_only = read_only_folder()
    return {CACHE: str(cache_folder()), **({} if read_only is None else {READ_ONLY: str(read_only)})}


def existing(name: str, path: str) -> Path:
    """Return where a file of the subfolder `name` is to be read: perhaps in the folder that is only read.

    Raises:
        OSError: the subfolder cannot be created.
    """
    written, read_only = subfolder(name) / path, read_only_folder()
    if read_only is not None and not written.exists() and (read_only / name / path).exists():
        return read_only / name / path
    return written


def subfolder(name: str) -> Path:
    """Return one of the `SUBFOLDERS` of the cache folder, and create it if necessary.

    Raises:
        OSError: it cannot be created.
    """
    folder = cache_folder() / name
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def check_private(folder: Path) -> None:
    """Check that only this user can change what is in `folder`.

    Raises:
        OSError: it is not a folder, or another user can write it, or can replace it or a folder on its path.
    """
    state = folder.stat()
    if not stat.S_ISDIR(state.st_mode):
        raise NotPrivateError(f"{folder} is not a folder")
    if HAS_USERS:
        _check_path(folder)
        _check_owner(folder, state, {os.getuid()})


def check_private_file(path: Path, state: os.stat_result) -> None:
    """Check that a file with this state is a regular file that only this user can have written.

    Raises:
        NotPrivateError: it is not.
    """
    if not stat.S_ISREG(state.st_mode):
        raise NotPrivateError(f"{path} is not a regular file")
    if HAS_USERS:
        _check_owner(path, state, {os.getuid()})


def open_private(path: Path) -> BinaryIO:
    """Open a file for reading that this user has written and no other can write.

    Raises:
        FileNotFoundError: there is no such file.
        OSError: it cannot be read, is a link, folder, pipe or device, or another user may have written it.
    """
    flags = ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY")  # a pipe without a writer would block
    number = os.open(path, sum(getattr(os, flag, 0) for flag in flags))
    try:
        check_private_file(path, os.fstat(number))
        return os.fdopen(number, "rb")
    except BaseException:
        os.close(number)
        raise


def write_private(path: Path, content: bytes) -> None:
    """Write a file of mode 0600 as a whole: other processes see the old or the new content.

    A power cut may damage it, so its reader must check it.

    Raises:
        OSError: it cannot be written.
    """
    part = None
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as file:
            part = Path(file.name)
            file.write(content)
        part.replace(path)
    except BaseException:
        if part is not None:
            part.unlink(missing_ok=True)
        raise


def is_shortage(error: Exception) -> bool:
    """Return whether a file could not be read for want of memory or descriptors, and may be intact."""
    return isinstance(error, OSError) and error.errno in (errno.ENOMEM, errno.EMFILE, errno.ENFILE)


def discard(path: Path) -> None:
    """Delete a file, a link or a whole folder, as far as that is possible."""
    with suppress(OSError):
        if stat.S_ISDIR(path.lstat().st_mode):
            shutil.rmtree(path)
        else:
            path.unlink()


def _wanted_folder() -> Path:
    """Return the folder that is asked for, or else the user's; raise a RuntimeError without a home."""
    return Path(os.environ.get(CACHE) or platformdirs.user_cache_dir("hoppers")).absolute()


def _prepared(folder: Path) -> Path:
    """Create a folder unless it exists, and return it; raise an OSError unless it and its subfolders fit."""
    for part in (*reversed(folder.parents), folder):
        if not part.exists():
            part.mkdir(mode=0o700, exist_ok=True)
    check_private(folder)
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        raise PermissionError(f"{folder} is not writable")
    for path in (folder / name for name in SUBFOLDERS):
        if path.is_dir():
            check_private(path)
        else:  # a file or a broken link; another process may be making the folder at this moment
            with suppress(OSError):
                path.unlink()
    return folder


@functools.cache
def _fresh_folder() -> Path:
    """Return a new temporary folder, the same at each call, where possible in one that others cannot move."""
    places = [Path(tempfile.gettempdir()), Path("/tmp"), Path("/var/tmp")]
    safe = next((place for place in places if _is_safe_place(place)), places[0])
    folder = Path(tempfile.mkdtemp(prefix="hoppers-", dir=safe))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _is_safe_place(folder: Path) -> bool:
    try:
        if HAS_USERS:
            _check_path(folder)
    except OSError:
        return False
    return os.access(folder, os.W_OK | os.X_OK)


def _check_path(path: Path) -> None:
    """Raise an OSError unless no other user can replace a folder or link on the way to `path`, or `path`."""
    if path.parent != path:
        _check_path(path.parent)
    state = path.lstat()
    # the owner of "/" stands for root in a container in which root has another number
    owners = {0, os.getuid(), Path("/").stat().st_uid}
    if stat.S_ISLNK(state.st_mode):
        _check_owner(path, state, owners, modes=0)
        _check_path(path.parent / path.readlink())
    else:
        # in a sticky folder, such as /tmp, users cannot replace each other's files
        _check_owner(path, state, owners, modes=0 if state.st_mode & stat.S_ISVTX else OTHERS_WRITE)


def _check_owner(path: Path, state: os.stat_result, owners: set[int], modes: int = OTHERS_WRITE) -> None:
    """Raise a NotPrivateError unless one of `owners` owns `path` and none of `modes` is set."""
    if state.st_uid not in owners:
        raise NotPrivateError(f"{path} belongs to another user")
    if state.st_gid == _private_group() and not _has_access_list(path):
        modes &= ~stat.S_IWGRP
    if state.st_mode & modes:
        raise NotPrivateError(f"other users can write to {path} (chmod go-w mends that)")


@functools.cache
def _private_group() -> int | None:
    """Return the number of the group that has this user's name and no other member, or None if there is none.

    The name matters: a group in which a distribution puts all users may list none of them as members.
    """
    if not HAS_GROUPS:
        return None
    try:
        user = pwd.getpwuid(os.getuid())
        group = grp.getgrgid(user.pw_gid)
    except KeyError:  # a user or a group without a name, as in some containers
        return None
    members = {entry.pw_name for entry in pwd.getpwall() if entry.pw_gid == user.pw_gid} | {*group.gr_mem}
    return user.pw_gid if group.gr_name == user.pw_name and members <= {user.pw_name} else None


def _has_access_list(path: Path) -> bool:
    """Return whether a list names more users or groups (Linux), for which `S_IWGRP` then stands."""
    try:
        return "system.posix_acl_access" in os.listxattr(path, follow_symlinks=False)
    except (AttributeError, OSError):  # another system, or a file system without lists
        return False


@functools.cache
def _warn_once(message: str) -> None:
    log.warning("%s", message)
