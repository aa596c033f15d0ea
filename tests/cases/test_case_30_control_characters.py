"""Case 30: what a terminal would act on is shown as an escape, whoever stored it."""

import csv
import io
import json
import re

import pytest

from tests.cli.runner import jsonl
from tests.helpers import add

TEXT = "\x1b[2J\x1b]52;c;aGk=\x07\x9b31m safe\rFAKE \u202eabc\u2066 \u200b\x00\x7f\x85\u2028\ufeff\u00ad\U000e0041 end"
USER = "a\u202enn\x1b[31m"
ID = "r\x1b[2J\r1"
READABLE = "שלום مرحبا नमस्ते 東京 🙂 café"
ACTED_ON = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\U000e0000-\U000e007f]"
)
# What the renderer itself sends to a terminal: colours and styles.
STYLE = re.compile("\x1b\\[[0-9;]*m")


@pytest.fixture
def stored(memory):
    add(memory, TEXT, user=USER, session="s\x1b]0;x\x07", id=ID, metadata={"k\x1b": "\u202ev"})
    add(memory, READABLE, user="ann", id="plain")


def _harmless(output: str) -> None:
    found = ACTED_ON.search(STYLE.sub("", output))
    assert found is None, (found, output)


def test_no_human_output_holds_a_character_that_is_acted_on(stored, am):
    for command in (
        ["list", "--user", USER], ["search", "safe", "--user", USER], ["get", ID], ["users"],
        ["erase-user", USER, "--dry-run"], ["purge", "--before", "2025-01-01", "--dry-run"],
        ["list", "--all", "--events"],
    ):  # fmt: skip
        _harmless(am.at_terminal(*command, columns=60).out)
    for command in (["list", "--all"], ["get", ID], ["users"]):
        _harmless(am.ok(*command).out.replace("\t", " "))
    _harmless(am.ok("add", "x", "--user", "bob", "--id", "new\x1b[2J").out)


def test_prompts_and_errors_show_escapes(stored, am):
    for command in (["erase-user", USER], ["delete", ID]):
        refused = am.at_terminal(*command, answers=("n",))
        assert refused.code == 4
        _harmless(refused.out)
    assert "\\u202e" in am.at_terminal("erase-user", USER, answers=("",)).out
    for command in (
        ["delete", "no\x1b[2J", "--yes"], ["erase-user", "no\x1b[2J", "--yes"], ["get", "--no\x1b[2J"],
        ["no\x1b[2J"], ["list", "--config", "/no\x1b[2J"], ["doctor", "--require", "no\x1b[2J"],
        ["completion", "no\x1b[2J"], ["list", "--backend", "no\x1b[2J", "--all"],
        ["export", "--all", "--format", "no\x1b[2J"],
    ):  # fmt: skip
        run = am(*command)
        assert run.code != 0
        _harmless(run.err)


def test_an_import_that_fails_or_skips_shows_escapes(am):
    lines = jsonl({"user": USER, "text": "x", "\x1b[2J": 1}, {"user": "ann", "text": TEXT})
    _harmless(am.failed(2, "import", "-", stdin=lines))
    _harmless(am.ok("import", "-", "--skip-invalid", stdin=lines).err)


def test_a_path_is_shown_with_escapes(stored, am, tmp_path):
    out = tmp_path / "o\x1b[2J.jsonl"
    _harmless(am.ok("export", "--all", "--out", out, "--manifest").out)
    manifest = tmp_path / "o\x1b[2J.jsonl.manifest.json"
    told = json.loads(manifest.read_text())
    manifest.write_text(json.dumps({**told, "sha256": "\x1b[2J", "size": "\u202e"}))
    verified = am("verify-export", out)
    assert verified.code == 6
    _harmless(verified.out)


def test_json_carries_them_as_escapes_and_exactly(stored, am):
    for command in (["list", "--user", USER], ["search", "safe", "--user", USER]):
        run = am.ok("--json", *command)
        _harmless(run.out)
        found = (run.data.get("records") or run.data.get("hits"))[0]
        assert (found["text"], found["user_id"], found["id"]) == (TEXT, USER, ID)
        assert found["metadata"] == {"k\x1b": "\u202ev"}
    for format_ in ("jsonl", "json"):
        _harmless(am.ok("export", "--all", "--format", format_).out)


def test_every_format_gives_back_exactly_what_was_stored(stored, am):
    exported = am.ok("export", "--user", USER).stdout
    assert json.loads(exported)["text"] == TEXT
    rows = am.ok("export", "--user", USER, "--format", "csv").stdout.decode()
    row = next(iter(csv.DictReader(io.StringIO(rows, newline=""))))
    assert (row["text"], row["user_id"]) == (TEXT, USER)


def test_ordinary_text_of_any_script_is_untouched(stored, am):
    assert am.ok("list", "--user", "ann").lines[0].endswith("\t" + READABLE)
    assert READABLE in am.at_terminal("list", "--user", "ann", columns=200).out
    assert am.ok("get", "plain").lines[-1] == READABLE
    assert READABLE in am.ok("list", "--user", "ann", "--json").out
