"""Case 13: somebody else holds an old state open, so the write-ahead log cannot be emptied."""

import pytest

from tests.helpers import add, bytes_of, looking_into

CANARY = b"zqxcanary"


@pytest.fixture
def stored(memory):
    add(memory, "zqxcanary is gone", user="ann")
    add(memory, "stays", user="bob")
    memory.close()


def test_a_reader_makes_it_incomplete_and_the_next_run_completes_it(stored, am):
    with looking_into(am.path) as reader:
        reader.execute("BEGIN; SELECT count(*) FROM record")
        data = am.json("erase-user", "ann", "--yes", "--busy-timeout", "0.2", code=6)
        assert data["status"] == "incomplete"
        assert data["report"]["deleted"] == 1
        assert "in use" in " ".join(data["report"]["incomplete"])

        again = am("erase-user", "ann", "--yes", "--busy-timeout", "0.2")
        assert again.code == 6
        assert "run erase-user again" in again.err
        assert am.texts("ann") == []

        doctor = am("doctor", "--json", "--busy-timeout", "0.2")
        assert doctor.code == 6
        rows = {check["id"]: check["status"] for check in doctor.data["checks"]}
        assert rows["store.erasures"] == "fail"

    done = am.json("erase-user", "ann", "--yes")
    assert (done["status"], done["report"]["deleted"]) == ("complete", 1)
    assert CANARY not in bytes_of(am.path)
    assert am.texts("bob") == ["stays"]
    assert am("doctor").code == 0


def test_a_writer_in_the_way_is_busy_and_nothing_was_deleted(stored, am):
    with looking_into(am.path) as writer:
        writer.execute("BEGIN IMMEDIATE")
        message = am.failed(7, "erase-user", "ann", "--yes", "--busy-timeout", "0.2")
        assert "in use" in message
        assert message.count("\n") == 1
    assert am.texts("ann") == ["zqxcanary is gone"]


def test_a_reader_makes_a_purge_incomplete_too(stored, am):
    with looking_into(am.path) as reader:
        reader.execute("BEGIN; SELECT count(*) FROM record")
        purge = ("purge", "--before", "2025-01-01", "--user", "ann", "--busy-timeout", "0.2")
        data = am.json(*purge, "--yes", code=6)
        assert data["deleted"] == 1
        assert data["incomplete"]
    assert am.json("purge", "--yes")["incomplete"] == []
    assert CANARY not in bytes_of(am.path)
