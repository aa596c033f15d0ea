"""What a call costs follows the person's own records: no statement reads a whole table for it."""

from contextlib import contextmanager

import pytest

from agent_memory_cli import MemoryScope, Selection, SQLiteMemory
from agent_memory_cli.backends.sqlite import connection as connections
from tests.helpers import Clock, record

ANN = MemoryScope(user_id="ann")
CHAT = MemoryScope(user_id="ann", session_id="s1")

CALLS = {
    "add": lambda m: m.add_sync([record("tea"), record("milk", user="new")]),
    "import": lambda m: m.add_all_sync([[record("tea", id="x")]]),
    "search": lambda m: m.search_sync("tea", scope=ANN, filters={"k": 1}),
    "search a session": lambda m: m.search_sync("tea", scope=CHAT),
    "newest": lambda m: m.search_sync("", scope=ANN),
    "get": lambda m: m.get_sync("1"),
    "delete": lambda m: m.delete_sync(["1"]),
    "delete a scope": lambda m: m.delete_sync(scope=CHAT),
    "delete in a scope": lambda m: m.delete_sync(["2"], scope=ANN),
    "export": lambda m: m.export_sync(ANN),
    "list": lambda m: list(m.stream_sync(Selection(ANN), newest_first=True, limit=3)),
    "count": lambda m: m.count_sync(Selection(ANN)),
    "users": lambda m: m.users_sync(),
    "purge plan": lambda m: m.purge_plan_sync(before=m._clock()),
    "purge plan of a scope": lambda m: m.purge_plan_sync(scope=ANN, before=m._clock()),
    "purge batch": lambda m: m.purge_batch_sync(m.purge_plan_sync(before=m._clock())),
    "erasure plan": lambda m: m.erasure_plan_sync("ann"),
}


@contextmanager
def statements(memory, monkeypatch):
    """Collects what the memory's connections run, and yields (statement, its plan) pairs."""
    seen, prepare = {}, connections.Connections._prepare

    def traced(self, connection):
        prepare(self, connection)
        explaining = []

        def trace(cursor, sql, bindings):
            if not explaining and sql.split()[0] in ("SELECT", "INSERT", "UPDATE", "DELETE"):
                explaining.append(True)
                rows = connection.execute(f"EXPLAIN QUERY PLAN {sql}", bindings)
                seen[sql] = [row[3] for row in rows]
                explaining.clear()
            return True

        connection.exec_trace = trace

    monkeypatch.setattr(connections.Connections, "_prepare", traced)
    memory.close()
    yield seen
    monkeypatch.undo()


def reads_everything(step: str) -> bool:
    """Whether a step of a plan walks through all records: by the table, or by a whole index."""
    table = step.removeprefix("SCAN ").removeprefix("SEARCH ").split()[0]
    return table in ("record", "record_text_docsize") and "(" not in step


@pytest.mark.parametrize("name", CALLS)
def test_no_call_reads_the_whole_table_of_records(path, monkeypatch, name):
    memory = SQLiteMemory(path, retention_days=30, clock=Clock())
    memory.add_sync([record("tea", id="1", session="s1", metadata={"k": 1}), record("tea", id="2")])
    with statements(memory, monkeypatch) as seen:
        CALLS[name](memory)
    memory.close()
    assert seen, "nothing was traced"
    whole = {sql: plan for sql, plan in seen.items() if any(map(reads_everything, plan))}
    assert whole == {}
