"""Case 24: an export and an erasure know no page size, and a list that stops says so.

Updates and their history are a later matter.
"""

from datetime import timedelta

import pytest

from tests.helpers import add, record

LIVE = 2503


@pytest.fixture
def stored(memory, clock, am):
    """More than any round number of records, over sessions and agents, and two that went."""
    memory.add_sync(
        [
            record(f"note {n}", "ann", f"s{n % 3}" if n % 5 else None, f"a{n % 2}", id=f"r{n}")
            for n in range(LIVE + 1)
        ]
    )
    due = clock.now + timedelta(hours=1)
    memory.add_sync([record("was due", "ann", id="due", expires_at=due)])
    add(memory, "of bob", user="bob", session="s0", agent="a0")
    memory.close()
    am.ok("delete", f"r{LIVE}", "--yes")
    # The deletion took along what was due; one more that is still there.
    clock.now += timedelta(days=1)
    memory.add_sync([record("due again", "ann", id="due2", expires_at=clock.now + timedelta(1))])
    memory.close()


def test_the_export_holds_every_live_record_and_counts_the_rest(stored, am):
    data = am.json("export", "--user", "ann")
    assert [record["id"] for record in data["records"]] == [f"r{n}" for n in range(LIVE)]
    assert {record.get("session_id") for record in data["records"]} == {None, "s0", "s1", "s2"}
    assert data["summary"]["count"] == LIVE
    assert data["summary"]["expired_left_out"] == 1
    whole = am.ok("export", "--user", "ann", "--include-expired")
    assert len(whole.lines) == LIVE + 1
    assert whole.err.startswith(f"{LIVE + 1:,} records exported")


def test_a_limited_list_says_how_many_there_are(stored, am):
    limited = am.json("list", "--user", "ann")
    assert (len(limited["records"]), limited["total"], limited["truncated"]) == (100, LIVE, True)
    assert f"100 of {LIVE:,} shown" in am.ok("list", "--user", "ann").err
    everything = am.json("list", "--user", "ann", "--limit", "0")
    assert (len(everything["records"]), everything["truncated"]) == (LIVE, False)
    exact = am.json("list", "--user", "ann", "--limit", str(LIVE))
    assert (len(exact["records"]), exact["truncated"]) == (LIVE, False)


def test_one_erasure_removes_all_and_its_counts_are_the_exports(stored, am):
    exported = am.json("export", "--user", "ann", "--include-expired")["summary"]["count"]
    plan = am.json("erase-user", "ann", "--dry-run")["plan"]
    assert (plan["records"], plan["sessions"], plan["agents"]) == (exported, 3, 2)
    assert am.json("erase-user", "ann", "--yes")["report"]["deleted"] == exported
    assert am.json("list", "--user", "ann")["total"] == 0
    assert am.texts("bob") == ["of bob"]


def test_a_session_and_an_agent_alone_are_exported_whole_too(stored, am):
    session = am.json("export", "--user", "ann", "--session", "s1")["records"]
    assert len(session) == sum(1 for n in range(LIVE) if n % 3 == 1 and n % 5)
    agent = am.json("export", "--user", "ann", "--agent", "a1")["records"]
    assert len(agent) == sum(1 for n in range(LIVE) if n % 2)
    assert am.json("purge", "--user", "ann", "--before", "2025-01-01", "--dry-run")["older"] == LIVE
