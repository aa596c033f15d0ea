"""The embedded store: one SQLite file, the only place that knows the driver."""

from agent_memory_cli.backends.sqlite.memory import SQLiteMemory

__all__ = ["SQLiteMemory"]
