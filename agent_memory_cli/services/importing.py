"""Import of JSON lines: all or nothing, by physical line, the same file twice without doubles.

The input is read twice: once to find every fault before anything is written, once to write.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import BinaryIO
from uuid import UUID

from pydantic import ValidationError

from agent_memory_cli.errors import ToolUsageError
from agent_memory_cli.guard.checks import reason
from agent_memory_cli.port import AdministeredMemory
from agent_memory_cli.records import MemoryRecord, MemoryScope
from agent_memory_cli.times import parse_instant, utc_now

BATCH = 1000
# A bound for what is no text at all, such as a device that never ends a line.
MAX_LINE = 256 << 20
_NAMED_FAULTS = 20

# Our own names first, then those that other systems use for the same thing.
_ALIASES = {
    "id": "id", "user_id": "user_id", "user": "user_id",
    "session_id": "session_id", "session": "session_id", "run_id": "session_id",
    "agent_id": "agent_id", "agent": "agent_id",
    "text": "text", "memory": "text", "content": "text",
    "metadata": "metadata", "created_at": "created_at",
    "updated_at": "updated_at", "expires_at": "expires_at",
}  # fmt: skip
_TIMES = ("created_at", "updated_at", "expires_at")


@dataclass(frozen=True)
class Fault:
    """A line that cannot be imported, by its physical number from 1, and why."""

    line: int
    reason: str


@dataclass(frozen=True)
class Outcome:
    """What became of the lines. `unchanged` were stored already word for word."""

    added: int
    unchanged: int
    skipped: tuple[Fault, ...] = ()


def import_lines(
    memory: AdministeredMemory,
    source: BinaryIO,
    *,
    skip_invalid: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Outcome:
    """Imports a seekable binary stream of UTF-8 JSON lines, from where it stands. `progress` gets
    counts of bytes.

    Lines without an id get one made from their content, so that importing again adds no doubles.
    Raises ToolUsageError naming the faulty lines; nothing is then imported, unless `skip_invalid`.
    """
    now, start = utc_now(), source.tell()
    faults, valid = [], 0
    for _, parsed in _parsed(source, now, progress):
        if isinstance(parsed, Fault):
            faults.append(parsed)
        else:
            valid += 1
    if faults and not skip_invalid:
        raise _refusal(faults)
    if not valid:
        return Outcome(0, 0, tuple(faults))
    try:
        batches = _batches(source, start, now, progress, skip_invalid=skip_invalid)
        report = memory.add_all_sync(batches, skip_conflicts=skip_invalid)
    except ToolUsageError as error:
        clashes = _clashes(source, start, now, error.details)
        raise (_refusal(clashes) if clashes else error) from None
    faults += _clashes(source, start, now, report.conflicts)
    faults.sort(key=lambda fault: fault.line)
    return Outcome(report.added, report.unchanged, tuple(faults))


def _batches(
    source: BinaryIO,
    start: int,
    now: datetime,
    progress: Callable[[int], None] | None,
    *,
    skip_invalid: bool,
) -> Iterator[list[MemoryRecord]]:
    """The second reading. A fault that was not there at the first still stops it all."""
    source.seek(start)
    batch: list[MemoryRecord] = []
    for _, parsed in _parsed(source, now, progress):
        if isinstance(parsed, Fault):
            if not skip_invalid:
                raise _refusal([parsed])
            continue
        batch.append(parsed)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _clashes(source: BinaryIO, start: int, now: datetime, ids: tuple[str, ...]) -> list[Fault]:
    """The lines whose ids are taken; of several lines with one id, the last ones clash."""
    if not ids:
        return []
    source.seek(start)
    wanted, lines = Counter(ids), dict[str, list[int]]()
    for number, parsed in _parsed(source, now, None):
        if isinstance(parsed, MemoryRecord) and parsed.id and parsed.id in wanted:
            lines.setdefault(parsed.id, []).append(number)
    return [
        Fault(line, "another record is stored under the same id")
        for id_, count in wanted.items()
        for line in lines.get(id_, [])[-count:]
    ]


def _refusal(faults: list[Fault]) -> ToolUsageError:
    named = [f"line {fault.line}: {fault.reason}" for fault in faults[:_NAMED_FAULTS]]
    if len(faults) > _NAMED_FAULTS:
        named.append(f"and {len(faults) - _NAMED_FAULTS} more")
    lines = "1 line" if len(faults) == 1 else f"{len(faults)} lines"
    return ToolUsageError(
        f"{lines} cannot be imported; nothing was",
        hint="mend them, or leave them out with --skip-invalid",
        details=named,
    )


def _parsed(
    source: BinaryIO, now: datetime, progress: Callable[[int], None] | None
) -> Iterator[tuple[int, MemoryRecord | Fault]]:
    """Each line that is not blank with its number; only a line feed ends a line."""
    seen: Counter[bytes] = Counter()
    for number, raw in enumerate(iter(partial(source.readline, MAX_LINE + 1), b""), start=1):
        if len(raw) > MAX_LINE:
            raise ToolUsageError(f"line {number} is longer than {MAX_LINE >> 20} MB")
        if progress is not None:
            progress(len(raw))
        line = raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw
        if not line.strip():
            continue
        try:
            yield number, _record(line, now, seen)
        except ValueError as error:
            yield number, Fault(number, str(error))
        except ToolUsageError as error:
            yield number, Fault(number, error.message)


def _record(line: bytes, now: datetime, seen: Counter[bytes]) -> MemoryRecord:
    """The record of one line. Raises ValueError or ToolUsageError, saying why it is none."""
    fields = _fields(line)
    for name in _TIMES:
        if (value := fields.get(name)) is not None:
            if not isinstance(value, str):
                raise ValueError(f"{name} is not text like 2026-06-07T12:00:00Z")
            fields[name] = parse_instant(value)
    created = fields.get("created_at")
    if isinstance(created, datetime) and created > now:
        raise ValueError("created_at lies in the future")
    try:
        scope = MemoryScope(
            user_id=fields.pop("user_id", None),
            session_id=fields.pop("session_id", None),
            agent_id=fields.pop("agent_id", None),
        )
        record = MemoryRecord.model_validate({"scope": scope, **fields})
    except ValidationError as error:
        raise ValueError(reason(error)) from None
    if record.id is None:
        record = record.model_copy(update={"id": _id_of(record, seen)})
    return record


def _fields(line: bytes) -> dict[str, object]:
    try:
        found = json.loads(line.decode(), parse_constant=_refuse_constant)
    except UnicodeDecodeError:
        raise ValueError("is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"is not JSON: {error.msg} at column {error.colno}") from None
    except RecursionError:
        raise ValueError("is nested too deeply") from None
    if not isinstance(found, dict):
        raise ValueError("is not a JSON object")
    fields: dict[str, object] = {}
    for key, value in found.items():
        name = _ALIASES.get(key)
        if name is None:
            raise ValueError("has an unknown field; put fields of your own under metadata")
        if value is None:
            continue
        if name in fields:
            raise ValueError(f"gives {name} twice")
        fields[name] = value
    return fields


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def _id_of(record: MemoryRecord, seen: Counter[bytes]) -> str:
    """An id from the content, different for each repetition of it (a UUID, version 8)."""
    digest = hashlib.sha256(record.model_dump_json(exclude={"id"}).encode()).digest()
    seen[digest] += 1
    nth = hashlib.sha256(digest + str(seen[digest]).encode()).digest()
    value = int.from_bytes(nth[:16], "big")
    value = value & ~(0xF << 76) | 8 << 76
    value = value & ~(0x3 << 62) | 2 << 62
    return str(UUID(int=value))
