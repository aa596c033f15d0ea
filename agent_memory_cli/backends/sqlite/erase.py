"""Erasing one user: plan, delete with an unfinished receipt, scrub, look, finish the receipt.

A crash, a full disk or a reader in the way leaves the receipt unfinished; erasing again goes on.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import cast
from urllib.parse import quote

import apsw

from agent_memory_cli.backends.sqlite import files, select, write
from agent_memory_cli.backends.sqlite.connection import Connections
from agent_memory_cli.backends.sqlite.errors import translated
from agent_memory_cli.backends.sqlite.residue import Pieces, words_of_nobody
from agent_memory_cli.backends.sqlite.rows import key_range, only_row
from agent_memory_cli.backends.sqlite.scrub import scrub, truncate_wal
from agent_memory_cli.errors import AgentMemoryError
from agent_memory_cli.ids import look_alike_key, new_id
from agent_memory_cli.reports import ErasurePlan, ErasureReport
from agent_memory_cli.times import from_micros, to_micros

_Extent = tuple[int, int, int, int | None, int | None]


def plan(connections: Connections, user_id: str) -> ErasurePlan:
    """What stands in the store for a user, and what earlier receipts say."""
    with translated():
        connection = connections.reading()
        no = select.partition(connection, user_id)
        row = only_row(
            connection,
            "SELECT count(*), count(DISTINCT session_id), count(DISTINCT agent_id),"
            " min(created_at), max(created_at) FROM record WHERE key >> 32 = ?",
            (no or -1,),
        )
        records, sessions, agents, first, last = cast("_Extent", row)
        receipt = connection.execute(
            "SELECT receipt, finished_at FROM erasure WHERE subject = ? ORDER BY no DESC",
            (_subject(connection, user_id),),
        ).fetchone()
        name, finished = cast("tuple[str | None, int | None]", receipt or (None, None))
        return ErasurePlan(
            user_id=user_id,
            known=no is not None,
            records=records,
            sessions=sessions,
            agents=agents,
            first=None if first is None else from_micros(first),
            last=None if last is None else from_micros(last),
            look_alikes=_look_alikes(connection, user_id),
            beside=tuple(path.name for path in files.beside(connections.path)),
            unfinished=name is not None and finished is None,
            erased_at=None if finished is None else from_micros(finished),
            receipt=name,
        )


def erase(
    connections: Connections, plan: ErasurePlan, clock: Callable[[], datetime]
) -> ErasureReport:
    """Deletes, scrubs and looks. Safe to repeat: what an earlier run left undone is taken up."""
    pieces = Pieces()
    pieces.add(plan.user_id)
    if plan.already_erased:
        looked = _look_again(connections, plan, pieces, clock)
        if not looked.incomplete:
            return looked
    with connections.writing() as connection:
        receipt, subject, started, deleted = _delete(connection, plan.user_id, pieces, clock())
    scrubbed = scrub(connections)
    verified, residue = _verify(connections, plan.user_id, pieces)
    incomplete = (*scrubbed.incomplete, *residue)
    report = ErasureReport(
        receipt=receipt,
        subject=subject,
        started_at=from_micros(started),
        finished_at=clock(),
        deleted=deleted,
        verified=(*scrubbed.done, *verified),
        incomplete=incomplete,
    )
    return _finish(connections, report)


def _look_again(
    connections: Connections, plan: ErasurePlan, pieces: Pieces, clock: Callable[[], datetime]
) -> ErasureReport:
    """What a look finds after a finished erasure; nothing is written."""
    started = clock()
    verified, residue = _verify(connections, plan.user_id, pieces)
    with translated():
        subject = _subject(connections.reading(), plan.user_id)
    return ErasureReport(
        receipt=plan.receipt or "",
        subject=subject,
        started_at=started,
        finished_at=clock(),
        deleted=0,
        verified=tuple(verified),
        incomplete=tuple(residue),
    )


def _subject(connection: apsw.Connection, user_id: str) -> str:
    """A user's name in receipts: HMAC-SHA-256 of the id under the store's own key."""
    import hmac

    key = cast("bytes", write.get_meta(connection, "receipt_key"))
    return hmac.digest(key, user_id.encode(), "sha256").hex()


def _look_alikes(connection: apsw.Connection, user_id: str) -> tuple[str, ...]:
    """Other user ids that a person may take for this one."""
    wanted = look_alike_key(user_id)
    ids = connection.execute("SELECT user_id FROM subject WHERE user_id IS NOT NULL")
    return tuple(
        sorted(other for (other,) in ids if other != user_id and look_alike_key(other) == wanted)
    )


def _delete(
    connection: apsw.Connection, user_id: str, pieces: Pieces, now: datetime
) -> tuple[str, str, int, int]:
    """Deletes all rows and notes the unfinished receipt; (receipt, subject, start, deleted)."""
    no, deleted = select.partition(connection, user_id), 0
    if no is not None:
        rows = connection.execute(
            "SELECT id, session_id, agent_id, text, metadata FROM record WHERE key BETWEEN ? AND ?",
            key_range(no),
        )
        for row in rows:
            for value in row:
                pieces.add(value)
        deleted = write.delete(
            connection, "SELECT key FROM record WHERE key >> 32 = ?", (no,), scrub_follows=True
        )
        connection.execute("DELETE FROM subject WHERE no = ?", (no,))
    write.mark_scrub_due(connection)
    subject = _subject(connection, user_id)
    unfinished = connection.execute(
        "UPDATE erasure SET deleted = deleted + ? WHERE subject = ? AND finished_at IS NULL"
        " RETURNING receipt, started_at, deleted",
        (deleted, subject),
    ).fetchall()
    if unfinished:
        receipt, started, total = cast("tuple[str, int, int]", unfinished[0])
        return receipt, subject, started, total
    receipt, started = new_id(), to_micros(now)
    connection.execute(
        "INSERT INTO erasure (receipt, subject, started_at, deleted) VALUES (?, ?, ?, ?)",
        (receipt, subject, started, deleted),
    )
    return receipt, subject, started, deleted


def _verify(connections: Connections, user_id: str, pieces: Pieces) -> tuple[list[str], list[str]]:
    """(what was looked at and found clean, what was found or could not be looked at)."""
    clean: list[str] = []
    found: list[str] = []

    def note(left: int, looked: str, trouble: str) -> None:
        if left:
            found.append(f"{left} {trouble}")
        else:
            clean.append(looked)

    with connections.snapshot() as connection:
        back = select.partition(connection, user_id) is not None
        note(back, "no row of the user", "user row: records were added while the erasure ran")
        if write.usable_index(connection):
            words = words_of_nobody(connection)
            note(words, "index: every word belongs to a record", "words of no record in the index")
        if not connection.pragma("freelist_count"):  # others may have freed some of theirs since
            clean.append("no free page")
        left = pieces.left_in(files.with_content(connections.path), _alive(connection))
        looked = f"file read: none of {pieces.values} values found"
        if pieces.too_short:
            looked += f" ({pieces.too_short} too short to look for)"
        note(left, looked, "pieces of erased values in the store's files")
    copies = [path.name for path in files.beside(connections.path) if _holds(path, user_id, pieces)]
    found += [f"a copy stands beside the store, and we do not clean it: {name}" for name in copies]
    return clean, found


def _holds(path: Path, user_id: str, pieces: Pieces) -> bool:
    """Whether a file beside the store, such as a backup, holds the user."""
    if pieces.left_in([path], ()):
        return True
    try:
        if files.read_header(path) is None:
            return False
        copy = apsw.Connection(
            f"file:{quote(str(path))}?immutable=1",
            flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI,
        )
        try:
            return select.partition(copy, user_id) is not None
        finally:
            copy.close()
    except (AgentMemoryError, apsw.Error):
        return False


def _alive(connection: apsw.Connection) -> Iterator[bytes]:
    """Everything that live rows hold, in portions: what explains a piece that was found."""
    queries = (
        "SELECT sql FROM sqlite_schema",
        "SELECT user_id FROM subject",
        "SELECT id, session_id, agent_id, text, metadata FROM record",
    )
    for query in queries:
        cursor = connection.execute(query)
        while rows := list(islice(cursor, select.BATCH)):
            yield "\0".join(str(value) for row in rows for value in row if value).encode()


def _finish(connections: Connections, report: ErasureReport) -> ErasureReport:
    """Completes the receipt, or leaves it unfinished with what is left to do; as it then is."""
    finished = None if report.incomplete else to_micros(report.finished_at)
    text = json.dumps({"verified": report.verified, "incomplete": report.incomplete})
    try:
        with connections.writing() as connection:
            connection.execute(
                "UPDATE erasure SET finished_at = ?, report = ? WHERE receipt = ?",
                (finished, text, report.receipt),
            )
    except AgentMemoryError as error:
        trouble = f"the receipt could not be completed: {error.message}"
        return replace(report, incomplete=(*report.incomplete, trouble))
    with suppress(apsw.Error):  # the log holds this receipt only
        truncate_wal(connections, wait=False)
    return report
