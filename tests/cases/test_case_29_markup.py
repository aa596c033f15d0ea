"""Case 29: stored text is no markup and no emoji code; it is shown character for character."""

import pytest

from tests.helpers import add

TEXT = r"list[str] [bold]A[/] see [/home/x] [docs](u) pkg:runner:1.6 :smile: \[x] [link=u]y[/link]"
USER = "[red]ann"


@pytest.fixture
def stored(memory):
    return add(memory, TEXT, user=USER, session="[/s]", metadata={"[b]": ":key:"})[0]


def test_piped_every_character_is_there(stored, am):
    for command in (["list"], ["search", "list"]):
        line = am.ok(*command, "--user", USER).lines[0]
        assert line.endswith("\t[/s]\t" + TEXT)
    shown = am.ok("get", stored).out
    assert TEXT in shown
    assert f"user_id: {USER}\n" in shown
    assert '{"[b]": ":key:"}' in shown
    assert am.ok("users").out.startswith(USER + "\t1\t")


def test_at_a_terminal_every_character_is_there(stored, am):
    for command in (["list"], ["search", "list"]):
        screen = am.at_terminal(*command, "--user", USER, columns=200, env={"NO_COLOR": "1"}).out
        assert TEXT in screen
        assert "[/s]" in screen
    narrow = am.at_terminal("list", "--user", USER, columns=40, env={"NO_COLOR": "1"}).out
    for piece in ("list[str]", "[bold]A[/]", "[/home/x]", ":runner:", ":smile:", "\\[x]"):
        assert piece in narrow
    assert TEXT in am.at_terminal("get", stored, columns=200).out
    assert USER in am.at_terminal("users", env={"NO_COLOR": "1"}).out
    assert USER in am.at_terminal("list", "--all", columns=200, env={"NO_COLOR": "1"}).out


def test_prompts_and_errors_show_an_id_as_it_is(stored, am):
    refused = am.at_terminal("erase-user", USER, answers=("n",))
    assert refused.code == 4
    assert f"Erase {USER}: " in refused.out
    deleting = am.at_terminal("delete", stored, answers=("n",), columns=200)
    assert TEXT[:60] in deleting.out
    am.failed(3, "get", "nosuch", "--user", "[/x]")
    assert "  [/x]\n" in am.failed(3, "delete", "[/x]", "--yes")
    assert "[/x]" in am.at_terminal("delete", "[/x]", "--yes").out
    assert "[/no]" in am.at_terminal("list", "--user", "x", "--[/no]").out


def test_events_and_doctor_show_no_markup_either(stored, am):
    run = am.at_terminal("list", "--user", USER, "--events", columns=200)
    assert run.code == 0
    assert am.at_terminal("doctor", "--require", "[/x]").code == 2
