"""Paths in real characters: the same file is meant whatever the locale."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def real(text: str) -> str:
    """An argument or variable whose bytes the locale could not decode, as the UTF-8 that it is;
    unchanged when it is none."""
    with suppress(UnicodeError):
        return os.fsencode(text).decode()
    return text


def expanded(text: str) -> str:
    """A path that somebody typed, `~` expanded. Raises ValueError, completing "the path …"."""
    if not text:
        raise ValueError("is empty")
    path = os.path.expanduser(real(text))  # noqa: PTH111 (Path raises without a home)
    if path.startswith("~"):
        raise ValueError("begins with ~, and there is no such home directory")
    return path


def on_disk(path: str) -> Path:
    """A path in real characters as the operating system's calls take it."""
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        return Path(os.fsdecode(path.encode("utf-8", "surrogateescape")))
    return Path(path)


def readable(path: Path) -> str:
    """A path in real characters, to be shown; bytes that are not UTF-8 stand as escapes."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")
