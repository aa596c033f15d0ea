"""Events: one per operation, with counts and times, never with ids or texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from pydantic import JsonValue

from agent_memory_cli.times import format_instant, utc_now


@dataclass(frozen=True)
class Event:
    """`name` such as `memory.added`, and `data`: `backend`, `count`, `latency_ms`, `scope` (its
    kind, such as `user+session`), for a search also `k` and `mode`.

    `arguments` and `result` hold texts, and are filled only with `capture_content=True`.
    """

    name: str
    data: Mapping[str, JsonValue]
    at: datetime = field(default_factory=utc_now)
    arguments: JsonValue = None
    result: JsonValue = None

    def as_json(self) -> dict[str, JsonValue]:
        """The event as one JSON object, without content."""
        return {"event": self.name, "at": format_instant(self.at), **self.data}


Sink = Callable[[Event], None]


class Context(Protocol):
    """What a host may pass as `ctx=`: its own run, which receives the operation's event."""

    def emit(self, event: Event) -> None: ...
