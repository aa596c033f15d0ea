"""The store as a file: is it ours, who may read it, how is it made.

Looks at the header before SQLite does, so that a foreign file is refused untouched.
Format: https://www.sqlite.org/fileformat2.html#the_database_header
"""

from __future__ import annotations

import errno
import os
import stat
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import apsw

from agent_memory_cli.errors import ConfigError, IntegrationError, NotFoundError, StoreFormatError
from agent_memory_cli.paths import real

APPLICATION_ID = 0x414D454D  # "AMEM"
_MAGIC = b"SQLite format 3\x00"
OWNER_ONLY = 0o600
COMPANIONS = ("", "-wal", "-shm", "-journal")
_creating = threading.Lock()


@dataclass(frozen=True)
class Header:
    """What the first 100 bytes say; `version` may lag behind what the WAL holds."""

    application_id: int
    version: int


def real_text(path: str) -> str:
    """`path` in real characters, also where the locale turned its bytes into surrogates."""
    path = real(path)
    try:
        path.encode()
    except UnicodeEncodeError:
        raise ConfigError("the path of the store is not valid UTF-8") from None
    return path


def read_header(path: Path) -> Header | None:
    """The header; None for a file of 0 bytes.

    Raises NotFoundError when nothing is there, StoreFormatError when it is no database or not ours,
    IntegrationError when it may not be read.
    """
    try:
        info = path.stat()
        if stat.S_ISDIR(info.st_mode):
            raise StoreFormatError("the path of the store is a directory")
        if not stat.S_ISREG(info.st_mode):
            raise StoreFormatError("the path of the store is not a regular file")
        head = next(blocks(path, 100), b"")
    except FileNotFoundError:
        raise NotFoundError(
            "there is no store at that path", hint="check --db; `add` and `import` create one"
        ) from None
    except NotADirectoryError:
        raise NotFoundError("a part of the store's path is not a folder") from None
    except OSError as error:
        raise IntegrationError(f"the store cannot be read: {error.strerror}") from None
    if not head and info.st_size == 0:  # SQLite takes a file of one byte for an empty one, too
        return None
    if len(head) < 100 or not head.startswith(_MAGIC):
        raise StoreFormatError("the file is not a database; it was left untouched")
    header = Header(int.from_bytes(head[68:72], "big"), int.from_bytes(head[60:64], "big"))
    if header.application_id != APPLICATION_ID:
        raise StoreFormatError("the database belongs to another program; it was left untouched")
    return header


def blocks(path: Path, size: int) -> Iterator[bytes]:
    """The bytes of a file, `size` at a time. Raises OSError.

    Through SQLite's own file layer: closing a file by any other way drops every lock that this
    process holds on it. See https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks
    """
    flags = [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY, 0]
    try:
        # SQLite opens no symbolic link itself.
        file = apsw.VFSFile("", real_text(os.path.realpath(path)), flags)
    except apsw.Error:
        path.stat()
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES)) from None
    try:
        end = file.xFileSize()
        for start in range(0, end, size):
            yield file.xRead(min(size, end - start), start)
    except apsw.Error:
        raise OSError(errno.EIO, os.strerror(errno.EIO)) from None
    finally:
        file.xClose()


def create_empty(path: Path) -> None:
    """Makes the file, for its owner only, unless it is there. Nobody can read it in between.

    Raises ConfigError when its folder is missing, IntegrationError when it may not be made.
    """
    try:
        with _creating:  # no thread may lock the file before it is closed here
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, OWNER_ONLY))
    except FileExistsError:
        pass
    except (FileNotFoundError, NotADirectoryError):
        raise ConfigError("the folder of the store does not exist", hint="make it first") from None
    except OSError as error:
        raise IntegrationError(f"the store cannot be created: {error.strerror}") from None


def open_to_others(path: Path) -> list[Path]:
    """Which of the store's files somebody but the owner may read or write."""
    found = []
    for companion in companions(path):
        with suppress(OSError):
            if companion.stat().st_mode & 0o077:
                found.append(companion)
    return found


def companions(path: Path) -> list[Path]:
    """The store's file and those that SQLite keeps beside it, whether they exist or not."""
    return [path.with_name(path.name + suffix) for suffix in COMPANIONS]


def with_content(path: Path) -> list[Path]:
    """Those of the store's files in which something that is stored may stand.

    Not -shm, which holds numbers of pages, and locks that would be lost if it was read and closed.
    """
    return [companion for companion in companions(path) if not companion.name.endswith("-shm")]


def beside(path: Path) -> list[Path]:
    """Files beside the store whose names begin like its own, such as backups: we clean none."""
    ours = {companion.name for companion in companions(path)}
    with suppress(OSError):
        return sorted(
            other
            for other in path.parent.iterdir()
            if other.name.startswith(path.stem) and other.name not in ours and other.is_file()
        )
    return []
