"""The blocking twins: the same operations for code without an event loop.

Each takes `timeout=` in seconds and raises BusyError when that was not enough; work that can be
stopped is stopped, and has then written nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from pydantic import JsonValue

from agent_memory_cli.events import Context
from agent_memory_cli.guard.administration import Administration, close, next_batch
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


class GuardedMemory(Administration):
    """The base of every backend: operations, administration, and their blocking twins."""

    def add_sync(
        self,
        records: Sequence[MemoryRecord],
        *,
        ctx: Context | None = None,
        timeout: float | None = None,
    ) -> list[StoredRecord]:
        """`add` from blocking code."""
        return self._runner.blocked(self._add_op(records, ctx), timeout)

    def search_sync(
        self,
        query: str,
        *,
        scope: MemoryScope,
        k: int = 5,
        filters: Mapping[str, JsonValue] | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        ctx: Context | None = None,
        timeout: float | None = None,
    ) -> list[MemoryHit]:
        """`search` from blocking code."""
        return self._runner.blocked(
            self._search_op(query, scope, k, filters, since, until, ctx), timeout
        )

    def get_sync(
        self,
        id: str,
        *,
        scope: MemoryScope | None = None,
        ctx: Context | None = None,
        timeout: float | None = None,
    ) -> StoredRecord | None:
        """`get` from blocking code."""
        return self._runner.blocked(self._get_op(id, scope, ctx), timeout)

    def delete_sync(
        self,
        ids: Sequence[str] | None = None,
        *,
        scope: MemoryScope | None = None,
        ctx: Context | None = None,
        timeout: float | None = None,
    ) -> int:
        """`delete` from blocking code."""
        return self._runner.blocked(self._delete_op(ids, scope, ctx), timeout)

    def export_sync(
        self, scope: MemoryScope, *, ctx: Context | None = None, timeout: float | None = None
    ) -> list[StoredRecord]:
        """`export` from blocking code."""
        return self._runner.blocked(self._export_op(scope, ctx), timeout)

    def purge_sync(self, *, timeout: float | None = None) -> int:
        """`purge` from blocking code."""
        return self._runner.blocked(self._purge_op(), timeout)

    def add_all_sync(
        self,
        batches: Iterable[Sequence[MemoryRecord]],
        *,
        skip_conflicts: bool = False,
        timeout: float | None = None,
    ) -> AddReport:
        """`add_all` from blocking code."""
        return self._runner.blocked(self._add_all_op(batches, skip_conflicts), timeout)

    def stream_sync(
        self,
        selection: Selection,
        *,
        newest_first: bool = False,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Iterator[list[StoredRecord]]:
        """`stream` from blocking code; `timeout` holds for each batch."""
        source = self._stream_op(selection, newest_first, limit)
        try:
            while batch := self._runner.blocked(next_batch(source), timeout):
                yield batch
        finally:
            self._runner.blocked(close(source), timeout)

    def count_sync(self, selection: Selection, *, timeout: float | None = None) -> int:
        """`count` from blocking code."""
        return self._runner.blocked(self._count_op(selection), timeout)

    def users_sync(self, *, timeout: float | None = None) -> list[UserSummary]:
        """`users` from blocking code."""
        return self._runner.blocked(self._users_op(), timeout)

    def purge_plan_sync(
        self,
        *,
        scope: MemoryScope | None = None,
        before: datetime | None = None,
        timeout: float | None = None,
    ) -> PurgePlan:
        """`purge_plan` from blocking code."""
        return self._runner.blocked(self._purge_plan_op(scope, before), timeout)

    def purge_batch_sync(
        self, plan: PurgePlan, *, limit: int = 1000, timeout: float | None = None
    ) -> int:
        """`purge_batch` from blocking code."""
        return self._runner.blocked(self._purge_batch_op(plan, limit), timeout)

    def scrub_sync(self, *, timeout: float | None = None) -> ScrubReport:
        """`scrub` from blocking code."""
        return self._runner.blocked(self._scrub_op(), timeout)

    def erasure_plan_sync(self, user_id: str, *, timeout: float | None = None) -> ErasurePlan:
        """`erasure_plan` from blocking code."""
        return self._runner.blocked(self._erasure_plan_op(user_id), timeout)

    def erase_sync(self, plan: ErasurePlan, *, timeout: float | None = None) -> ErasureReport:
        """`erase` from blocking code."""
        return self._runner.blocked(self._erase_op(plan), timeout)

    def inspect_sync(self, *, fix: bool = False, timeout: float | None = None) -> list[Check]:
        """`inspect` from blocking code."""
        return self._runner.blocked(self._inspect_op(fix), timeout)
