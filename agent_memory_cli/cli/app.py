"""The command line as a whole: which commands there are, and the options that all of them take.

A command's module is imported when it is called. The common options may stand before or after the
command's name; they are declared once and given to every command.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption
from typer.main import get_command

from agent_memory_cli._version import __version__
from agent_memory_cli.cli.invocation import of

# In the order of the help page: panel, then name -> module.
COMMANDS = {
    "Memories": {
        "add": "add",
        "search": "search",
        "list": "list_records",
        "get": "get",
        "delete": "delete",
    },
    "Data requests": {
        "users": "users",
        "export": "export",
        "verify-export": "verify_export",
        "erase-user": "erase_user",
    },
    "Upkeep": {
        "import": "import_records",
        "purge": "purge",
        "doctor": "doctor",
        "config": "config",
        "completion": "completion",
    },
}
_HOMES = {name: (panel, home) for panel, all_ in COMMANDS.items() for name, home in all_.items()}
_COMMON_PANEL = "Common options"
_FLAGS = ("json", "quiet", "verbose", "no_color", "events")


def _common(
    db: Annotated[
        str | None, typer.Option("--db", metavar="PATH", help="The store's file.")
    ] = None,
    backend: Annotated[
        str | None, typer.Option("--backend", metavar="NAME", help="The kind of store.")
    ] = None,
    config: Annotated[
        str | None, typer.Option("--config", metavar="PATH", help="The configuration file.")
    ] = None,
    busy_timeout: Annotated[
        float | None,
        typer.Option("--busy-timeout", metavar="SECONDS", help="How long to wait for others."),
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="One JSON document on standard output.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="No notes and warnings, only errors.")
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Say where an unexpected error arose.")
    ] = False,
    no_color: Annotated[bool, typer.Option("--no-color", help="No colour.")] = False,
    events: Annotated[
        bool, typer.Option("--events", help="Show events on standard error.")
    ] = False,
    events_file: Annotated[
        str | None,
        typer.Option("--events-file", metavar="PATH", help="Append events as JSON lines."),
    ] = None,
) -> None:
    """Declares the common options; what they mean stands in Invocation and config."""


def _remember(context: Any, option: Any, value: Any) -> None:
    """Notes a common option where it was given: the later one on the line counts."""
    if value is None or value is False:
        return
    invocation, name = of(context), option.name
    if name in _FLAGS:
        setattr(invocation, name, value)
    else:
        invocation.settings_given[name] = value


@cache
def _common_options() -> tuple[TyperOption, ...]:
    holder = typer.Typer(add_completion=False)
    holder.command()(_common)
    options = []
    for option in get_command(holder).params:
        if isinstance(option, TyperOption) and option.name != "help":
            option.expose_value = False
            option.callback = _remember
            option.rich_help_panel = _COMMON_PANEL
            options.append(option)
    return tuple(options)


class LazyGroup(TyperGroup):
    """A group that imports a command's module when the command is asked for."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(_HOMES)

    def get_command(self, ctx: Any, cmd_name: str) -> TyperCommand | None:
        if cmd_name not in _HOMES:
            return None
        panel, home = _HOMES[cmd_name]
        holder = typer.Typer(add_completion=False)
        module = import_module(f"agent_memory_cli.cli.commands.{home}")
        holder.command(cmd_name, rich_help_panel=panel)(module.command)
        command = get_command(holder)
        assert isinstance(command, TyperCommand)  # noqa: S101 (one command makes no group)
        command.params = [*command.params, *_common_options()]
        return command


def _version(wanted: bool) -> None:
    if wanted:
        from agent_memory_cli.cli import streams

        streams.write(f"agent-memory {__version__}\n")
        raise typer.Exit


def _root(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", is_eager=True, callback=_version, help="Show the version."),
    ] = False,
) -> None:
    """Administer what AI agents remember about people, in one SQLite file.

    Scope is given by options and never guessed. Data goes to standard output, everything else to
    standard error. Exit codes: 0 done, 1 unexpected, 2 usage, 3 not found, 4 refused, 5 not
    available, 6 incomplete, 7 busy.
    """
    of(context).command = context.invoked_subcommand


def build() -> TyperGroup:
    """The whole command line, common options included."""
    app = typer.Typer(cls=LazyGroup, add_completion=False)
    app.callback()(_root)
    group = get_command(app)
    assert isinstance(group, TyperGroup)  # noqa: S101 (a callback makes a group)
    group.params = [*_common_options(), *group.params]
    return group
