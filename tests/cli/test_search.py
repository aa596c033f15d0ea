import pytest

from tests.helpers import add


@pytest.fixture
def stored(memory, clock):
    add(memory, "green tea in the morning", user="ann", session="s1", metadata={"src": "chat"})
    clock.forward(days=1)
    add(memory, "tea and more tea", user="ann", session="s2", metadata={"src": "mail", "n": 1})
    add(memory, "tea tea tea", user="bob")


def test_the_best_comes_first_with_its_score(stored, am):
    hits = am.json("search", "tea", "--user", "ann")["hits"]
    assert [hit["text"] for hit in hits] == ["tea and more tea", "green tea in the morning"]
    assert hits[0]["score"] > hits[1]["score"] > 0
    line = am.ok("search", "morning", "--user", "ann").lines[0].split("\t")
    assert (line[0], line[3:]) == (hits[1]["id"], ["s1", "green tea in the morning"])
    assert float(line[1]) > 0
    assert line[2] == "2024-06-07T12:00:00Z"


def test_words_are_found_by_their_stems_in_any_order_and_case(stored, am):
    for query in ("MORNINGS", "teas green", "mornings, tea!"):
        assert am.json("search", query, "--user", "ann")["hits"][0]["text"].startswith("green")


def test_limit_filter_and_window_narrow_it(stored, am):
    def texts(*options):
        return [hit["text"] for hit in am.json("search", "tea", "--user", "ann", *options)["hits"]]

    assert texts("-k", "1") == ["tea and more tea"]
    assert texts("--filter", "src=chat") == ["green tea in the morning"]
    assert texts("--filter-json", '{"n": 1}') == ["tea and more tea"]
    assert texts("--filter-json", '{"n": true}') == []
    assert texts("--until", "2024-06-08") == ["green tea in the morning"]
    assert texts("--since", "2024-06-08T12:00:00Z") == ["tea and more tea"]
    assert texts("--session", "s1") == ["green tea in the morning"]


def test_nothing_found_is_no_error(stored, am):
    nothing = am.ok("search", "coffee", "--user", "ann")
    assert (nothing.out, nothing.err) == ("", "no match\n")
    assert am.json("search", "tea", "--user", "nobody") == {"hits": []}


def test_a_scope_is_needed(stored, am):
    assert "--user" in am.failed(2, "search", "tea")
    am.failed(2, "search", "--user", "ann")
    am.failed(2, "search", "tea", "--user", "ann", "-k", "0")
