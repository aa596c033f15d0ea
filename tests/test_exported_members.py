"""What the package offers can be got, and costs nothing until it is."""

import subprocess
import sys

import pytest

import agent_memory_cli


@pytest.mark.parametrize("name", agent_memory_cli.__all__)
def test_every_exported_name_can_be_got(name):
    value = getattr(agent_memory_cli, name)
    assert name == "__version__" or getattr(value, "__doc__", None) or callable(value)


def test_dir_lists_what_is_exported():
    assert dir(agent_memory_cli) == sorted(agent_memory_cli.__all__)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="Nothing"):
        _ = agent_memory_cli.Nothing


def test_every_error_has_a_code_of_its_own_and_an_exit_code():
    errors = [getattr(agent_memory_cli, name) for name in agent_memory_cli.__all__]
    errors = [e for e in errors if isinstance(e, type) and issubclass(e, Exception)]
    assert len({error.code for error in errors}) == len(errors) >= 11
    assert {error.exit_code for error in errors} <= set(range(1, 8))
    assert all(issubclass(error, agent_memory_cli.AgentMemoryError) for error in errors)


def test_importing_the_package_imports_nothing_heavy():
    heavy = "{'apsw', 'numpy', 'pydantic', 'typer', 'rich', 'asyncio', 'platformdirs'}"
    code = f"import sys, agent_memory_cli; print({heavy} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"


def test_a_keyword_search_imports_no_numpy_and_no_event_loop(tmp_path):
    code = (
        "import sys; from agent_memory_cli import *; m = SQLiteMemory(sys.argv[1]);"
        "s = MemoryScope(user_id='ann'); m.add_sync([MemoryRecord(scope=s, text='tea')]);"
        "m.search_sync('tea', scope=s); m.export_sync(s); m.close();"
        "print({'numpy', 'asyncio', 'typer', 'rich'} & set(sys.modules))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "m.db")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.strip() == "set()"
