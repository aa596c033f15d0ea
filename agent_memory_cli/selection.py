"""Which records are meant: a scope, metadata filters and a window of time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from pydantic import JsonValue

from agent_memory_cli.records import MemoryScope, Metadata, StoredRecord


def same_json(one: JsonValue, other: JsonValue) -> bool:
    """Equal as JSON values: unlike in Python, `true` is not 1; like in JSON, 1 is 1.0."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same_json(one[k], other[k]) for k in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same_json, one, other))
    return one == other


def matches(metadata: Mapping[str, JsonValue], filters: Mapping[str, JsonValue]) -> bool:
    """True when `metadata` has each key of `filters` with exactly that value."""
    return all(key in metadata and same_json(metadata[key], filters[key]) for key in filters)


@dataclass(frozen=True)
class Selection:
    """Records in `scope` (None: every scope, for administration), at or after `since`, before
    `until`, whose metadata match `filters`. Expired ones only when asked for: besides the live
    ones, or with `only_expired` alone."""

    scope: MemoryScope | None
    filters: Metadata = field(default_factory=dict)
    since: datetime | None = None
    until: datetime | None = None
    include_expired: bool = False
    only_expired: bool = False

    def admits(self, record: StoredRecord, now: datetime, retention_days: float | None) -> bool:
        """True when `record` is selected at the instant `now`."""
        return (
            (self.scope is None or self.scope.covers(record.scope))
            and self._due(record, now, retention_days)
            and (self.since is None or record.created_at >= self.since)
            and (self.until is None or record.created_at < self.until)
            and (not self.filters or matches(record.metadata, self.filters))
        )

    def _due(self, record: StoredRecord, now: datetime, retention_days: float | None) -> bool:
        if self.only_expired:
            return not record.live(now, retention_days)
        return self.include_expired or record.live(now, retention_days)
