"""The ports: what an agent may ask of a memory, and what an operator may ask besides.

Every method is async and has a blocking twin `*_sync` that takes `timeout=` in seconds. Both may be
called from a running event loop's thread (the twin then blocks it) and from many threads. What the
methods give and raise stands with `GuardedMemory`, which every backend of ours inherits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import ClassVar, Protocol, runtime_checkable

from pydantic import JsonValue

from agent_memory_cli.events import Context
from agent_memory_cli.records import MemoryHit, MemoryRecord, MemoryScope, StoredRecord
from agent_memory_cli.reports import (
    AddReport,
    Check,
    ErasurePlan,
    ErasureReport,
    PurgePlan,
    ScrubReport,
    UserSummary,
)
from agent_memory_cli.selection import Selection

Filters = Mapping[str, JsonValue]


@runtime_checkable
class MemoryPort(Protocol):
    """Stores and finds texts per scope."""

    async def add(
        self, records: Sequence[MemoryRecord], *, ctx: Context | None = None
    ) -> list[StoredRecord]: ...

    def add_sync(
        self,
        records: Sequence[MemoryRecord],
        *,
        ctx: Context | None = None,
        timeout: float | None = None,
    ) -> list[StoredRecord]: ...

    async def search(
        self,
        query: str,
        *,
        scope: MemoryScope,
        k: int = 5,
        filters: Filters | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        ctx: Context | None = None,
    ) -> list[MemoryHit]: ...

    def search_sync(
        self,
        query: str,
        *,
        scope: MemoryScope,
        k: int = 5,
        filters: Filters | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        ctx: Context | None = None,
        timeout: float | None = None,
    ) -> list[MemoryHit]: ...

    async def get(
        self, id: str, *, scope: MemoryScope | None = None, ctx: Context | None = None
    ) -> StoredRecord | None: ...

    def get_sync(
        self,
        id: str,
        *,
        scope: MemoryScope | None = None,
        ctx: Context | None = None,
        timeout: float | None = None,
    ) -> StoredRecord | None: ...

    async def delete(
        self,
        ids: Sequence[str] | None = None,
        *,
        scope: MemoryScope | None = None,
        ctx: Context | None = None,
    ) -> int: ...

    def delete_sync(
        self,
        ids: Sequence[str] | None = None,
        *,
        scope: MemoryScope | None = None,
        ctx: Context | None = None,
        timeout: float | None = None,
    ) -> int: ...

    async def export(
        self, scope: MemoryScope, *, ctx: Context | None = None
    ) -> list[StoredRecord]: ...

    def export_sync(
        self, scope: MemoryScope, *, ctx: Context | None = None, timeout: float | None = None
    ) -> list[StoredRecord]: ...

    async def purge(self) -> int: ...

    def purge_sync(self, *, timeout: float | None = None) -> int: ...


@runtime_checkable
class AdministeredMemory(MemoryPort, Protocol):
    """What the services need besides: the upkeep of a whole store, as they call it."""

    name: ClassVar[str]

    @property
    def retention_days(self) -> float | None: ...

    def add_all_sync(
        self, batches: Iterable[Sequence[MemoryRecord]], *, skip_conflicts: bool = False
    ) -> AddReport: ...

    def stream_sync(
        self, selection: Selection, *, newest_first: bool = False, limit: int | None = None
    ) -> Iterator[list[StoredRecord]]: ...

    def count_sync(self, selection: Selection) -> int: ...

    def users_sync(self) -> list[UserSummary]: ...

    def purge_plan_sync(
        self, *, scope: MemoryScope | None = None, before: datetime | None = None
    ) -> PurgePlan: ...

    def purge_batch_sync(self, plan: PurgePlan, *, limit: int = 1000) -> int: ...

    def scrub_sync(self) -> ScrubReport: ...

    def erasure_plan_sync(self, user_id: str) -> ErasurePlan: ...

    def erase_sync(self, plan: ErasurePlan) -> ErasureReport: ...

    def inspect_sync(self, *, fix: bool = False) -> list[Check]: ...
