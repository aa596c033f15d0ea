"""Reading: which rows a selection means, one by one, counted and in order."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from itertools import islice

import apsw

from agent_memory_cli.backends.sqlite.rows import COLUMNS, JOINED, key_range, to_record
from agent_memory_cli.records import StoredRecord
from agent_memory_cli.reports import UserSummary
from agent_memory_cli.selection import Selection
from agent_memory_cli.times import from_micros, to_micros

# Small enough that a batch's records are still in the processor's cache when they are encoded:
# an export takes 1/7 less time than with 1,000.
BATCH = 256

OLDEST_FIRST = "created_at, key"
NEWEST_FIRST = "created_at DESC, key DESC"
# Everybody's, in the order of an index, so that nothing has to be sorted.
USER_BY_USER = "key >> 32, created_at, key"

# Before any time there is.
_NEVER = -(2**63)


class Where:
    """A selection as SQL conditions on `record` with bound values. `no` is the partition, None for
    a selection over everybody."""

    def __init__(
        self, selection: Selection, no: int | None, now: datetime, cutoff: datetime | None
    ) -> None:
        self._conditions: list[str] = []
        self.values: list[str | int] = []
        if no is not None:
            self._add("key >> 32 = ?", no)
        scope = selection.scope
        if scope is not None and scope.session_id is not None:
            self._add("session_id = ?", scope.session_id)
        if scope is not None and scope.agent_id is not None:
            self._add("agent_id = ?", scope.agent_id)
        if selection.only_expired:
            self._conditions.append("(expires_at <= ? OR created_at <= ?)")
            self.values += [to_micros(now), _NEVER if cutoff is None else to_micros(cutoff)]
        elif not selection.include_expired:
            self._add("(expires_at IS NULL OR expires_at > ?)", to_micros(now))
            if cutoff is not None:
                self._add("created_at > ?", to_micros(cutoff))
        if selection.since is not None:
            self._add("created_at >= ?", to_micros(selection.since))
        if selection.until is not None:
            self._add("created_at < ?", to_micros(selection.until))
        if selection.filters:
            self._add("metadata_matches(metadata, ?)", json.dumps(selection.filters))

    def _add(self, condition: str, value: str | int) -> None:
        self._conditions.append(condition)
        self.values.append(value)

    @property
    def sql(self) -> str:
        return " AND ".join(self._conditions) or "TRUE"


def partition(connection: apsw.Connection, user_id: str | None) -> int | None:
    """The number of a user's partition, None when the store has never heard of the user."""
    query = "SELECT no FROM subject WHERE user_id IS ?"
    number: int | None = connection.execute(query, (user_id,)).get
    return number


def one(connection: apsw.Connection, id_: str) -> StoredRecord | None:
    """The record of that id, expired or not."""
    query = f"SELECT {COLUMNS} FROM {JOINED} WHERE record.id = ?"  # noqa: S608 (constants)
    row = connection.execute(query, (id_,)).fetchone()
    return to_record(row) if row else None


def many(connection: apsw.Connection, ids: list[str]) -> dict[str, StoredRecord]:
    """The records of those ids that are stored, expired or not."""
    query = (
        f"SELECT {COLUMNS} FROM {JOINED}"  # noqa: S608 (constants)
        " WHERE record.id IN (SELECT value FROM json_each(?))"
    )
    records = map(to_record, connection.execute(query, (json.dumps(ids),)))
    return {record.id: record for record in records}


def by_key(connection: apsw.Connection, keys: list[int], where: Where) -> dict[int, StoredRecord]:
    """The records of those keys that fulfil `where`."""
    query = (
        f"SELECT key, {COLUMNS} FROM {JOINED}"  # noqa: S608 (constants)
        f" WHERE key IN (SELECT value FROM json_each(?)) AND {where.sql}"
    )
    rows = connection.execute(query, (json.dumps(keys), *where.values))
    return {row[0]: to_record(row[1:]) for row in rows}


def batches(
    connection: apsw.Connection, where: Where, *, order: str, limit: int | None
) -> Iterator[list[StoredRecord]]:
    """The rows that fulfil `where`, a batch at a time, in `order` (one of ours, not a user's)."""
    query = (
        f"SELECT {COLUMNS} FROM {JOINED} WHERE {where.sql}"  # noqa: S608 (constants)
        f" ORDER BY {order} LIMIT ?"
    )
    rows = connection.execute(query, (*where.values, -1 if limit is None else limit))
    while batch := [to_record(row) for row in islice(rows, BATCH)]:
        yield batch


def count(connection: apsw.Connection, where: Where) -> int:
    """How many rows fulfil `where`."""
    query = f"SELECT count(*) FROM record WHERE {where.sql}"  # noqa: S608 (constants)
    return int(connection.execute(query, where.values).get)


def users(connection: apsw.Connection) -> list[UserSummary]:
    """Every partition with its size, by user id; those without a user come first."""
    query = (
        "SELECT user_id, records,"
        " (SELECT min(created_at) FROM record WHERE key >> 32 = +no),"
        " (SELECT max(created_at) FROM record WHERE key >> 32 = +no)"
        " FROM subject WHERE records > 0 OR user_id IS NOT NULL ORDER BY user_id"
    )
    return [
        UserSummary(user, records, first and from_micros(first), last and from_micros(last))
        for user, records, first, last in connection.execute(query)
    ]


def scope_size(connection: apsw.Connection, no: int) -> tuple[int, int]:
    """How many records and tokens a partition has."""
    row = connection.execute("SELECT records, tokens FROM subject WHERE no = ?", (no,)).fetchone()
    return row or (0, 0)


def narrowed_lengths(connection: apsw.Connection, no: int, where: Where) -> dict[int, int]:
    """Key and length in tokens of each record of a scope narrower than its partition."""
    first, last = key_range(no)
    query = (
        "SELECT key, token_count(sz) FROM record JOIN record_text_docsize AS size ON size.id = key"  # noqa: S608 (constants)
        f" WHERE key BETWEEN ? AND ? AND {where.sql}"
    )
    return dict(connection.execute(query, (first, last, *where.values)))
