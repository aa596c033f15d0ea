"""Every error of this package, in one tree.

    AgentMemoryError          1  unexpected
    ├─ ToolUsageError         2  the caller gave something that cannot be meant
    ├─ ConfigError            2  a setting is wrong
    ├─ NotFoundError          3  the store, the record or the person is not there
    ├─ RefusedError           4  it could be done, and was not allowed
    ├─ MissingDependency      5  an optional package is not installed
    ├─ IntegrationError       5  a backend failed
    │  └─ StoreFormatError    5  the file cannot be used as a store
    ├─ IncompleteError        6  done in part; says what is left
    ├─ BusyError              7  somebody else holds the store
    ├─ OutputError            1  the result could not be written
    └─ Interrupted          130  somebody pressed Ctrl-C

The number is the exit code of the command line. Messages never hold the text of a record.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar


class AgentMemoryError(Exception):
    """The root: what happened (`message`), what to do (`hint`), and `details` worth a line each.

    `details` may hold ids that the caller typed or asked about; logs get `code` alone.
    """

    code: ClassVar[str] = "unexpected"
    exit_code: ClassVar[int] = 1
    default_hint: ClassVar[str | None] = None

    def __init__(
        self, message: str, *, hint: str | None = None, details: Iterable[str] = ()
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint if hint is not None else self.default_hint
        self.details = tuple(details)


class ToolUsageError(AgentMemoryError):
    """An argument that cannot be meant: an empty id, a bad date, a scope that names nobody."""

    code = "usage"
    exit_code = 2


class ConfigError(AgentMemoryError):
    """A setting that cannot be used: a bad path, an unknown key, a number out of range."""

    code = "config"
    exit_code = 2


class NotFoundError(AgentMemoryError):
    """The store, the record or the person is not there."""

    code = "not-found"
    exit_code = 3


class RefusedError(AgentMemoryError):
    """The request is clear, and a safeguard forbids it."""

    code = "refused"
    exit_code = 4


class MissingDependency(AgentMemoryError):  # noqa: N818 (the name the described system uses)
    """An optional package is not installed; the hint names the extra to install."""

    code = "missing-dependency"
    exit_code = 5

    def __init__(self, package: str, *, extra: str) -> None:
        super().__init__(
            f"{package} is not installed",
            hint=f"install it with: pip install 'agent-memory-admin[{extra}]'",
        )


class IntegrationError(AgentMemoryError):
    """A backend failed. The cause is chained; logs carry its type only."""

    code = "backend"
    exit_code = 5


class StoreFormatError(IntegrationError):
    """The file is not a store of ours, is damaged, or was written by a newer version."""

    code = "store-format"


class IncompleteError(AgentMemoryError):
    """A part was done; the message says what is left, the hint how to finish it."""

    code = "incomplete"
    exit_code = 6


class BusyError(AgentMemoryError):
    """Somebody else held the store for longer than we wait."""

    code = "busy"
    exit_code = 7
    default_hint = "try again, or wait longer with --busy-timeout"


class OutputError(AgentMemoryError):
    """The result could not be written; what stood there before is intact."""

    code = "output"


class Interrupted(AgentMemoryError):  # noqa: N818 (what happened, and no fault)
    """The person at the terminal stopped the command."""

    code = "interrupted"
    exit_code = 130
