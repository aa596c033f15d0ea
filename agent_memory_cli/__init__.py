"""Administer what AI agents remember about people, and let agents remember it.

Everything public is here and imported when it is first used, since start-up time is a feature.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from agent_memory_cli._version import __version__

if TYPE_CHECKING:
    from agent_memory_cli.backends.callable import CallableMemory
    from agent_memory_cli.backends.sqlite import SQLiteMemory
    from agent_memory_cli.errors import (
        AgentMemoryError,
        BusyError,
        ConfigError,
        IncompleteError,
        IntegrationError,
        MissingDependency,
        NotFoundError,
        OutputError,
        RefusedError,
        StoreFormatError,
        ToolUsageError,
    )
    from agent_memory_cli.events import Context, Event, Sink
    from agent_memory_cli.guard import GuardedMemory
    from agent_memory_cli.port import AdministeredMemory, MemoryPort
    from agent_memory_cli.records import MemoryHit, MemoryRecord, MemoryScope, StoredRecord
    from agent_memory_cli.selection import Selection

_HOMES = {
    "backends.callable": ("CallableMemory",),
    "backends.sqlite": ("SQLiteMemory",),
    "errors": (
        "AgentMemoryError",
        "BusyError",
        "ConfigError",
        "IncompleteError",
        "IntegrationError",
        "MissingDependency",
        "NotFoundError",
        "OutputError",
        "RefusedError",
        "StoreFormatError",
        "ToolUsageError",
    ),
    "events": ("Context", "Event", "Sink"),
    "guard": ("GuardedMemory",),
    "port": ("AdministeredMemory", "MemoryPort"),
    "records": ("MemoryHit", "MemoryRecord", "MemoryScope", "StoredRecord"),
    "selection": ("Selection",),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "AdministeredMemory",
    "AgentMemoryError",
    "BusyError",
    "CallableMemory",
    "ConfigError",
    "Context",
    "Event",
    "GuardedMemory",
    "IncompleteError",
    "IntegrationError",
    "MemoryHit",
    "MemoryPort",
    "MemoryRecord",
    "MemoryScope",
    "MissingDependency",
    "NotFoundError",
    "OutputError",
    "RefusedError",
    "SQLiteMemory",
    "Selection",
    "Sink",
    "StoreFormatError",
    "StoredRecord",
    "ToolUsageError",
    "__version__",
]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
