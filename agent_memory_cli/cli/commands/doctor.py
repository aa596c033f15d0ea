"""`doctor`: is everything as it should be?"""

from __future__ import annotations

from typing import Annotated

import typer

from agent_memory_cli.cli.invocation import of
from agent_memory_cli.cli.result import Column, Result, Table
from agent_memory_cli.services.doctor import examine, required


def command(
    context: typer.Context,
    strict: Annotated[
        bool, typer.Option("--strict", help="Warnings count as findings, too.")
    ] = False,
    require: Annotated[
        list[str] | None,
        typer.Option("--require", metavar="NAME", help="A check that must be ok; repeatable."),
    ] = None,
    fix: Annotated[
        bool, typer.Option("--fix", help="Mend what can be mended, then look again.")
    ] = False,
) -> Result:
    """Look at the runtime, the configuration and the store; a row for each thing.

    Exits with 6 when something fails (with --strict also for a warning), 3 when there is no store.
    """
    invocation = of(context)
    checks = examine(invocation.memory(), invocation.settings(), fix=fix)
    checks += required(checks, require or ())
    statuses = {check.status for check in checks}
    findings = "fail" in statuses or (strict and "warn" in statuses)
    missing = any(check.id == "store.missing" for check in checks)
    columns = [Column("check", "id"), Column("status", "status"), Column("seen"), Column("fix")]
    rows = [[check.id, check.status, check.seen, check.fix or ""] for check in checks]
    counts = {status: sum(c.status == status for c in checks) for status in sorted(statuses)}
    return Result(
        data={"checks": checks, "counts": counts},
        body=Table(columns, rows),
        status="not-found" if missing else "findings" if findings else "ok",
        exit_code=3 if missing else 6 if findings else 0,
    )
