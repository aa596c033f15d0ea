"""The main job on real conversations: ten people, 5,882 records, one erased."""

import json
import re
import sqlite3
from pathlib import Path

import pytest

from tests.cli.runner import Tool
from tests.helpers import residue_scan

DATA = Path(__file__).parents[2] / "shared" / "data" / "locomo-records.jsonl"
PERSON = "conv-26"
pytestmark = pytest.mark.skipif(
    not DATA.exists(), reason=f"the conversations are not beside this checkout ({DATA})"
)


@pytest.fixture(scope="module")
def records() -> list[dict]:
    return [json.loads(line) for line in DATA.read_text(encoding="utf-8").split("\n") if line]


@pytest.fixture
def am(path) -> Tool:
    tool = Tool(path)
    assert tool.json("import", DATA) == {"added": 5882, "unchanged": 0, "skipped": []}
    return tool


def _same(exported: list[dict], given: list[dict]) -> bool:
    def by_id(all_: list[dict]) -> dict[str, dict]:
        return {
            one["id"]: {k: v for k, v in one.items() if v is not None and v != {}} for one in all_
        }

    return len(exported) == len(given) and by_id(exported) == by_id(given)


def _telling_words(records: list[dict]) -> list[str]:
    """Words that one person used and nobody else did, not even within other words. Long enough to
    be no chance find, and words whose stem is the word itself."""
    own = [record for record in records if record["user_id"] == PERSON]
    others = json.dumps([one for one in records if one["user_id"] != PERSON]).lower()
    words = {word for one in own for word in re.findall(r"[a-z]{5,}", one["text"].lower())}
    mine = {word for word in words if word not in others}
    index = sqlite3.connect(":memory:")
    index.execute("CREATE VIRTUAL TABLE t USING fts5 (x, tokenize='porter unicode61')")
    index.execute("CREATE VIRTUAL TABLE v USING fts5vocab (t, 'row')")
    index.executemany("INSERT INTO t VALUES (?)", [(word,) for word in mine])
    stems = {stem for (stem,) in index.execute("SELECT term FROM v")}
    index.close()
    return sorted(mine & stems)


def test_a_person_is_found_exported_and_erased_and_nobody_else(am, records):
    hits = am.json("search", "LGBTQ support group", "--user", PERSON)["hits"]
    assert "conv-26/D1:3" in [hit["id"] for hit in hits[:5]]

    own = [record for record in records if record["user_id"] == PERSON]
    exported = [json.loads(line) for line in am.ok("export", "--user", PERSON).lines]
    assert _same(exported, own)
    assert [one["created_at"] for one in exported] == sorted(one["created_at"] for one in exported)

    words = _telling_words(records)
    assert len(words) > 30
    before, report = residue_scan(am.path, *words, PERSON)
    assert before == 1
    assert report.count("fts term") > 20

    receipt = am.json("erase-user", PERSON, "--yes")
    assert (receipt["status"], receipt["report"]["deleted"]) == ("complete", len(own))
    after, report = residue_scan(am.path, *words, PERSON)
    assert after == 0, report

    others = [record for record in records if record["user_id"] != PERSON]
    assert _same([json.loads(line) for line in am.ok("export", "--all").lines], others)
    assert am.json("doctor", "--strict")["counts"].keys() <= {"ok", "skip"}
    for user in sorted({record["user_id"] for record in others}):
        assert len(am.json("search", "good time", "--user", user)["hits"]) > 0


def test_importing_twice_adds_nothing(am):
    assert am.ok("import", DATA).out.startswith("imported 0, 5")
