"""Where SQLite has no FTS5, everything goes on with LIKE, and says so."""

import logging

import pytest

from agent_memory_cli import MemoryScope, SQLiteMemory
from agent_memory_cli.backends.sqlite import schema
from tests.helpers import (
    NOW,
    Clock,
    add,
    found,
    looking_into,
    row,
    texts,
    troubles,
    words_in_index,
    wrong_counts,
)

ANN = MemoryScope(user_id="ann")


@pytest.fixture
def fts5(monkeypatch):
    """Takes FTS5 away, and gives it back."""
    real = schema.has_fts5

    def there(there: bool) -> None:
        monkeypatch.setattr(schema, "has_fts5", real if there else lambda: False)

    return there


@pytest.fixture
def opened(path):
    made = []

    def open_() -> SQLiteMemory:
        for old in made:
            old.close()
        made.append(SQLiteMemory(path, busy_timeout=2, clock=Clock()))
        return made[-1]

    yield open_
    for memory in made:
        memory.close()


def test_searching_warns_and_finds_words_of_the_scope_only(opened, fts5, caplog):
    fts5(False)
    memory = opened()
    add(memory, "green tea", "black Tea and rain", "sun")
    add(memory, "tea of bob", user="bob")
    with caplog.at_level(logging.WARNING):
        assert found(memory, "tea rain", ANN) == ["black Tea and rain", "green tea"]
    assert "LIKE" in caplog.text
    assert "green" not in caplog.text
    assert found(memory, "tea", ANN, 1) == ["black Tea and rain"]


@pytest.mark.parametrize("query", ["%", "_", "100%", "a_c", "\\", "'", "a" * 60_000, "é" * 30_000])
def test_no_query_is_a_pattern(opened, fts5, query):
    fts5(False)
    memory = opened()
    add(memory, "abc", "plain")
    assert found(memory, query, ANN) == []


def test_an_underscore_is_itself(opened, fts5):
    fts5(False)
    memory = opened()
    add(memory, "abc", "a_c")
    assert found(memory, "a_c", ANN) == ["a_c"]


def test_everything_else_works_without_an_index(opened, fts5):
    fts5(False)
    memory = opened()
    ids = add(memory, "zqxone stays here", "zqxtwo goes away")
    add(memory, "zqxthree is erased", user="bob")
    assert memory.get_sync(ids[0]).text == "zqxone stays here"
    assert memory.delete_sync([ids[1]]) == 1
    assert texts(memory, ANN) == ["zqxone stays here"]
    report = memory.erase_sync(memory.erasure_plan_sync("bob"))
    assert (report.deleted, report.incomplete) == (1, ())
    assert memory.purge_sync() == 0
    assert [t for t in troubles(memory) if t[0] != "store.index"] == []
    assert row(memory, "store.index").status == "warn"


def test_with_fts5_back_the_doctor_makes_the_index(opened, fts5):
    fts5(False)
    add(opened(), "green tea", "running in the rain")
    fts5(True)
    memory = opened()
    assert found(memory, "runs", ANN) == []
    assert row(memory, "store.index").fixable
    assert row(memory, "store.index", fix=True).status == "ok"
    assert found(memory, "runs", ANN) == ["running in the rain"]
    assert troubles(memory) == []
    assert wrong_counts(memory) == []


def test_what_was_written_and_deleted_without_fts5_is_mended_too(opened, fts5):
    memory = opened()
    ids = add(memory, "zqxone", "zqxtwo", "zqxthree")
    fts5(False)
    memory = opened()
    memory.delete_sync(ids[:1])
    add(memory, "zqxfour")
    assert found(memory, "zqxfour", ANN) == ["zqxfour"]
    fts5(True)
    memory = opened()
    assert found(memory, "zqxfour", ANN) == ["zqxfour"]
    add(memory, "zqxfive", expires_at=NOW.replace(year=2030))
    assert row(memory, "store.index", fix=True).status == "ok"
    assert found(memory, "zqxone", ANN) == []
    assert [found(memory, f"zqx{n}", ANN) for n in ("two", "three", "four", "five")] == [
        ["zqxtwo"], ["zqxthree"], ["zqxfour"], ["zqxfive"]
    ]  # fmt: skip
    assert wrong_counts(memory) == []


def test_an_erasure_that_cannot_rewrite_the_index_is_not_called_done(opened, fts5, path):
    memory = opened()
    add(memory, "zqxcamel zqxcanary")
    add(memory, "zqxcat stays", user="bob")
    fts5(False)
    memory = opened()
    report = memory.erase_sync(memory.erasure_plan_sync("ann"))
    assert any("FTS5" in reason for reason in report.incomplete)
    assert row(memory, "store.erasures").status == "fail"
    fts5(True)
    memory = opened()
    plan = memory.erasure_plan_sync("ann")
    assert plan.unfinished
    assert memory.erase_sync(plan).incomplete == ()
    memory.close()
    assert {word for word in words_in_index(path) if word.startswith("zqx")} == {"zqxcat"}
    assert troubles(opened()) == []


def test_a_purge_with_fts5_back_rewrites_an_index_that_kept_deleted_words(opened, fts5, path):
    memory = opened()
    ids = add(memory, "zqxcamel", "zqxcat stays")
    fts5(False)
    opened().delete_sync(ids[:1])
    fts5(True)
    memory = opened()
    assert row(memory, "store.scrub").status == "warn"
    memory.purge_sync()
    memory.close()
    assert "zqxcamel" not in words_in_index(path)
    with looking_into(path) as connection:
        assert connection.pragma("integrity_check") == "ok"
    assert troubles(opened()) == []
