"""`delete`: single records, by id."""

from __future__ import annotations

from typing import Annotated

import typer

from agent_memory_cli.cli import options
from agent_memory_cli.cli.confirm import approve
from agent_memory_cli.cli.invocation import of
from agent_memory_cli.cli.render.text import counted, one_line
from agent_memory_cli.cli.result import Result
from agent_memory_cli.errors import NotFoundError
from agent_memory_cli.guard.checks import make_scope

_SHOWN = 60


def command(
    context: typer.Context,
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="Ids of records.")],
    user: options.User = None,
    session: options.Session = None,
    agent: options.Agent = None,
    yes: options.Yes = False,
    dry_run: options.DryRun = False,
) -> Result:
    """Delete records by id, all of them or, if one is not there, none.

    With a scope, a record outside it is answered like one that does not exist. For everything
    about a person, use erase-user.
    """
    invocation, scope = of(context), make_scope(user, session, agent)
    memory, wanted = invocation.memory(), list(dict.fromkeys(ids))
    found = {id_: memory.get_sync(id_, scope=scope) for id_ in wanted}
    if missing := [id_ for id_, record in found.items() if record is None]:
        raise NotFoundError(
            f"{len(missing)} of {counted(len(wanted), 'record')} not found; nothing was deleted",
            details=missing,
        )
    if dry_run:
        return Result(
            data={"dry_run": True, "ids": wanted, "deleted": 0},
            body=f"would delete {len(wanted)}",
        )
    texts = [f"  {one_line(id_)}  {one_line(r.text)[:_SHOWN]}" for id_, r in found.items() if r]
    approve(invocation, "\n".join([f"Delete {counted(len(wanted), 'record')}:", *texts]), yes=yes)
    deleted = memory.delete_sync(wanted, scope=scope)
    return Result(
        data={"dry_run": False, "ids": wanted, "deleted": deleted}, body=f"deleted {deleted}"
    )
