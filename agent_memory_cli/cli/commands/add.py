"""`add`: remember one text."""

from __future__ import annotations

import sys
from typing import Annotated

import typer
from pydantic import ValidationError

from agent_memory_cli.cli import options
from agent_memory_cli.cli.invocation import of
from agent_memory_cli.cli.render.text import one_line
from agent_memory_cli.cli.result import Result
from agent_memory_cli.errors import ToolUsageError
from agent_memory_cli.guard.checks import reason
from agent_memory_cli.records import MemoryRecord
from agent_memory_cli.services.formats import flat
from agent_memory_cli.times import parse_duration, utc_now


def command(
    context: typer.Context,
    text: Annotated[
        str | None, typer.Argument(metavar="TEXT", help="The text; - reads standard input.")
    ] = None,
    file: Annotated[
        str | None, typer.Option("--file", "-f", metavar="PATH", help="Read the text from a file.")
    ] = None,
    user: options.User = None,
    session: options.Session = None,
    agent: options.Agent = None,
    meta: Annotated[
        list[str] | None,
        typer.Option("--meta", metavar="KEY=VALUE", help="Metadata, as text; repeatable."),
    ] = None,
    meta_json: Annotated[
        str | None,
        typer.Option("--meta-json", metavar="OBJECT", help="Metadata as a JSON object."),
    ] = None,
    expires_in: Annotated[
        str | None,
        typer.Option("--expires-in", metavar="DURATION", help="Such as 30d, 12h, 90min."),
    ] = None,
    expires_at: Annotated[
        str | None, typer.Option("--expires-at", metavar="TIME", help="The same as a time (UTC).")
    ] = None,
    id_: Annotated[
        str | None, typer.Option("--id", metavar="ID", help="An id of your own, unique.")
    ] = None,
) -> Result:
    """Remember one text. The store is made if it is not there.

    Prints the new record's id.
    """
    if expires_in is not None and expires_at is not None:
        raise ToolUsageError("--expires-in and --expires-at exclude each other")
    scope = options.scope_of(user, session, agent)
    expires = options.moment(expires_at)
    if expires_in is not None:
        try:
            expires = utc_now() + parse_duration(expires_in)
        except OverflowError:
            raise ToolUsageError("--expires-in ends after the year 9999") from None
    try:
        record = MemoryRecord(
            scope=scope,
            text=_text(text, file),
            metadata=options.pairs(meta, meta_json, "--meta"),
            id=id_,
            expires_at=expires,
        )
    except ValidationError as error:
        raise ToolUsageError(reason(error)) from None
    stored = of(context).memory(create=True).add_sync([record])[0]
    return Result(data=flat(stored), body=one_line(stored.id))


def _text(text: str | None, file: str | None) -> str:
    """The text from where the command line says it is, as UTF-8; a last newline is dropped."""
    if (text is None) == (file is None):
        raise ToolUsageError("give a TEXT, - or --file", hint='such as: add "likes tea" --user ann')
    if text is not None and text != "-":
        return text
    try:
        data = (
            sys.stdin.buffer.read() if file is None else options.path(file, "--file").read_bytes()
        )
    except OSError as error:
        raise ToolUsageError(f"the text cannot be read: {error.strerror}") from None
    try:
        return data.decode("utf-8-sig").removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError:
        raise ToolUsageError("the text is not UTF-8") from None
