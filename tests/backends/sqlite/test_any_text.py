"""Any text as a query, any Unicode text and JSON metadata as a record."""

import math

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from agent_memory_cli import MemoryScope, Selection, SQLiteMemory
from agent_memory_cli.backends.sqlite import schema
from agent_memory_cli.selection import same_json
from tests.helpers import NOW, Clock, add, found, record, troubles

ANN = MemoryScope(user_id="ann")
_any = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
_text = _any.filter(lambda text: text.strip())
_SYNTAX = """tea rain AND OR NOT NEAR( " ' * ( ) { } : ^ - + text: % _ \\ ; -- /* 🙂 東京 ا"""
_syntax = st.lists(st.sampled_from([*_SYNTAX.split(" "), " ", "\0", "\u0301"]), max_size=8).map(
    "".join
)
_json = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | _any,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_any, inner, max_size=3),
    max_leaves=6,
)


@pytest.fixture(scope="module")
def crowd(tmp_path_factory):
    memory = SQLiteMemory(tmp_path_factory.mktemp("any") / "m.db", clock=Clock())
    add(memory, "green tea in the rain", "東京で会議", "C++ don't", "a_b 100%")
    for user in ("bob", "ANN", "%"):
        add(memory, "green tea in the rain", "東京で会議", "x", user=user)
    memory.add_sync([record("green tea", None, agent="ann")])
    return memory


@pytest.fixture
def without_fts5(monkeypatch):
    monkeypatch.setattr(schema, "has_fts5", lambda: False)


@settings(max_examples=150)
@given(_any | _syntax)
@example("\u1e9e \u0130 ſ K Å")
@example("e\u0301\u0301\u0301 \u200d\u200b")
def test_any_query_gives_no_error_and_no_foreign_record(crowd, query):
    hits = crowd.search_sync(query, scope=ANN, k=50)
    assert {hit.record.scope.user_id for hit in hits} <= {"ann"}
    assert len({hit.record.id for hit in hits}) == len(hits) <= 4
    assert all(math.isfinite(hit.score) for hit in hits)


@settings(max_examples=60)
@given(_any | _syntax)
def test_any_query_gives_no_error_without_fts5_either(crowd, without_fts5, query):
    hits = crowd.search_sync(query, scope=ANN, k=50)
    assert {hit.record.scope.user_id for hit in hits} <= {"ann"}


@settings(max_examples=60)
@given(st.lists(_text, min_size=1, max_size=5))
def test_a_record_is_found_by_its_own_words(tmp_path_factory, texts):
    memory = SQLiteMemory(tmp_path_factory.mktemp("m") / "m.db", clock=Clock())
    add(memory, *texts)
    for text in texts:
        hits = found(memory, text, ANN, 50)
        words = "".join(c if c.isalnum() else " " for c in text).split()
        if words and all(word.isascii() for word in words):
            assert text in hits
    memory.close()


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(_text, st.dictionaries(_any, _json, max_size=3), _text, st.none() | _text),
        min_size=1,
        max_size=4,
    )
)
def test_any_text_ids_and_metadata_come_back_as_they_were(tmp_path_factory, rows):
    memory = SQLiteMemory(tmp_path_factory.mktemp("m") / "m.db", clock=Clock())
    stored = memory.add_sync(
        [record(text, user, session, metadata=data) for text, data, user, session in rows]
    )
    for one, (text, data, user, session) in zip(stored, rows, strict=True):
        again = memory.get_sync(one.id)
        assert again == one
        assert (again.text, again.scope.user_id, again.scope.session_id) == (text, user, session)
        assert same_json(again.metadata, data)
        assert [type(v) for v in again.metadata.values()] == [type(v) for v in data.values()]
        assert one in memory.export_sync(MemoryScope(user_id=user))
    everything = [one for batch in memory.stream_sync(Selection(None)) for one in batch]
    assert sorted(everything, key=lambda r: r.id) == sorted(stored, key=lambda r: r.id)
    assert troubles(memory) == []
    memory.close()


@given(st.datetimes(max_value=NOW.replace(tzinfo=None)))
def test_any_time_comes_back_as_it_was(tmp_path_factory, moment):
    memory = SQLiteMemory(tmp_path_factory.mktemp("m") / "m.db", clock=Clock())
    [one] = memory.add_sync([record("tea", created_at=moment, updated_at=moment)])
    assert memory.get_sync(one.id) == one
    assert one.created_at.replace(tzinfo=None) == moment
    memory.close()


@pytest.mark.parametrize("text", ["x" * 3_000_000, "\0", "a\0b", "\ufeffbom", "a\u2028b\u0085c"])
def test_odd_texts_are_kept_whole(memory, text):
    [id_] = add(memory, text)
    assert memory.get_sync(id_).text == text
