"""Writing, inside the caller's transaction: records, their index and the counts of their partition
change together."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime
from operator import itemgetter
from typing import cast

import apsw

from agent_memory_cli.backends.sqlite import schema
from agent_memory_cli.backends.sqlite.rows import from_record
from agent_memory_cli.errors import ToolUsageError
from agent_memory_cli.records import StoredRecord
from agent_memory_cli.times import to_micros

log = logging.getLogger("agent_memory")

# Up to so many deletions FTS5 rewrites the pages of each word at once (about 1 ms a record in a
# store of a million); more are only marked in the index, until it is rewritten as a whole.
ROW_BY_ROW = 200


def usable_index(connection: apsw.Connection) -> bool:
    """Whether the index can be read and holds every record."""
    return (
        schema.has_fts5()
        and schema.has_index(connection)
        and not get_meta(connection, "index_stale")
    )


def get_meta(connection: apsw.Connection, name: str) -> str | int | bytes | None:
    value: str | int | bytes | None = connection.execute(
        "SELECT value FROM meta WHERE name = ?", (name,)
    ).get
    return value


def set_meta(connection: apsw.Connection, name: str, value: str | int) -> None:
    connection.execute("REPLACE INTO meta (name, value) VALUES (?, ?)", (name, value))


def mark_scrub_due(connection: apsw.Connection, *, words_left: bool = False) -> None:
    """Notes that bytes of deleted records may be left, or even words of them in the index. Each
    mark has a number of its own, so that a scrub takes back only what it saw."""
    set_meta(connection, "scrub_due", int(get_meta(connection, "scrub_due") or 0) + 1)
    if words_left:
        set_meta(connection, "words_left", 1)


def insert(connection: apsw.Connection, records: Sequence[StoredRecord]) -> None:
    """Stores records. Raises ToolUsageError for an id that is stored already."""
    by_user: dict[str | None, list[StoredRecord]] = {}
    for record in records:
        by_user.setdefault(record.scope.user_id, []).append(record)
    runs = _reserve(connection, by_user)
    try:
        connection.executemany(
            "INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                from_record(first + offset, record)
                for first, ours in runs
                for offset, record in enumerate(ours)
            ),
        )
    except apsw.ConstraintError:
        raise ToolUsageError("a record with that id is stored already") from None
    if not usable_index(connection):
        set_meta(connection, "index_stale", 1)
        return
    connection.executemany(
        "INSERT INTO record_text (rowid, text) VALUES (?, ?)",
        (
            (first + offset, record.text)
            for first, ours in runs
            for offset, record in enumerate(ours)
        ),
    )
    connection.executemany(
        "UPDATE subject SET tokens = tokens + ("
        " SELECT coalesce(sum(token_count(sz)), 0) FROM record_text_docsize"
        " WHERE id BETWEEN ? AND ?) WHERE no = ?",
        ((first, first + len(ours) - 1, first >> 32) for first, ours in runs),
    )


def _reserve(
    connection: apsw.Connection, by_user: dict[str | None, list[StoredRecord]]
) -> list[tuple[int, list[StoredRecord]]]:
    """Makes room for records in their partitions; the key of the first with the records of each.

    In the order of keys: FTS5 writes out what it has gathered at each key below the last one.
    """
    places = connection.executemany(
        "UPDATE subject SET next_seq = next_seq + ?1, records = records + ?1 WHERE user_id IS ?2"
        " RETURNING user_id, no << 32 | next_seq - ?1, oldest_at",
        [(len(ours), user) for user, ours in by_user.items()],
    )
    known = {user: (first, oldest) for user, first, oldest in places}
    # Nothing is inserted for the known: even an INSERT that is ignored uses up a number.
    places = connection.executemany(
        "INSERT INTO subject (user_id, next_seq, records) VALUES (?2, 1 + ?1, ?1)"
        " RETURNING user_id, no << 32 | 1, oldest_at",
        [(len(ours), user) for user, ours in by_user.items() if user not in known],
    )
    known |= {user: (first, oldest) for user, first, oldest in places}
    runs, older = [], []
    for user, place in known.items():
        first, oldest = cast("tuple[int, int | None]", place)
        ours = by_user[cast("str | None", user)]
        time = to_micros(min(record.created_at for record in ours))
        if oldest is None or time < oldest:
            older.append((time, first >> 32))
        runs.append((first, ours))
    connection.executemany("UPDATE subject SET oldest_at = ? WHERE no = ?", older)
    return sorted(runs, key=itemgetter(0))


def expire(connection: apsw.Connection, now: datetime, cutoff: datetime | None) -> int:
    """Deletes what is past due: `expires_at` by `now`, or created by `cutoff`; how many."""
    due = ["SELECT key FROM record WHERE expires_at <= ?"]
    values = [to_micros(now)]
    if cutoff is not None:
        due.append(
            "SELECT key FROM record WHERE key >> 32 IN"
            " (SELECT +no FROM subject WHERE oldest_at <= ?) AND created_at <= ?"
        )
        values += [to_micros(cutoff)] * 2
    return delete(connection, " UNION ALL ".join(due), values)


def delete(
    connection: apsw.Connection,
    keys: str,
    values: Sequence[str | int],
    *,
    limit: int = -1,
    scrub_follows: bool = False,
) -> int:
    """Deletes the records whose keys the query `keys` gives, `limit` at most; how many.

    Where a scrub follows, the words of few records, too, may wait for it.
    """
    connection.execute("CREATE TEMP TABLE IF NOT EXISTS doomed (key INTEGER PRIMARY KEY)")
    connection.execute("DELETE FROM temp.doomed")
    connection.execute(f"INSERT OR IGNORE INTO temp.doomed {keys} LIMIT ?", (*values, limit))
    count = connection.changes()
    if count == 0:
        return 0
    mark_scrub_due(connection)
    _delete_from_index(connection, at_once=count <= ROW_BY_ROW and not scrub_follows)
    connection.execute(
        "UPDATE subject SET records = records - gone FROM"
        " (SELECT key >> 32 AS whose, count(*) AS gone FROM temp.doomed GROUP BY 1)"
        " WHERE no = whose"
    )
    connection.execute("DELETE FROM record WHERE key IN (SELECT key FROM temp.doomed)")
    connection.execute(
        "UPDATE subject SET oldest_at = (SELECT min(created_at) FROM record WHERE key >> 32 = +no)"
        " WHERE no IN (SELECT key >> 32 FROM temp.doomed)"
    )
    return count


def _delete_from_index(connection: apsw.Connection, *, at_once: bool) -> None:
    if not usable_index(connection):
        set_meta(connection, "index_stale", 1)
        if schema.has_index(connection):
            mark_scrub_due(connection, words_left=True)
        return
    connection.execute(
        "UPDATE subject SET tokens = tokens - gone FROM"
        " (SELECT id >> 32 AS whose, sum(token_count(sz)) AS gone FROM record_text_docsize"
        "  WHERE id IN (SELECT key FROM temp.doomed) GROUP BY 1) WHERE no = whose"
    )
    if not at_once:
        mark_scrub_due(connection, words_left=True)
    connection.execute(
        "INSERT INTO record_text (record_text, rank) VALUES ('secure-delete', ?)", (at_once,)
    )
    connection.execute(
        "INSERT INTO record_text (record_text, rowid, text)"
        " SELECT 'delete', key, text FROM record WHERE key IN (SELECT key FROM temp.doomed)"
    )


def rewrite_index(connection: apsw.Connection) -> bool:
    """Leaves no word of a deleted record in the index; False when there is none, or no FTS5."""
    if usable_index(connection):
        connection.execute("INSERT INTO record_text (record_text) VALUES ('optimize')")
    elif schema.has_index(connection) and schema.has_fts5():
        rebuild_index(connection)
    else:
        return False
    connection.execute("DELETE FROM meta WHERE name = 'words_left'")
    return True


def rebuild_index(connection: apsw.Connection) -> None:
    """Makes the index anew from the records, and the counts of every partition with it."""
    if not schema.has_index(connection):
        connection.execute(schema.INDEX)
    connection.execute("INSERT INTO record_text (record_text) VALUES ('rebuild')")
    connection.execute(
        "UPDATE subject SET"
        " records = (SELECT count(*) FROM record WHERE key >> 32 = +no),"
        " oldest_at = (SELECT min(created_at) FROM record WHERE key >> 32 = +no),"
        " tokens = (SELECT coalesce(sum(token_count(sz)), 0) FROM record_text_docsize"
        "           WHERE id BETWEEN no << 32 AND (no << 32) + 4294967295)"
    )
    connection.execute("DELETE FROM meta WHERE name = 'index_stale'")
