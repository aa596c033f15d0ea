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
    status: str = "ok",
    exit_code: int = 0,
    data: object = None,
    error: AgentMemoryError | None = None,
) -> dict[str, object]:
    """The document: `schema`, `command`, `status`, `exit_code`, `data`, `errors`. An error gives
    its own status and exit code."""
    return {
        "schema": SCHEMA,
        "command": command,
        "status": error.code if error else status,
        "exit_code": error.exit_code if error else exit_code,
        "data": data,
        "errors": [_as_json(error)] if error else [],
    }


def _as_json(error: AgentMemoryError) -> dict[str, object]:
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
