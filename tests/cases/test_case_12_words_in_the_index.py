"""Case 12: no erased word is left in the search index, not even as the end of a prefix."""

import pytest

from tests.cli.runner import jsonl
from tests.helpers import add, bytes_of, found, looking_into, residue_scan, words_in_index


@pytest.fixture
def neighbours(memory):
    """Words of ann beside words of bob that share their beginnings."""
    add(memory, *(f"filler number {n} about tea" for n in range(200)), user="bob")
    add(memory, "zqxcanak likes zqxcamel", user="ann", session="zqxsession", agent="zqxagent")
    add(memory, "zqxca other", "zqxcab and more", user="bob")
    memory.close()
    return memory


def test_an_erased_word_is_in_no_page_of_the_index(neighbours, am, bob):
    assert {"zqxcanak", "zqxcamel"} <= words_in_index(am.path)
    am.ok("erase-user", "ann", "--yes")
    assert not {"zqxcanak", "zqxcamel"} & words_in_index(am.path)
    assert b"zqx" in bytes_of(am.path)
    for word in (b"zqxcanak", b"zqxcamel", b"zqxsession", b"zqxagent", b"ann"):
        assert word not in bytes_of(am.path), word
    with looking_into(am.path) as connection:
        assert connection.pragma("freelist_count") == 0
    assert found(neighbours, "zqxca", bob) == ["zqxca other"]
    assert len(found(neighbours, "tea", bob, k=300)) == 200


def test_an_independent_scan_finds_nothing_either(neighbours, am):
    assert residue_scan(am.path, "zqxcanak")[0] == 1
    am.ok("erase-user", "ann", "--yes")
    code, output = residue_scan(am.path, "zqxcanak", "zqxcamel", "zqxsession", "zqxagent")
    assert code == 0, output


def test_the_index_stays_readable_for_an_older_sqlite(neighbours, am):
    am.ok("erase-user", "ann", "--yes")
    with looking_into(am.path) as connection:
        query = "SELECT v FROM record_text_config WHERE k = 'version'"
        assert connection.execute(query).get == 4


def test_words_of_deleted_and_purged_records_go_with_the_next_scrub(neighbours, am):
    for command in (["delete", "gone1", "--yes"], ["purge", "--before", "2020-01-02", "--yes"]):
        record = {"id": "gone1", "user_id": "cem", "text": "zqxdelta left"}
        am.ok("import", "-", stdin=jsonl(record | {"created_at": "2020-01-01"}))
        am.ok(*command)
        am.ok("purge", "--yes")
        assert "zqxdelta" not in words_in_index(am.path)
        assert b"zqxdelta" not in bytes_of(am.path)
