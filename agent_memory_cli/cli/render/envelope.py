"""The one JSON document of every command, failures included."""

from __future__ import annotations

import sys

from agent_memory_cli.cli import streams
from agent_memory_cli.errors import AgentMemoryError
from agent_memory_cli.jsontext import to_text

SCHEMA = "agent-memory/1"


def envelope(
    command: str | None,
    *,
    status: str,
    exit_code: int,
    data: object,
    error: dict[str, object] | None,
) -> dict[str, object]:
    """The document: `schema`, `command`, `status`, `exit_code`, `data`, `errors`."""
    return {
        "schema": SCHEMA,
        "command": command,
        "status": status,
        "exit_code": exit_code,
        "data": data,
        "errors": [] if error is None else [error],
    }


def of_error(error: AgentMemoryError) -> dict[str, object]:
    """An error as it stands in the document."""
    return {
        "code": error.code,
        "message": error.message,
        "hint": error.hint,
        "details": list(error.details),
    }


def show(document: dict[str, object]) -> None:
    """Prints the document on one line, in ASCII where the output is not UTF-8."""
    ascii_only = not streams.carries_unicode(sys.stdout)
    streams.write(to_text(document, ascii_only=ascii_only) + "\n")
