"""The doctor: the runtime, the configuration and the store, a row for each thing looked at."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from agent_memory_cli._version import __version__
from agent_memory_cli.config import Settings
from agent_memory_cli.errors import ToolUsageError
from agent_memory_cli.paths import on_disk
from agent_memory_cli.port import AdministeredMemory
from agent_memory_cli.reports import Check

# Core dependencies by distribution; extras join with the backends that need them.
_PACKAGES = ("apsw", "pydantic", "typer", "rich", "numpy", "platformdirs")


def examine(memory: AdministeredMemory, settings: Settings, *, fix: bool = False) -> list[Check]:
    """Every row, in a stable order. Looking creates nothing; `fix` mends what can be mended."""
    return [*_runtime(), *_configuration(settings), *memory.inspect_sync(fix=fix)]


def required(checks: Sequence[Check], names: Sequence[str]) -> list[Check]:
    """One failing row for each required name whose check is not ok.

    A name is a check's id, or its last part. Raises ToolUsageError for one that no check has.
    """
    failed = []
    for name in names:
        meant = [check for check in checks if name in (check.id, check.id.rpartition(".")[2])]
        if not meant:
            raise ToolUsageError(f"--require: there is no check called {name!r}")
        failed += [
            Check(f"require.{name}", "fail", f"{check.id} is {check.status}", check.fix)
            for check in meant
            if check.status != "ok"
        ]
    return failed


def _runtime() -> list[Check]:
    from importlib.metadata import PackageNotFoundError, version

    python = ".".join(map(str, sys.version_info[:3]))
    rows = [
        Check("runtime.agent-memory", "ok", __version__),
        Check("runtime.python", "ok", python),
    ]
    for package in _PACKAGES:
        try:
            rows.append(Check(f"runtime.{package}", "ok", version(package)))
        except PackageNotFoundError:
            rows.append(
                Check(f"runtime.{package}", "fail", "not installed", f"pip install {package}")
            )
    return rows


def _configuration(settings: Settings) -> list[Check]:
    rows = [
        Check("config.file", "ok", settings.file)
        if settings.file
        else Check("config.file", "skip", "none is read")
    ]
    for setting in settings.all:
        value = "not set" if setting.value is None else str(setting.value)
        rows.append(Check(f"config.{setting.name}", "ok", f"{value} ({setting.source})"))
    if settings.events_file and not on_disk(settings.events_file).parent.is_dir():
        rows.append(
            Check("config.events_folder", "fail", "its folder does not exist", "make the folder")
        )
    return rows
