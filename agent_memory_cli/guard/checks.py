"""What input must fulfil before a backend sees it. Each check raises ToolUsageError."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from pydantic import JsonValue, ValidationError

from agent_memory_cli.errors import ToolUsageError
from agent_memory_cli.ids import check_id, check_unicode, new_id
from agent_memory_cli.records import MemoryRecord, MemoryScope, Metadata, StoredRecord
from agent_memory_cli.selection import Selection
from agent_memory_cli.times import as_utc

_MOST = 2**62


def reason(error: ValidationError) -> str:
    """The first thing wrong, in words, without the value that was given."""
    first = error.errors(include_input=False, include_url=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    what = first["msg"].removeprefix("Value error, ")
    return f"{where}: {what}" if where else what


def make_scope(
    user_id: str | None, session_id: str | None, agent_id: str | None
) -> MemoryScope | None:
    """The scope of these ids; None when no one of them is given."""
    if user_id is None and session_id is None and agent_id is None:
        return None
    try:
        return MemoryScope(user_id=user_id, session_id=session_id, agent_id=agent_id)
    except ValidationError as error:
        raise ToolUsageError(reason(error), hint="an unset shell variable gives ''") from None


def stored_records(
    records: Sequence[MemoryRecord], now: datetime, retention_days: float | None
) -> list[StoredRecord]:
    """`records` with id, created_at and, under retention, expires_at filled in."""
    # A model is iterable, too; what can be iterated only once is looked at once.
    if isinstance(records, MemoryRecord) or not isinstance(records, Iterable):
        raise ToolUsageError("add takes a sequence of MemoryRecord")
    filled = []
    for record in records:
        if not isinstance(record, MemoryRecord):
            raise ToolUsageError("add takes a sequence of MemoryRecord")
        created = record.created_at or now
        if created > now:
            raise ToolUsageError("created_at lies in the future", hint="check the clock")
        expires = record.expires_at
        if expires is None and retention_days is not None:
            expires = created + timedelta(days=retention_days)
        filled.append(
            StoredRecord.trusted(
                id=record.id or new_id(),
                scope=record.scope,
                text=record.text,
                metadata=record.metadata,
                created_at=created,
                updated_at=record.updated_at,
                expires_at=expires,
            )
        )
    return filled


def checked_scope(scope: MemoryScope) -> MemoryScope:
    if not isinstance(scope, MemoryScope):
        raise ToolUsageError("scope is not a MemoryScope")
    return scope


def checked_id(value: str) -> str:
    if not isinstance(value, str):
        raise ToolUsageError("an id is a string")
    try:
        return check_id(value)
    except ValueError as error:
        raise ToolUsageError(str(error)) from None


def checked_ids(ids: Sequence[str] | None, scope: MemoryScope | None) -> list[str] | None:
    """The ids to delete, each once; None when a whole scope is meant."""
    if scope is not None:
        checked_scope(scope)
    if ids is None:
        if scope is None:
            raise ToolUsageError("delete needs ids, a scope or both")
        return None
    if isinstance(ids, str) or not isinstance(ids, Iterable):
        raise ToolUsageError("ids is a sequence of strings")
    return list(dict.fromkeys(checked_id(value) for value in ids))


def checked_query(query: str) -> str:
    """The query without outer white space; empty means the newest records."""
    if not isinstance(query, str):
        raise ToolUsageError("the query is not a string")
    try:
        return check_unicode(query).strip()
    except ValueError as error:
        raise ToolUsageError(str(error)) from None


def checked_k(k: int, name: str = "k") -> int:
    """At most so many: a number that every backend can take, and no store can fill."""
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise ToolUsageError(f"{name} is a whole number of at least 1")
    return min(k, _MOST)


def checked_filters(filters: Mapping[str, JsonValue] | None) -> Metadata:
    """Metadata filters as a plain dictionary that JSON can hold."""
    if not filters:
        return {}
    try:
        plain = dict(filters)
        check_unicode(json.dumps(plain, ensure_ascii=False, allow_nan=False))
    except (TypeError, ValueError, RecursionError):
        raise ToolUsageError("filters are a mapping of JSON values") from None
    if not all(isinstance(key, str) for key in plain):
        raise ToolUsageError("the keys of filters are strings")
    return plain


def checked_selection(selection: Selection) -> Selection:
    """The selection with times in UTC and filters that JSON can hold."""
    if not isinstance(selection, Selection):
        raise ToolUsageError("selection is not a Selection")
    if selection.scope is not None:
        checked_scope(selection.scope)
    return replace(
        selection,
        filters=checked_filters(selection.filters),
        since=checked_moment(selection.since),
        until=checked_moment(selection.until),
    )


def checked_moment(moment: datetime | None) -> datetime | None:
    if moment is not None and not isinstance(moment, datetime):
        raise ToolUsageError("a time is a datetime")
    return None if moment is None else as_utc(moment)


def checked_timeout(timeout: float | None) -> float | None:
    """Seconds to wait, as many as a lock can; None waits for ever."""
    if timeout is not None and (not is_number(timeout) or not timeout >= 0):
        raise ToolUsageError("timeout is a number of seconds, 0 or more")
    return None if timeout is None else min(timeout, threading.TIMEOUT_MAX)


def is_number(value: object) -> bool:
    """A real number; unlike in Python, True is none."""
    return isinstance(value, int | float) and not isinstance(value, bool)
