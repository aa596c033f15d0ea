"""Keyword search: what is found, in which order, at a cost and rank that the scope alone decides."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_memory_cli import MemoryScope, SQLiteMemory
from tests.helpers import NOW, Clock, add, found, record

ANN = MemoryScope(user_id="ann")


def _store(tmp_path_factory) -> SQLiteMemory:
    return SQLiteMemory(tmp_path_factory.mktemp("search") / "m.db", clock=Clock())


@pytest.mark.parametrize("query", ["", " ", "\n\t"])
def test_an_empty_query_lists_the_newest_of_the_scope_first(memory, clock, query):
    for number in range(5):
        add(memory, f"ann {number}")
        add(memory, f"bob {number}", user="bob")
        clock.forward(seconds=1)
    assert found(memory, query, ANN, 3) == ["ann 4", "ann 3", "ann 2"]
    assert found(memory, query, MemoryScope(user_id="carl"), 3) == []


def test_the_newest_is_by_time_and_then_by_the_order_of_storing(memory, clock):
    clock.forward(days=1)
    add(memory, "today")
    memory.add_sync([record("first", created_at=NOW), record("second", created_at=NOW)])
    assert found(memory, "", ANN) == ["today", "second", "first"]


def test_a_small_user_is_not_crowded_out_at_any_k(memory):
    memory.add_all_sync([[record(f"likes tea number {n}", "bob") for n in range(5000)]])
    add(memory, "green tea", "tea with milk", "no more tea today")
    for k in range(1, 9):
        hits = memory.search_sync("tea", scope=ANN, k=k)
        assert len(hits) == min(k, 3)
        assert {hit.record.scope.user_id for hit in hits} == {"ann"}
    assert len(found(memory, "tea", MemoryScope(user_id="bob"), 4000)) == 4000


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("runs", "she is running"),
        ("RUNNING", "she runs"),
        ("cafe", "a small Café"),
        ("café", "a small cafe"),
        ("what did she say about tea", "tea"),
        ("well-known", "a well-known fix"),
        ("don't", "please don't"),
        ("20.04", "version 20.04"),
        ("GB/s", "3 GB/s"),
        ("C++", "in C++"),
        ("AND", "this AND that"),
        ('he said "hi', "hi there"),
        ("the", "the"),
    ],
)
def test_words_are_found_by_their_stem_whatever_stands_around_them(memory, query, text):
    add(memory, "nothing alike", text, "another thing")
    assert found(memory, query, ANN)[:1] == [text]


@pytest.mark.parametrize(
    "query", ['"', "*", "''", "(", "NEAR(", "^", "{x", "🙂", "a" * 100_000, "- -", "\0"]
)
def test_what_holds_no_known_word_finds_nothing(memory, query):
    add(memory, "green tea")
    assert found(memory, query, ANN) == []


def test_the_best_match_comes_first_and_scores_descend(memory):
    add(memory, "tea", "some tea and rain", "rain rain tea tea tea", "sun " * 30 + "tea")
    hits = memory.search_sync("tea rain", scope=ANN, k=10)
    assert hits[0].record.text == "rain rain tea tea tea"
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_a_window_of_time_includes_its_start_and_excludes_its_end(memory, clock):
    for number in range(4):
        add(memory, f"tea {number}")
        clock.forward(hours=1)
    start, end = memory.export_sync(ANN)[1].created_at, memory.export_sync(ANN)[3].created_at
    assert sorted(found(memory, "tea", ANN, since=start, until=end)) == ["tea 1", "tea 2"]
    assert found(memory, "", ANN, since=start, until=end) == ["tea 2", "tea 1"]


_words = st.lists(
    st.sampled_from(["tea", "rain", "sun", "camel", "runs", "running", "the", "of"]), min_size=1
)
_texts = st.lists(_words.map(" ".join), min_size=1, max_size=8)


def _ranked(memory, query, scope):
    return [(h.record.text, h.score) for h in memory.search_sync(query, scope=scope, k=50)]


@settings(max_examples=25)
@given(own=_texts, others=_texts, query=_words.map(" ".join))
def test_scores_and_order_are_bit_for_bit_the_same_whatever_others_store(
    tmp_path_factory, own, others, query
):
    alone, crowded = _store(tmp_path_factory), _store(tmp_path_factory)
    add(alone, *own)
    memory_of_others = [record(text, user) for text in others for user in ("bob", "ann2")]
    memory_of_others += [record(text, None, agent="helper") for text in others]
    crowded.add_sync(memory_of_others[::2])
    for text in own:
        add(crowded, text)
        crowded.add_sync([record(query, "bob")])
    crowded.add_sync(memory_of_others[1::2])
    assert _ranked(alone, query, ANN) == _ranked(crowded, query, ANN)
    alone.close()
    crowded.close()


@settings(max_examples=25)
@given(mine=_texts, others=_texts, query=_words.map(" ".join), field=st.sampled_from("sa"))
def test_a_narrower_scope_has_statistics_of_its_own(tmp_path_factory, mine, others, query, field):
    name = {"s": "session", "a": "agent"}[field]
    alone, shared = _store(tmp_path_factory), _store(tmp_path_factory)
    scope = MemoryScope(user_id="ann", **{f"{name}_id": "one"})
    for text in mine:
        alone.add_sync([record(text, **{name: "one"})])
        shared.add_sync([record(text, **{name: "one"})])
        shared.add_sync([record(other, **{name: "two"}) for other in others])
    assert _ranked(alone, query, scope) == _ranked(shared, query, scope)
    alone.close()
    shared.close()


def test_deleting_restores_the_order_of_before(memory):
    add(memory, "tea tea rain", "rain rain tea", "sun and tea", "a lot of rain and sun")
    before = _ranked(memory, "tea rain", ANN)
    ids = add(memory, *("tea rain sun " * n for n in range(1, 20)))
    assert _ranked(memory, "tea rain", ANN) != before
    memory.delete_sync(ids)
    assert _ranked(memory, "tea rain", ANN) == before


def test_more_words_than_a_question_has_are_no_error(memory):
    add(memory, "tea")
    assert found(memory, "tea " + " ".join(f"word{n}" for n in range(5000)), ANN) == ["tea"]
