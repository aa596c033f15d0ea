"""Option, then environment, then file, then default; each value knows where it came from."""

import pytest

from agent_memory_cli.config import default_db, default_file, resolve
from agent_memory_cli.errors import ConfigError


@pytest.fixture
def file(tmp_path):
    """The configuration file in its usual place."""
    path = tmp_path / "home" / "config" / "agent-memory" / "config.toml"
    path.parent.mkdir(parents=True)
    return path


def test_the_nearer_source_counts(file):
    file.write_text('db = "f.db"\nretention_days = 1\nbusy_timeout = 3\n')
    settings = resolve(
        {"db": "o.db"}, {"AGENT_MEMORY_DB": "e.db", "AGENT_MEMORY_RETENTION_DAYS": "2.5"}
    )
    assert (settings.db, settings.source("db")) == ("o.db", "option")
    assert (settings.retention_days, settings.source("retention_days")) == (2.5, "environment")
    assert (settings.busy_timeout, settings.source("busy_timeout")) == (3.0, "file")
    assert (settings.backend, settings.source("backend")) == ("sqlite", "default")
    assert settings.file == str(file)


def test_without_anything_there_are_defaults(tmp_path):
    settings = resolve({}, {})
    assert settings.db == str(tmp_path / "home" / "data" / "agent-memory" / "memory.db")
    assert (settings.retention_days, settings.busy_timeout) == (None, 5.0)
    assert (settings.events_file, settings.file) == (None, None)
    assert {setting.source for setting in settings.all} == {"default"}


def test_an_empty_value_is_unset_but_an_empty_option_is_an_error(file):
    file.write_text('backend = ""\n')
    settings = resolve({}, {"AGENT_MEMORY_DB": "", "AGENT_MEMORY_CONFIG": ""})
    assert {setting.source for setting in settings.all} == {"default"}
    for name in ("db", "backend", "events_file", "config"):
        with pytest.raises(ConfigError, match=f"--{name.replace('_', '-')} is empty"):
            resolve({name: ""}, {})


def test_a_tilde_is_the_home_directory(tmp_path, file):
    home = str(tmp_path / "home")
    file.write_text('events_file = "~/e"\n')
    settings = resolve({"db": "~/m.db"}, {})
    assert (settings.db, settings.events_file) == (f"{home}/m.db", f"{home}/e")
    with pytest.raises(ConfigError, match="home"):
        resolve({"db": "~nobody-of-that-name/m.db"}, {})


def test_a_named_file_must_be_there_and_readable(tmp_path):
    for named in (str(tmp_path / "missing.toml"), str(tmp_path)):
        for sources in (({"config": named}, {}), ({}, {"AGENT_MEMORY_CONFIG": named})):
            with pytest.raises(ConfigError, match="cannot be read"):
                resolve(*sources)


@pytest.mark.parametrize(
    "content",
    [
        "= x", "db = ", "\x00", "dbb = 'x'", "[db]\nx = 1", "db = 5", "busy_timeout = 'soon'",
        "busy_timeout = -1", "busy_timeout = 1e9", "busy_timeout = nan", "retention_days = 0",
        "retention_days = inf", "retention_days = true", "events_file = []", "key = 'zqxsecret'",
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_used_is_a_config_error_without_its_values(file, content):
    file.write_text(content)
    with pytest.raises(ConfigError) as raised:
        resolve({}, {})
    assert "zqxsecret" not in str(raised.value)


def test_bytes_that_are_no_text_are_a_config_error(file):
    file.write_bytes(b'db = "\xff"\n')
    with pytest.raises(ConfigError, match="TOML"):
        resolve({}, {})


@pytest.mark.parametrize(
    ("name", "value"),
    [("RETENTION_DAYS", "0"), ("RETENTION_DAYS", "nan"), ("RETENTION_DAYS", "x"),
     ("RETENTION_DAYS", "-1"), ("BUSY_TIMEOUT", "-0.1"), ("BUSY_TIMEOUT", "inf"), ("DB", "~nobody-x/m")],
)  # fmt: skip
def test_a_variable_that_cannot_be_used_is_named(name, value):
    with pytest.raises(ConfigError, match=f"AGENT_MEMORY_{name}"):
        resolve({}, {f"AGENT_MEMORY_{name}": value})


def test_without_a_home_directory_defaults_are_relative_and_no_file_is_read(monkeypatch, tmp_path):
    for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name)
    monkeypatch.setattr("os.path.expanduser", lambda path: path)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "agent-memory").mkdir()
    (tmp_path / "agent-memory" / "config.toml").write_text("nonsense")
    assert not default_db().is_absolute()
    assert not default_file().is_absolute()
    assert resolve({"db": "m.db"}, {}).file is None
