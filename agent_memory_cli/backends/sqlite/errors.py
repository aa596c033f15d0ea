"""Turns the driver's exceptions into ours, in one place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import apsw

from agent_memory_cli.backends.sqlite import forks
from agent_memory_cli.errors import (
    AgentMemoryError,
    BusyError,
    IntegrationError,
    StoreFormatError,
    ToolUsageError,
)


def translate(error: apsw.Error) -> AgentMemoryError:  # noqa: PLR0911 (one for each kind)
    """Our error for one of the driver's; its text stays behind, since it may quote data."""
    match error:
        case apsw.BusyError() | apsw.LockedError():
            return BusyError("the store is in use by another process")
        case apsw.InterruptError():
            return BusyError("the call was interrupted; nothing was written")
        case apsw.FullError():
            return IntegrationError("the disk is full", hint="free some space and run it again")
        case apsw.NotADBError():
            return StoreFormatError("the file is not a database")
        case apsw.CorruptError() | apsw.FormatError():
            return StoreFormatError(
                "the store is damaged", hint="run: agent-memory doctor; restore a backup"
            )
        case apsw.ReadOnlyError():
            return IntegrationError("the store is read-only", hint="check the file's permissions")
        case apsw.CantOpenError() | apsw.PermissionsError() | apsw.AuthError():
            return IntegrationError(
                "the store cannot be opened",
                hint="check the permissions of the file and its folder",
            )
        case apsw.TooBigError():
            return ToolUsageError("a text is larger than SQLite can hold (1 GB)")
        case apsw.IOError():
            return IntegrationError(
                "reading or writing the store failed", hint="is the disk full, or failing?"
            )
        case apsw.NoMemError():
            return IntegrationError("out of memory")
        case _:
            return IntegrationError(f"SQLite refused the call ({type(error).__name__})")


@contextmanager
def translated() -> Iterator[None]:
    """Raises ours for whatever the driver raises inside."""
    try:
        with forks.call():
            yield
    except apsw.Error as error:
        raise translate(error) from error
