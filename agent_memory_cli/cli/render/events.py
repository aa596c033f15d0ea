"""Events on standard error, as they happen."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.text import Text

from agent_memory_cli.events import Event
from agent_memory_cli.times import format_instant


def show(event: Event, *, no_color: bool) -> None:
    """One line: when, what, and the counts."""
    line = Text()
    line.append(format_instant(event.at), style="dim")
    line.append(f" {event.name}", style="bold")
    for name, value in event.data.items():
        line.append(f" {name}=", style="dim")
        line.append(str(value))
    console = Console(
        file=sys.stderr, markup=False, emoji=False, highlight=False, no_color=no_color or None
    )
    console.print(line, soft_wrap=True)
