import pytest

from tests.helpers import add


@pytest.fixture
def stored(memory):
    for id_ in ("r1", "r2", "r3"):
        add(memory, f"text of {id_}", id=id_, session=id_)


def test_all_are_deleted_or_none(stored, am):
    assert "  nosuch\n" in am.failed(3, "delete", "r1", "nosuch", "--yes")
    assert len(am.texts("ann")) == 3
    assert am.json("delete", "r1", "r2", "r1", "--yes")["deleted"] == 2
    assert am.texts("ann") == ["text of r3"]


def test_a_scope_guards_it(stored, am):
    for scope in (["--user", "bob"], ["--user", "ann", "--session", "r2"]):
        am.failed(3, "delete", "r1", "--yes", *scope)
    assert am.ok("delete", "r1", "--yes", "--user", "ann").out.startswith("deleted 1")


def test_a_dry_run_shows_the_plan_and_changes_nothing(stored, am):
    data = am.json("delete", "r1", "r2", "--dry-run")
    assert data == {"dry_run": True, "ids": ["r1", "r2"], "deleted": 0}
    assert len(am.texts("ann")) == 3


def test_at_a_terminal_it_shows_what_goes_and_asks(stored, am):
    for answer in ("n", "", "no", "yep"):
        refused = am.at_terminal("delete", "r1", answers=(answer,))
        assert refused.code == 4
        assert "text of r1" in refused.out
    assert len(am.texts("ann")) == 3
    for id_, answer in (("r1", "y"), ("r2", " YES ")):
        assert am.at_terminal("delete", id_, answers=(answer,)).code == 0
    assert am.texts("ann") == ["text of r3"]
