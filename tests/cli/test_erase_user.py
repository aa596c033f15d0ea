import json

import pytest

from tests.helpers import add, looking_into


@pytest.fixture
def stored(memory):
    add(memory, "one", "two", user="ann", session="s1", agent="a1")
    add(memory, "stays", user="bob")


def test_the_plan_is_shown_and_changes_nothing(stored, am):
    shown = am.ok("erase-user", "ann", "--dry-run").out
    assert shown.startswith("Erase ann: 2 records in 1 session")
    assert "from 2024-06-07T12:00:00Z" in shown
    plan = am.json("erase-user", "ann", "--dry-run")["plan"]
    assert (plan["records"], plan["known"], plan["unfinished"]) == (2, True, False)
    assert len(am.texts("ann")) == 2


def test_at_a_terminal_it_asks_and_does_what_is_said(stored, am):
    assert am.at_terminal("erase-user", "ann", answers=("n",)).code == 4
    assert len(am.texts("ann")) == 2
    erased = am.at_terminal("erase-user", "ann", answers=("y",))
    assert erased.code == 0
    assert "erased 2 records, receipt " in erased.out
    assert am.texts("ann") == []
    assert am.texts("bob") == ["stays"]


def test_the_receipt_says_what_was_done_and_looked_at(stored, am, tmp_path):
    file = tmp_path / "receipt.json"
    receipt = am.json("erase-user", "ann", "--yes", "--receipt", file)
    assert json.loads(file.read_text()) == receipt
    assert (receipt["schema"], receipt["status"]) == ("agent-memory/receipt/1", "complete")
    assert receipt["report"]["deleted"] == 2
    assert len(receipt["report"]["subject"]) == 64
    assert receipt["report"]["verified"]
    assert receipt["report"]["started_at"] <= receipt["report"]["finished_at"]


def test_a_receipt_that_cannot_be_written_is_known_before_anything_is_erased(stored, am, tmp_path):
    there = tmp_path / "there.json"
    there.write_text("older")
    for code, file in (
        (4, there),
        (4, am.path),
        (1, tmp_path),
        (1, tmp_path / "no" / "x"),
        (1, "/dev/full"),
    ):
        am.failed(code, "erase-user", "ann", "--yes", "--receipt", file)
    assert there.read_text() == "older"
    assert len(am.texts("ann")) == 2


def test_a_refusal_leaves_no_receipt(stored, am, tmp_path):
    am.failed(4, "erase-user", "ann", "--receipt", tmp_path / "r.json")
    am.failed(3, "erase-user", "nobody", "--yes", "--receipt", tmp_path / "r.json")
    assert not (tmp_path / "r.json").exists()


def test_erasing_somebody_again_answers_when_it_was_and_writes_nothing(stored, am):
    first = am.json("erase-user", "ann", "--yes")["report"]
    with looking_into(am.path) as connection:
        before = connection.execute("SELECT * FROM erasure").fetchall()
    again = am.ok("erase-user", "ann")
    assert again.out.startswith("erased already, on 20")
    assert am.json("erase-user", "ann")["report"]["receipt"] == first["receipt"]
    with looking_into(am.path) as connection:
        assert connection.execute("SELECT * FROM erasure").fetchall() == before


def test_somebody_who_came_back_is_erased_anew(stored, am):
    first = am.json("erase-user", "ann", "--yes")["report"]
    am.ok("add", "back again", "--user", "ann")
    second = am.json("erase-user", "ann", "--yes")["report"]
    assert second["deleted"] == 1
    assert second["subject"] == first["subject"]
    assert second["receipt"] != first["receipt"]


def test_a_known_id_without_records_is_erased_too(memory, am):
    add(memory, "only one", user="ann", id="r1")
    am.ok("delete", "r1", "--yes")
    assert am.json("erase-user", "ann", "--yes")["report"]["deleted"] == 0
    assert b"ann" not in am.path.read_bytes()


def test_a_receipt_replaces_no_file_and_the_hint_names_no_option_that_is_not_there(
    stored, am, tmp_path
):
    file = tmp_path / "r.json"
    file.write_text("kept")
    refused = am.failed(4, "erase-user", "ann", "--yes", "--receipt", file)
    assert "--force" not in refused
    assert file.read_text() == "kept"
    assert am.json("users")["users"]
