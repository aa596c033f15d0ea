"""What an agent may ask, checked before and after the backend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from pydantic import JsonValue

from agent_memory_cli.errors import ToolUsageError
from agent_memory_cli.events import Context
from agent_memory_cli.guard import checks
from agent_memory_cli.guard.hooks import Hooks
from agent_memory_cli.records import MemoryHit, MemoryRecord, MemoryScope, StoredRecord
from agent_memory_cli.selection import Selection


class Operations(Hooks):
    """add, search, get, delete, export, purge."""

    async def add(
        self, records: Sequence[MemoryRecord], *, ctx: Context | None = None
    ) -> list[StoredRecord]:
        """Store records, all or none; the stored ones, with ids and times filled in.

        Raises ToolUsageError for bad records, an id that is stored already or a `created_at` in
        the future; IntegrationError when the backend failed.
        """
        return await self._runner.awaited(self._add_op(records, ctx))

    async def search(
        self,
        query: str,
        *,
        scope: MemoryScope,
        k: int = 5,
        filters: Mapping[str, JsonValue] | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        ctx: Context | None = None,
    ) -> list[MemoryHit]:
        """Up to `k` live records in scope that match, best first; an empty query: the newest.

        `since` is included, `until` is not. Raises ToolUsageError for a bad query, scope, k or
        filters; IntegrationError when the backend failed.
        """
        return await self._runner.awaited(
            self._search_op(query, scope, k, filters, since, until, ctx)
        )

    async def get(
        self, id: str, *, scope: MemoryScope | None = None, ctx: Context | None = None
    ) -> StoredRecord | None:
        """The live record of that id, or None; with `scope`, None unless it is in it.

        Raises ToolUsageError for a bad id or scope, IntegrationError when the backend failed.
        """
        return await self._runner.awaited(self._get_op(id, scope, ctx))

    async def delete(
        self,
        ids: Sequence[str] | None = None,
        *,
        scope: MemoryScope | None = None,
        ctx: Context | None = None,
    ) -> int:
        """Delete ids, every record in scope, or ids only within scope; how many live ones went.

        Raises ToolUsageError without ids and scope, IntegrationError when the backend failed.
        """
        return await self._runner.awaited(self._delete_op(ids, scope, ctx))

    async def export(self, scope: MemoryScope, *, ctx: Context | None = None) -> list[StoredRecord]:
        """Every live record in scope, oldest first. For very many, `stream` needs less memory.

        Raises ToolUsageError for a bad scope, IntegrationError when the backend failed.
        """
        return await self._runner.awaited(self._export_op(scope, ctx))

    async def purge(self) -> int:
        """Delete what is expired now; how many records. 0 for a backend without storage."""
        return await self._runner.awaited(self._purge_op())

    async def _add_op(
        self, records: Sequence[MemoryRecord], ctx: Context | None
    ) -> list[StoredRecord]:
        now = self._clock()
        stored = checks.stored_records(records, now, self._retention_days)
        if len({record.id for record in stored}) != len(stored):
            raise ToolUsageError("two of the records have the same id")
        scopes = {record.scope for record in stored}
        with self._observed(
            "memory.added", scopes.pop() if len(scopes) == 1 else None, ctx
        ) as data:
            if stored:
                await self._add(stored, now)
            data["count"] = len(stored)
            data["arguments"] = [record.text for record in stored]
        return stored

    async def _search_op(
        self,
        query: str,
        scope: MemoryScope,
        k: int,
        filters: Mapping[str, JsonValue] | None,
        since: datetime | None,
        until: datetime | None,
        ctx: Context | None,
    ) -> list[MemoryHit]:
        query, k, now = checks.checked_query(query), checks.checked_k(k), self._clock()
        selection = Selection(
            checks.checked_scope(scope),
            checks.checked_filters(filters),
            checks.checked_moment(since),
            checks.checked_moment(until),
        )
        with self._observed("memory.searched", scope, ctx) as data:
            mode, found = await self._search(query, selection, k, now)
            kept = set(map(id, self._admitted([hit.record for hit in found], selection, now)))
            hits = [hit for hit in found if id(hit.record) in kept][:k]
            data.update(count=len(hits), k=k, mode=mode, arguments=query)
            data["result"] = [hit.record.text for hit in hits]
        return hits

    async def _get_op(
        self, id: str, scope: MemoryScope | None, ctx: Context | None
    ) -> StoredRecord | None:
        checks.checked_id(id)
        now = self._clock()
        if scope is not None:
            checks.checked_scope(scope)
        with self._observed("memory.read", scope, ctx) as data:
            record = await self._get(id, now)
            if record is not None and not (
                record.id == id and Selection(scope).admits(record, now, self._retention_days)
            ):
                record = None
            data["count"] = int(record is not None)
            data["result"] = record.text if record else None
        return record

    async def _delete_op(
        self, ids: Sequence[str] | None, scope: MemoryScope | None, ctx: Context | None
    ) -> int:
        wanted = checks.checked_ids(ids, scope)
        with self._observed("memory.deleted", scope, ctx) as data:
            count = 0 if wanted == [] else await self._delete(wanted, scope, self._clock())
            data["count"] = count
        return count

    async def _export_op(self, scope: MemoryScope, ctx: Context | None) -> list[StoredRecord]:
        selection, now = Selection(checks.checked_scope(scope)), self._clock()
        records: list[StoredRecord] = []
        with self._observed("memory.exported", scope, ctx) as data:
            async for batch in self._stream(selection, now, newest_first=False, limit=None):
                records += self._admitted(batch, selection, now)
            data["count"] = len(records)
        return records

    async def _purge_op(self) -> int:
        with self._observed("memory.purged", None, None) as data:
            data["count"] = count = await self._purge(self._clock())
        return count
