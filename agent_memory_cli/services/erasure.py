"""Erasing a person: plan, then apply; the answer is a receipt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from agent_memory_cli._version import __version__
from agent_memory_cli.errors import NotFoundError
from agent_memory_cli.port import AdministeredMemory
from agent_memory_cli.reports import ErasurePlan, ErasureReport

RECEIPT_SCHEMA = "agent-memory/receipt/1"


@dataclass(frozen=True)
class Receipt:
    """What is kept of an erasure: no text, no id in clear. `left_alone` counts files beside the
    store that carry its name; `status` is `incomplete` while anything is left to do."""

    schema: str
    version: str
    backend: str
    status: Literal["complete", "incomplete"]
    report: ErasureReport
    left_alone: int


def plan(memory: AdministeredMemory, user_id: str) -> ErasurePlan:
    """What would be erased.

    Raises NotFoundError, with look-alike ids as details, for somebody whom neither the store nor
    its receipts know: probably a typing mistake.
    """
    found = memory.erasure_plan_sync(user_id)
    if not (found.known or found.unfinished or found.erased_at):
        raise NotFoundError(
            "nobody of that id is in the store",
            hint="ids that look alike are listed; ids are compared exactly"
            if found.look_alikes
            else "ids are compared exactly; `agent-memory users` lists them",
            details=found.look_alikes,
        )
    return found


def apply(memory: AdministeredMemory, plan: ErasurePlan) -> Receipt:
    """Erases, looks, and gives the receipt; what an earlier run left undone is taken up."""
    report = memory.erase_sync(plan)
    incomplete = bool(report.incomplete)
    return Receipt(
        schema=RECEIPT_SCHEMA,
        version=__version__,
        backend=memory.name,
        status="incomplete" if incomplete else "complete",
        report=report,
        left_alone=len(plan.beside),
    )
