"""`config`: what holds, and why."""

from __future__ import annotations

import typer

from agent_memory_cli.cli.invocation import of
from agent_memory_cli.cli.result import Column, Result, Table


def command(context: typer.Context) -> Result:
    """Show every setting, its value, and where that came from."""
    settings = of(context).settings()
    rows = [
        [one.name, "not set" if one.value is None else f"{one.value}", one.source]
        for one in settings.all
    ]
    columns = [Column("setting", "id"), Column("value", "id"), Column("source", "id")]
    return Result(
        data={
            "file": settings.file,
            "settings": {
                one.name: {"value": one.value, "source": one.source} for one in settings.all
            },
        },
        body=Table(columns, rows),
        notes=(f"file: {settings.file}" if settings.file else "no configuration file is read",),
    )
