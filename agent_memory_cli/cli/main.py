"""The entry point, and the one place where errors become lines and exit codes."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import typer

from agent_memory_cli.cli import streams
from agent_memory_cli.cli.app import build
from agent_memory_cli.cli.invocation import Invocation
from agent_memory_cli.cli.result import Result, Table, Written
from agent_memory_cli.errors import AgentMemoryError, Interrupted, OutputError, ToolUsageError
from agent_memory_cli.paths import real


def main() -> None:
    """Runs the command line of this process and exits with its code."""
    # Without this pydantic looks through every installed distribution for plugins.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    streams.prepare()
    sys.exit(run([real(argument) for argument in sys.argv[1:]]))


def run(arguments: Sequence[str]) -> int:
    """Runs one command line; the exit code."""
    invocation = Invocation(json=_asks_for_json(arguments))
    try:
        try:
            code = _show(invocation, _invoke(invocation, arguments))
        except AgentMemoryError as error:
            code = _show_error(invocation, error)
        except KeyboardInterrupt:
            code = _show_error(invocation, Interrupted("interrupted"))
        streams.flush()
    except BrokenPipeError:
        streams.abandon()
        return 0
    except AgentMemoryError as error:
        streams.note(f"error: {error.message}")
        return error.exit_code
    except KeyboardInterrupt:
        return Interrupted.exit_code
    return code


def _invoke(invocation: Invocation, arguments: Sequence[str]) -> object:
    """What the command returns; every error as one of ours."""
    group = build()
    try:
        # Not group.main(), which has exit codes of its own for closed pipes and interrupts.
        with group.make_context("agent-memory", list(arguments), obj=invocation) as context:
            return group.invoke(context)
    except (AgentMemoryError, BrokenPipeError):
        raise
    except typer.Exit as leaving:
        return leaving.exit_code
    except typer.TyperException as error:
        raise _usage(invocation, error) from None
    except Exception as error:
        raise AgentMemoryError(
            f"unexpected: {type(error).__name__}",
            hint=_where(error) if invocation.verbose else "run it again with --verbose",
        ) from error


def _usage(invocation: Invocation, error: typer.TyperException) -> ToolUsageError:
    message = error.format_message().strip().rstrip(".")
    command = f"agent-memory {invocation.command}" if invocation.command else "agent-memory"
    hint = f"see: {command} --help"
    if message.startswith("No such option"):
        hint = f"an argument that begins with - goes after -- ; {hint}"
    return ToolUsageError(message or "a command is missing", hint=hint)


def _where(error: BaseException) -> str:
    """The innermost place of ours, without anything that could be data."""
    place, trace = "outside the package", error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if "agent_memory_cli" in file:
            place = f"{os.path.basename(file)}:{trace.tb_lineno}"  # noqa: PTH119
        trace = trace.tb_next
    return f"at {place}"


def _show(invocation: Invocation, result: object) -> int:
    if isinstance(result, int):
        return result
    if isinstance(result, Written):
        for line in result.notes:
            invocation.note(line)
        return result.exit_code
    if not isinstance(result, Result):
        return 0
    if invocation.json:
        from agent_memory_cli.cli.render.envelope import envelope, show

        told = envelope(
            invocation.command,
            status=result.status,
            exit_code=result.exit_code,
            data=result.data,
        )
        show(told)
    elif isinstance(result.body, Table):
        _show_table(invocation, result.body)
    elif result.body:
        streams.write(result.body.rstrip("\n") + "\n")
    streams.flush()
    for line in result.notes:
        invocation.note(line)
    return result.exit_code


def _show_table(invocation: Invocation, table: Table) -> None:
    if not table.rows:
        return
    if invocation.for_people:
        from agent_memory_cli.cli.render.rich_tables import show

        show(table, no_color=invocation.colorless)
    else:
        from agent_memory_cli.cli.render.plain import table as plain

        streams.write(plain(table))


def _show_error(invocation: Invocation, error: AgentMemoryError) -> int:
    if invocation.json:
        from agent_memory_cli.cli.render.envelope import envelope, show

        show(envelope(invocation.command, error=error))
        if not isinstance(error, OutputError):
            return error.exit_code
    from agent_memory_cli.cli.render.text import one_line

    hint = f" ({error.hint})" if error.hint else ""
    streams.note(f"error: {one_line(error.message + hint)}")
    for detail in error.details:
        streams.note(f"  {one_line(detail)}")
    return error.exit_code


def _asks_for_json(arguments: Sequence[str]) -> bool:
    """Whether --json is among the options, known before parsing so that its failures fit, too."""
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return "--json" in options
