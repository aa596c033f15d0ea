"""What is remembered: the scope, the record, the hit. All frozen."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, FiniteFloat, JsonValue, model_validator

from agent_memory_cli.ids import check_id, check_unicode
from agent_memory_cli.times import as_utc

Metadata = dict[str, JsonValue]

# Readers and writers of JSON give up somewhere above this.
MAX_DEPTH = 100


def _check_text(value: str) -> str:
    if not value.strip():
        raise ValueError("the text is empty or blank")
    return check_unicode(value)


def _check_metadata(value: Metadata) -> Metadata:
    if value:
        try:
            text = json.dumps(value, ensure_ascii=False, allow_nan=False)
            check_unicode(text)
        except (ValueError, RecursionError):
            raise ValueError("metadata that JSON cannot hold exactly") from None
        # Each level opens with a bracket: few brackets spare the look at the levels.
        if text.count("{") + text.count("[") > MAX_DEPTH and _depth(value) > MAX_DEPTH:
            raise ValueError(f"metadata nested more than {MAX_DEPTH} levels deep")
    return value


def _depth(value: JsonValue) -> int:
    """How many levels of objects and arrays there are."""
    if isinstance(value, dict):
        return 1 + max(map(_depth, value.values()), default=0)
    return 1 + max(map(_depth, value), default=0) if isinstance(value, list) else 0


_Id = Annotated[str, AfterValidator(check_id)]
_Text = Annotated[str, AfterValidator(_check_text)]
_Metadata = Annotated[Metadata, AfterValidator(_check_metadata)]
_Instant = Annotated[datetime, AfterValidator(as_utc)]

# The only way to set something on what is frozen.
_put = object.__setattr__


class _Frozen(BaseModel):
    """Checked when made, and never changed."""

    # A validation error must not carry the text of a person into a log.
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy, changed by `update` and checked, so that a rule holds for copies, too."""
        copy = super().model_copy(deep=deep)
        return type(self)(**{**copy.__dict__, **update}) if update else copy

    @classmethod
    def trusted(cls, **values: Any) -> Self:
        """An instance with exactly these values, which were checked before; every field is there.

        What pydantic's `model_construct` does, at a quarter of its cost: reading and adding make
        one for each record.
        """
        made = cls.__new__(cls)
        _put(made, "__dict__", values)
        _put(made, "__pydantic_fields_set__", set(values))
        _put(made, "__pydantic_extra__", None)
        _put(made, "__pydantic_private__", None)
        return made


class MemoryScope(_Frozen):
    """Whose memory: a user, a session (chat thread) and an agent; at least one is set.

    Raises pydantic's ValidationError when none is set, or one is empty or blank.
    """

    user_id: _Id | None = None
    session_id: _Id | None = None
    agent_id: _Id | None = None

    @model_validator(mode="after")
    def _names_somebody(self) -> MemoryScope:
        if self.user_id is None and self.session_id is None and self.agent_id is None:
            raise ValueError("a scope needs a user, a session or an agent")
        return self

    def covers(self, other: MemoryScope) -> bool:
        """True when a record in `other` belongs to this (query) scope.

        The user ids are equal (both may be unset); session and agent are equal wherever this
        scope sets them.
        """
        return (
            self.user_id == other.user_id
            and self.session_id in (None, other.session_id)
            and self.agent_id in (None, other.agent_id)
        )

    @property
    def kind(self) -> str:
        """Which ids are set, such as `user+session`: safe to log."""
        ids = {"user": self.user_id, "session": self.session_id, "agent": self.agent_id}
        return "+".join(name for name, value in ids.items() if value is not None)


class MemoryRecord(_Frozen):
    """One remembered text in its scope. `id` and `created_at` are filled in on add.

    Times are aware and in UTC; one given without an offset is taken as UTC.
    """

    scope: MemoryScope
    text: _Text
    metadata: _Metadata = {}
    id: _Id | None = None
    created_at: _Instant | None = None
    updated_at: _Instant | None = None
    expires_at: _Instant | None = None


class StoredRecord(MemoryRecord):
    """A record as a backend holds it: the id and the time are there."""

    id: _Id
    created_at: _Instant

    def live(self, now: datetime, retention_days: float | None = None) -> bool:
        """False once expired, or older than `retention_days`."""
        if self.expires_at is not None and self.expires_at <= now:
            return False
        return retention_days is None or now - self.created_at < timedelta(days=retention_days)


class MemoryHit(_Frozen):
    """A search result: the record and its score (higher is better, backend-specific)."""

    record: StoredRecord
    score: FiniteFloat
