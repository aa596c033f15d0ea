"""Case 37: no home, no locale, no terminal: the work is done, and nothing is asked or lost."""

import json
import os
import shutil

import pytest

from tests.cli.runner import COMMAND, run
from tests.helpers import add, texts

BARE = {"PATH": os.environ["PATH"]}
TEXT = "naïve ☃ 東京"
ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
LOCALES = (
    ASCII,
    {**ASCII, "PYTHONIOENCODING": "ascii"},
    {"PYTHONIOENCODING": "cp1252"},
    {**ASCII, "PYTHONIOENCODING": "utf-8"},
)


def test_without_a_home_a_named_store_works(am):
    for command in (
        ["add", TEXT, "--user", "ann"], ["list", "--user", "ann"], ["search", "naïve", "--user", "ann"],
        ["export", "--user", "ann"], ["users"], ["doctor"], ["config"], ["purge", "--yes"],
        ["erase-user", "ann", "--yes"],
    ):  # fmt: skip
        result = am(*command, whole_env=BARE)
        assert result.code == 0, (command, result)


def test_a_uid_without_a_passwd_entry_works_with_a_named_store(am, tmp_path):
    stranger = ["--user", "--map-user=54321", "--map-group=54321", "--", COMMAND]
    options = {"command": "unshare", "whole_env": BARE, "cwd": tmp_path}
    if not shutil.which("unshare") or run(*stranger, "--version", **options).code:
        pytest.skip("no other uid can be taken here: unshare(1) is missing or not permitted")
    for command in (["add", TEXT, "--user", "ann"], ["list", "--user", "ann"], ["doctor"]):
        result = run(*stranger, "--db", am.path, *command, **options)
        assert result.code == 0, (command, result)
    nowhere = run(*stranger, "add", "x", "--user", "ann", **options)
    assert nowhere.code == 2
    assert "--db" in nowhere.err
    assert run(*stranger, "--db", "~/m.db", "list", "--all", **options).code == 2
    assert {path.name for path in tmp_path.iterdir()} == {"home", "store"}


def test_any_locale_stores_the_real_characters(memory, am):
    for number, locale in enumerate(LOCALES):
        user = f"jösé {number}"
        am.ok("add", TEXT, "--user", user, "--meta", "schlüssel=wörter", env=locale)
        scope = next(one for one in am.json("users")["users"] if one["user_id"] == user)
        assert scope["records"] == 1
        assert am.texts(user) == [TEXT]


def test_output_is_escaped_where_it_cannot_be_carried(memory, am):
    add(memory, TEXT, user="jösé", id="é1")
    for locale in LOCALES[1:4]:
        carried = "utf-8" in locale.values()
        piped = am.ok("list", "--user", "jösé", env=locale)
        assert (TEXT.encode() if carried else b"\\u2603") in piped.stdout
        am.ok("get", "é1", env=locale)
        for command in (["list", "--user", "jösé"], ["export", "--user", "jösé"]):
            assert am.ok(*command, "--json", env=locale).data["records"][0]["text"] == TEXT
        exported = am.ok("export", "--user", "jösé", env=locale)
        assert json.loads(exported.stdout)["text"] == TEXT
        assert "nobody" in am.failed(3, "erase-user", "jöse\u0301", "--yes", env=locale)
    assert am.at_terminal("list", "--user", "jösé", env=ASCII).code == 0
    erased = am.ok("erase-user", "jösé", "--yes", env=LOCALES[1])
    assert erased.code == 0


def test_files_have_their_real_names_in_any_locale(memory, am, tmp_path):
    add(memory, TEXT, user="ann")
    for number, locale in enumerate((ASCII, {})):
        folder = tmp_path / f"ordner ä {number}"
        out, receipt, events = folder / "ö.jsonl", tmp_path / f"ü {number}.json", folder / "é.log"
        am.ok("export", "--all", "--out-dir", folder, env=locale)
        am.ok("export", "--all", "--out", out, "--manifest", env=locale)
        am.ok("verify-export", out, env=locale)
        am.ok("import", out, "--db", folder / "東京.db", "--events-file", events, env=locale)
        am.ok("add", "--file", out, "--user", "cem", "--db", folder / "東京.db", env=locale)
        config = folder / "ß.toml"
        config.write_text(f'db = "{folder}/東京.db"\n')
        found = run("list", "--user", "ann", "--json", "--config", config, env=locale).data
        assert found["total"] == 1
        run("erase-user", "ann", "--yes", "--config", config, "--receipt", receipt, env=locale)
        named = {path.name for path in folder.iterdir() if not path.name.startswith("ann-")}
        assert named == {"ö.jsonl", "ö.jsonl.manifest.json", "é.log", "東京.db", "ß.toml"}
        assert receipt.exists()


def test_without_a_terminal_nothing_is_deleted_unasked(memory, am, ann):
    add(memory, "one", id="r1")
    for command in (["erase-user", "ann"], ["delete", "r1"], ["purge", "--before", "2025-01-01"]):
        for answer in (b"", b"y\n", b"yes\n" * 9):
            message = am.failed(4, *command, stdin=answer)
            assert "--yes" in message
            assert message.count("\n") == 1
        refused = am("--json", *command)
        assert (refused.code, refused.json["errors"][0]["code"]) == (4, "refused")
    assert texts(memory, ann) == ["one"]


def test_a_quiet_purge_says_nothing_but_its_result(memory, am):
    add(memory, "one")
    purge = am.ok("--quiet", "purge", "--before", "2025-01-01", "--yes", whole_env=BARE)
    assert (purge.out.count("\n"), purge.err) == (1, "")
