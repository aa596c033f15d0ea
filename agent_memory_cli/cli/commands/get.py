"""`get`: one record, whole."""

from __future__ import annotations

from typing import Annotated

import typer

from agent_memory_cli.cli import options
from agent_memory_cli.cli.invocation import of
from agent_memory_cli.cli.result import Result
from agent_memory_cli.cli.show import whole_record
from agent_memory_cli.errors import NotFoundError
from agent_memory_cli.guard.checks import make_scope
from agent_memory_cli.services.formats import flat


def command(
    context: typer.Context,
    id_: Annotated[str, typer.Argument(metavar="ID", help="The record's id.")],
    user: options.User = None,
    session: options.Session = None,
    agent: options.Agent = None,
) -> Result:
    """Show one record with everything that is stored of it.

    With a scope, a record outside it is answered like one that does not exist.
    """
    record = of(context).memory().get_sync(id_, scope=make_scope(user, session, agent))
    if record is None:
        raise NotFoundError("no record has that id")
    return Result(data=flat(record), body=whole_record(record))
