"""What administration answers: summaries, plans, reports, checks. All frozen."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from agent_memory_cli.records import MemoryScope


@dataclass(frozen=True)
class UserSummary:
    """One user id (None: records without a user) and how much is stored, expired included."""

    user_id: str | None
    records: int
    first: datetime | None
    last: datetime | None


@dataclass(frozen=True)
class AddReport:
    """What became of many records: added, there already word for word, or refused because another
    record has the id (`conflicts` names those ids)."""

    added: int = 0
    unchanged: int = 0
    conflicts: tuple[str, ...] = ()


@dataclass(frozen=True)
class PurgePlan:
    """What a purge would delete as of `now` in `scope` (None: everywhere): what is expired by
    then, or older than `before`."""

    now: datetime
    scope: MemoryScope | None
    before: datetime | None
    ids: tuple[str, ...]
    expired: int
    older: int


@dataclass(frozen=True)
class ScrubReport:
    """What was done so that no byte of deleted records is left; `incomplete` holds a sentence for
    each thing that could not be done."""

    done: tuple[str, ...] = ()
    incomplete: tuple[str, ...] = ()


@dataclass(frozen=True)
class ErasurePlan:
    """What stands in a store for one user, and what an earlier erasure left.

    `known` is False when the store has never heard of the user. `unfinished`, `erased_at`
    and `receipt` come from the receipt of the latest erasure, if there was one.
    """

    user_id: str
    known: bool
    records: int
    sessions: int
    agents: int
    first: datetime | None
    last: datetime | None
    look_alikes: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    unfinished: bool = False
    erased_at: datetime | None = None
    receipt: str | None = None

    @property
    def already_erased(self) -> bool:
        """True when an earlier erasure is finished and nothing has come since."""
        return not self.known and not self.unfinished and self.erased_at is not None


@dataclass(frozen=True)
class ErasureReport:
    """The receipt of one erasure: counts, times and what was looked at; no text, no id in clear.

    `subject` is an HMAC-SHA-256 of the user id under the store's own key. `incomplete` holds a
    sentence for each thing that is left to do; empty means that it is done.
    """

    receipt: str
    subject: str
    started_at: datetime
    finished_at: datetime
    deleted: int
    verified: tuple[str, ...]
    incomplete: tuple[str, ...] = ()


Status = Literal["ok", "warn", "fail", "skip"]


@dataclass(frozen=True)
class Check:
    """One row of the doctor: a stable `id`, what was seen, and what to do about it."""

    id: str
    status: Status
    seen: str
    fix: str | None = None
    fixable: bool = False
