"""`import`: many records from JSON lines."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, BinaryIO

import typer

from agent_memory_cli.cli import options
from agent_memory_cli.cli.invocation import of
from agent_memory_cli.cli.progress import bar
from agent_memory_cli.cli.result import Result
from agent_memory_cli.errors import ToolUsageError
from agent_memory_cli.services.importing import import_lines


def command(
    context: typer.Context,
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="JSON lines; - reads standard input.")
    ],
    skip_invalid: Annotated[
        bool, typer.Option("--skip-invalid", help="Leave out lines that cannot be imported.")
    ] = False,
) -> Result:
    """Import JSON lines, one object a line: all of them, or none.

    Fields are text, user_id, session_id, agent_id, id, metadata, created_at, updated_at and
    expires_at; what is stored already word for word is left as it is. The store is made if it is
    not there.
    """
    invocation = of(context)
    memory = invocation.memory(create=True)
    with _opened(file) as source:
        start = source.tell()
        size = source.seek(0, 2) - start
        source.seek(start)
        with bar(invocation, "importing", 2 * size) as advance:
            outcome = import_lines(memory, source, skip_invalid=skip_invalid, progress=advance)
    body = f"imported {outcome.added}"
    if outcome.unchanged:
        body += f", {outcome.unchanged} were there already"
    if outcome.skipped:
        body += f", {len(outcome.skipped)} skipped"
    notes = [f"line {fault.line}: {fault.reason}" for fault in outcome.skipped]
    return Result(data=outcome, body=body, notes=notes)


@contextmanager
def _opened(file: str) -> Iterator[BinaryIO]:
    """The input as a seekable stream; what comes through a pipe goes to a nameless file first."""
    try:
        source = sys.stdin.buffer if file == "-" else options.path(file, "FILE").open("rb")
        if source.seekable():
            with source:
                yield source
            return
        with tempfile.TemporaryFile() as spooled:
            shutil.copyfileobj(source, spooled)
            spooled.seek(0)
            yield spooled
    except OSError as error:
        raise ToolUsageError(f"the input cannot be read: {error.strerror}") from None
