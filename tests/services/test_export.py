import hashlib
import io
import json
from datetime import timedelta
from pathlib import Path

import pytest

from agent_memory_cli import MemoryScope, Selection, SQLiteMemory
from agent_memory_cli.errors import NotFoundError, ToolUsageError
from agent_memory_cli.services.export import (
    export,
    file_name,
    manifest,
    manifest_path,
    verify,
)  # fmt: skip
from tests.helpers import Clock, add, record


def _exported(memory, selection, **options):
    out = io.BytesIO()
    return out, export(memory, selection, out.write, **options)


def test_the_summary_is_of_exactly_what_was_written(memory, clock, ann):
    add(memory, "one")
    clock.forward(days=1)
    add(memory, "two")
    out, summary = _exported(memory, Selection(ann))
    assert (summary.count, summary.size) == (2, len(out.getvalue()))
    assert summary.sha256 == hashlib.sha256(out.getvalue()).hexdigest()
    assert (summary.first, summary.last) == (clock.now - timedelta(days=1), clock.now)


def test_what_is_past_due_is_counted_within_the_selection_only(memory, clock, ann):
    for user in ("ann", "bob"):
        memory.add_sync([record("due", user, expires_at=clock.now + timedelta(hours=1))])
        memory.add_sync([record("stays", user)])
    clock.forward(days=1)
    assert _exported(memory, Selection(ann))[1].expired_left_out == 1
    assert _exported(memory, Selection(None))[1].expired_left_out == 2
    whole = _exported(memory, Selection(ann, include_expired=True))[1]
    assert (whole.count, whole.expired_left_out) == (2, 0)


def test_what_agents_write_meanwhile_is_not_counted_as_past_due(memory, path, clock, ann):
    class Shared(SQLiteMemory):
        async def _count(self, selection):
            counted = await super()._count(selection)
            add(memory, "meanwhile")
            return counted

    memory.add_sync([record("due", expires_at=clock.now + timedelta(hours=1))])
    late = Clock(clock.now + timedelta(days=1))
    assert _exported(Shared(path, clock=late), Selection(ann))[1].expired_left_out == 1


def test_progress_counts_every_record(memory, ann):
    memory.add_sync([record(f"n{n}") for n in range(2500)])
    seen: list[int] = []
    _, summary = _exported(memory, Selection(ann), progress=seen.append)
    assert sum(seen) == summary.count == 2500


def test_nothing_selected_gives_a_summary_of_nothing(memory, bob):
    add(memory, "one")
    out, summary = _exported(memory, Selection(bob))
    assert (out.getvalue(), summary.count, summary.first) == (b"", 0, None)


def test_a_file_name_belongs_to_one_scope_and_stays_in_its_folder():
    scopes = [
        MemoryScope(user_id=user, session_id=session, agent_id=agent)
        for user in (
            "a",
            "A",
            "a/b",
            "../a",
            "..",
            ".",
            "a\0b",
            "é" * 300,
            "e\u0301" * 200,
            "CON",
            "a ",
        )
        for session in (None, "a", "b")
        for agent in (None, "a", "b")
    ] + [MemoryScope(session_id="a"), MemoryScope(agent_id="a"), MemoryScope(user_id="no user")]
    names = {file_name(scope, "jsonl").lower() for scope in scopes}
    assert len(names) == len(scopes)
    for name in names:
        assert Path(name).name == name
        assert len(name.encode()) <= 255
        assert name.isascii()
        assert not name.startswith((".", "-"))


@pytest.fixture
def exported(memory, tmp_path, ann):
    add(memory, "one", "two")
    out, summary = _exported(memory, Selection(ann))
    path = tmp_path / "e.jsonl"
    path.write_bytes(out.getvalue())
    manifest_path(path).write_bytes(manifest(summary))
    return path


def test_an_export_is_what_its_manifest_says_until_it_is_changed(exported):
    assert verify(exported).differences == ()
    exported.write_bytes(exported.read_bytes()[:-1] + b" ")
    assert [one.split(":")[0] for one in verify(exported).differences] == ["sha256", "count"]


def test_a_manifest_that_was_changed_is_no_proof(exported):
    told = json.loads(manifest_path(exported).read_text())
    manifest_path(exported).write_text(json.dumps({**told, "count": 3}))
    assert [one.split(":")[0] for one in verify(exported).differences] == ["count"]
    for wrong in ({"count": "2"}, {"schema": "x"}, {"format": None}):
        manifest_path(exported).write_text(json.dumps({**told, **wrong}))
        with pytest.raises(ToolUsageError):
            verify(exported)
    manifest_path(exported).unlink()
    with pytest.raises(NotFoundError):
        verify(exported)
