"""The store as a file: is it ours, who may read it, how is it made.

Looks at the header with plain reads, so that a foreign file is refused before SQLite touches it.
Format: https://www.sqlite.org/fileformat2.html#the_database_header
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from agent_memory_cli.errors import ConfigError, IntegrationError, NotFoundError, StoreFormatError

APPLICATION_ID = 0x414D454D  # "AMEM"
_MAGIC = b"SQLite format 3\x00"
OWNER_ONLY = 0o600
COMPANIONS = ("", "-wal", "-shm", "-journal")


@dataclass(frozen=True)
class Header:
    """What the first 100 bytes say; `version` may lag behind what the WAL holds."""

    application_id: int
    version: int


def real_text(path: str) -> str:
    """`path` in real characters, also where the locale turned its bytes into surrogates."""
    try:
        path.encode()
    except UnicodeEncodeError:
        with suppress(UnicodeDecodeError):
            return os.fsencode(path).decode()
        raise ConfigError("the path of the store is not valid UTF-8") from None
    return path


def disk_path(path: str) -> Path:
    """`path` as the operating system's calls take it, whatever the locale."""
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        return Path(os.fsdecode(path.encode()))
    return Path(path)


def read_header(path: Path) -> Header | None:
    """The header; None for a file of 0 bytes.

    Raises NotFoundError when nothing is there, StoreFormatError when it is no database or not ours,
    IntegrationError when it may not be read.
    """
    try:
        kind = path.stat().st_mode
        if stat.S_ISDIR(kind):
            raise StoreFormatError("the path of the store is a directory")
        if not stat.S_ISREG(kind):
            raise StoreFormatError("the path of the store is not a regular file")
        with path.open("rb") as file:
            head = file.read(100)
    except FileNotFoundError:
        raise NotFoundError(
            "there is no store at that path", hint="check --db; `add` and `import` create one"
        ) from None
    except NotADirectoryError:
        raise NotFoundError("a part of the store's path is not a folder") from None
    except OSError as error:
        raise IntegrationError(f"the store cannot be read: {error.strerror}") from None
    if not head:
        return None
    if len(head) < 100 or not head.startswith(_MAGIC):
        raise StoreFormatError("the file is not a database; it was left untouched")
    header = Header(int.from_bytes(head[68:72], "big"), int.from_bytes(head[60:64], "big"))
    if header.application_id != APPLICATION_ID:
        raise StoreFormatError("the database belongs to another program; it was left untouched")
    return header


def create_empty(path: Path) -> None:
    """Makes the file, for its owner only, unless it is there. Nobody can read it in between.

    Raises ConfigError when its folder is missing, IntegrationError when it may not be made.
    """
    try:
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


def beside(path: Path) -> list[Path]:
    """Files beside the store that carry its name, such as backups: we do not clean those."""
    ours = {companion.name for companion in companions(path)}
    with suppress(OSError):
        return sorted(
            other
            for other in path.parent.iterdir()
            if other.name not in ours and other.name.startswith((path.name, path.stem + "."))
        )
    return []
