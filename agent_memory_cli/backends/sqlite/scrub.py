"""Making deleted bytes go away: the index rewritten, statistics emptied, the file rewritten, the
write-ahead log emptied. Each step tells whether it could be done.

`secure_delete` zeroes what is deleted, but not the copies that earlier page splits left in the gaps
of other pages; a VACUUM is the way to be rid of those.
"""

from __future__ import annotations

import time
from typing import cast

import apsw

from agent_memory_cli.backends.sqlite import schema, write
from agent_memory_cli.backends.sqlite.connection import Connections
from agent_memory_cli.backends.sqlite.errors import translate, translated
from agent_memory_cli.backends.sqlite.rows import only_row
from agent_memory_cli.errors import AgentMemoryError
from agent_memory_cli.reports import ScrubReport

IN_USE = "the store is in use: another process reads an old state, which keeps deleted text alive"
NO_FTS5 = "words are left in the index: this SQLite has no FTS5 to rewrite it with"


def is_due(connections: Connections) -> bool:
    """Whether anything was deleted since the last scrub."""
    with translated():
        return write.get_meta(connections.reading(), "scrub_due") is not None


def scrub(connections: Connections) -> ScrubReport:
    """Rewrites index and file, and forgets the ids of those who have no record left.

    What could not be done is named; running it again goes on.
    """
    connection = connections.reading()
    due = write.get_meta(connection, "scrub_due")
    done: list[str] = []
    try:
        with connections.writing():
            if write.rewrite_index(connection):
                done.append("index rewritten")
            _empty_statistics(connection)
            connection.execute(
                "DELETE FROM subject WHERE records = 0 AND user_id IS NOT NULL"
                " AND NOT EXISTS (SELECT 1 FROM record WHERE key >> 32 = +no)"
            )
        connection.execute("VACUUM")
        done.append("file rewritten")
        if not truncate_wal(connections, wait=True):
            return ScrubReport(tuple(done), (IN_USE,))
        done.append("write-ahead log emptied")
        if schema.has_index(connection) and not schema.has_fts5():
            return ScrubReport(tuple(done), (NO_FTS5,))
        with connections.writing():
            if write.get_meta(connection, "scrub_due") == due:
                connection.execute("DELETE FROM meta WHERE name IN ('scrub_due', 'words_left')")
    except (apsw.Error, AgentMemoryError) as error:
        reason = translate(error) if isinstance(error, apsw.Error) else error
        return ScrubReport(tuple(done), (f"the file could not be rewritten: {reason.message}",))
    return ScrubReport(tuple(done))


def truncate_wal(connections: Connections, *, wait: bool) -> bool:
    """Moves the write-ahead log into the file and cuts it to nothing; whether that succeeded.

    The answer stands in a row, not in an exception. With `wait`, readers and other checkpoints
    (for which SQLite itself does not wait) get as long as the store waits for anybody.
    """
    deadline = time.monotonic() + (connections.busy_timeout if wait else 0)
    with connections.impatient() as connection:
        while True:
            try:
                row = only_row(connection, "PRAGMA wal_checkpoint(TRUNCATE)")
                busy, frames, _ = cast("tuple[int, int, int]", row)
            except (apsw.BusyError, apsw.LockedError, apsw.InterruptError):
                busy, frames = 1, -1
            if not busy and frames <= 0:
                return True
            if time.monotonic() >= deadline:
                return False
            time.sleep(0.05)


def _empty_statistics(connection: apsw.Connection) -> None:
    """ANALYZE copies sample values, such as ids, into tables that outlive what they came from."""
    names = connection.execute(
        "SELECT name FROM sqlite_schema WHERE name IN ('sqlite_stat1', 'sqlite_stat4')"
    ).fetchall()
    for (name,) in names:
        connection.execute(f'DELETE FROM "{name}"')  # noqa: S608 (one of two constants)
