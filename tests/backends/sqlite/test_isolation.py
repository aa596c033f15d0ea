"""Ids are compared exactly, everywhere, and a blank one is never everybody."""

import pytest
from pydantic import ValidationError

from agent_memory_cli import MemoryScope, Selection, ToolUsageError
from tests.helpers import add, found, record, texts

NFC, NFD = "jos\u00e9", "jose\u0301"
LOOK_ALIKES = [
    *("ann", "ann2", "an_n", "anXn", "ANN", "%", "_", "*", "ann/x", "ann ", " ann", "a'n\"n"),
    *("-rf", "../../etc/x", "two\nlines", "a\0b", "\u0391nn", "1", "01", "1.0", "é" * 300),
    *(NFC, NFD, "😀", "null", "None"),
]


@pytest.fixture
def crowd(memory):
    memory.add_sync([record(f"tea of {n}", user) for n, user in enumerate(LOOK_ALIKES)])
    memory.add_sync([record("tea of nobody", None, agent="ann")])
    return memory


@pytest.mark.parametrize("number", range(len(LOOK_ALIKES)))
def test_each_id_sees_its_own_record_only(crowd, number):
    scope, own = MemoryScope(user_id=LOOK_ALIKES[number]), [f"tea of {number}"]
    assert texts(crowd, scope) == own
    assert found(crowd, "tea", scope, 50) == own
    assert found(crowd, "", scope, 50) == own
    assert crowd.count_sync(Selection(scope)) == 1
    assert crowd.erasure_plan_sync(LOOK_ALIKES[number]).records == 1


@pytest.mark.parametrize("user", ["an_n", "%", "ann", NFD, "a\0b", "*"])
def test_deleting_and_erasing_touch_exactly_one_id(crowd, user):
    others = [other for other in LOOK_ALIKES if other != user]
    assert crowd.delete_sync(scope=MemoryScope(user_id=user)) == 1
    add(crowd, "again", user=user)
    assert crowd.erase_sync(crowd.erasure_plan_sync(user)).deleted == 1
    assert {one.user_id for one in crowd.users_sync()} == {*others, None}
    assert all(len(texts(crowd, MemoryScope(user_id=other))) == 1 for other in others)


def test_the_plan_names_the_look_alikes_that_are_left(crowd):
    assert set(crowd.erasure_plan_sync(NFC).look_alikes) == {NFD}
    left = crowd.erasure_plan_sync("ann").look_alikes
    assert {"ANN", "an_n", "ann ", " ann"} <= set(left)
    assert not {"ann", "ann2", "anXn", "%"} & set(left)
    assert "ann" in crowd.erasure_plan_sync("Ann").look_alikes


@pytest.mark.parametrize("field", ["session", "agent"])
def test_sessions_and_agents_are_exact_too(memory, field):
    values = ["s", "S", "s_", "s%", "s ", "1", "01", NFC, NFD]
    memory.add_sync([record(f"tea {v}", "ann", **{field: v}) for v in values])
    for value in values:
        scope = MemoryScope(user_id="ann", **{f"{field}_id": value})
        assert texts(memory, scope) == found(memory, "tea", scope, 50) == [f"tea {value}"]
    assert len(texts(memory, MemoryScope(user_id="ann"))) == len(values)


def test_a_session_of_one_user_is_not_that_of_another(memory):
    memory.add_sync([record("tea of ann", "ann", "s"), record("tea of bob", "bob", "s")])
    memory.add_sync([record("tea of nobody", None, "s")])
    assert texts(memory, MemoryScope(session_id="s")) == ["tea of nobody"]
    assert texts(memory, MemoryScope(user_id="bob", session_id="s")) == ["tea of bob"]
    assert memory.delete_sync(scope=MemoryScope(session_id="s")) == 1
    assert memory.count_sync(Selection(None)) == 2


def test_record_ids_are_exact(crowd):
    crowd.add_sync([record("x", "bob", id="a_c"), record("y", "bob", id="abc")])
    assert crowd.delete_sync(["a_c", "a%", "ABC", "a_c"]) == 1
    assert crowd.get_sync("abc").text == "y"
    assert crowd.get_sync("ABC") is None


def test_ids_within_a_scope_are_deleted_only_in_it(memory, ann, bob):
    [one], [two] = add(memory, "tea"), add(memory, "tea", user="bob")
    assert memory.delete_sync([one, two], scope=bob) == 1
    assert memory.get_sync(one, scope=ann) is not None
    assert memory.delete_sync([one], scope=MemoryScope(user_id="nobody-known")) == 0
    assert memory.delete_sync([], scope=ann) == 0
    assert memory.get_sync(one) is not None


@pytest.mark.parametrize("blank", ["", " ", "\t"])
def test_a_blank_id_is_refused_everywhere_and_changes_nothing(crowd, blank):
    for call in (
        lambda: MemoryScope(user_id=blank),
        lambda: MemoryScope(user_id="ann", session_id=blank),
        lambda: record("x", blank),
        lambda: record("x", id=blank),
    ):
        with pytest.raises(ValidationError):
            call()
    for call in (
        lambda: crowd.get_sync(blank),
        lambda: crowd.delete_sync([blank]),
        lambda: crowd.erasure_plan_sync(blank),
    ):
        with pytest.raises(ToolUsageError):
            call()
    assert crowd.count_sync(Selection(None)) == len(LOOK_ALIKES) + 1


def test_metadata_cannot_move_a_record_to_another_scope(memory, ann, bob):
    lie = {"user_id": "bob", "scope": {"user_id": "bob"}, "session_id": "s"}
    memory.add_sync([record("tea", metadata=lie)])
    assert texts(memory, bob) == []
    assert texts(memory, MemoryScope(user_id="ann", session_id="s")) == []
    assert texts(memory, ann) == ["tea"]


def test_a_given_id_is_unique_in_the_store_and_the_whole_batch_is_refused(memory, ann, bob):
    memory.add_sync([record("first", "bob", id="same")])
    with pytest.raises(ToolUsageError):
        memory.add_sync([record("other"), record("second", id="same")])
    assert texts(memory, ann) == []
    assert texts(memory, bob) == ["first"]
