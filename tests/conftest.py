"""What every test gets: an environment that holds nothing of the person who runs it."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from agent_memory_cli import MemoryScope, SQLiteMemory
from tests.helpers import Clock

settings.register_profile(
    "moderate",
    deadline=None,
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("moderate")


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch, tmp_path):
    for name in os.environ:
        if name.startswith(("AGENT_MEMORY_", "XDG_")) or name in ("NO_COLOR", "FORCE_COLOR"):
            monkeypatch.delenv(name)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    for kind in ("CONFIG", "DATA", "STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(home / kind.lower()))


@pytest.fixture
def path(tmp_path) -> Path:
    """Where a store may be made; nothing else is in its folder."""
    folder = tmp_path / "store"
    folder.mkdir()
    return folder / "m.db"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(path, clock):
    """A store with an injected clock and short waits."""
    memory = SQLiteMemory(path, busy_timeout=2, clock=clock)
    yield memory
    memory.close()


@pytest.fixture
def ann() -> MemoryScope:
    return MemoryScope(user_id="ann")


@pytest.fixture
def bob() -> MemoryScope:
    return MemoryScope(user_id="bob")
