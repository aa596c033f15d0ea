"""BM25 as a pure function."""

import math

from hypothesis import given
from hypothesis import strategies as st

from agent_memory_cli.ranking import K1, B, bm25

_postings = st.integers(1, 4).flatmap(
    lambda terms: st.lists(
        st.tuples(
            st.integers(1, 10**12),
            st.integers(0, 50),
            st.lists(st.integers(0, 5), min_size=terms, max_size=terms),
        ),
        max_size=12,
        unique_by=lambda posting: posting[0],
    )
)


def test_one_hit_scores_what_the_formula_says():
    [(score, key)] = bm25([(7, 10, [2])], records=4, mean_length=8.0)
    idf = math.log(1 + (4 - 1 + 0.5) / (1 + 0.5))
    expected = idf * 2 * (K1 + 1) / (2 + K1 * (1 - B + B * 10 / 8))
    assert key == 7
    assert math.isclose(score, expected)


def test_a_rare_word_counts_more_than_a_common_one():
    ranked = bm25([(1, 5, [1, 0]), (2, 5, [1, 0]), (3, 5, [0, 1])], 10, 5.0)
    assert ranked[0][1] == 3


def test_equal_scores_put_the_later_record_first():
    assert [key for _, key in bm25([(1, 5, [1]), (2, 5, [1]), (9, 5, [1])], 3, 5.0)] == [9, 2, 1]


def test_a_shorter_record_is_better():
    assert bm25([(1, 40, [1]), (2, 4, [1])], 2, 20.0)[0][1] == 2


def test_nothing_found_is_an_empty_list():
    assert bm25([], 0, 0.0) == []


@given(_postings, st.integers(0, 100), st.floats(0, 100))
def test_every_hit_comes_once_with_a_score_that_is_not_negative(postings, records, mean):
    ranked = bm25(postings, records, mean)
    assert sorted(key for _, key in ranked) == sorted(key for key, _, _ in postings)
    assert all(score >= 0 and math.isfinite(score) for score, _ in ranked)
    assert ranked == sorted(ranked, key=lambda hit: (-hit[0], -hit[1]))


@given(_postings)
def test_the_order_of_the_postings_does_not_matter(postings):
    assert bm25(postings, 20, 8.0) == bm25(postings[::-1], 20, 8.0)
