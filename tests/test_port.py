"""Every backend is a port, and so is whatever has its methods."""

import asyncio
import inspect

import pytest

from agent_memory_cli import AdministeredMemory, CallableMemory, MemoryPort, SQLiteMemory

OPERATIONS = ("add", "search", "get", "delete", "export", "purge")


def _memories(path):
    yield SQLiteMemory(path)
    yield CallableMemory(add=lambda records: None, search=lambda query, scope, k: [])


def test_our_backends_fulfil_both_ports(path):
    for memory in _memories(path):
        assert isinstance(memory, MemoryPort)
        assert isinstance(memory, AdministeredMemory)


def test_something_else_does_not(path):
    assert not isinstance(path, MemoryPort)


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation_is_async_and_has_a_twin_that_takes_a_timeout(path, name):
    for memory in _memories(path):
        method, twin = getattr(memory, name), getattr(memory, f"{name}_sync")
        assert asyncio.iscoroutinefunction(method)
        assert not asyncio.iscoroutinefunction(twin)
        own = inspect.signature(method).parameters
        assert set(inspect.signature(twin).parameters) == {*own, "timeout"}


def test_every_other_public_call_has_a_twin_too():
    names = {name for name in dir(SQLiteMemory) if not name.startswith("_")}
    calls = {name for name in names if inspect.isfunction(getattr(SQLiteMemory, name))}
    alone = {name for name in calls if not name.endswith("_sync") and f"{name}_sync" not in calls}
    assert alone == {"close"}
