"""Rows and records: the one place that knows which column is which."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import cast

import apsw

from agent_memory_cli.records import MemoryScope, StoredRecord
from agent_memory_cli.times import from_micros, to_micros

# For SELECT: what `to_record` takes, from record joined with its subject.
COLUMNS = (
    "record.id, subject.user_id, session_id, agent_id, text, metadata,"
    " created_at, updated_at, expires_at"
)
JOINED = "record JOIN subject ON subject.no = record.key >> 32"

# Each call of json.dumps with options makes an encoder; json.loads looks for bytes first.
_as_json = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
_from_json = json.JSONDecoder().decode

_Row = tuple[str, str | None, str | None, str | None, str, str | None, int, int | None, int | None]


def to_record(row: Sequence[object]) -> StoredRecord:
    """A row of COLUMNS as a record."""
    id_, user, session, agent, text, metadata, created, updated, expires = cast("_Row", row)
    return StoredRecord.trusted(
        id=id_,
        scope=MemoryScope.trusted(user_id=user, session_id=session, agent_id=agent),
        text=text,
        metadata=_from_json(metadata) if metadata else {},
        created_at=from_micros(created),
        updated_at=None if updated is None else from_micros(updated),
        expires_at=None if expires is None else from_micros(expires),
    )


def from_record(key: int, record: StoredRecord) -> tuple[object, ...]:
    """The values of the record table, in the order of its columns."""
    return (
        key,
        record.id,
        record.scope.session_id,
        record.scope.agent_id,
        record.text,
        _as_json(record.metadata) if record.metadata else None,
        to_micros(record.created_at),
        None if record.updated_at is None else to_micros(record.updated_at),
        None if record.expires_at is None else to_micros(record.expires_at),
    )


def only_row(
    connection: apsw.Connection, query: str, values: Sequence[apsw.SQLiteValue] = ()
) -> tuple[apsw.SQLiteValue, ...]:
    """The row of a query that always answers one, such as an aggregate."""
    row: tuple[apsw.SQLiteValue, ...] | None = connection.execute(query, tuple(values)).fetchone()
    if row is None:
        raise LookupError("a query that always answers a row answered none")
    return row


def key_range(no: int) -> tuple[int, int]:
    """The first and the last key of a partition."""
    return no << 32, (no << 32) | 0xFFFF_FFFF
