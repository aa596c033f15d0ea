"""Case 21: what is past due is hidden at once and everywhere, and gone after a purge."""

from datetime import timedelta

import pytest

from tests.helpers import add, bytes_of


@pytest.fixture
def stored(memory, clock):
    """A record that was due long ago, one that is due in a while, one that stays."""
    add(memory, "zqxshort note", id="short", expires_at=clock.now + timedelta(hours=1))
    add(memory, "a longer note", id="long", expires_at=clock.now + timedelta(days=365 * 900))
    add(memory, "a note that stays", id="stays")
    memory.close()


def test_it_is_hidden_from_every_look(stored, am):
    am.failed(3, "get", "short")
    am.failed(3, "delete", "short", "--yes")
    assert am.json("list", "--user", "ann")["total"] == 2
    assert am.texts("ann") == ["a note that stays", "a longer note"]
    assert am.json("search", "zqxshort", "--user", "ann")["hits"] == []
    assert len(am.json("search", "", "--user", "ann")["hits"]) == 2


def test_the_plain_export_counts_what_it_left_out(stored, am):
    plain = am.ok("export", "--user", "ann")
    assert len(plain.lines) == 2
    assert "1 past due left out" in plain.err
    assert am.json("export", "--user", "ann")["summary"]["expired_left_out"] == 1
    whole = am.json("export", "--user", "ann", "--include-expired")
    assert [record["id"] for record in whole["records"]] == ["short", "long", "stays"]
    assert whole["summary"]["expired_left_out"] == 0


def test_doctor_says_what_is_overdue(stored, am):
    run = am("doctor", "--json", "--strict")
    assert run.code == 6
    rows = {check["id"]: check for check in run.data["checks"]}
    assert rows["store.overdue"]["status"] == "warn"
    assert "purge" in rows["store.overdue"]["fix"]
    assert am("doctor").code == 0


def test_after_a_purge_the_bytes_are_gone_too(stored, am):
    assert b"zqxshort" in bytes_of(am.path)
    plan = am.json("purge", "--dry-run")
    assert (plan["ids"], plan["expired"], plan["older"]) == (["short"], 1, 0)
    assert am.json("purge", "--yes")["deleted"] == 1
    assert b"zqxshort" not in bytes_of(am.path)
    assert am.json("purge")["deleted"] == 0
    assert am.json("export", "--user", "ann", "--include-expired")["summary"]["count"] == 2


def test_every_write_deletes_what_is_due(stored, am):
    am.ok("add", "another", "--user", "bob")
    whole = am.json("export", "--user", "ann", "--include-expired")
    assert [record["id"] for record in whole["records"]] == ["long", "stays"]


def test_a_shorter_retention_hides_at_once(stored, am):
    assert am.json("list", "--all", env={"AGENT_MEMORY_RETENTION_DAYS": "1"})["total"] == 0
    assert am.json("list", "--all")["total"] == 2
    kept = am.json("export", "--all", env={"AGENT_MEMORY_RETENTION_DAYS": "1"})
    assert kept["summary"]["expired_left_out"] == 3
    purged = am.json("purge", "--yes", env={"AGENT_MEMORY_RETENTION_DAYS": "1"})
    assert (purged["expired"], purged["deleted"]) == (3, 3)
