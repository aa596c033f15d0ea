"""`completion`: what a shell needs to complete our commands."""

from __future__ import annotations

from typing import Annotated

import typer

from agent_memory_cli.cli.completions import SHELLS, script
from agent_memory_cli.cli.result import Result
from agent_memory_cli.errors import ToolUsageError


def command(
    shell: Annotated[str, typer.Argument(metavar="SHELL", help="bash, zsh or fish.")],
) -> Result:
    """Print the completion script of a shell, such as: agent-memory completion bash.

    Installed packages bring these along; this is for the other cases.
    """
    if shell not in SHELLS:
        raise ToolUsageError("SHELL is bash, zsh or fish")
    text = script(shell)
    return Result(data={"shell": shell, "script": text}, body=text)
