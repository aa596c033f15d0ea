"""Export: every selected record, streamed, with a summary that proves completeness."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

from agent_memory_cli.errors import NotFoundError, ToolUsageError
from agent_memory_cli.jsontext import to_text
from agent_memory_cli.port import AdministeredMemory
from agent_memory_cli.records import MemoryScope, StoredRecord
from agent_memory_cli.selection import Selection
from agent_memory_cli.services.formats import FORMATS, Format, encoded
from agent_memory_cli.times import utc_now

MANIFEST_SCHEMA = "agent-memory/manifest/1"


@dataclass(frozen=True)
class Summary:
    """What an export holds. `expired_left_out` counts what was past due and not asked for."""

    format: Format
    count: int
    first: datetime | None
    last: datetime | None
    sha256: str
    size: int
    expired_left_out: int
    exported_at: datetime


def export(
    memory: AdministeredMemory,
    selection: Selection,
    write: Callable[[bytes], object],
    *,
    format_: Format = "jsonl",
    ascii_only: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Summary:
    """Writes the selected records, oldest first, as UTF-8. `progress` gets counts of records.

    With `ascii_only`, JSON escapes every other character, for outputs that cannot carry them.
    """
    left_out = 0
    if not selection.include_expired:
        left_out = memory.count_sync(replace(selection, only_expired=True))
    digest, size, seen = hashlib.sha256(), 0, _Seen(progress)
    for portion in encoded(
        seen.through(memory.stream_sync(selection)), format_, ascii_only=ascii_only
    ):
        data = portion.encode()
        digest.update(data)
        size += len(data)
        write(data)
    return Summary(
        format=format_,
        count=seen.count,
        first=seen.first,
        last=seen.last,
        sha256=digest.hexdigest(),
        size=size,
        expired_left_out=left_out,
        exported_at=utc_now(),
    )


class _Seen:
    """Counts records as they pass, and keeps the first and last time."""

    def __init__(self, progress: Callable[[int], None] | None) -> None:
        self.count = 0
        self.first: datetime | None = None
        self.last: datetime | None = None
        self._progress = progress

    def through(self, batches: Iterator[list[StoredRecord]]) -> Iterator[list[StoredRecord]]:
        for batch in batches:
            times = [record.created_at for record in batch]
            first, last = min(times), max(times)
            self.first = first if self.first is None else min(self.first, first)
            self.last = last if self.last is None else max(self.last, last)
            self.count += len(batch)
            if self._progress is not None:
                self._progress(len(batch))
            yield batch


def file_name(scope: MemoryScope, format_: Format) -> str:
    """A file name for a scope: what can be read of its user, and a hash, so that no two scopes
    share a file. Whatever a path could be made of is %-escaped."""
    ids = "\0".join(value or "" for value in (scope.user_id, scope.session_id, scope.agent_id))
    readable = quote(scope.user_id or "no user", safe="").replace(".", "%2E")[:60]
    return f"{readable}-{hashlib.sha256(ids.encode()).hexdigest()[:16]}.{format_}"


def manifest_path(export: Path) -> Path:
    """Where the manifest of an export stands: beside it."""
    return export.with_name(export.name + ".manifest.json")


def manifest(summary: Summary) -> bytes:
    """The manifest of an export: counts, times and SHA-256, and no id of anybody."""
    return (to_text({"schema": MANIFEST_SCHEMA, **vars(summary)}) + "\n").encode()


@dataclass(frozen=True)
class Verdict:
    """Whether an export is what its manifest says, and what differs if not."""

    count: int
    sha256: str
    differences: tuple[str, ...]


def verify(export: Path) -> Verdict:
    """Compares an export with the manifest beside it.

    Raises NotFoundError when one of them is missing, ToolUsageError when it cannot be read.
    """
    told = _read_manifest(manifest_path(export))
    digest, size, newlines = hashlib.sha256(), 0, 0
    try:
        with export.open("rb") as file:
            while data := file.read(1 << 20):
                digest.update(data)
                size += len(data)
                newlines += data.count(b"\n")
    except FileNotFoundError:
        raise NotFoundError("there is no export of that name") from None
    except OSError as error:
        raise ToolUsageError(f"the export cannot be read: {error.strerror}") from None
    found: dict[str, object] = {"size": size, "sha256": digest.hexdigest()}
    if told["format"] == "jsonl":
        found["count"] = newlines
    differences = tuple(
        f"{name}: the manifest says {told[name]}, the file has {value}"
        for name, value in found.items()
        if told[name] != value
    )
    return Verdict(int(str(told["count"])), digest.hexdigest(), differences)


def _read_manifest(path: Path) -> dict[str, object]:
    import json

    try:
        told = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise NotFoundError(
            "there is no manifest beside the export", hint="export with --manifest writes one"
        ) from None
    except (OSError, ValueError):
        raise ToolUsageError("the manifest cannot be read") from None
    if (
        not isinstance(told, dict)
        or told.get("schema") != MANIFEST_SCHEMA
        or told.get("format") not in FORMATS
        or not {"count", "size", "sha256"} <= told.keys()
        or not isinstance(told["count"], int)
    ):
        raise ToolUsageError("the manifest is not one of ours")
    return told
