"""`list`: the records of a scope, newest first."""

from __future__ import annotations

from typing import Annotated

import typer

from agent_memory_cli.cli import options
from agent_memory_cli.cli.invocation import of
from agent_memory_cli.cli.result import Result
from agent_memory_cli.cli.show import records_table
from agent_memory_cli.errors import ToolUsageError
from agent_memory_cli.selection import Selection
from agent_memory_cli.services.formats import flat


def command(
    context: typer.Context,
    user: options.User = None,
    session: options.Session = None,
    agent: options.Agent = None,
    everybody: options.Everybody = False,
    limit: Annotated[
        int, typer.Option("--limit", "-k", metavar="N", help="At most so many; 0 shows all.")
    ] = 100,
    filter_: options.Filter = None,
    filter_json: options.FilterJson = None,
    since: options.Since = None,
    until: options.Until = None,
) -> Result:
    """List the records of a scope, newest first, and say when there are more."""
    if limit < 0:
        raise ToolUsageError("--limit is 0 or more")
    selection = Selection(
        options.scope_or_everybody(user, session, agent, everybody),
        options.pairs(filter_, filter_json, "--filter"),
        options.moment(since),
        options.moment(until),
    )
    memory = of(context).memory()
    batches = memory.stream_sync(selection, newest_first=True, limit=limit or None)
    records = [record for batch in batches for record in batch]
    total = memory.count_sync(selection) if len(records) == limit else len(records)
    truncated = total > len(records)
    note = "no records"
    if truncated:
        note = f"{len(records):,} of {total:,} shown; --limit 0 shows all"
    return Result(
        data={"records": [flat(r) for r in records], "total": total, "truncated": truncated},
        body=records_table(records, with_user=everybody),
        notes=(note,) if truncated or not records else (),
    )
