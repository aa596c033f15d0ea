"""`CallableMemory`: a host's own functions behind the port."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from datetime import datetime
from typing import ParamSpec, TypeVar, cast

from agent_memory_cli.errors import IntegrationError, ToolUsageError
from agent_memory_cli.events import Sink
from agent_memory_cli.guard import GuardedMemory
from agent_memory_cli.records import MemoryHit, MemoryScope, StoredRecord
from agent_memory_cli.selection import Selection
from agent_memory_cli.times import utc_now

P = ParamSpec("P")
T = TypeVar("T")

Found = StoredRecord | MemoryHit | tuple[StoredRecord, float]
_BATCH = 1000


class CallableMemory(GuardedMemory):
    """Wraps functions, sync or async, as a memory.

    - `add(records)` stores a list of StoredRecord.
    - `search(query, scope, k)` returns records, MemoryHits or (record, score) pairs, best first.
    - `get(id)` returns a record or None; `delete(ids, scope)` how many went, where either may be
      None; `export(scope)` every record of a scope, where None means everybody's.

    What they return still passes the guard: records out of scope, expired or against the filters
    are dropped. A missing function raises ToolUsageError when it is needed, a failing one
    IntegrationError.
    """

    name = "callable"

    def __init__(
        self,
        *,
        add: Callable[[list[StoredRecord]], Awaitable[object] | object],
        search: Callable[[str, MemoryScope, int], Awaitable[Iterable[Found]] | Iterable[Found]],
        get: Callable[[str], Awaitable[StoredRecord | None] | StoredRecord | None] | None = None,
        delete: Callable[[list[str] | None, MemoryScope | None], Awaitable[int] | int]
        | None = None,
        export: Callable[
            [MemoryScope | None], Awaitable[Iterable[StoredRecord]] | Iterable[StoredRecord]
        ]
        | None = None,
        retention_days: float | None = None,
        sink: Sink | None = None,
        capture_content: bool = False,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        functions = {"add": add, "search": search, "get": get, "delete": delete, "export": export}
        for name, function in functions.items():
            if not callable(function) and (function is not None or name in ("add", "search")):
                raise ToolUsageError(f"{name} is not callable")
        self.blocking = not any(map(_is_async, functions.values()))
        super().__init__(
            retention_days=retention_days, sink=sink, capture_content=capture_content, clock=clock
        )
        self._add_function = add
        self._search_function = search
        self._get_function = get
        self._delete_function = delete
        self._export_function = export

    async def _add(self, records: list[StoredRecord], now: datetime) -> None:
        await self._call(self._add_function, records)

    async def _search(
        self, query: str, selection: Selection, k: int, now: datetime
    ) -> tuple[str, list[MemoryHit]]:
        scope = cast("MemoryScope", selection.scope)
        found = await self._call(self._search_function, query, scope, k)
        return "backend", [_hit(one) for one in found]

    async def _get(self, id: str, now: datetime) -> StoredRecord | None:
        return await self._call(_needed(self._get_function, "get"), id)

    async def _delete(self, ids: list[str] | None, scope: MemoryScope | None, now: datetime) -> int:
        count = await self._call(_needed(self._delete_function, "delete"), ids, scope)
        if isinstance(count, bool) or not isinstance(count, int) or count < 0:
            raise IntegrationError("the `delete` function told no number of records")
        return count

    async def _stream(
        self, selection: Selection, now: datetime, *, newest_first: bool, limit: int | None
    ) -> AsyncIterator[list[StoredRecord]]:
        found = await self._call(_needed(self._export_function, "export"), selection.scope)
        records = sorted(found, key=lambda record: record.created_at, reverse=newest_first)
        records = self._admitted(records, selection, now)[:limit]
        for start in range(0, len(records), _BATCH):
            yield records[start : start + _BATCH]

    async def _call(
        self,
        function: Callable[P, Awaitable[T] | T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        if self.blocking or _is_async(function):
            result = function(*args, **kwargs)
        else:
            import asyncio

            result = await asyncio.to_thread(function, *args, **kwargs)
        if inspect.isawaitable(result):
            if self.blocking:
                if inspect.iscoroutine(result):
                    result.close()
                raise IntegrationError(
                    "a function returned an awaitable", hint="declare it with `async def`"
                )
            return cast("T", await result)
        return result


def _is_async(function: object) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
        getattr(function, "__call__", None)  # noqa: B004 (the method itself, not whether it is there)
    )


def _needed(function: Callable[P, T] | None, name: str) -> Callable[P, T]:
    if function is None:
        raise ToolUsageError(f"this memory was made without a `{name}` function")
    return function


def _hit(found: Found) -> MemoryHit:
    if isinstance(found, MemoryHit):
        return found
    if isinstance(found, StoredRecord):
        return MemoryHit(record=found, score=0.0)
    record, score = found
    return MemoryHit(record=record, score=score)
