"""Start-up time is a feature: nothing heavy is loaded that the command does not need."""

import subprocess
import sys

import pytest

from tests.helpers import add

REPORT = """
import sys
from agent_memory_cli.cli.main import run
code = run(sys.argv[1:])
print(code, *sorted(sys.modules), file=sys.stderr)
"""
HEAVY = {"numpy", "asyncio", "rich", "http", "ssl", "apsw"}


def _loaded(*arguments) -> set[str]:
    """The modules that a process has loaded at its end, having done its work well."""
    process = subprocess.run(
        [sys.executable, "-c", REPORT, *map(str, arguments)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    code, *modules = process.stderr.split("\n")[-2].split()
    assert code == "0", process.stderr
    return set(modules)


@pytest.fixture
def stored(memory):
    add(memory, "likes tea")
    memory.close()


def test_a_keyword_search_loads_no_numpy_no_asyncio_and_piped_no_rich(stored, path):
    loaded = _loaded("--db", path, "search", "tea", "--user", "ann")
    assert "agent_memory_cli.backends.sqlite" in loaded
    assert loaded & HEAVY <= {"apsw"}


def test_other_looks_load_no_more(stored, path):
    for command in (["list", "--user", "ann"], ["users", "--json"], ["export", "--all"]):
        assert _loaded("--db", path, *command) & HEAVY <= {"apsw"}, command


def test_the_version_needs_no_store_and_no_models():
    loaded = _loaded("--version")
    assert not loaded & {*HEAVY, "pydantic", "platformdirs", "tomllib"}
    assert "agent_memory_cli.backends" not in loaded


def test_a_command_loads_no_other_commands_module(stored, path):
    loaded = _loaded("--db", path, "search", "tea", "--user", "ann")
    commands = {name for name in loaded if name.startswith("agent_memory_cli.cli.commands.")}
    assert commands == {"agent_memory_cli.cli.commands.search"}
