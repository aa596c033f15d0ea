"""Case 3: the best k are taken within the scope, not over everybody and then filtered."""

import pytest

from tests.helpers import found, record


@pytest.fixture
def crowded(memory):
    """Three records of ann among five thousand that match better."""
    memory.add_sync([record(f"tea tea tea number {n}", "bob") for n in range(5000)])
    memory.add_sync([record("likes tea", "ann", "s1") for _ in range(2)])
    memory.add_sync([record("a long sentence in which tea is named once only", "ann", "s2")])
    return memory


@pytest.mark.parametrize("query", ["tea", ""])
def test_a_small_user_gets_all_of_their_own_at_every_limit(crowded, ann, query):
    for k in (1, 2, 3, 4, 50, 5000):
        hits = crowded.search_sync(query, scope=ann, k=k)
        assert len(hits) == min(k, 3)
        assert {hit.record.scope.user_id for hit in hits} == {"ann"}


def test_a_session_within_the_user_is_found_at_limit_1(crowded, ann):
    scope = ann.model_copy(update={"session_id": "s2"})
    assert len(found(crowded, "tea", scope, k=1)) == 1


def test_filters_count_before_the_limit_too(crowded, am):
    crowded.add_sync([record("tea at home", "bob", metadata={"at": "home"})])
    data = am.json("search", "tea", "--user", "bob", "--filter", "at=home", "--limit", "1")
    assert [hit["text"] for hit in data["hits"]] == ["tea at home"]
    assert len(am.json("search", "tea", "--user", "ann", "--limit", "3")["hits"]) == 3
