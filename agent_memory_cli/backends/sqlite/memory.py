"""`SQLiteMemory`: the hooks of the guard over one SQLite file."""

from __future__ import annotations

import json
import logging
import math
import os
from collections.abc import AsyncIterator, Callable, Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import cast

import apsw

from agent_memory_cli.backends.sqlite import erase, keyword, select, write
from agent_memory_cli.backends.sqlite.connection import Connections
from agent_memory_cli.backends.sqlite.errors import translated
from agent_memory_cli.backends.sqlite.inspection import inspect
from agent_memory_cli.backends.sqlite.scrub import is_due, scrub, truncate_wal
from agent_memory_cli.errors import ConfigError, ToolUsageError
from agent_memory_cli.events import Sink
from agent_memory_cli.guard import GuardedMemory
from agent_memory_cli.guard.checks import is_number
from agent_memory_cli.paths import on_disk
from agent_memory_cli.records import MemoryHit, MemoryScope, StoredRecord
from agent_memory_cli.reports import (
    AddReport,
    Check,
    ErasurePlan,
    ErasureReport,
    PurgePlan,
    ScrubReport,
    UserSummary,
)
from agent_memory_cli.selection import Selection, same_json
from agent_memory_cli.times import before_now, to_micros, utc_now

log = logging.getLogger("agent_memory")


class SQLiteMemory(GuardedMemory):
    """Memory in one SQLite file that agents and operators share.

    The file is made on first use, readable for its owner only, unless it `must_exist`. Safe among
    threads, event loops and processes; each waits at most `busy_timeout` seconds for the others.
    `retention_days` hides older records and deletes them on the next write.

    Raises ConfigError for a bad path or number here; on first use StoreFormatError for a file that
    is not ours, NotFoundError for one that must exist and does not.
    """

    name = "sqlite"

    def __init__(
        self,
        path: str | Path,
        *,
        retention_days: float | None = None,
        busy_timeout: float = 5.0,
        must_exist: bool = False,
        sink: Sink | None = None,
        capture_content: bool = False,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        super().__init__(
            retention_days=retention_days, sink=sink, capture_content=capture_content, clock=clock
        )
        if not isinstance(path, str | Path):
            raise ConfigError("the path of the store is not a path")
        text = str(path)
        if not text.strip() or "\x00" in text:
            raise ConfigError("the path of the store is empty")
        if text == ":memory:":
            raise ConfigError("a store in memory would be gone at once", hint="name a file")
        if not is_number(busy_timeout) or not 0 <= busy_timeout < math.inf:
            raise ConfigError("busy_timeout is a number of seconds, 0 or more")
        # Links are followed: SQLite keeps its other files beside the file that is meant.
        absolute = os.path.realpath(on_disk(text))
        self._connections = Connections(absolute, busy_timeout=busy_timeout, must_exist=must_exist)

    @property
    def path(self) -> Path:
        """The file, absolute."""
        return self._connections.path

    def close(self) -> None:
        """Closes the connections of all threads; the next call opens new ones."""
        self._connections.close()

    async def _add(self, records: list[StoredRecord], now: datetime) -> None:
        with self._connections.writing() as connection:
            write.expire(connection, now, self._cutoff(now))
            write.insert(connection, records)

    async def _add_all(
        self, batches: Iterable[list[StoredRecord]], now: datetime, *, skip_conflicts: bool
    ) -> AddReport:
        added, unchanged, conflicts = 0, 0, list[str]()
        with self._connections.writing() as connection:
            write.expire(connection, now, self._cutoff(now))
            for batch in batches:
                fresh: dict[str, StoredRecord] = {}
                stored = select.many(connection, [record.id for record in batch])
                for record in batch:
                    other = stored.get(record.id) or fresh.get(record.id)
                    if other is None:
                        fresh[record.id] = record
                    elif _same(other, record, now, self._retention_days):
                        unchanged += 1
                    else:
                        conflicts.append(record.id)
                if conflicts and not skip_conflicts:
                    raise ToolUsageError(
                        "another record is stored under the same id", details=conflicts
                    )
                write.insert(connection, list(fresh.values()))
                added += len(fresh)
        return AddReport(added, unchanged, tuple(conflicts))

    async def _search(
        self, query: str, selection: Selection, k: int, now: datetime
    ) -> tuple[str, list[MemoryHit]]:
        scope = cast("MemoryScope", selection.scope)  # a search always has one
        with translated():
            connection = self._connections.reading()
            no = select.partition(connection, scope.user_id)
            if no is None:
                return ("keyword" if query else "recent"), []
            wanted = self._where(selection, no, now)
            if not query:
                newest = select.batches(connection, wanted, order=select.NEWEST_FIRST, limit=k)
                return "recent", [
                    MemoryHit(record=record, score=0.0) for batch in newest for record in batch
                ]
            if not write.usable_index(connection):
                log.warning("no full-text index: searching with LIKE, unranked by rarity")
                return "like", keyword.search_without_index(connection, query, no, wanted, k)
            narrow = scope.session_id is not None or scope.agent_id is not None
            whole = self._where(Selection(scope), no, now)
            return "keyword", keyword.search(connection, query, no, whole, wanted, k, narrow=narrow)

    async def _get(self, id: str, now: datetime) -> StoredRecord | None:
        with translated():
            return select.one(self._connections.reading(), id)

    async def _delete(self, ids: list[str] | None, scope: MemoryScope | None, now: datetime) -> int:
        with self._connections.writing() as connection:
            write.expire(connection, now, self._cutoff(now))
            no = None if scope is None else select.partition(connection, scope.user_id)
            if scope is not None and no is None:
                return 0
            where = self._where(Selection(scope, include_expired=True), no, now)
            keys, values = f"SELECT key FROM record WHERE {where.sql}", list(where.values)  # noqa: S608
            if ids is not None:
                keys += " AND id IN (SELECT value FROM json_each(?))"
                values.append(json.dumps(ids))
            count = write.delete(connection, keys, values)
            if count > write.ROW_BY_ROW:
                write.rewrite_index(connection)
        if count and not truncate_wal(self._connections, wait=False):
            log.warning("a reader holds the write-ahead log; deleted text leaves it later")
        return count

    async def _stream(
        self, selection: Selection, now: datetime, *, newest_first: bool, limit: int | None
    ) -> AsyncIterator[list[StoredRecord]]:
        with translated(), self._connections.own() as connection:
            no = None
            if selection.scope is not None:
                no = select.partition(connection, selection.scope.user_id)
                if no is None:
                    return
            where = self._where(selection, no, now)
            order = select.NEWEST_FIRST if newest_first else select.OLDEST_FIRST
            if no is None and not newest_first:
                order = select.USER_BY_USER
            for batch in select.batches(connection, where, order=order, limit=limit):
                yield batch

    async def _count(self, selection: Selection) -> int:
        with translated():
            connection = self._connections.reading()
            no = None
            if selection.scope is not None:
                no = select.partition(connection, selection.scope.user_id)
                if no is None:
                    return 0
            return select.count(connection, self._where(selection, no, self._clock()))

    async def _users(self) -> list[UserSummary]:
        with translated():
            return select.users(self._connections.reading())

    async def _purge(self, now: datetime) -> int:
        with self._connections.writing() as connection:
            count = write.expire(connection, now, self._cutoff(now))
        for reason in (await self._scrub()).incomplete:
            log.warning("purge: %s", reason)
        return count

    async def _purge_plan(self, scope: MemoryScope | None, before: datetime | None) -> PurgePlan:
        now = self._clock()
        with translated():
            connection = self._connections.reading()
            sql, values = self._due(connection, scope, now, before)
            query = f"SELECT id FROM record WHERE key IN ({sql}) ORDER BY created_at, key"  # noqa: S608
            ids = tuple(id_ for (id_,) in connection.execute(query, values))
            sql, values = self._due(connection, scope, now, None)
            expired = connection.execute(f"SELECT count(DISTINCT key) FROM ({sql})", values).get  # noqa: S608
        return PurgePlan(now, scope, before, ids, int(expired), len(ids) - int(expired))

    async def _purge_batch(self, plan: PurgePlan, limit: int) -> int:
        with self._connections.writing() as connection:
            no = None if plan.scope is None else select.partition(connection, plan.scope.user_id)
            if plan.scope is not None and no is None:
                return 0
            where = self._where(Selection(plan.scope, include_expired=True), no, plan.now)
            keys = (
                "SELECT key FROM record WHERE id IN (SELECT value FROM json_each(?))"  # noqa: S608
                f" AND (expires_at <= ? OR created_at < ?) AND {where.sql}"
            )
            bound = self._bound(plan.now, plan.before)
            values = [json.dumps(plan.ids), to_micros(plan.now), bound, *where.values]
            return write.delete(connection, keys, values, limit=limit, scrub_follows=True)

    def _bound(self, now: datetime, before: datetime | None) -> int:
        """What was created before this is due, by retention or because it was asked for."""
        cutoff = self._cutoff(now)
        asked = to_micros(before or datetime.min.replace(tzinfo=UTC))
        return asked if cutoff is None else max(asked, to_micros(cutoff) + 1)

    def _due(
        self,
        connection: apsw.Connection,
        scope: MemoryScope | None,
        now: datetime,
        before: datetime | None,
    ) -> tuple[str, list[str | int]]:
        """A query for the keys that a purge means, in `scope` or everywhere."""
        bound = self._bound(now, before)
        sql = (
            "SELECT key FROM record WHERE expires_at <= ?"
            " UNION ALL SELECT key FROM record WHERE key >> 32 IN"
            " (SELECT +no FROM subject WHERE oldest_at < ?) AND created_at < ?"
        )
        values: list[str | int] = [to_micros(now), bound, bound]
        if scope is not None:
            no = select.partition(connection, scope.user_id)
            where = self._where(Selection(scope, include_expired=True), no or -1, now)
            sql = f"SELECT key FROM record WHERE key IN ({sql}) AND {where.sql}"  # noqa: S608
            values += where.values
        return sql, values

    async def _scrub(self) -> ScrubReport:
        return scrub(self._connections) if is_due(self._connections) else ScrubReport()

    async def _erasure_plan(self, user_id: str) -> ErasurePlan:
        return erase.plan(self._connections, user_id)

    async def _erase(self, plan: ErasurePlan) -> ErasureReport:
        return erase.erase(self._connections, plan, self._clock)

    async def _inspect(self, fix: bool) -> list[Check]:
        return inspect(self._connections, self._clock, self._cutoff, fix=fix)

    def _interrupt(self, thread: int) -> None:
        self._connections.interrupt(thread)

    def _cutoff(self, now: datetime) -> datetime | None:
        """What was created by then is past retention."""
        if self._retention_days is None:
            return None
        return before_now(timedelta(days=self._retention_days), now)

    def _where(self, selection: Selection, no: int | None, now: datetime) -> select.Where:
        return select.Where(selection, no, now, self._cutoff(now))


def _same(
    stored: StoredRecord, given: StoredRecord, now: datetime, retention_days: float | None
) -> bool:
    """Whether a record is stored already, word for word.

    One that came without a time has `now` as its time, and times are then not compared; one that
    came without an expiry has at most that of the retention, which may be another by now.
    """
    unsaid: list[datetime | None] = [None]
    if retention_days is not None:
        unsaid.append(given.created_at + timedelta(days=retention_days))
    return (
        stored.scope == given.scope
        and stored.text == given.text
        and same_json(stored.metadata, given.metadata)
        and (
            given.created_at == now
            or (
                stored.created_at == given.created_at
                and (given.expires_at in unsaid or stored.expires_at == given.expires_at)
            )
        )
    )
