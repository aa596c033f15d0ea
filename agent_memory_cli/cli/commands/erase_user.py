"""`erase-user`: everything about one person, down to the bytes."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Annotated

import typer

from agent_memory_cli.cli import options
from agent_memory_cli.cli.confirm import approve
from agent_memory_cli.cli.invocation import of
from agent_memory_cli.cli.render.text import counted, instant, one_line
from agent_memory_cli.cli.result import Result
from agent_memory_cli.jsontext import to_text
from agent_memory_cli.reports import ErasurePlan
from agent_memory_cli.services import erasure
from agent_memory_cli.services.outfile import whole_file


def command(
    context: typer.Context,
    user: Annotated[str, typer.Argument(metavar="USER", help="The user id, exactly.")],
    receipt: Annotated[
        str | None,
        typer.Option("--receipt", metavar="PATH", help="Also write the receipt to a new file."),
    ] = None,
    yes: options.Yes = False,
    dry_run: options.DryRun = False,
) -> Result:
    """Erase a person: every record, session and word, so that no byte of them is left.

    The file is rewritten and then looked at. What could not be done is said, with exit 6; running
    it again goes on. An id that begins with - goes after --.
    """
    invocation = of(context)
    memory = invocation.memory()
    plan = erasure.plan(memory, user)
    if dry_run:
        return Result(data={"dry_run": True, "plan": plan}, body=_described(plan))
    # Opened first: a receipt that cannot be written is known before anything is erased.
    target = None if receipt is None else options.path(receipt, "--receipt")
    hint = "a receipt replaces no file; name another"
    with nullcontext() if target is None else whole_file(target, force=False, hint=hint) as file:
        if not plan.already_erased:
            approve(invocation, _described(plan), yes=yes)
        done = erasure.apply(memory, plan)
        if file is not None:
            file.write((to_text(done) + "\n").encode())
    report = done.report
    notes = [f"left alone, since ids are compared exactly: {one_line(i)}" for i in plan.look_alikes]
    if done.status == "incomplete":
        return Result(
            data=done,
            body=f"{counted(report.deleted, 'record')} deleted, but not yet erased: see below",
            notes=[*map(one_line, report.incomplete), "run erase-user again", *notes],
            status="incomplete",
            exit_code=6,
        )
    body = [f"erased {counted(report.deleted, 'record')}, receipt {report.receipt}"]
    if plan.already_erased:
        body = [f"erased already, on {instant(plan.erased_at)}; looked again"]
    return Result(data=done, body="\n".join([*body, *map(one_line, report.verified)]), notes=notes)


def _described(plan: ErasurePlan) -> str:
    extent = f"{counted(plan.records, 'record')} in {counted(plan.sessions, 'session')}"
    lines = [f"Erase {one_line(plan.user_id)}: {extent}, {counted(plan.agents, 'agent')}"]
    if plan.first is not None:
        lines.append(f"  from {instant(plan.first)} to {instant(plan.last)}")
    if plan.unfinished:
        lines.append("  an earlier erasure is unfinished and will be taken up")
    lines += [f"  left alone, an id that looks alike: {one_line(i)}" for i in plan.look_alikes]
    lines += [f"  not cleaned, beside the store: {one_line(name)}" for name in plan.beside]
    return "\n".join(lines)
