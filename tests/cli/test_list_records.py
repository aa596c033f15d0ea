from tests.helpers import add


def test_the_newest_comes_first_and_only_of_the_scope(memory, am, clock):
    add(memory, "first", session="s1", agent="a1")
    clock.forward(seconds=1)
    add(memory, "second\nline\tand tab", session="s2")
    add(memory, "of bob", user="bob")
    add(memory, "of a session", user=None, session="s1")
    lines = [line.split("\t") for line in am.ok("list", "--user", "ann").lines]
    assert [line[3] for line in lines] == ["second\\nline\\tand tab", "first"]
    assert [line[2] for line in lines] == ["s2", "s1 / a1"]
    assert am.texts("ann") == ["second\nline\tand tab", "first"]
    session = am.json("list", "--session", "s1")["records"]
    assert [record["text"] for record in session] == ["of a session"]
    everybody = am.ok("list", "--all").lines
    assert {line.split("\t")[2] for line in everybody} == {
        "ann / s1 / a1",
        "ann / s2",
        "bob",
        "- / s1",
    }


def test_without_a_scope_it_names_the_option_for_everybody(am):
    assert "--all" in am.failed(2, "list")
    assert "exclude" in am.failed(2, "list", "--all", "--user", "ann")


def test_filters_and_a_window_narrow_it_before_the_limit(memory, am, clock):
    for number in range(6):
        add(memory, f"n{number}", metadata={"even": number % 2 == 0, "n": str(number)})
        clock.forward(days=1)
    even = am.json("list", "--user", "ann", "--filter-json", '{"even": true}', "--limit", "2")
    assert [record["text"] for record in even["records"]] == ["n4", "n2"]
    assert (even["total"], even["truncated"]) == (3, True)
    assert am.json("list", "--user", "ann", "--filter", "n=3")["total"] == 1
    assert am.json("list", "--user", "ann", "--filter-json", '{"n": 3}')["total"] == 0
    window = ("--since", "2024-06-08", "--until", "2024-06-10T12:00")
    assert am.json("list", "--user", "ann", *window)["total"] == 2


def test_a_limit_beyond_every_store_lists_all(memory, am):
    add(memory, "one", "two")
    for command in (["list", "--all"], ["search", "", "--user", "ann"]):
        assert len(am.ok(*command, "-k", "9" * 30).lines) == 2


def test_nothing_to_list_is_no_error(memory, am):
    add(memory, "x", user="bob")
    nothing = am.ok("list", "--user", "ann")
    assert (nothing.out, nothing.err) == ("", "no records\n")
