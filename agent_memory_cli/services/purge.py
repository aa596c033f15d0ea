"""Purge: what is past due goes, in batches that let writers in, and its bytes with it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from agent_memory_cli.errors import RefusedError
from agent_memory_cli.port import AdministeredMemory
from agent_memory_cli.records import MemoryScope
from agent_memory_cli.reports import PurgePlan

BATCH = 1000
_PAUSE_SECONDS = 0.005


@dataclass(frozen=True)
class Outcome:
    """How many records went, what was done about their bytes, and what is left to do."""

    deleted: int
    done: tuple[str, ...]
    incomplete: tuple[str, ...]


def plan(
    memory: AdministeredMemory,
    *,
    scope: MemoryScope | None = None,
    before: datetime | None = None,
    max_delete: int | None = None,
) -> PurgePlan:
    """What would go: expired records, and those created before `before`.

    Raises RefusedError when that is more than `max_delete`.
    """
    found = memory.purge_plan_sync(scope=scope, before=before)
    if max_delete is not None and len(found.ids) > max_delete:
        raise RefusedError(
            f"{len(found.ids)} records would go, more than --max-delete {max_delete}",
            hint="look with --dry-run; nothing was deleted",
        )
    return found


def apply(
    memory: AdministeredMemory,
    plan: PurgePlan,
    *,
    progress: Callable[[int], None] | None = None,
) -> Outcome:
    """Deletes the records that the plan names, as far as they are still due, then scrubs."""
    deleted = 0
    for start in range(0, len(plan.ids), BATCH):
        part = replace(plan, ids=plan.ids[start : start + BATCH])
        deleted += memory.purge_batch_sync(part, limit=BATCH)
        if progress is not None:
            progress(len(part.ids))
        time.sleep(_PAUSE_SECONDS)
    report = memory.scrub_sync()
    return Outcome(deleted, report.done, report.incomplete)
