"""A progress bar on standard error, at a terminal and nowhere else."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from agent_memory_cli.cli import streams
from agent_memory_cli.cli.invocation import Invocation


@contextmanager
def bar(invocation: Invocation, what: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Yields a function that takes how much was done since its last call."""
    if invocation.quiet or invocation.json or not streams.at_terminal(sys.stderr):
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    console = Console(file=sys.stderr, no_color=invocation.colorless or None)
    columns = (
        TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn()
    )  # fmt: skip
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(what, total=total)
        yield lambda done: progress.advance(task, done)
