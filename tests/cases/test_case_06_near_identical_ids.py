"""Case 6: ids that differ by case, Unicode form, a wildcard or an ending are different people."""

import unicodedata

import pytest

from tests.helpers import add

JOSE = unicodedata.normalize("NFC", "josé")
JOSE_APART = unicodedata.normalize("NFD", "josé")
PEOPLE = (
    "ann", "ann2", "an", "an_n", "anXn", "ANN", "%", "an%", "_", "*", "ann*", "[a]nn",
    "ann/x", "ann ", " ann", JOSE, JOSE_APART, "ｊosé", "1", "01", "1.0", "ann\x00", "İ", "i",
)  # fmt: skip


@pytest.fixture
def peopled(memory):
    for who in PEOPLE:
        add(memory, f"a word of {who!a}", user=who, session="s", agent=who)
    return memory


def _left(memory) -> set[str]:
    return {one.user_id for one in memory.users_sync() if one.records}


def test_every_command_touches_exactly_one_id(peopled, am):
    for who in ("an_n", "ANN", JOSE):
        assert am.texts(who) == [f"a word of {who!a}"], who
    for who, listed in (("an_n", ["list"]), (JOSE_APART, ["export"]), ("%", ["search", "word"])):
        data = am.json(*listed, "--user", who)
        records = data.get("records") or data.get("hits")
        assert [record["user_id"] for record in records] == [who]


def test_erasing_one_leaves_all_the_others(peopled, am):
    left = set(PEOPLE)
    for who in ("an_n", "%", "ann", JOSE, " ann"):
        receipt = am.json("erase-user", "--yes", "--", who)
        assert receipt["report"]["deleted"] == 1, who
        left.remove(who)
        assert _left(peopled) == left


def test_purge_in_a_scope_touches_exactly_that_scope(peopled, am):
    data = am.json("purge", "--user", "an_n", "--before", "2025-01-01", "--yes")
    assert data["deleted"] == 1
    assert _left(peopled) == set(PEOPLE) - {"an_n"}


def test_erasing_names_look_alikes_that_it_leaves(peopled, am):
    erased = am.ok("erase-user", "ann", "--yes")
    for other in ("ANN", "an_n", "ann "):
        assert f"left alone, since ids are compared exactly: {other}\n" in erased.err
    erased = am.ok("erase-user", JOSE, "--yes")
    assert JOSE_APART in erased.err


def test_a_mistyped_id_is_not_found_and_look_alikes_are_named(peopled, am):
    message = am.failed(3, "erase-user", "Ann", "--yes")
    assert {line.removeprefix("  ") for line in message.split("\n")} >= {"ann", "ANN", "an_n"}
    assert am.failed(3, "erase-user", "nobody at all", "--yes").count("\n") == 1
    assert _left(peopled) == set(PEOPLE)


def test_get_and_delete_by_id_compare_exactly(memory, am):
    add(memory, "one", user="ann", id="Rec_1")
    for near in ("rec_1", "Rec%", "Rec_", "Rec_1 ", "RecX1"):
        am.failed(3, "get", near)
        am.failed(3, "delete", near, "--yes")
    assert am.json("delete", "Rec_1", "--yes")["deleted"] == 1
