"""Case 15: what was deleted before, what hangs on a record, and copies that are not ours.

Versions of a record are a later matter; there is no history to erase yet.
"""

import os
import shutil

import pytest

from tests.helpers import add, bytes_of, looking_into

WORDS = (b"zqxdeleted", b"zqxthree", b"zqxsession", b"zqxagent", b"zqxkey", b"zqxvalue", b"zqxid")


@pytest.fixture
def stored(memory, am):
    add(memory, "zqxdeleted before", user="ann", id="zqxid-1")
    add(memory, "zqxthree", user="ann", session="zqxsession", agent="zqxagent")
    add(memory, "four", user="ann", metadata={"zqxkey": ["zqxvalue"]})
    add(memory, "stays", user="bob", session="s", agent="a")
    memory.close()
    am.ok("delete", "zqxid-1", "--yes")
    return memory


def test_erasing_also_clears_what_was_deleted_before(stored, am):
    am.ok("erase-user", "ann", "--yes")
    left = bytes_of(am.path)
    assert [word for word in WORDS if word in left] == []
    assert am.texts("bob") == ["stays"]


def test_afterwards_the_person_is_empty_in_every_command(stored, am):
    id_ = am.json("list", "--user", "ann")["records"][0]["id"]
    am.ok("erase-user", "ann", "--yes")
    am.failed(3, "get", id_)
    am.failed(3, "delete", id_, "--yes")
    exported = am.ok("export", "--user", "ann")
    assert (exported.out, exported.err) == ("", "0 records exported\n")
    assert am.json("search", "zqxthree", "--user", "ann")["hits"] == []
    assert [one["user_id"] for one in am.json("users")["users"] if one["records"]] == ["bob"]


def test_nothing_that_is_kept_of_an_erasure_names_the_person(stored, am, tmp_path):
    receipt = tmp_path / "receipt.json"
    run = am.ok("erase-user", "ann", "--yes", "--receipt", receipt, "--json")
    for kept in (receipt.read_bytes(), run.stdout):
        assert b"ann" not in kept
        assert b"zqx" not in kept
    with looking_into(am.path) as connection:
        rows = str(connection.execute("SELECT * FROM erasure").fetchall())
    assert "ann" not in rows
    assert receipt.stat().st_mode & 0o777 == 0o600


def test_statistics_that_hold_samples_are_emptied(stored, am):
    with looking_into(am.path) as connection:
        connection.execute("ANALYZE")
    am.ok("erase-user", "ann", "--yes")
    with looking_into(am.path) as connection:
        rows = connection.execute("SELECT * FROM sqlite_stat1").fetchall()
    assert "zqx" not in str(rows)


def test_a_copy_beside_the_store_is_named_and_makes_it_incomplete(stored, am):
    copy = am.path.with_name("m.db.bak")
    shutil.copy(am.path, copy)
    before = copy.read_bytes()
    assert "m.db.bak" in am.ok("erase-user", "ann", "--dry-run").out
    run = am("erase-user", "ann", "--yes")
    assert run.code == 6
    assert "m.db.bak" in run.err
    assert copy.read_bytes() == before
    copy.unlink()
    am.ok("erase-user", "ann", "--yes")


def test_a_file_beside_the_store_that_does_not_hold_the_person_is_no_hindrance(stored, am):
    am.path.with_name("m.db.notes").write_text("nothing of anybody")
    am.ok("erase-user", "ann", "--yes")


def test_erasing_twice_says_when_it_was_done_after_a_look(stored, am):
    am.ok("erase-user", "ann", "--yes")
    again = am.ok("erase-user", "ann")
    assert again.lines[0].startswith("erased already, on 20")
    assert len(again.lines) > 1


def test_what_cannot_be_a_copy_beside_the_store_does_not_disturb(stored, am):
    am.path.with_name("m.db.folder").mkdir()
    os.mkfifo(am.path.with_name("m.db.pipe"))
    am.path.with_name("m.db.dangling").symlink_to("nowhere")
    am.path.with_name("m.db.empty").touch()
    am.ok("erase-user", "ann", "--yes")
