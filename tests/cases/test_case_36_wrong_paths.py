"""Case 36: a mistyped path makes no store; foreign files are refused unchanged."""

import sqlite3

import pytest

from tests.cli.runner import run
from tests.helpers import add, looking_into

LOOKS = (
    ["list", "--all"], ["search", "x", "--user", "ann"], ["get", "x"], ["export", "--all"],
    ["users"], ["doctor"], ["erase-user", "ann", "--yes"], ["purge", "--yes"], ["delete", "x", "--yes"],
)  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "here"
    folder.mkdir()
    return folder


def test_nothing_but_adding_makes_a_store(am, folder):
    for command in LOOKS:
        result = am(*command, cwd=folder)
        assert result.code == 3, command
        assert "no store" in result.err + result.out
    am.ok("config")
    am.ok("completion", "bash")
    assert list(am.path.parent.iterdir()) == []
    assert list(folder.iterdir()) == []


def test_an_empty_variable_counts_as_unset(folder, tmp_path):
    empty = {"AGENT_MEMORY_DB": "", "AGENT_MEMORY_BACKEND": "", "AGENT_MEMORY_CONFIG": ""}
    assert run("add", "x", "--user", "ann", env=empty, cwd=folder).code == 0
    assert (tmp_path / "home" / "data" / "agent-memory" / "memory.db").is_file()
    assert list(folder.iterdir()) == []


def test_a_tilde_is_the_home_directory_and_never_a_folder(folder, tmp_path):
    home = tmp_path / "home"
    assert run("add", "x", "--user", "a", env={"AGENT_MEMORY_DB": "~/m.db"}, cwd=folder).code == 0
    assert run("add", "x", "--user", "a", "--db", "~/n.db", cwd=folder).code == 0
    (home / "config" / "agent-memory").mkdir(parents=True)
    (home / "config" / "agent-memory" / "config.toml").write_text('db = "~/o.db"\n')
    assert run("add", "x", "--user", "a", cwd=folder).code == 0
    assert {file.name for file in home.glob("*.db")} == {"m.db", "n.db", "o.db"}
    nobody = run("add", "x", "--user", "a", "--db", "~nobody-of-that-name/m.db", cwd=folder)
    assert nobody.code == 2
    assert list(folder.iterdir()) == []


def test_odd_names_are_used_literally(folder):
    for name in ("a?b%20#é.db", "x:memory:", "file:x?mode=memory", "-m.db"):
        assert run("add", "x", "--user", "ann", f"--db={name}", cwd=folder).code == 0
        assert (folder / name).is_file(), name
        listed = run("list", "--user", "ann", "--json", f"--db={name}", cwd=folder)
        assert listed.data["total"] == 1
        (folder / name).unlink()
    assert list(folder.iterdir()) == []


def test_a_store_that_would_be_gone_at_once_is_refused(folder):
    assert run("add", "x", "--user", "ann", "--db", ":memory:", cwd=folder).code == 2
    assert list(folder.iterdir()) == []


def test_what_is_no_store_is_refused_unchanged(am, folder):
    other = folder / "other.db"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE note (text)")
    connection.close()
    text = folder / "notes.txt"
    text.write_text("not a database, but long enough to be one " * 100)
    short = folder / "short"
    short.write_text("x")
    before = {file: (file.read_bytes(), file.stat().st_mtime_ns) for file in folder.iterdir()}
    for file in (*before, "/etc/passwd", folder, "/dev/null"):
        message = am.failed(5, "add", "x", "--user", "ann", "--db", file)
        assert message.count("\n") == 1, message
    for command in (
        ["list", "--all"],
        ["doctor", "--fix"],
        ["erase-user", "a", "-y"],
        ["import", "-"],
    ):
        assert am(*command, "--db", other, stdin='{"user":"a","text":"x"}').code in (5, 6), command
    assert {file: (file.read_bytes(), file.stat().st_mtime_ns) for file in before} == before
    assert set(folder.iterdir()) == set(before)


def test_an_empty_file_is_filled_by_add_and_refused_by_looks(am):
    am.path.touch()
    for command in LOOKS:
        assert am(*command).code != 0, command
    assert am.path.stat().st_size == 0
    am.ok("add", "x", "--user", "ann")
    assert am.texts("ann") == ["x"]


def test_a_newer_schema_is_refused_unchanged_and_both_versions_are_named(memory, am):
    add(memory, "x")
    memory.close()
    with looking_into(am.path) as connection:
        connection.pragma("user_version", 999)
    before = am.path.read_bytes()
    for command in (*LOOKS, ["add", "x", "--user", "ann"], ["import", "-"]):
        result = am(*command, stdin='{"user":"a","text":"x"}')
        assert result.code in (5, 6), (command, result)
        assert "schema 999" in result.err + result.out
        assert "knows 1" in result.err + result.out
    assert am.path.read_bytes() == before


def test_a_folder_that_is_missing_is_named(am, folder):
    assert "folder" in am.failed(2, "add", "x", "--user", "a", "--db", folder / "no" / "m.db")
    assert "folder" in am.failed(3, "list", "--all", "--db", "/etc/passwd/m.db")
    assert list(folder.iterdir()) == []


def test_a_link_to_a_store_is_that_store(memory, am, folder):
    add(memory, "zqxcanary", user="ann")
    memory.close()
    link = folder / "link.db"
    link.symlink_to(am.path)
    am.ok("add", "more", "--user", "ann", "--db", link)
    assert am.texts("ann") == ["more", "zqxcanary"]
    am.failed(4, "export", "--all", "--out", am.path, "--force", "--db", link)
    am.ok("doctor", "--strict", "--db", link)
    am.ok("erase-user", "ann", "--yes", "--db", link)
    assert b"zqxcanary" not in am.path.read_bytes()
    assert list(folder.iterdir()) == [link]


def test_a_link_to_nothing_is_filled_by_add_and_makes_nothing_else(am, folder):
    (folder / "loop.db").symlink_to("loop.db")
    for command in (["list", "--all"], ["add", "x", "--user", "ann"]):
        am.failed(5, *command, "--db", folder / "loop.db")
    link = folder / "link.db"
    link.symlink_to(am.path)
    am.failed(3, "list", "--all", "--db", link)
    am.ok("add", "x", "--user", "ann", "--db", link)
    assert am.texts("ann") == ["x"]
