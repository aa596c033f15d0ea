"""A file that appears whole, readable for its owner only, or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from agent_memory_cli.errors import OutputError, RefusedError

_MODE = 0o600


@contextmanager
def whole_file(
    path: Path,
    *,
    force: bool,
    never: Iterable[Path] = (),
    hint: str = "use --force to replace it",
) -> Iterator[BinaryIO]:
    """Opens a file for writing that gets its name only when the block ends well.

    Raises RefusedError when something is there already (unless `force`) or when `path` is one of
    `never`; OutputError when it cannot be written. What stood there is then as it was.
    """
    _check(path, force=force, never=never, hint=hint)
    try:
        with _unnamed(path.parent) as (file, source):
            yield file
            file.flush()
            os.fsync(file.fileno())
            _name(source, path, force=force)
    except FileExistsError:
        raise RefusedError("a file of that name appeared meanwhile; it was kept") from None
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(f"the file cannot be written: {error.strerror}") from None


def _check(path: Path, *, force: bool, never: Iterable[Path], hint: str) -> None:
    for other in never:
        with suppress(OSError):
            if path.resolve() == other.resolve() or path.samefile(other):
                raise RefusedError("that file is the store itself")
    try:
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode):
            # A link is replaced, not followed; but not one that stands for a device or a folder.
            with suppress(FileNotFoundError):
                mode = path.stat().st_mode
    except FileNotFoundError:
        return
    except OSError as error:
        raise OutputError(f"the file cannot be written: {error.strerror}") from None
    if stat.S_ISDIR(mode):
        raise OutputError("the output is a directory")
    if not stat.S_ISREG(mode) and not stat.S_ISLNK(mode):
        raise OutputError("the output is not a regular file")
    if not force:
        raise RefusedError("the output exists already", hint=hint)


@contextmanager
def _unnamed(folder: Path) -> Iterator[tuple[BinaryIO, str]]:
    """A new file and where it can be linked from. Where the system can, it has no name, so that
    not even a crash leaves it behind; elsewhere its temporary name is removed at the end."""
    descriptor = _without_name(folder)
    if descriptor is not None:
        with os.fdopen(descriptor, "w+b") as file:
            yield file, f"/proc/self/fd/{descriptor}"
        return
    part = _part(folder)
    try:
        with os.fdopen(os.open(part, os.O_CREAT | os.O_EXCL | os.O_RDWR, _MODE), "w+b") as file:
            yield file, str(part)
    finally:
        part.unlink(missing_ok=True)


def _without_name(folder: Path) -> int | None:
    if not hasattr(os, "O_TMPFILE") or not Path("/proc/self/fd").exists():
        return None
    try:
        return os.open(folder, os.O_TMPFILE | os.O_RDWR, _MODE)
    except IsADirectoryError:
        return None
    except OSError as error:
        if error.errno == errno.EOPNOTSUPP:
            return None
        raise


def _name(source: str, path: Path, *, force: bool) -> None:
    """Gives the finished file its name; without `force` only if nobody else has it."""
    if not force:
        _link(source, path)
        return
    part = _part(path.parent)
    _link(source, part)
    try:
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _link(source: str, path: Path) -> None:
    """Links what `source`, a symbolic link under /proc, points to. Unless it is given a folder's
    descriptor, Python makes a call that links the symbolic link itself."""
    folder = os.open("/", os.O_RDONLY)
    try:
        os.link(source, path, src_dir_fd=folder, follow_symlinks=True)
    finally:
        os.close(folder)


def _part(folder: Path) -> Path:
    return folder / f".agent-memory-{secrets.token_hex(8)}.part"
