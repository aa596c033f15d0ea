import pytest

from agent_memory_cli import SQLiteMemory
from agent_memory_cli.backends.registry import BACKENDS, open_memory
from agent_memory_cli.config import resolve
from agent_memory_cli.errors import ConfigError, NotFoundError
from agent_memory_cli.port import AdministeredMemory
from tests.helpers import add


def test_the_settings_decide_what_is_opened(path):
    memory = open_memory(
        resolve({"db": str(path), "retention_days": 3.0}, {}), create=True, sink=None
    )
    assert isinstance(memory, SQLiteMemory)
    assert isinstance(memory, AdministeredMemory)
    assert memory.retention_days == 3.0
    add(memory, "x")
    assert path.exists()
    memory.close()


def test_each_backend_is_what_the_table_says():
    from importlib import import_module

    for name, backend in BACKENDS.items():
        assert getattr(import_module(backend.module), backend.attribute).name == name


def test_an_unknown_backend_names_the_known_ones():
    with pytest.raises(ConfigError, match="sqlite"):
        open_memory(resolve({"backend": "nosuch"}, {}))


def test_looking_makes_nothing(path, tmp_path):
    for settings in (resolve({"db": str(path)}, {}), resolve({}, {})):
        with pytest.raises(NotFoundError):
            open_memory(settings).users_sync()
    assert not path.exists()
    assert not (tmp_path / "home" / "data").exists()


def test_only_the_default_folder_is_made_when_asked(tmp_path):
    open_memory(resolve({}, {}), create=True)
    assert (tmp_path / "home" / "data" / "agent-memory").stat().st_mode & 0o777 == 0o700
    other = tmp_path / "other" / "m.db"
    with pytest.raises(ConfigError, match="folder"):
        add(open_memory(resolve({"db": str(other)}, {}), create=True), "x")
    assert not other.parent.exists()


def test_a_default_folder_that_cannot_be_made_is_a_config_error(tmp_path):
    (tmp_path / "home" / "data").write_text("in the way")
    with pytest.raises(ConfigError, match="cannot be made"):
        open_memory(resolve({}, {}), create=True)


def test_without_a_home_a_store_must_be_named(monkeypatch):
    monkeypatch.delenv("HOME")
    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.setattr("os.path.expanduser", lambda path: path)
    with pytest.raises(ConfigError, match="home"):
        open_memory(resolve({}, {}), create=True)
