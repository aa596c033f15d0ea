"""Options that several commands share: declared once, read once."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated, Final

import typer

from agent_memory_cli.errors import ToolUsageError
from agent_memory_cli.guard.checks import make_scope
from agent_memory_cli.paths import expanded, on_disk
from agent_memory_cli.records import MemoryScope, Metadata
from agent_memory_cli.times import parse_instant

_SCOPE: Final = "Scope"

User = Annotated[
    str | None,
    typer.Option("--user", metavar="ID", help="The user.", rich_help_panel=_SCOPE),
]
Session = Annotated[
    str | None,
    typer.Option("--session", metavar="ID", help="The session, or chat.", rich_help_panel=_SCOPE),
]
Agent = Annotated[
    str | None,
    typer.Option("--agent", metavar="ID", help="The agent.", rich_help_panel=_SCOPE),
]
Everybody = Annotated[
    bool,
    typer.Option("--all", help="Everybody's records.", rich_help_panel=_SCOPE),
]
Filter = Annotated[
    list[str] | None,
    typer.Option(
        "--filter", metavar="KEY=VALUE", help="Only records whose metadata has exactly this text."
    ),
]
FilterJson = Annotated[
    str | None,
    typer.Option("--filter-json", metavar="OBJECT", help="The same for any JSON values."),
]
Since = Annotated[
    str | None,
    typer.Option("--since", metavar="TIME", help="Created at this time or later (UTC)."),
]
Until = Annotated[
    str | None,
    typer.Option("--until", metavar="TIME", help="Created before this time (UTC)."),
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do it without asking.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show the plan and change nothing.")]


def scope_of(user: str | None, session: str | None, agent: str | None) -> MemoryScope:
    """The scope that the options name. Raises ToolUsageError when they name none."""
    scope = make_scope(user, session, agent)
    if scope is None:
        raise ToolUsageError("whose records?", hint="give --user, --session or --agent")
    return scope


def scope_or_everybody(
    user: str | None, session: str | None, agent: str | None, everybody: bool
) -> MemoryScope | None:
    """The scope, or None for --all. Raises ToolUsageError for neither and for both."""
    scope = make_scope(user, session, agent)
    if scope is None and not everybody:
        raise ToolUsageError(
            "whose records?", hint="give --user, --session or --agent, or --all for everybody's"
        )
    if scope is not None and everybody:
        raise ToolUsageError("--all and a scope exclude each other")
    return scope


def pairs(given: Sequence[str] | None, as_json: str | None, option: str) -> Metadata:
    """KEY=VALUE options as texts, joined with an option that holds a JSON object.

    Raises ToolUsageError for a pair without `=`, bad JSON, or a key that is given twice.
    """
    found: Metadata = {}
    for pair in given or ():
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise ToolUsageError(f"{option} takes KEY=VALUE")
        if key in found:
            raise ToolUsageError(f"{option} gives a key twice")
        found[key] = value
    if as_json is None:
        return found
    try:
        more = json.loads(as_json)
    except (ValueError, RecursionError):
        more = None
    if not isinstance(more, dict):
        raise ToolUsageError(f"{option}-json takes a JSON object")
    if found.keys() & more.keys():
        raise ToolUsageError(f"{option} and {option}-json give the same key")
    return found | more


def path(text: str, what: str) -> Path:
    """A path as it was typed, `~` expanded. `what` begins the message of the ToolUsageError for
    one that is empty: an unset shell variable must not mean the current folder."""
    try:
        return on_disk(expanded(text))
    except ValueError as error:
        raise ToolUsageError(f"{what} {error}") from None


def moment(text: str | None) -> datetime | None:
    """A time option as an instant, None when it is not given."""
    return None if text is None else parse_instant(text)
