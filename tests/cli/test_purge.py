from datetime import timedelta

import pytest

from tests.helpers import add


@pytest.fixture
def stored(memory, clock):
    for number in range(3):
        add(memory, f"n{number}", id=f"r{number}")
        clock.forward(days=1)
    add(memory, "of bob", user="bob", session="s", id="b")
    add(memory, "due", id="due", expires_at=clock.now + timedelta(hours=1))
    memory.close()


def test_a_dry_run_names_what_would_go(stored, am):
    data = am.json("purge", "--before", "2024-06-08T12:00:00Z", "--dry-run")
    assert set(data["ids"]) == {"due", "r0"}
    assert (data["expired"], data["older"], data["deleted"]) == (1, 1, 0)
    shown = am.ok("purge", "--dry-run").lines
    assert shown[1:] == ["due"]
    assert len(am.texts("ann")) == 3


def test_more_than_allowed_is_refused_and_nothing_goes(stored, am):
    assert "--max-delete" in am.failed(4, "purge", "--max-delete", "0", "--yes")
    assert "--max-delete" in am.failed(
        4, "purge", "--older-than", "1d", "--max-delete", "4", "--yes"
    )
    whole = am.json("export", "--all", "--include-expired")
    assert whole["summary"]["count"] == 5
    assert am.json("purge", "--older-than", "1d", "--max-delete", "5", "--yes")["deleted"] == 5


def test_a_scope_narrows_it(stored, am):
    for scope in (["--user", "nobody"], ["--user", "bob", "--session", "t"]):
        assert am.json("purge", "--older-than", "1d", "--dry-run", *scope)["ids"] == []
    purged = am.json("purge", "--older-than", "1d", "--yes", "--user", "bob", "--session", "s")
    assert purged["ids"] == ["b"]
    assert len(am.texts("ann")) == 3


def test_at_a_terminal_it_asks_only_when_there_is_something(stored, am):
    assert am.at_terminal("purge", answers=("n",)).code == 4
    assert am.at_terminal("purge", answers=("y",)).code == 0
    assert am.at_terminal("purge").code == 0
    assert am.ok("purge").out.startswith("deleted 0")


def test_what_contradicts_itself_is_refused(stored, am):
    am.failed(2, "purge", "--older-than", "1d", "--before", "2024-01-01", "--yes")
    am.failed(2, "purge", "--max-delete", "-1", "--yes")
