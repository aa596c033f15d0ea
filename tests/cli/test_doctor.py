import pytest

from tests.helpers import add, looking_into


@pytest.fixture
def stored(memory):
    add(memory, "likes tea")
    memory.close()


def test_a_healthy_store_has_a_row_for_each_thing(stored, am):
    data = am.json("doctor", "--strict")
    ids = [check["id"] for check in data["checks"]]
    assert len(ids) == len(set(ids))
    for id_ in (
        "runtime.python", "runtime.apsw", "config.db", "store.file", "store.permissions",
        "store.integrity", "store.index", "store.overdue", "store.future", "store.erasures",
    ):  # fmt: skip
        assert id_ in ids
    assert {check["status"] for check in data["checks"]} <= {"ok", "skip"}
    assert sum(data["counts"].values()) == len(ids)
    line = next(line for line in am.ok("doctor").lines if line.startswith("store.index\t"))
    assert line.split("\t")[1] == "ok"


def test_a_warning_counts_when_strict_and_is_mended(stored, am):
    am.path.chmod(0o644)
    assert am("doctor").code == 0
    assert am("doctor", "--strict").code == 6
    mended = am("doctor", "--strict", "--fix", "--json")
    assert mended.code == 0
    assert am.path.stat().st_mode & 0o777 == 0o600


def test_a_drifted_index_is_found_and_rebuilt(stored, am, memory):
    with looking_into(am.path) as connection:
        connection.execute("UPDATE record SET text = 'likes coffee'")
    assert am("doctor").code == 6
    fixed = am.json("doctor", "--fix")
    row = next(check for check in fixed["checks"] if check["id"] == "store.index")
    assert row["status"] == "ok"
    assert am.json("search", "coffee", "--user", "ann")["hits"]
    assert am.json("search", "tea", "--user", "ann")["hits"] == []


def test_what_is_required_must_be_ok(stored, am):
    am.ok("doctor", "--require", "store.index", "--require", "apsw")
    result = am("doctor", "--require", "config.file", "--json")
    assert result.code == 6
    assert result.data["checks"][-1]["id"] == "require.config.file"
    assert "--require" in am.failed(2, "doctor", "--require", "zep")


def test_a_missing_store_is_not_found_and_not_made(am):
    result = am("doctor", "--json")
    assert (result.code, result.json["status"]) == (3, "not-found")
    assert result.data["checks"][-1]["id"] == "store.missing"
    assert list(am.path.parent.iterdir()) == []


def test_a_damaged_store_is_a_finding_and_no_crash(stored, am):
    data = bytearray(am.path.read_bytes())
    for place in range(4096, len(data), 512):
        data[place : place + 64] = b"\xff" * 64
    am.path.write_bytes(data)
    result = am("doctor")
    assert result.code in (5, 6)
    for command in (
        ["list", "--all"],
        ["search", "tea", "--user", "ann"],
        ["add", "x", "--user", "ann"],
    ):
        damaged = am(*command)
        assert damaged.code in (0, 5)
