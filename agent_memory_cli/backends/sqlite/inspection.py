"""The store's rows of the doctor. Each looks at one thing; mending looks again afterwards."""

from __future__ import annotations

import stat
from collections.abc import Callable
from datetime import datetime

import apsw

from agent_memory_cli.backends.sqlite import files, schema, select, write
from agent_memory_cli.backends.sqlite.connection import Connections
from agent_memory_cli.backends.sqlite.errors import translated
from agent_memory_cli.errors import AgentMemoryError, IntegrationError, NotFoundError
from agent_memory_cli.reports import Check
from agent_memory_cli.selection import Selection
from agent_memory_cli.times import to_micros

Look = Callable[[], Check]


def inspect(
    connections: Connections,
    clock: Callable[[], datetime],
    cutoff_at: Callable[[datetime], datetime | None],
    *,
    fix: bool,
) -> list[Check]:
    """All rows; a file that cannot be opened gives one row that says why."""
    try:
        with translated():
            connection = connections.reading()
    except NotFoundError as error:
        return [Check("store.missing", "fail", error.message, error.hint)]
    except AgentMemoryError as error:
        return [Check("store.file", "fail", error.message, error.hint)]
    now = clock()
    looks: list[tuple[str, Look, Callable[[], None] | None]] = [
        ("store.file", lambda: _file(connection), None),
        ("store.permissions", lambda: _permissions(connections), lambda: _restrict(connections)),
        ("store.integrity", lambda: _integrity(connection), None),
        ("store.index", lambda: _index(connection), lambda: _rebuild(connections)),
        ("store.counts", lambda: _counts(connection), lambda: _rebuild(connections)),
        ("store.overdue", lambda: _overdue(connection, now, cutoff_at(now)), None),
        ("store.future", lambda: _future(connections, clock), None),
        ("store.erasures", lambda: _erasures(connection), None),
        ("store.scrub", lambda: _scrub(connection), None),
    ]
    rows = []
    for id_, look, mend in looks:
        row = _looked(id_, look)
        if fix and mend is not None and row.fixable:
            row = _mended(id_, mend, look)
        rows.append(row)
    return rows


def _looked(id_: str, look: Look) -> Check:
    """A row; what is too damaged to be looked at is a failure of its own row."""
    try:
        with translated():
            return look()
    except IntegrationError as error:
        return Check(id_, "fail", error.message, error.hint)


def _mended(id_: str, mend: Callable[[], None], look: Look) -> Check:
    try:
        mend()
    except IntegrationError as error:
        return Check(id_, "fail", f"could not be mended: {error.message}", error.hint)
    again = _looked(id_, look)
    return again if again.status != "ok" else Check(id_, "ok", f"mended: {again.seen}")


def _file(connection: apsw.Connection) -> Check:
    size = connection.pragma("page_count") * connection.pragma("page_size")
    seen = f"schema {schema.version(connection)}, {size:,} bytes"
    if connection.readonly("main"):
        return Check("store.file", "warn", f"{seen}, read-only", "make the file writable")
    return Check("store.file", "ok", seen)


def _permissions(connections: Connections) -> Check:
    if others := files.open_to_others(connections.path):
        return Check(
            "store.permissions", "warn",
            f"{len(others)} of the store's files are open to other users of this machine",
            "run doctor --fix, or chmod 600", fixable=True,
        )  # fmt: skip
    return Check("store.permissions", "ok", "owner only")


def _restrict(connections: Connections) -> None:
    for path in files.open_to_others(connections.path):
        path.chmod(stat.S_IMODE(path.stat().st_mode) & 0o700)


def _integrity(connection: apsw.Connection) -> Check:
    problems = connection.execute("PRAGMA integrity_check(3)").fetchall()
    if problems == [("ok",)]:
        return Check("store.integrity", "ok", "every page and index is sound")
    return Check("store.integrity", "fail", "pages or indexes are damaged", "restore a backup")


def _index(connection: apsw.Connection) -> Check:
    if not schema.has_fts5():
        return Check(
            "store.index", "warn", "this SQLite has no FTS5: search uses LIKE",
            "install apsw from PyPI, whose SQLite has it",
        )  # fmt: skip
    if not write.usable_index(connection):
        return Check(
            "store.index", "warn", "written by a SQLite without FTS5: search uses LIKE",
            "run doctor --fix", fixable=True,
        )  # fmt: skip
    if connection.readonly("main"):
        return Check("store.index", "skip", "read-only: the index cannot be compared")
    try:
        connection.execute(
            "INSERT INTO record_text (record_text, rank) VALUES ('integrity-check', 1)"
        )
    except apsw.CorruptError:
        return Check(
            "store.index", "fail", "the index differs from the records",
            "run doctor --fix", fixable=True,
        )  # fmt: skip
    format_ = connection.execute("SELECT v FROM record_text_config WHERE k = 'version'").get
    oldest = "3.42" if format_ == 5 else "3.20"
    return Check(
        "store.index", "ok", f"matches the records; format {format_}, SQLite {oldest} or later"
    )


def _counts(connection: apsw.Connection) -> Check:
    wrong = connection.execute(
        "SELECT count(*) FROM (SELECT no, records AS told FROM subject) LEFT JOIN"
        " (SELECT key >> 32 AS whose, count(*) AS there FROM record GROUP BY 1) ON whose = no"
        " WHERE told <> coalesce(there, 0)"
    ).get
    if wrong:
        return Check(
            "store.counts", "fail", f"{wrong} users have another number of records than noted",
            "run doctor --fix", fixable=True,
        )  # fmt: skip
    return Check("store.counts", "ok", "the noted number of records is right for every user")


def _rebuild(connections: Connections) -> None:
    with connections.writing() as connection:
        write.rebuild_index(connection)


def _overdue(connection: apsw.Connection, now: datetime, cutoff: datetime | None) -> Check:
    overdue = select.Where(Selection(None, only_expired=True), None, now, cutoff)
    if count := select.count(connection, overdue):
        return Check(
            "store.overdue", "warn", f"{count} records are past due, and hidden",
            "run: agent-memory purge",
        )  # fmt: skip
    live = select.count(connection, select.Where(Selection(None), None, now, cutoff))
    return Check("store.overdue", "ok", f"none of {live} records is past due")


def _future(connections: Connections, clock: Callable[[], datetime]) -> Check:
    with connections.snapshot() as connection:
        # The clock is asked once the state is fixed: what agents add meanwhile is not the future.
        schema.version(connection)
        count = connection.execute(
            "SELECT count(*) FROM record WHERE created_at > ?", (to_micros(clock()),)
        ).get
    if count:
        return Check(
            "store.future", "warn", f"{count} records were created in the future",
            "check the clock: they outlive retention",
        )  # fmt: skip
    return Check("store.future", "ok", "no record was created in the future")


def _erasures(connection: apsw.Connection) -> Check:
    rows = connection.execute("SELECT receipt FROM erasure WHERE finished_at IS NULL").fetchall()
    if rows:
        receipts = ", ".join(str(receipt) for (receipt,) in rows)
        return Check(
            "store.erasures", "fail", f"{len(rows)} erasures are unfinished: {receipts}",
            "run erase-user again for that person",
        )  # fmt: skip
    return Check("store.erasures", "ok", "every erasure is finished")


def _scrub(connection: apsw.Connection) -> Check:
    if write.get_meta(connection, "words_left") is not None:
        return Check(
            "store.scrub", "warn", "words of deleted records may be left in the index",
            "run: agent-memory purge",
        )  # fmt: skip
    if write.get_meta(connection, "scrub_due") is not None:
        return Check(
            "store.scrub", "ok", "the last bytes of deleted records go with the next purge"
        )
    return Check("store.scrub", "ok", "nothing deleted awaits a scrub")
