"""Which backends there are. A backend's module is imported only when it is chosen."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple, cast

from agent_memory_cli.errors import ConfigError
from agent_memory_cli.paths import on_disk

if TYPE_CHECKING:
    from agent_memory_cli.config import Settings
    from agent_memory_cli.events import Sink
    from agent_memory_cli.port import AdministeredMemory


class Backend(NamedTuple):
    """Where a backend's class is, and the extra that installs what it needs (None: nothing)."""

    module: str
    attribute: str
    extra: str | None


BACKENDS = {"sqlite": Backend("agent_memory_cli.backends.sqlite", "SQLiteMemory", None)}


def open_memory(
    settings: Settings, *, create: bool = False, sink: Sink | None = None
) -> AdministeredMemory:
    """The memory that the settings name; with `create` it, and the default store's folder, is made.

    Raises ConfigError for a backend that is not known, or when no store is named and there is no
    home directory to look in.
    """
    if settings.backend not in BACKENDS:
        raise ConfigError(
            f"there is no backend of that name; known are {', '.join(sorted(BACKENDS))}"
        )
    if settings.source("db") == "default":
        folder = on_disk(settings.db).parent
        if not folder.is_absolute():
            raise ConfigError("there is no home directory to keep a store in", hint="give --db")
        if create:
            try:
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            except OSError as error:
                raise ConfigError(
                    f"the folder of the default store cannot be made: {error.strerror}",
                    hint="give --db",
                ) from None
    backend = BACKENDS[settings.backend]
    memory = getattr(import_module(backend.module), backend.attribute)(
        settings.db,
        retention_days=settings.retention_days,
        busy_timeout=settings.busy_timeout,
        must_exist=not create,
        sink=sink,
    )
    return cast("AdministeredMemory", memory)
