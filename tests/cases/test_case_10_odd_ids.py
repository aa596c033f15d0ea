"""Case 10: ids that look like options, paths or lines are ids like any other."""

import json

import pytest

from tests.helpers import add

ODD = (
    "-rf", "--help", "-", "--", "--user", "../../etc/x", "/etc/x", "a/b", "a\\b", "CON", ".", "..", "~",
    "~root", "two\nlines", "a\tb", "$(id)", "`id`", "%2e%2e", "x" * 300, "é" * 300, "é" * 512,
    "NUL.txt", "a;b", "a:b", "a*", "\x1b[2J", "\u202eabc", "\u200b.", "ann\x00", "🙂", "a b",
)  # fmt: skip


@pytest.fixture
def odd(memory):
    for who in ODD:
        add(memory, "hello", user=who)
    return memory


def test_each_id_can_be_added_listed_exported_and_erased(am):
    for who in ("-rf", "--help", "two\nlines", "é" * 300):
        am.ok("add", f"hello {who!a}", "--user", who, "--id", f"of {who}")
        record = am.json("export", "--user", who)["records"][0]
        assert (record["user_id"], record["text"]) == (who, f"hello {who!a}")
        assert am.ok("get", "--", f"of {who}").lines[0].startswith("id: of ")
        assert am.json("erase-user", "--yes", "--", who)["report"]["deleted"] == 1


def test_an_id_that_begins_with_a_dash_needs_two_dashes_and_the_error_says_so(odd, am):
    for command in (["erase-user", "-rf", "--yes"], ["get", "-rf"], ["delete", "-rf", "--yes"]):
        assert "goes after --" in am.failed(2, *command)
    assert am.texts("-rf") == ["hello"]


def test_a_file_per_user_stays_in_the_folder_and_is_nobody_elses(odd, am, tmp_path):
    folder = tmp_path / "deep" / "out"
    before = {path for path in tmp_path.rglob("*") if not path.is_relative_to(am.path.parent)}
    files = am.json("export", "--all", "--out-dir", folder)["files"]
    made = {path for path in tmp_path.rglob("*") if not path.is_relative_to(am.path.parent)}
    assert {path.parent for path in made - before - {folder, folder.parent}} == {folder}
    assert len(list(folder.iterdir())) == len(files) == len(ODD)
    whose = [json.loads(file.read_text())["user_id"] for file in folder.iterdir()]
    assert sorted(whose) == sorted(ODD)


def test_a_file_per_user_of_one_user_is_the_same_as_among_all(odd, am, tmp_path):
    for who in ("../../etc/x", "CON", "é" * 512):
        first = am.json("export", "--user", who, "--out-dir", tmp_path / "one")["files"][0]["path"]
        assert json.loads((tmp_path / "one" / first).read_text())["user_id"] == who
        assert "CON." not in first


def test_every_id_is_one_line_where_ids_are_listed(odd, am):
    lines = am.ok("users").lines
    assert len(lines) == len(ODD)
    assert any(line.startswith("two\\nlines\t1\t") for line in lines)
    assert any(line.startswith("a\\tb\t1\t") for line in lines)
    assert {user["user_id"] for user in am.json("users")["users"]} == set(ODD)
    assert len(am.ok("list", "--all").lines) == len(ODD)


def test_ids_that_cannot_be_stored_exactly_are_refused(am):
    am.failed(2, "add", "x", "--user", "é" * 513)
    am.failed(2, "add", "x", "--user", b"\xff\xfe")
    am.failed(2, "list", "--user", b"ann\xe9")
    assert not am.path.exists()


def test_messages_and_plans_keep_an_odd_id_on_its_line(odd, am):
    assert "\\n" in am.at_terminal("erase-user", "two\nlines", answers=("n",)).out
    plan = am.ok("erase-user", "--dry-run", "two\nlines")
    assert plan.lines[0].startswith("Erase two\\nlines: 1 record")
    assert am.failed(3, "get", "no\nsuch").count("\n") == 1
    assert am.failed(3, "delete", "no\nsuch", "--yes").count("\n") == 2
