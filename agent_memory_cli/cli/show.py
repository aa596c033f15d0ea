"""Records and hits as tables, alike in every command."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from agent_memory_cli.cli.render import text
from agent_memory_cli.cli.result import Column, Table
from agent_memory_cli.jsontext import to_text
from agent_memory_cli.records import MemoryHit, StoredRecord
from agent_memory_cli.services.formats import flat


def records_table(records: Iterable[StoredRecord], *, with_user: bool) -> Table:
    """One row a record: id, time, whose (user / session / agent, or without the user), text."""
    columns = [Column("id", "id"), Column("created", "time"), Column("scope", "id"), Column("text")]
    rows = [
        [
            record.id,
            text.short_instant(record.created_at),
            text.scope(record) if with_user else _within_user(record),
            record.text,
        ]
        for record in records
    ]
    return Table(columns, rows)


def hits_table(hits: Sequence[MemoryHit]) -> Table:
    """One row a hit: id, score, time, session and agent, text."""
    columns = [
        Column("id", "id"), Column("score", "number"), Column("created", "time"),
        Column("scope", "id"), Column("text"),
    ]  # fmt: skip
    rows = [
        [
            hit.record.id,
            f"{hit.score:.2f}",
            text.short_instant(hit.record.created_at),
            _within_user(hit.record),
            hit.record.text,
        ]
        for hit in hits
    ]
    return Table(columns, rows)


def hit_data(hit: MemoryHit) -> dict[str, object]:
    """A hit for machines: the flat record and its score."""
    return {**flat(hit.record), "score": hit.score}


def whole_record(record: StoredRecord) -> str:
    """All of a record, a field a line, then the text as it is."""
    fields = flat(record)
    body = str(fields.pop("text"))
    shown = [f"{name}: {_field(value)}" for name, value in fields.items()]
    return "\n".join([*shown, "", text.lines(body)])


def _field(value: object) -> str:
    if isinstance(value, datetime):
        return text.instant(value)
    return text.one_line(value) if isinstance(value, str) else to_text(value)


def _within_user(record: StoredRecord) -> str:
    ids = [record.scope.session_id, record.scope.agent_id]
    if ids == [None, None]:
        return "-"
    return " / ".join("-" if value is None else value for value in ids).removesuffix(" / -")
