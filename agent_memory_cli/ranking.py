"""Keyword ranking as a pure function, so that every backend ranks alike.

BM25: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, with
the idf that cannot become negative (as Lucene has it): ln(1 + (N - n + 0.5) / (n + 0.5)).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log

K1 = 1.2
B = 0.75


def bm25(
    postings: Sequence[tuple[int, int, Sequence[int]]], records: int, mean_length: float
) -> list[tuple[float, int]]:
    """(score, key) of every hit, best first; equal scores: the later key first.

    A posting is a key, the record's length in tokens, and the count of each query term in it.
    `records` and `mean_length` describe the scope, whose document frequencies the postings give.
    """
    if not postings:
        return []
    terms = len(postings[0][2])
    frequencies = [sum(1 for _, _, counts in postings if counts[t]) for t in range(terms)]
    records = max(records, len(postings))
    weights = [log(1 + (records - n + 0.5) / (n + 0.5)) for n in frequencies]
    scale = B / (mean_length or 1.0)
    ranked = []
    for key, length, counts in postings:
        norm = K1 * (1 - B + scale * length)
        score = sum(
            weight * count * (K1 + 1) / (count + norm)
            for weight, count in zip(weights, counts, strict=True)
            if count
        )
        ranked.append((score, key))
    ranked.sort(key=lambda hit: (-hit[0], -hit[1]))
    return ranked
