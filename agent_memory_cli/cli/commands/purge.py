"""`purge`: what is past due goes."""

from __future__ import annotations

from typing import Annotated

import typer

from agent_memory_cli.cli import options
from agent_memory_cli.cli.confirm import approve
from agent_memory_cli.cli.invocation import of
from agent_memory_cli.cli.progress import bar
from agent_memory_cli.cli.render.text import counted, one_line
from agent_memory_cli.cli.result import Result
from agent_memory_cli.errors import ToolUsageError
from agent_memory_cli.guard.checks import make_scope
from agent_memory_cli.services import purge
from agent_memory_cli.times import before_now, parse_duration, parse_instant, utc_now


def command(
    context: typer.Context,
    older_than: Annotated[
        str | None,
        typer.Option("--older-than", metavar="DURATION", help="Also what is older, such as 90d."),
    ] = None,
    before: Annotated[
        str | None,
        typer.Option("--before", metavar="TIME", help="Also what was created before (UTC)."),
    ] = None,
    max_delete: Annotated[
        int | None,
        typer.Option("--max-delete", metavar="N", help="Refuse, with exit 4, to delete more."),
    ] = None,
    user: options.User = None,
    session: options.Session = None,
    agent: options.Agent = None,
    yes: options.Yes = False,
    dry_run: options.DryRun = False,
) -> Result:
    """Delete what is past its expiry or the retention time, and the bytes of it.

    Without a scope everybody's records are meant. Works in batches that let writers in, then
    rewrites the index and the file.
    """
    invocation, scope = of(context), make_scope(user, session, agent)
    if older_than is not None and before is not None:
        raise ToolUsageError("--older-than and --before exclude each other")
    if max_delete is not None and max_delete < 0:
        raise ToolUsageError("--max-delete is 0 or more")
    bound = None if before is None else parse_instant(before)
    if older_than is not None:
        bound = before_now(parse_duration(older_than), utc_now())
    memory = invocation.memory()
    plan = purge.plan(memory, scope=scope, before=bound, max_delete=max_delete)
    many = counted(len(plan.ids), "record")
    told = f"{many}: {plan.expired} past due, {plan.older} older than asked for"
    facts = {"dry_run": dry_run, "ids": plan.ids, "expired": plan.expired, "older": plan.older}
    if dry_run:
        return Result(
            data={**facts, "deleted": 0},
            body="\n".join([f"would delete {told}", *map(one_line, plan.ids)]),
        )
    if plan.ids:
        approve(invocation, f"Delete {told}.", yes=yes)
    with bar(invocation, "purging", len(plan.ids)) as advance:
        outcome = purge.apply(memory, plan, progress=advance)
    data = {
        **facts, "deleted": outcome.deleted, "done": outcome.done,
        "incomplete": outcome.incomplete,
    }  # fmt: skip
    if outcome.incomplete:
        return Result(
            data=data,
            body=f"deleted {outcome.deleted}; bytes of them may be left",
            notes=[*outcome.incomplete, "run purge again"],
            status="incomplete",
            exit_code=6,
        )
    return Result(data=data, body=f"deleted {outcome.deleted}")
