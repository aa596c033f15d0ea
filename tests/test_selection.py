"""Filters compare as JSON does; a selection admits what it says."""

import json
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_cli import MemoryScope, Selection, StoredRecord
from agent_memory_cli.selection import matches, same_json
from tests.helpers import NOW

_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)

ALIKE = [True, 1, "1", "true", "True", None, "null", 0, False, "", [], {}, [1], ["1"], {"a": 1}]


@pytest.mark.parametrize("one", ALIKE, ids=repr)
def test_values_that_only_look_alike_differ(one):
    assert sum(same_json(one, other) for other in ALIKE) == 1


def test_one_is_one_point_zero_as_in_json():
    assert same_json(1, 1.0)
    assert same_json({"a": [1.0]}, {"a": [1]})
    assert not same_json([True], [1])
    assert not same_json({"a": False}, {"a": 0})


@given(_json)
def test_a_value_is_itself_before_and_after_json(value):
    assert same_json(value, value)
    assert same_json(value, json.loads(json.dumps(value)))


@given(_json, _json)
def test_comparing_is_symmetric(one, other):
    assert same_json(one, other) == same_json(other, one)


def test_every_key_of_a_filter_has_to_be_there():
    assert matches({"a": 1, "b": None}, {"b": None})
    assert not matches({"a": 1}, {"b": None})
    assert not matches({"a": {"b": 1}}, {"a.b": 1})
    assert matches({}, {})


def _stored(**fields) -> StoredRecord:
    return StoredRecord(
        **{"id": "1", "scope": {"user_id": "ann"}, "text": "x", "created_at": NOW} | fields
    )


def test_a_window_includes_its_start_and_excludes_its_end():
    step, ann = timedelta(microseconds=1), MemoryScope(user_id="ann")
    record = _stored()
    assert Selection(ann, since=NOW, until=NOW + step).admits(record, NOW, None)
    assert not Selection(ann, until=NOW).admits(record, NOW, None)
    assert not Selection(ann, since=NOW + step).admits(record, NOW, None)


def test_expired_records_are_admitted_only_when_asked_for():
    due = _stored(expires_at=NOW)
    assert not Selection(None).admits(due, NOW, None)
    assert Selection(None, include_expired=True).admits(due, NOW, None)
    assert not Selection(None).admits(_stored(), NOW + timedelta(days=2), 1)
    alone = Selection(None, only_expired=True)
    assert alone.admits(due, NOW, None)
    assert alone.admits(_stored(), NOW + timedelta(days=2), 1)
    assert not alone.admits(_stored(), NOW, None)


def test_no_scope_admits_everybody_and_a_scope_only_its_own():
    assert Selection(None).admits(_stored(), NOW, None)
    assert not Selection(MemoryScope(user_id="ben")).admits(_stored(), NOW, None)
    assert not Selection(MemoryScope(user_id="ann", session_id="s")).admits(_stored(), NOW, None)
