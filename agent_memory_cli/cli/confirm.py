"""Asking before something is destroyed."""

from __future__ import annotations

import sys

from agent_memory_cli.cli import streams
from agent_memory_cli.cli.invocation import Invocation
from agent_memory_cli.cli.render.text import lines
from agent_memory_cli.errors import RefusedError


def approve(invocation: Invocation, plan: str, *, yes: bool) -> None:
    """Shows the plan and asks, unless --yes. Raises RefusedError without consent, and without a
    terminal to ask at; nothing has then been changed."""
    if yes:
        return
    can_ask = streams.at_terminal(sys.stdin) and streams.at_terminal(sys.stderr)
    if not can_ask or invocation.json:
        raise RefusedError(
            "this needs consent, and there is no terminal to ask at; nothing was deleted",
            hint="give --yes; --dry-run shows the plan",
        )
    streams.note(lines(plan))
    print("Go ahead? [y/N] ", end="", file=sys.stderr, flush=True)
    answer = sys.stdin.readline()
    if not answer:
        streams.note("")
    if answer.strip().lower() not in ("y", "yes"):
        raise RefusedError("not confirmed; nothing was deleted")
