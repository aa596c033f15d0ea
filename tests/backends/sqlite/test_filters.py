"""Metadata filters match exactly, whatever keys and values look like."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_cli import MemoryScope, Selection, SQLiteMemory
from agent_memory_cli.selection import matches
from tests.helpers import Clock, found, record

ANN = MemoryScope(user_id="ann")
VALUES = [True, 1, 2, "1", "true", None, "null", 0, False, "", [], {}, [1], ["1"], {"a": 1}, "1.0"]
KEYS = [
    *("a", "A", "a.b", "$", "$.a", "$[0]", "[0]", '"', "'", "a'b", 'a"b', "a b", "", " ", "%", "_"),
    *("a\0b", "\\", "a\\u0062", "é", "e\u0301", "' OR 1=1 --", "*", "a[b]", "😀"),
]


@pytest.fixture(scope="module")
def values(tmp_path_factory):
    memory = SQLiteMemory(tmp_path_factory.mktemp("filters") / "m.db")
    memory.add_sync([record(f"tea {n}", metadata={"v": v}) for n, v in enumerate(VALUES)])
    memory.add_sync([record("tea without")])
    return memory


@pytest.mark.parametrize("number", range(len(VALUES)), ids=lambda n: repr(VALUES[n]))
@pytest.mark.parametrize("query", ["tea", ""])
def test_a_value_finds_its_own_record_only(values, number, query):
    filters = {"v": VALUES[number]}
    assert found(values, query, ANN, 50, filters=filters) == [f"tea {number}"]
    assert values.count_sync(Selection(ANN, filters=filters)) == 1


def test_one_finds_one_point_zero(values):
    assert found(values, "tea", ANN, 50, filters={"v": 1.0}) == ["tea 1"]


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    memory = SQLiteMemory(tmp_path_factory.mktemp("filters") / "m.db")
    memory.add_sync([record(f"tea {n}", metadata={key: 1}) for n, key in enumerate(KEYS)])
    memory.add_sync([record("tea nested", metadata={"n": {"b": 1}, "list": [1]})])
    return memory


@pytest.mark.parametrize("number", range(len(KEYS)), ids=lambda n: repr(KEYS[n]))
def test_a_key_is_a_key_and_never_a_path(keys, number):
    assert found(keys, "tea", ANN, 50, filters={KEYS[number]: 1}) == [f"tea {number}"]


@pytest.mark.parametrize("path", ["n.b", "$.n.b", "n", "list[0]", "$.list[0]", "list"])
def test_a_path_finds_nothing_inside(keys, path):
    assert found(keys, "tea", ANN, 50, filters={path: 1}) == []


def test_nested_values_are_compared_whole(keys):
    assert found(keys, "tea", ANN, filters={"n": {"b": 1}}) == ["tea nested"]
    assert found(keys, "tea", ANN, filters={"n": {}}) == []
    assert found(keys, "tea", ANN, filters={"n": {"b": 1}, "list": [1]}) == ["tea nested"]
    assert found(keys, "tea", ANN, filters={"n": {"b": 1}, "list": [2]}) == []


def test_filters_apply_before_the_best_are_taken(memory, ann):
    memory.add_sync([record("tea tea tea") for _ in range(300)])
    memory.add_sync([record("some tea and much else", metadata={"kind": "rare"})])
    for k in (1, 5):
        assert found(memory, "tea", ann, k, filters={"kind": "rare"}) == ["some tea and much else"]
        assert found(memory, "", ann, k, filters={"kind": "rare"}) == ["some tea and much else"]


_values = st.recursive(
    st.sampled_from([None, True, False, 0, 1, 1.0, -0.0, "1", "", "é", 2**53, 2**63, 1e300]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner),
    max_leaves=4,
)
_metadata = st.dictionaries(st.sampled_from(["a", "b", "$.a", '"']), _values, max_size=3)


@given(st.lists(_metadata, min_size=1, max_size=6), _metadata)
def test_the_store_filters_as_the_model_does(tmp_path_factory, stored, filters):
    memory = SQLiteMemory(tmp_path_factory.mktemp("m") / "m.db", clock=Clock())
    memory.add_sync([record(f"tea {n}", metadata=m) for n, m in enumerate(stored)])
    expected = [f"tea {n}" for n, m in enumerate(stored) if matches(m, filters)]
    assert sorted(found(memory, "tea", ANN, 50, filters=filters)) == expected
    memory.close()
