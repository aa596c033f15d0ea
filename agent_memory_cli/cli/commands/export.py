"""`export`: every record of a scope, whole."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from agent_memory_cli.cli import options
from agent_memory_cli.cli.export_output import to_output, told
from agent_memory_cli.cli.invocation import Invocation, of
from agent_memory_cli.cli.progress import bar
from agent_memory_cli.cli.render.text import one_line
from agent_memory_cli.cli.result import Result, Written
from agent_memory_cli.errors import OutputError, ToolUsageError
from agent_memory_cli.paths import on_disk, readable
from agent_memory_cli.port import AdministeredMemory
from agent_memory_cli.records import MemoryScope
from agent_memory_cli.selection import Selection
from agent_memory_cli.services.export import Summary, export, file_name, manifest, manifest_path
from agent_memory_cli.services.formats import FORMATS, Format
from agent_memory_cli.services.outfile import whole_file


def command(
    context: typer.Context,
    user: options.User = None,
    session: options.Session = None,
    agent: options.Agent = None,
    everybody: options.Everybody = False,
    format_: Annotated[
        str, typer.Option("--format", metavar="FORMAT", help="jsonl, json or csv.")
    ] = "jsonl",
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", metavar="PATH", help="A file, whole or not at all, 0600."),
    ] = None,
    out_dir: Annotated[
        str | None,
        typer.Option("--out-dir", metavar="PATH", help="A file per user in this folder."),
    ] = None,
    with_manifest: Annotated[
        bool, typer.Option("--manifest", help="Write counts, times and SHA-256 beside the file.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Replace a file that is there already.")
    ] = False,
    include_expired: Annotated[
        bool, typer.Option("--include-expired", help="Also what is past due and still stored.")
    ] = False,
    filter_: options.Filter = None,
    filter_json: options.FilterJson = None,
    since: options.Since = None,
    until: options.Until = None,
) -> Result | Written:
    """Export every live record of a scope, oldest first: the answer to a data request.

    Nothing is left out but what is past due, and that is counted.
    """
    invocation = of(context)
    format_ = _format(format_)
    if out is not None and out_dir is not None:
        raise ToolUsageError("--out and --out-dir exclude each other")
    if invocation.json and out is None and out_dir is None and format_ != "jsonl":
        raise ToolUsageError(f"--json does not go with --format {format_}", hint="give --out")
    if with_manifest and out is None and out_dir is None:
        raise ToolUsageError("--manifest needs --out or --out-dir")
    selection = Selection(
        options.scope_or_everybody(user, session, agent, everybody),
        options.pairs(filter_, filter_json, "--filter"),
        options.moment(since),
        options.moment(until),
        include_expired=include_expired,
    )
    memory = invocation.memory()
    never = _files_of(invocation)
    if out is not None:
        path = options.path(out, "--out")
        written = [
            _to_file(invocation, memory, selection, format_, path, force, with_manifest, never)
        ]
        return _result(written)
    if out_dir is not None:
        folder = options.path(out_dir, "--out-dir")
        scopes = [selection.scope] if selection.scope else _everybodys(memory)
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"the folder cannot be made: {error.strerror}") from None
        return _result(
            [
                _to_file(
                    invocation, memory, replace(selection, scope=scope), format_,
                    folder / file_name(scope, format_), force, with_manifest, never,
                )
                for scope in scopes
            ]
        )  # fmt: skip
    return to_output(invocation, memory, selection, format_)


def _format(value: str) -> Format:
    for known in FORMATS:
        if value == known:
            return known
    raise ToolUsageError("--format is jsonl, json or csv")


def _everybodys(memory: AdministeredMemory) -> list[MemoryScope]:
    """A scope per user. Records without a user have none of their own: they are refused."""
    users = memory.users_sync()
    if any(one.user_id is None for one in users):
        raise ToolUsageError(
            "some records have no user, and so no file", hint="use --all --out FILE for everything"
        )
    return [MemoryScope(user_id=one.user_id) for one in users if one.records]


def _files_of(invocation: Invocation) -> list[Path]:
    """The store's own files, which no export may replace."""
    store = on_disk(invocation.settings().db)
    return [store.with_name(store.name + suffix) for suffix in ("", "-wal", "-shm", "-journal")]


def _to_file(
    invocation: Invocation,
    memory: AdministeredMemory,
    selection: Selection,
    format_: Format,
    path: Path,
    force: bool,
    with_manifest: bool,
    never: list[Path],
) -> tuple[Path, Summary]:
    total = memory.count_sync(selection)
    with (
        whole_file(path, force=force, never=never) as file,
        bar(invocation, "exporting", total) as advance,
    ):
        summary = export(memory, selection, file.write, format_=format_, progress=advance)
    if with_manifest:
        with whole_file(manifest_path(path), force=force, never=never) as file:
            file.write(manifest(summary))
    return path, summary


def _result(written: list[tuple[Path, Summary]]) -> Result:
    data = {"files": [{"path": readable(path), **vars(summary)} for path, summary in written]}
    body = "\n".join(one_line(readable(path)) for path, _ in written)
    return Result(data=data, body=body, notes=[told([summary for _, summary in written])])
