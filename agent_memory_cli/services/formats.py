"""Records as JSONL, JSON and CSV: one flat form for writing and for reading back."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from typing import Literal

from pydantic_core import to_json

from agent_memory_cli.jsontext import harmless, to_text
from agent_memory_cli.records import StoredRecord

Format = Literal["jsonl", "json", "csv"]
FORMATS: tuple[Format, ...] = ("jsonl", "json", "csv")
FIELDS = (
    "id", "user_id", "session_id", "agent_id", "text", "metadata",
    "created_at", "updated_at", "expires_at",
)  # fmt: skip

Batches = Iterable[list[StoredRecord]]


def flat(record: StoredRecord) -> dict[str, object]:
    """A record as one flat object; what is unset is left out."""
    scope = record.scope
    values: dict[str, object] = {
        "id": record.id,
        "user_id": scope.user_id,
        "session_id": scope.session_id,
        "agent_id": scope.agent_id,
        "text": record.text,
        "metadata": record.metadata or None,
        "created_at": record.created_at,
        "updated_at": record.updated_at,
        "expires_at": record.expires_at,
    }
    return {name: value for name, value in values.items() if value is not None}


def line(record: StoredRecord, *, ascii_only: bool = False) -> str:
    """A record as one line of JSON, without the newline."""
    if ascii_only:
        return to_text(flat(record), ascii_only=True)
    return harmless(to_json(flat(record)).decode())


def encoded(batches: Batches, format_: Format, *, ascii_only: bool = False) -> Iterator[str]:
    """The records in that format, a portion for each batch; complete once exhausted."""
    match format_:
        case "jsonl":
            for batch in batches:
                yield "".join(f"{line(record, ascii_only=ascii_only)}\n" for record in batch)
        case "json":
            yield from _json(batches, ascii_only)
        case "csv":
            yield from _csv(batches)


def _json(batches: Batches, ascii_only: bool) -> Iterator[str]:
    count = 0
    yield '{"records": ['
    for batch in batches:
        lines = ",\n".join(line(record, ascii_only=ascii_only) for record in batch)
        yield f",\n{lines}" if count else f"\n{lines}"
        count += len(batch)
    yield f'\n], "count": {count}}}\n'


def _csv(batches: Batches) -> Iterator[str]:
    """RFC 4180, a header first; metadata as JSON. Nothing is altered for spreadsheets."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer)
    writer.writerow(FIELDS)
    for batch in batches:
        for record in batch:
            writer.writerow(map(_cell, _values(record)))
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
    yield buffer.getvalue()


def _values(record: StoredRecord) -> Iterator[object]:
    values = flat(record)
    return (values.get(name) for name in FIELDS)


def _cell(value: object) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    text = to_json(value).decode()
    return text if isinstance(value, dict) else text.strip('"')
