"""Case 7: an empty id, as an unset shell variable gives it, is an error and never "everybody"."""

import pytest

from tests.cli.runner import jsonl
from tests.helpers import add, bytes_of

EMPTY = ("", " ", "\t\n", "\u00a0", "\u3000")
COMMANDS = (
    ("list",), ("search", "tea"), ("search", ""), ("export",),
    ("purge", "--older-than", "1d", "--yes"), ("purge", "--dry-run"),
    ("get", "{id}"), ("delete", "{id}", "--yes"), ("add", "x"),
)  # fmt: skip


@pytest.fixture
def ids(memory):
    ids = add(memory, "likes tea", user="ann") + add(memory, "likes tea", user="bob")
    memory.close()
    return ids


def test_every_command_with_an_empty_user_is_a_usage_error_that_does_nothing(am, ids):
    before = bytes_of(am.path)
    for command in COMMANDS:
        arguments = [part.format(id=ids[0]) for part in command]
        message = am.failed(2, *arguments, "--user", "")
        assert "empty" in message, command
        assert message.count("\n") == 1
    assert bytes_of(am.path) == before


def test_every_scope_option_and_every_blank_is_refused(am, ids):
    before = bytes_of(am.path)
    for option in ("--user", "--session", "--agent"):
        am.failed(2, "list", "--all", option, "")
    for blank in EMPTY:
        am.failed(2, "add", "x", "--user", "ann", "--session", blank)
    am.failed(2, "erase-user", "", "--yes")
    am.failed(2, "erase-user", "\u3000", "--yes")
    assert bytes_of(am.path) == before


def test_an_empty_record_id_is_refused(am, ids):
    for command in (["get", ""], ["delete", "", "--yes"], ["add", "x", "--user", "a", "--id", ""]):
        assert "empty" in am.failed(2, *command)


def test_an_imported_line_with_an_empty_id_is_refused_and_nothing_is_imported(am, ids):
    for name in ("user_id", "session_id", "agent_id", "id"):
        line = {"user_id": "cem", "text": "x", name: " "}
        message = am.failed(2, "import", "-", stdin=jsonl({"user_id": "cem", "text": "y"}, line))
        assert "line 2" in message
        assert "empty" in message
    assert am.texts("cem") == []


def test_no_store_is_made_for_an_empty_user(am):
    am.failed(2, "add", "x", "--user", "")
    am.failed(2, "add", "x")
    assert list(am.path.parent.iterdir()) == []


def test_an_empty_path_is_an_error_and_nothing_is_written(am, ids, tmp_path):
    folder = tmp_path / "here"
    folder.mkdir()
    for command in (
        ["export", "--user", "ann", "--out", ""],
        ["export", "--user", "ann", "--out-dir", ""],
        ["erase-user", "ann", "--yes", "--receipt", ""],
        ["add", "--user", "ann", "--file", ""],
        ["import", ""],
        ["verify-export", ""],
        ["list", "--user", "ann", "--db", ""],
        ["list", "--user", "ann", "--config", ""],
        ["list", "--user", "ann", "--events-file", ""],
    ):
        assert "is empty" in am.failed(2, *command, cwd=folder), command
    assert list(folder.iterdir()) == []
    assert am.texts("ann") == ["likes tea"]
