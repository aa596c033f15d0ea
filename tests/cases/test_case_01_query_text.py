"""Case 1: what people type is searched for, never parsed as a query language."""

import pytest

from tests.helpers import add, found

TEXT = "well-known C++ fix: don't retry at 20.04 GB/s AND log"
FINDING = ("well-known", "don't", "fix:", "20.04", "GB/s", "C++", "AND")
WORDLESS = ('"', "*", "🙂", "''", '""', "^", "-", "(", "{}", "--", "%", "_", "\\", ";", "\u200b")
SYNTAX = (
    'he said "hi', "(log", "log OR", "-rf", "^fix", "{x}", "NEAR(", "fix NOT log", "text:log",
    "log*", "NEAR(fix log, 2)", "record_text", "rowid:1", "a AND", "'; DROP TABLE record; --",
    'x" OR "y', "log + fix", "{text} : log", "\x00log", "OR", "NOT", "NEAR",
)  # fmt: skip


@pytest.fixture
def stored(memory, am):
    add(memory, "older than the other", TEXT)
    add(memory, TEXT, "log log log", user="bob")
    return memory


def test_ordinary_words_with_punctuation_find_their_record(stored, ann):
    for query in FINDING:
        assert TEXT in found(stored, query, ann), query


def test_query_syntax_is_no_error_and_gives_no_foreign_record(stored, ann):
    for query in (*SYNTAX, *FINDING, *WORDLESS):
        hits = stored.search_sync(query, scope=ann, k=10)
        assert {hit.record.scope.user_id for hit in hits} <= {"ann"}, query


def test_a_query_without_a_word_matches_nothing(stored, ann):
    for query in WORDLESS:
        assert found(stored, query, ann) == [], query


def test_an_empty_query_lists_the_newest_of_the_scope_alone(stored, ann):
    for query in ("", "   ", "\t\n"):
        assert found(stored, query, ann) == [TEXT, "older than the other"], query


def test_the_command_takes_the_same_queries(stored, am):
    """One query of each kind through the whole command line."""
    assert am.json("search", "--user", "ann", "--", "don't")["hits"][0]["text"] == TEXT
    assert am.json("search", "--user", "ann", "--", "-rf")["hits"] == []
    assert am.json("search", "--user", "ann", "--", 'x" OR "log')["hits"][0]["text"] == TEXT
    assert len(am.json("search", "--user", "ann", "--", "'   '")["hits"]) == 0
    assert len(am.json("search", "--user", "ann", "--", "   ")["hits"]) == 2
    nothing = am.ok("search", "--user", "ann", "--", "🙂")
    assert (nothing.out, nothing.err) == ("", "no match\n")
    assert "goes after --" in am.failed(2, "search", "--user", "ann", "-rf")
