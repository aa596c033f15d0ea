"""Plain lines for pipes: whole at any width, one row a line, tabs between, no heading."""

from __future__ import annotations

from agent_memory_cli.cli.render.text import one_line
from agent_memory_cli.cli.result import Table


def table(content: Table) -> str:
    """The rows as lines; a tab or line feed within a cell stands as an escape."""
    return "".join("\t".join(map(one_line, row)) + "\n" for row in content.rows)
