"""What an operator may ask besides: everything that stands in a store, and its upkeep.

The defaults work on any backend through its hooks; a backend overrides what it can do better.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from agent_memory_cli.guard import checks
from agent_memory_cli.guard.operations import Operations
from agent_memory_cli.ids import new_id
from agent_memory_cli.records import MemoryRecord, MemoryScope, StoredRecord
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

_EVERYTHING = Selection(None, include_expired=True)


async def next_batch(source: AsyncIterator[list[StoredRecord]]) -> list[StoredRecord]:
    """The next batch, empty at the end."""
    return await anext(source, [])


async def close(source: AsyncGenerator[list[StoredRecord], None]) -> None:
    """End a stream early, so that what it holds is let go."""
    await source.aclose()


class Administration(Operations):
    """add_all, stream, count, users, purge by plan, scrub, erasure, inspect."""

    async def add_all(
        self, batches: Iterable[Sequence[MemoryRecord]], *, skip_conflicts: bool = False
    ) -> AddReport:
        """Store all batches or none, leaving out what is stored already word for word.

        Raises ToolUsageError for a bad record, or for an id under which something else is stored
        (unless `skip_conflicts`).
        """
        return await self._runner.awaited(self._add_all_op(batches, skip_conflicts))

    async def stream(
        self, selection: Selection, *, newest_first: bool = False, limit: int | None = None
    ) -> AsyncIterator[list[StoredRecord]]:
        """The selected records in batches, oldest first unless `newest_first`, from one moment.

        `limit` counts records. Memory is bounded by a batch.
        """
        source = self._stream_op(selection, newest_first, limit)
        try:
            while batch := await self._runner.awaited(next_batch(source)):
                yield batch
        finally:
            await self._runner.awaited(close(source))

    async def count(self, selection: Selection) -> int:
        """How many records are selected."""
        return await self._runner.awaited(self._count_op(selection))

    async def users(self) -> list[UserSummary]:
        """Who is in the store and how much, by user id; expired records count until they go."""
        return await self._runner.awaited(self._users_op())

    async def purge_plan(
        self, *, scope: MemoryScope | None = None, before: datetime | None = None
    ) -> PurgePlan:
        """What `purge_batch` would delete: expired records, and those created before `before`."""
        return await self._runner.awaited(self._purge_plan_op(scope, before))

    async def purge_batch(self, plan: PurgePlan, *, limit: int = 1000) -> int:
        """Delete at most `limit` of the records that the plan names and that are still due.

        Gives how many went; 0 means that the plan is fulfilled.
        """
        return await self._runner.awaited(self._purge_batch_op(plan, limit))

    async def scrub(self) -> ScrubReport:
        """See to it that no byte of deleted records is left."""
        return await self._runner.awaited(self._scrub_op())

    async def erasure_plan(self, user_id: str) -> ErasurePlan:
        """What stands in the store for this user. Raises ToolUsageError for an empty id."""
        return await self._runner.awaited(self._erasure_plan_op(user_id))

    async def erase(self, plan: ErasurePlan) -> ErasureReport:
        """Erase the user of the plan; the receipt says what was done and what is left to do."""
        return await self._runner.awaited(self._erase_op(plan))

    async def inspect(self, *, fix: bool = False) -> list[Check]:
        """The backend's rows of the doctor; with `fix`, what can be mended is, and looked at
        again."""
        return await self._runner.awaited(self._inspect_op(fix))

    async def _add_all_op(
        self, batches: Iterable[Sequence[MemoryRecord]], skip_conflicts: bool
    ) -> AddReport:
        now = self._clock()
        stored = (checks.stored_records(batch, now, self._retention_days) for batch in batches)
        with self._observed("memory.added", None, None) as data:
            report = await self._add_all(stored, now, skip_conflicts=skip_conflicts)
            data["count"] = report.added
        return report

    async def _stream_op(
        self, selection: Selection, newest_first: bool, limit: int | None
    ) -> AsyncGenerator[list[StoredRecord], None]:
        limit = None if limit is None else checks.checked_k(limit, "limit")
        selection, now, count = checks.checked_selection(selection), self._clock(), 0
        with self._observed("memory.exported", selection.scope, None) as data:
            async for batch in self._stream(selection, now, newest_first=newest_first, limit=limit):
                if kept := self._admitted(batch, selection, now):
                    count += len(kept)
                    yield kept
            data["count"] = count

    async def _count_op(self, selection: Selection) -> int:
        selection = checks.checked_selection(selection)
        with self._observed("memory.counted", selection.scope, None) as data:
            data["count"] = count = await self._count(selection)
        return count

    async def _users_op(self) -> list[UserSummary]:
        with self._observed("memory.counted", None, None) as data:
            users = await self._users()
            data["count"] = len(users)
        return users

    async def _purge_plan_op(self, scope: MemoryScope | None, before: datetime | None) -> PurgePlan:
        if scope is not None:
            checks.checked_scope(scope)
        with self._observed("memory.planned", scope, None) as data:
            plan = await self._purge_plan(scope, checks.checked_moment(before))
            data["count"] = len(plan.ids)
        return plan

    async def _purge_batch_op(self, plan: PurgePlan, limit: int) -> int:
        with self._observed("memory.purged", plan.scope, None) as data:
            data["count"] = count = await self._purge_batch(plan, limit)
        return count

    async def _scrub_op(self) -> ScrubReport:
        with self._observed("memory.scrubbed", None, None) as data:
            report = await self._scrub()
            data["count"] = len(report.done)
        return report

    async def _erasure_plan_op(self, user_id: str) -> ErasurePlan:
        scope = MemoryScope(user_id=checks.checked_id(user_id))
        with self._observed("memory.planned", scope, None) as data:
            plan = await self._erasure_plan(user_id)
            data["count"] = plan.records
        return plan

    async def _erase_op(self, plan: ErasurePlan) -> ErasureReport:
        with self._observed("memory.erased", MemoryScope(user_id=plan.user_id), None) as data:
            report = await self._erase(plan)
            data["count"] = report.deleted
        return report

    async def _inspect_op(self, fix: bool) -> list[Check]:
        with self._observed("memory.inspected", None, None) as data:
            rows = await self._inspect(fix)
            data["count"] = len(rows)
        return rows

    async def _count(self, selection: Selection) -> int:
        # Asked for with what is live, which the guard would drop with a WARNING.
        now, wider = self._clock(), replace(selection, include_expired=True, only_expired=False)
        return sum(
            [
                selection.admits(record, now, self._retention_days)
                async for batch in self._all(wider)
                for record in batch
            ]
        )

    async def _users(self) -> list[UserSummary]:
        seen: dict[str | None, UserSummary] = {}
        async for batch in self._all(_EVERYTHING):
            for record in batch:
                user, at = record.scope.user_id, record.created_at
                one = seen.get(user) or UserSummary(user, 0, at, at)
                seen[user] = replace(
                    one,
                    records=one.records + 1,
                    first=min(one.first or at, at),
                    last=max(one.last or at, at),
                )
        return sorted(seen.values(), key=lambda one: one.user_id or "")

    async def _purge_plan(self, scope: MemoryScope | None, before: datetime | None) -> PurgePlan:
        now, expired, older = self._clock(), [], []
        async for batch in self._all(Selection(scope, include_expired=True)):
            for record in batch:
                if not record.live(now, self._retention_days):
                    expired.append(record.id)
                elif before is not None and record.created_at < before:
                    older.append(record.id)
        return PurgePlan(now, scope, before, (*expired, *older), len(expired), len(older))

    async def _purge_batch(self, plan: PurgePlan, limit: int) -> int:
        due = set((await self._purge_plan(plan.scope, plan.before)).ids)
        ids = [id_ for id_ in plan.ids if id_ in due][:limit]
        return await self._delete(ids, plan.scope, plan.now) if ids else 0

    async def _scrub(self) -> ScrubReport:
        return ScrubReport()

    async def _erasure_plan(self, user_id: str) -> ErasurePlan:
        scope = MemoryScope(user_id=user_id)
        records: list[StoredRecord] = []
        async for batch in self._all(Selection(scope, include_expired=True)):
            records += batch
        times = [record.created_at for record in records]
        return ErasurePlan(
            user_id=user_id,
            known=bool(records),
            records=len(records),
            sessions=len({r.scope.session_id for r in records} - {None}),
            agents=len({r.scope.agent_id for r in records} - {None}),
            first=min(times, default=None),
            last=max(times, default=None),
        )

    async def _erase(self, plan: ErasurePlan) -> ErasureReport:
        started, scope = self._clock(), MemoryScope(user_id=plan.user_id)
        deleted = await self._delete(None, scope, started)
        left = await self._count(Selection(scope, include_expired=True))
        return ErasureReport(
            receipt=new_id(),
            subject="",
            started_at=started,
            finished_at=self._clock(),
            deleted=deleted,
            verified=("asked again: nothing listed",) if not left else (),
            incomplete=(f"{left} records are still listed",) if left else (),
        )

    async def _inspect(self, fix: bool) -> list[Check]:
        count = await self._count(_EVERYTHING)
        return [Check("backend.records", "ok", f"{count} records")]

    def _all(self, selection: Selection) -> AsyncIterator[list[StoredRecord]]:
        return self._stream(selection, self._clock(), newest_first=False, limit=None)
