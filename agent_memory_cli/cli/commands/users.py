"""`users`: who is in the store."""

from __future__ import annotations

import typer

from agent_memory_cli.cli.invocation import of
from agent_memory_cli.cli.render.text import short_instant
from agent_memory_cli.cli.result import Column, Result, Table

NOBODY = "(no user)"


def command(context: typer.Context) -> Result:
    """Count the records of every user id, by id.

    Records that are past due count until they are purged. An id with 0 records is still known:
    erase-user removes it.
    """
    found = of(context).memory().users_sync()
    columns = [
        Column("user", "id"), Column("records", "number"),
        Column("first", "time"), Column("last", "time"),
    ]  # fmt: skip
    rows = [
        [
            NOBODY if one.user_id is None else one.user_id,
            str(one.records),
            short_instant(one.first),
            short_instant(one.last),
        ]
        for one in found
    ]
    return Result(
        data={"users": found, "records": sum(one.records for one in found)},
        body=Table(columns, rows),
        notes=() if found else ("nobody is in the store",),
    )
