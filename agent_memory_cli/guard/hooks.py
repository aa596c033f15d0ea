"""What a backend fills in. The guard has checked the input, and checks the output again."""

from __future__ import annotations

import logging
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import ClassVar

from pydantic import JsonValue

from agent_memory_cli.errors import AgentMemoryError, ConfigError, IntegrationError
from agent_memory_cli.events import Context, Event, Sink
from agent_memory_cli.guard.checks import is_number
from agent_memory_cli.guard.runner import Runner
from agent_memory_cli.records import MemoryHit, MemoryScope, StoredRecord
from agent_memory_cli.reports import AddReport
from agent_memory_cli.selection import Selection
from agent_memory_cli.times import utc_now

log = logging.getLogger("agent_memory")


class Hooks(ABC):
    """Settings that every backend has, and the private hooks that each one fills in.

    Hooks are coroutines; `now` is the instant of the operation. A backend with `blocking = True`
    blocks in them and never awaits an event loop, so that callers without one need none.
    """

    name: ClassVar[str]
    blocking: bool = True

    def __init__(
        self,
        *,
        retention_days: float | None = None,
        sink: Sink | None = None,
        capture_content: bool = False,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        if retention_days is not None and not (
            is_number(retention_days) and 0 < retention_days <= 365_000
        ):
            raise ConfigError("retention_days is a number above 0 and at most 365000")
        self._retention_days = retention_days
        self._sink = sink
        self._capture_content = capture_content
        self._clock = clock
        self._runner = Runner(blocking=self.blocking, interrupt=self._interrupt)

    @property
    def retention_days(self) -> float | None:
        """Days after which a record is hidden and deleted; None keeps records."""
        return self._retention_days

    @abstractmethod
    async def _add(self, records: list[StoredRecord], now: datetime) -> None:
        """Store all of `records` or none."""

    @abstractmethod
    async def _search(
        self, query: str, selection: Selection, k: int, now: datetime
    ) -> tuple[str, list[MemoryHit]]:
        """The mode used and the best `k` hits; an empty query means the newest."""

    @abstractmethod
    async def _get(self, id: str, now: datetime) -> StoredRecord | None:
        """The record of that id."""

    @abstractmethod
    async def _delete(self, ids: list[str] | None, scope: MemoryScope | None, now: datetime) -> int:
        """Delete `ids`, all of `scope`, or the ids within it; how many live ones went."""

    @abstractmethod
    def _stream(
        self, selection: Selection, now: datetime, *, newest_first: bool, limit: int | None
    ) -> AsyncIterator[list[StoredRecord]]:
        """Selected records in batches, by time and then in the order of their storing."""

    async def _purge(self, now: datetime) -> int:
        """Delete what is expired; 0 for a backend without storage of its own."""
        return 0

    async def _add_all(
        self, batches: Iterable[list[StoredRecord]], now: datetime, *, skip_conflicts: bool
    ) -> AddReport:
        """Store all batches or none. Backends without transactions store batch after batch."""
        added = 0
        for batch in batches:
            await self._add(batch, now)
            added += len(batch)
        return AddReport(added=added)

    def _interrupt(self, thread: int) -> None:  # noqa: B027 (a backend need not be able to)
        """Ask the work on that thread to stop, if the backend can."""

    @contextmanager
    def _observed(
        self, name: str, scope: MemoryScope | None, ctx: Context | None
    ) -> Iterator[dict[str, JsonValue]]:
        """Times an operation, turns foreign errors into ours, and sends the event afterwards.

        Yields the event's data; what is put under `arguments` and `result` rides apart.
        """
        data: dict[str, JsonValue] = {"backend": self.name, "scope": scope.kind if scope else "all"}
        start = time.perf_counter()
        try:
            yield data
        except AgentMemoryError:
            raise
        except Exception as error:
            log.error("%s failed: %s", name, type(error).__name__)  # noqa: TRY400 (no traceback: it may hold texts)
            raise IntegrationError(f"the backend failed ({type(error).__name__})") from error
        data["latency_ms"] = round((time.perf_counter() - start) * 1000, 3)
        arguments, result = data.pop("arguments", None), data.pop("result", None)
        if not self._capture_content:
            arguments = result = None
        receivers = [] if self._sink is None else [self._sink]
        if ctx is not None:
            receivers.append(ctx.emit)
        for receive in receivers:
            try:
                receive(Event(name, data, arguments=arguments, result=result))
            except Exception as error:  # what was done is done, heard of or not
                log.warning("%s could not be told as an event: %s", name, type(error).__name__)

    def _admitted(
        self, records: Sequence[StoredRecord], selection: Selection, now: datetime
    ) -> list[StoredRecord]:
        """What of a backend's output may be shown; the rest is dropped with a WARNING."""
        kept = [r for r in records if selection.admits(r, now, self._retention_days)]
        if len(kept) != len(records):
            log.warning(
                "%s returned %d of %d records outside the request; dropped",
                self.name,
                len(records) - len(kept),
                len(records),
            )
        return kept
