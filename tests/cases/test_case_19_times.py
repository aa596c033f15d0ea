"""Case 19: times are compared as instants, however they are written."""

import pytest

from tests.cli.runner import jsonl

CUT = "2024-06-07T12:00:00Z"
LATER = (
    "2024-06-07T13:00:00Z", "2024-06-07 13:00:00", "2024-06-07T05:00:00-08:00",
    "2024-06-07T13:00:00.000001+00:00", "20240607T130000Z", "2024-06-07T18:45+05:45",
    "2024-06-08T03:00:00+14:00", CUT,
)  # fmt: skip
EARLIER = (
    "2024-06-07T11:00:00Z", "2024-06-07 11:00:00", "2024-06-07T03:00:00-08:00",
    "2024-06-07T11:59:59.999999+00:00", "20240607T110000Z", "2024-06-07T17:44:59+05:45",
    "2024-06-08T01:00:00+14:00", "2024-06-07",
)  # fmt: skip


@pytest.fixture
def stored(am):
    records = [
        {"id": f"{kind}{n}", "user": "ann", "text": f"written {written}", "created_at": written}
        for kind, times in (("old", EARLIER), ("new", LATER))
        for n, written in enumerate(times)
    ]
    am.ok("import", "-", stdin=jsonl(*records))


def test_purge_takes_exactly_the_older_ones_and_the_dry_run_says_so(stored, am):
    old = {f"old{n}" for n in range(len(EARLIER))}
    plan = am.json("purge", "--before", CUT, "--dry-run")
    assert set(plan["ids"]) == old
    for same in ("2024-06-07 12:00", "2024-06-07T13:00+01:00", "2024-06-07T04:00:00-08:00"):
        assert am.json("purge", "--before", same, "--dry-run")["ids"] == plan["ids"]
    real = am.json("purge", "--before", CUT, "--yes")
    assert (real["ids"], real["deleted"]) == (plan["ids"], len(old))
    left = {record["id"] for record in am.json("list", "--user", "ann")["records"]}
    assert left == {f"new{n}" for n in range(len(LATER))}


def test_the_order_is_by_instant_and_the_output_in_one_form(stored, am):
    shown = [record["created_at"] for record in am.json("list", "--user", "ann")["records"]]
    assert all(time.endswith("Z") and time[10] == "T" for time in shown)
    instants = [time.removesuffix("Z").ljust(26, "0") for time in shown]
    exported = [record["created_at"] for record in am.json("export", "--user", "ann")["records"]]
    assert exported == shown[::-1]
    assert instants[0] == "2024-06-07T13:00:00.000001"
    assert shown[-1] == "2024-06-07T00:00:00Z"


def test_since_and_until_compare_instants_too(stored, am):
    since = am.json("list", "--user", "ann", "--since", "2024-06-07T13:00:00+01:00")
    assert {record["id"] for record in since["records"]} == {f"new{n}" for n in range(len(LATER))}
    until = am.json("search", "", "--user", "ann", "--until", "2024-06-07 12:00", "-k", "99")
    assert {record["id"] for record in until["hits"]} == {f"old{n}" for n in range(len(EARLIER))}


def test_what_is_no_time_is_refused_and_nothing_is_deleted(stored, am):
    for time in ("yesterday", "2024-13-01", "1717761600", "", "2024-06-07T25:00", "0000-01-01"):
        assert "date or time" in am.failed(2, "purge", "--before", time, "--yes"), time
    for duration in ("30", "0d", "-1d", "30 days", "", "1e3d", "nand", "∞d", "٣d"):
        assert "duration" in am.failed(2, "purge", "--older-than=" + duration, "--yes"), duration
    assert am.json("list", "--user", "ann")["total"] == len(EARLIER) + len(LATER)


def test_a_time_in_the_future_is_refused_by_line(am):
    future = {"user": "ann", "text": "x", "created_at": "9998-01-01T00:00:00+14:00"}
    message = am.failed(2, "import", "-", stdin=jsonl({"user": "ann", "text": "y"}, future))
    assert "line 2: created_at lies in the future" in message
    for edge in ("9999-12-31T23:59:59-23:00", "0001-01-01T00:00:00+23:00"):
        assert "line 1: " in am.failed(
            2, "import", "-", stdin=jsonl({**future, "created_at": edge})
        )
