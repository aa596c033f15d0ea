"""Tables for a terminal. Cells are Text objects, so that nothing in them is markup or emoji."""

from __future__ import annotations

import os
import sys

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from agent_memory_cli.cli.render.text import one_line
from agent_memory_cli.cli.result import Table

_TEXT_ROOM = 24
_BETWEEN = 3
_STYLES = {"id": "cyan", "time": "dim", "number": "magenta", "status": "bold", "text": ""}
_STATUS_STYLES = {"ok": "green", "warn": "yellow", "fail": "bold red", "skip": "dim"}


def console(*, no_color: bool) -> Console:
    """A console that renders nothing but what we tell it to; COLUMNS and NO_COLOR hold."""
    return Console(
        file=sys.stdout,
        markup=False,
        emoji=False,
        highlight=False,
        no_color=no_color or bool(os.environ.get("NO_COLOR")) or None,
    )


def show(content: Table, *, no_color: bool) -> None:
    """Prints a table. Ids are never cut: a narrow terminal wraps lines instead."""
    screen = console(no_color=no_color)
    rows = [[one_line(cell) for cell in row] for row in content.rows]
    grid = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    needed = 0
    for at, column in enumerate(content.columns):
        widest = max((Text(row[at]).cell_len for row in rows), default=0)
        widest = max(widest, len(column.title))
        whole = column.kind != "text"
        least = widest if whole else min(widest, _TEXT_ROOM)
        needed += least + _BETWEEN
        grid.add_column(
            Text(column.title),
            style=_STYLES[column.kind],
            no_wrap=whole,
            min_width=least,
            overflow="fold",
            justify="right" if column.kind == "number" else "left",
        )
    for row in rows:
        grid.add_row(
            *(
                Text(cell, style=_STATUS_STYLES.get(cell, "") if column.kind == "status" else "")
                for cell, column in zip(row, content.columns, strict=True)
            )
        )
    screen.width = max(screen.width, needed)  # rich drops columns that have no room
    screen.print(grid, crop=False)
