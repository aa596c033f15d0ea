"""An export on standard output: bare, or within the JSON envelope, streamed either way."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from agent_memory_cli.cli import streams
from agent_memory_cli.cli.invocation import Invocation
from agent_memory_cli.cli.render.envelope import envelope
from agent_memory_cli.cli.render.text import counted
from agent_memory_cli.cli.result import Written
from agent_memory_cli.errors import AgentMemoryError, OutputError
from agent_memory_cli.jsontext import to_text
from agent_memory_cli.port import AdministeredMemory
from agent_memory_cli.selection import Selection
from agent_memory_cli.services.export import Summary, export
from agent_memory_cli.services.formats import Format


def told(summaries: Sequence[Summary]) -> str:
    """What exports hold and what not, as a note."""
    left_out = sum(summary.expired_left_out for summary in summaries)
    records = counted(sum(summary.count for summary in summaries), "record")
    files = f" to {counted(len(summaries), 'file')}" if len(summaries) > 1 else ""
    return f"{records} exported{files}" + (
        f"; {left_out} past due left out (--include-expired has them)" if left_out else ""
    )


def to_output(
    invocation: Invocation, memory: AdministeredMemory, selection: Selection, format_: Format
) -> Written:
    """Writes an export to standard output."""
    if invocation.json:
        return _within_envelope(memory, selection)
    ascii_only = not streams.carries_unicode(sys.stdout)

    def write(data: bytes) -> None:
        if ascii_only:
            streams.write(data.decode())
        else:
            streams.write_bytes(data)

    streams.flush()
    summary = export(memory, selection, write, format_=format_, ascii_only=ascii_only)
    return Written(notes=[told([summary])])


def _within_envelope(memory: AdministeredMemory, selection: Selection) -> Written:
    """The records first and the verdict last, so that nothing has to be held in memory, and a
    failure in between still gives one whole document."""
    ascii_only = not streams.carries_unicode(sys.stdout)
    started = False

    def write(data: bytes) -> None:
        nonlocal started
        lines = data.decode().rstrip("\n").split("\n")
        streams.write((", " if started else "") + ", ".join(lines))
        started = started or bool(lines)

    streams.write('{"data": {"records": [')
    facts: dict[str, object] = {}
    error: AgentMemoryError | None = None
    try:
        facts = vars(export(memory, selection, write, ascii_only=ascii_only))
    except OutputError:
        raise
    except AgentMemoryError as failure:
        error = failure
    rest = envelope("export", error=error)
    del rest["data"]
    inner = to_text({"summary": facts or None}, ascii_only=ascii_only)[1:-1]
    streams.write(f"], {inner}}}, {to_text(rest, ascii_only=ascii_only)[1:]}\n")
    return Written(error.exit_code if error else 0)
