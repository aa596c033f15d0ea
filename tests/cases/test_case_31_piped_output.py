"""Case 31: ids are whole at every width, JSON is JSON, and no colour goes where none is wanted."""

import re

import pytest

from tests.helpers import add

LONG = "a sentence of many words " * 12
COLOUR = re.compile(r"\x1b\[(?:\d+;)*(?:[34]\d|9[0-7]|10[0-7])[;m]")


@pytest.fixture
def ids(memory):
    ids = add(memory, LONG, "short", session="thread-" + "x" * 60)
    memory.close()
    return ids


LOOKS = (
    ["list", "--user", "ann"], ["search", "sentence", "--user", "ann"], ["users"], ["doctor"],
    ["export", "--user", "ann"], ["config"], ["erase-user", "ann", "--dry-run"], ["purge", "--dry-run"],
)  # fmt: skip


def test_piped_lines_are_whole_at_any_width(ids, am):
    for width in ("20", "1", "0", "x", None):
        run = am.ok("list", "--user", "ann", env={"COLUMNS": width})
        assert [line.split("\t")[0] for line in run.lines] == ids[::-1]
        assert LONG in run.out
    dumb = am.ok("list", "--user", "ann", env={"TERM": "dumb", "FORCE_COLOR": "1"})
    assert dumb.stdout == run.stdout


def test_ids_are_whole_at_every_width_of_a_terminal(ids, am):
    for columns in (10, 20, 39, 80, 300):
        screen = am.at_terminal("list", "--user", "ann", columns=columns).out
        assert all(id_ in screen for id_ in ids), columns
        assert "thread-" + "x" * 60 in screen
        assert "short" in screen
    narrow = am.at_terminal("list", "--user", "ann", env={"COLUMNS": "20"}).out
    assert all(id_ in narrow for id_ in ids)
    am.ok("get", ids[0])


def test_every_json_document_parses_and_holds_no_escape(ids, am):
    for command in (*LOOKS, ["get", ids[0]], ["completion", "bash"], ["get", "nosuch"]):
        run = am(*command, "--json", env={"FORCE_COLOR": "1", "COLUMNS": "20"})
        assert run.json["exit_code"] == run.code
        assert b"\x1b" not in run.stdout + run.stderr
    at_terminal = am.at_terminal("list", "--user", "ann", "--json")
    assert at_terminal.data["total"] == 2


def test_piped_output_has_no_colour_even_when_forced(ids, am):
    for command in LOOKS[:5]:
        assert b"\x1b" not in am.ok(*command, env={"FORCE_COLOR": "1"}).stdout


def test_a_terminal_has_colour_unless_it_is_unwanted(ids, am):
    listing = ("list", "--user", "ann")
    assert COLOUR.search(am.at_terminal(*listing).out)
    for unwanted in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        for command in ([*listing, "--events"], ["doctor"]):
            screen = am.at_terminal(*command, env=unwanted).out
            assert not COLOUR.search(screen), (unwanted, command)
    assert not COLOUR.search(am.at_terminal(*listing, "--events", "--no-color").out)
    assert "\x1b" not in am.at_terminal(*listing, env={"TERM": "dumb"}).out


def test_standard_output_holds_data_alone(ids, am):
    limited = am.ok("list", "--user", "ann", "--limit", "1", "--events")
    assert (len(limited.lines), "1 of 2 shown" in limited.err) == (1, True)
    assert am.ok("search", "nothing like it", "--user", "ann").out == ""
    exported = am.ok("export", "--user", "ann", "--events")
    assert len(exported.lines) == 2
    assert "2 records exported" in exported.err
    quiet = am.ok("export", "--user", "ann", "--quiet")
    assert (len(quiet.lines), quiet.err) == (2, "")
