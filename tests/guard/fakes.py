"""Backends that keep records in a list, and misbehave as they are told."""

from agent_memory_cli import CallableMemory, MemoryHit, MemoryScope, StoredRecord
from agent_memory_cli.guard import GuardedMemory
from tests.helpers import NOW, Clock


def stored(text: str, id_: str = "1", user: str | None = "ann", **fields) -> StoredRecord:
    scope = MemoryScope(
        user_id=user, session_id=fields.pop("session", None), agent_id=fields.pop("agent", None)
    )
    return StoredRecord(**{"id": id_, "scope": scope, "text": text, "created_at": NOW} | fields)


def leaky(*records: StoredRecord, **options) -> CallableMemory:
    """Answers everything with all its records, whoever asks."""
    by_id = {record.id: record for record in records}
    return CallableMemory(
        add=lambda new: None,
        search=lambda query, scope, k: list(records),
        get=by_id.get,
        delete=lambda ids, scope: len(records),
        export=lambda scope: list(records),
        clock=Clock(),
        **options,
    )


class Awaiting(GuardedMemory):
    """A backend that really awaits an event loop, and counts what it was asked."""

    name = "awaiting"
    blocking = False

    def __init__(self, *, pause: float = 0.0, **options) -> None:
        super().__init__(**options)
        self.records: list[StoredRecord] = []
        self._pause = pause

    async def _rest(self) -> None:
        import asyncio

        await asyncio.sleep(self._pause)

    async def _add(self, records, now):
        await self._rest()
        self.records += records

    async def _search(self, query, selection, k, now):
        await self._rest()
        return "all", [MemoryHit(record=record, score=1.0) for record in self.records]

    async def _get(self, id_, now):
        await self._rest()
        return next((record for record in self.records if record.id == id_), None)

    async def _delete(self, ids, scope, now):
        await self._rest()
        before = len(self.records)
        self.records = [
            record
            for record in self.records
            if (ids is not None and record.id not in ids)
            or (scope is not None and not scope.covers(record.scope))
        ]
        return before - len(self.records)

    async def _stream(self, selection, now, *, newest_first, limit):
        await self._rest()
        kept = [r for r in self.records if selection.admits(r, now, self.retention_days)]
        for record in (kept[::-1] if newest_first else kept)[:limit]:
            yield [record]
