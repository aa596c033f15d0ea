"""The command line as plain data, for what is made from it: completions and the manual."""

from __future__ import annotations

from dataclasses import dataclass

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from agent_memory_cli.cli.app import COMMANDS, build


@dataclass(frozen=True)
class Option:
    """An option: its spellings, what it takes (None: nothing), its help, whether all have it."""

    names: tuple[str, ...]
    takes: str | None
    help: str
    common: bool
    repeatable: bool


@dataclass(frozen=True)
class Command:
    """A command: its panel, its arguments as they are written, its first line and the rest."""

    name: str
    panel: str
    arguments: tuple[tuple[str, str, bool], ...]
    summary: str
    details: str
    options: tuple[Option, ...]


def common_options() -> tuple[Option, ...]:
    """The options that stand before or after any command."""
    return tuple(_option(p) for p in build().params if isinstance(p, TyperOption))


def commands() -> list[Command]:
    """Every command in the order of the help page."""
    group = build()
    return [_command(name, panel, group) for panel, names in COMMANDS.items() for name in names]


def _command(name: str, panel: str, group: TyperGroup) -> Command:
    command = group.get_command(typer.Context(group), name)
    if not isinstance(command, TyperCommand):
        raise LookupError(name)
    summary, _, details = (command.help or "").partition("\n\n")
    return Command(
        name=name,
        panel=panel,
        arguments=tuple(
            (p.metavar or p.name, p.help or "", p.required)
            for p in command.params
            if isinstance(p, TyperArgument)
        ),
        summary=" ".join(summary.split()),
        details=" ".join(details.split()),
        options=tuple(_option(p) for p in command.params if isinstance(p, TyperOption)),
    )


def _option(option: TyperOption) -> Option:
    return Option(
        names=tuple(sorted(option.opts, key=len)),
        takes=None if option.is_flag else option.metavar or "VALUE",
        help=(option.help or "").rstrip("."),
        common=not option.expose_value,
        repeatable=option.multiple,
    )
