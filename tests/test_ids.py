"""What may be an id, and how ours are made."""

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_cli import ids
from agent_memory_cli.ids import check_id, check_unicode, look_alike_key, new_id


@pytest.mark.parametrize("value", ["", " ", "\t\n", "\u2003", "x" * 513, "a\ud800"])
def test_what_cannot_be_an_id_is_refused(value):
    with pytest.raises(ValueError):
        check_id(value)


@pytest.mark.parametrize("value", ["-rf", "../../etc/x", "%", "two\nlines", "x" * 512, " ann "])
def test_an_id_is_taken_as_it_is(value):
    assert check_id(value) == value


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_real_unicode_passes(value):
    assert check_unicode(value) == value


def test_our_ids_are_uuids_of_version_7_and_distinct():
    made = [new_id() for _ in range(1000)]
    assert len(set(made)) == len(made)
    assert {(uuid.UUID(one).version, uuid.UUID(one).variant) for one in made} == {
        (7, uuid.RFC_4122)
    }


def test_our_ids_order_by_time(monkeypatch):
    made = []
    for second in (1, 2, 3_000_000_000):
        monkeypatch.setattr(ids.time, "time_ns", lambda second=second: second * 10**9)
        made.append(new_id())
    assert made == sorted(made)
    assert int(made[1].replace("-", "")[:12], 16) == 2000


@pytest.mark.parametrize(
    "other", ["ANN", " ann", "ann.", "a-n-n", "änn".replace("ä", "a\u0308"), "ａｎｎ"]
)
def test_ids_that_people_may_mix_up_share_a_key(other):
    assert look_alike_key(other) == look_alike_key("ann")


def test_different_names_have_different_keys():
    assert len({look_alike_key(name) for name in ("ann", "ben", "ann2", "anna")}) == 4
