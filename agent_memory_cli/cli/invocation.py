"""One call of the command: its common options, its settings, the memory it works on."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

import typer

from agent_memory_cli.cli import streams
from agent_memory_cli.errors import ConfigError
from agent_memory_cli.paths import on_disk

if TYPE_CHECKING:
    from agent_memory_cli.config import Settings
    from agent_memory_cli.events import Event, Sink
    from agent_memory_cli.port import AdministeredMemory


@dataclass
class Invocation:
    """Filled in while the command line is parsed; `command` is None until it names one."""

    command: str | None = None
    json: bool = False
    quiet: bool = False
    verbose: bool = False
    no_color: bool = False
    events: bool = False
    settings_given: dict[str, str | float | None] = field(default_factory=dict)

    def settings(self) -> Settings:
        """The effective settings."""
        from agent_memory_cli.config import resolve

        return resolve(self.settings_given)

    def memory(self, *, create: bool = False) -> AdministeredMemory:
        """The memory to work on. Nothing is created unless `create`."""
        from agent_memory_cli.backends.registry import open_memory

        settings = self.settings()
        self._show_warnings()
        return open_memory(settings, create=create, sink=self._sink(settings))

    @property
    def for_people(self) -> bool:
        """Whether standard output is a terminal and no JSON is asked for."""
        return not self.json and streams.at_terminal(sys.stdout)

    @property
    def colorless(self) -> bool:
        """Whether to leave out colour."""
        return self.no_color or os.environ.get("TERM") == "dumb"

    def note(self, text: str) -> None:
        """A line on standard error, unless --quiet or --json."""
        if not self.quiet and not self.json:
            streams.note(text)

    def _show_warnings(self) -> None:
        """Sends the library's warnings where notes go; they hold counts, no ids and no texts."""
        import logging

        invocation = self

        class Notes(logging.Handler):
            def emit(self, record: logging.LogRecord) -> None:
                if not invocation.quiet:
                    streams.note(f"warning: {record.getMessage()}")

        logger = logging.getLogger("agent_memory")
        logger.addHandler(Notes(logging.WARNING))
        logger.propagate = False

    def _sink(self, settings: Settings) -> Sink | None:
        sinks: list[Sink] = []
        if self.events:
            from agent_memory_cli.cli.render.events import show

            sinks.append(lambda event: show(event, no_color=self.colorless))
        if settings.events_file:
            sinks.append(_appender(settings.events_file))
        if not sinks:
            return None

        def sink(event: Event) -> None:
            for each in sinks:
                each(event)

        return sink


def _appender(path: str) -> Sink:
    """Appends events to a file as JSON lines, each in one write. Raises ConfigError at once when
    the file cannot be opened."""
    from agent_memory_cli.jsontext import to_text

    try:
        descriptor = os.open(on_disk(path), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    except OSError as error:
        raise ConfigError(f"the events file cannot be opened: {error.strerror}") from None

    def append(event: Event) -> None:
        os.write(descriptor, f"{to_text(event.as_json())}\n".encode())

    return append


def of(context: typer.Context) -> Invocation:
    """The invocation that a command runs in."""
    return cast("Invocation", context.obj)
