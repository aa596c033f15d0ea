"""Standard streams that neither crash on an encoding nor hide a failed write."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TextIO

from agent_memory_cli.errors import OutputError


def prepare() -> None:
    """Characters that the output cannot carry are escaped, never an error; a stream that is closed
    is known as such, and its number goes to no file that is opened later."""
    for name, flags in (("stdin", os.O_RDONLY), ("stdout", os.O_RDONLY), ("stderr", os.O_WRONLY)):
        if getattr(sys, name) is None:
            number = os.open(os.devnull, flags)  # the lowest that is free
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace", newline="\n")


def carries_unicode(stream: TextIO) -> bool:
    """Whether `stream` is UTF-8."""
    return (stream.encoding or "").lower().replace("-", "") in ("utf8", "utf8sig")


def at_terminal(stream: TextIO) -> bool:
    """Whether somebody may be reading along."""
    try:
        return stream.isatty()
    except ValueError:
        return False


def write(text: str) -> None:
    """Writes to standard output. Raises OutputError when that fails; a closed pipe passes on."""
    _checked(lambda: sys.stdout.write(text))


def write_bytes(data: bytes) -> None:
    """Writes bytes to standard output, as they are."""
    _checked(lambda: sys.stdout.buffer.write(data))


def flush() -> None:
    """Makes sure that standard output took everything."""
    _checked(sys.stdout.flush)


def abandon() -> None:
    """Points standard output at nothing, so that the interpreter's own flush stays silent."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def note(text: str) -> None:
    """Writes a line to standard error, if anybody listens."""
    with suppress(OSError, ValueError):
        print(text, file=sys.stderr, flush=True)


def _checked(work: Callable[[], object]) -> None:
    try:
        work()
    except BrokenPipeError:
        raise
    except OSError as error:
        abandon()
        raise OutputError(f"the output cannot be written: {error.strerror}") from None
