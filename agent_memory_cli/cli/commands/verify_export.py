"""`verify-export`: is an export still what its manifest says?"""

from __future__ import annotations

from typing import Annotated

import typer

from agent_memory_cli.cli import options
from agent_memory_cli.cli.render.text import counted, one_line
from agent_memory_cli.cli.result import Result
from agent_memory_cli.services.export import verify


def command(
    file: Annotated[str, typer.Argument(metavar="FILE", help="An export with its manifest.")],
) -> Result:
    """Compare an export with the manifest beside it: size, count and SHA-256."""
    verdict = verify(options.path(file, "FILE"))
    if verdict.differences:
        return Result(
            data=verdict,
            body="\n".join(map(one_line, verdict.differences)),
            notes=("the export is not what its manifest says",),
            status="incomplete",
            exit_code=6,
        )
    return Result(
        data=verdict, body=f"ok: {counted(verdict.count, 'record')}, SHA-256 {verdict.sha256}"
    )
