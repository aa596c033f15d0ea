"""Events tell counts and kinds, never ids or texts, unless content was asked for."""

import json
from types import SimpleNamespace

import pytest

from agent_memory_cli import Event, MemoryScope, NotFoundError, SQLiteMemory
from agent_memory_cli.selection import Selection
from tests.helpers import NOW, Clock, record


def test_an_event_as_json_leaves_its_content_out():
    event = Event("memory.added", {"count": 1}, at=NOW, arguments=["my secret"], result="secret")
    assert event.as_json() == {"event": "memory.added", "at": "2026-06-07T12:00:00Z", "count": 1}


def _all_operations(memory: SQLiteMemory) -> None:
    zqxann = MemoryScope(user_id="zqxann", session_id="zqxsession")
    note = record("zqxtext", "zqxann", "zqxsession", id="zqxid", metadata={"zqxkey": "zqxvalue"})
    memory.add_sync([note])
    memory.add_all_sync([[note.model_copy(update={"id": "zqxother"})]])
    memory.search_sync("zqxtext", scope=zqxann, filters={"zqxkey": "zqxvalue"})
    memory.get_sync("zqxid", scope=zqxann)
    memory.export_sync(zqxann)
    list(memory.stream_sync(Selection(zqxann)))
    memory.count_sync(Selection(zqxann))
    memory.users_sync()
    memory.delete_sync(["zqxid"], scope=zqxann)
    memory.purge_batch_sync(memory.purge_plan_sync(scope=zqxann))
    memory.purge_sync()
    memory.scrub_sync()
    memory.erase_sync(memory.erasure_plan_sync("zqxann"))
    memory.inspect_sync()


def test_every_operation_sends_one_event_with_no_id_and_no_text(path):
    events: list[Event] = []
    memory = SQLiteMemory(path, sink=events.append, clock=Clock())
    _all_operations(memory)
    names = [event.name for event in events]
    assert names[:3] == ["memory.added", "memory.added", "memory.searched"]
    assert {"memory.deleted", "memory.exported", "memory.purged", "memory.erased"} <= set(names)
    for event in events:
        assert event.data["backend"] == "sqlite"
        assert event.data["latency_ms"] >= 0
        assert "zqx" not in repr(event)
        assert "zqx" not in json.dumps(event.as_json())


def test_content_rides_apart_when_it_was_asked_for(path):
    events: list[Event] = []
    memory = SQLiteMemory(path, sink=events.append, capture_content=True, clock=Clock())
    _all_operations(memory)
    added, searched = events[0], events[2]
    assert added.arguments == ["zqxtext"]
    assert searched.arguments == "zqxtext"
    assert searched.result == ["zqxtext", "zqxtext"]
    for event in events:
        assert "zqx" not in json.dumps(event.as_json())


def test_a_search_tells_its_mode_and_its_scope_only_by_kind(path):
    events: list[Event] = []
    memory = SQLiteMemory(path, sink=events.append, clock=Clock())
    memory.add_sync([record("green tea", "ann", "chat")])
    scope = MemoryScope(user_id="ann", session_id="chat")
    memory.search_sync("tea", scope=scope, k=3)
    memory.search_sync("", scope=scope)
    keyword, recent = (event.data for event in events[1:])
    assert (keyword["mode"], keyword["k"], keyword["count"]) == ("keyword", 3, 1)
    assert recent["mode"] == "recent"
    assert keyword["scope"] == "user+session"


def test_a_context_receives_the_event_of_its_own_call_only(path):
    class Run:
        def __init__(self) -> None:
            self.events: list[Event] = []

        def emit(self, event: Event) -> None:
            self.events.append(event)

    run, sink = Run(), list[Event]()
    memory = SQLiteMemory(path, sink=sink.append, clock=Clock())
    memory.add_sync([record("tea")], ctx=run)
    memory.search_sync("tea", scope=MemoryScope(user_id="ann"))
    assert [event.name for event in run.events] == ["memory.added"]
    assert len(sink) == 2


def test_a_failed_operation_sends_no_event(path):
    events: list[Event] = []
    memory = SQLiteMemory(path, must_exist=True, sink=events.append)
    with pytest.raises(NotFoundError):
        memory.search_sync("tea", scope=MemoryScope(user_id="ann"))
    assert events == []


def test_a_receiver_that_fails_does_not_undo_what_was_done(path, caplog):
    def fail(event: Event) -> None:
        raise OSError("zqxdisk")

    heard: list[Event] = []
    run = SimpleNamespace(emit=heard.append)
    memory = SQLiteMemory(path, sink=fail)
    [stored] = memory.add_sync([record("zqxtea")], ctx=run)
    assert memory.get_sync(stored.id) == stored
    assert [event.name for event in heard] == ["memory.added"]
    assert "OSError" in caplog.text
    assert "zqx" not in caplog.text
    memory.close()
