from tests.helpers import add


def test_everybody_is_counted_by_id(memory, am, clock):
    add(memory, "a", "b", user="bob")
    clock.forward(hours=1)
    add(memory, "c", user="bob")
    add(memory, "d", user="ann", session="s")
    add(memory, "e", user=None, session="s")
    data = am.json("users")
    assert data["records"] == 5
    assert [(one["user_id"], one["records"]) for one in data["users"]] == [
        (None, 1), ("ann", 1), ("bob", 3),
    ]  # fmt: skip
    assert am.ok("users").lines[-1] == "bob\t3\t2024-06-07T12:00:00Z\t2024-06-07T13:00:00Z"


def test_an_empty_store_has_nobody(memory, am):
    add(memory, "x", id="r1")
    am.ok("erase-user", "ann", "--yes")
    nobody = am.ok("users")
    assert (nobody.out, nobody.err) == ("", "nobody is in the store\n")
