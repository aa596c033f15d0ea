"""The manual and the completions: made from the command line, and really working."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.runner import run

ROOT = Path(__file__).parents[2]
BASH = ROOT / "completions" / "agent-memory.bash"
ZSH = ROOT / "completions" / "_agent-memory"
FISH = ROOT / "completions" / "agent-memory.fish"
# Line, then words that must be among the answers, and words that must not.
LINES = (
    ("agent-memory ex", {"export"}, {"erase-user", "list"}),
    ("agent-memory erase-user --rec", {"--receipt"}, {"--format"}),
    ("agent-memory export --form", {"--format"}, {"--receipt"}),
    ("agent-memory export --format ", {"jsonl", "json", "csv"}, {"export"}),
    ("agent-memory --db x.db completion ", {"bash", "zsh", "fish"}, {"export"}),
    ("agent-memory --no", {"--no-color"}, {"--receipt"}),
)
BASH_SCRIPT = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
_agent_memory 2>/dev/null; printf '%s\\n' "${COMPREPLY[@]}"
"""
# Asks a real interactive zsh for its matches: the widget prints them instead of showing them. Only
# its prompt says that the line editor has begun; a tab before that would be a mere character.
ZSH_SCRIPT = r"""
zmodload zsh/zpty
zpty inner zsh -f -i
zpty -w inner "PS1=; PROMPT=; fpath=(${(q)1:h} \$fpath); autoload -Uz compinit; compinit -D -u"
zpty -w inner "compadd () {
  local -a found; builtin compadd -A found -D found \"\$@\" 2>/dev/null
  local -a args; args=(\"\$@\"); builtin compadd -O found \"\$@\"
  print -rl -- MATCH\$^found; builtin compadd \"\$@\" }"
zpty -w inner "bindkey '^I' complete-word; setopt no_list_beep; PS1=RE''ADY"
zpty -r inner seen '*READY'
zpty -n -w inner "$2"$'\t'
zpty -n -w inner $'\C-u'"print FIN""ISHED"$'\n'
zpty -r inner seen '*FINISHED*'
print -r -- "$seen"
"""


def _program(name: str) -> str:
    found = shutil.which(name)
    if found is None and os.environ.get("AGENT_MEMORY_SKIP_SHELLS"):
        pytest.skip(f"{name} is missing, and AGENT_MEMORY_SKIP_SHELLS is set")
    assert found, f"{name} is missing: install it, or set AGENT_MEMORY_SKIP_SHELLS=1"
    return found


def _output(*arguments, **options) -> str:
    done = subprocess.run(
        [os.fspath(one) for one in arguments],
        capture_output=True, text=True, check=False, timeout=60, **options,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_nothing_that_is_made_is_stale():
    check = subprocess.run(
        [sys.executable, ROOT / "scripts" / "generate.py", "--check"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert check.returncode == 0, check.stdout + check.stderr


def test_the_manual_is_clean():
    page = ROOT / "man" / "agent-memory.1"
    lint = subprocess.run(
        [_program("mandoc"), "-Tlint", page], capture_output=True, text=True, check=False
    )
    assert (lint.returncode, lint.stdout) == (0, "")
    shown = _output(_program("mandoc"), "-Tutf8", "-O", "width=78", page)
    for word in ("erase-user", "--include-expired", "AGENT_MEMORY_DB", "EXIT STATUS"):
        assert word in re.sub(".\b", "", shown)  # bold and underlined are overstruck


def test_the_command_prints_the_same_scripts():
    for shell, file in (("bash", BASH), ("zsh", ZSH), ("fish", FISH)):
        assert run("completion", shell).out == file.read_text()


def test_bash_completes_commands_options_and_values():
    bash = _program("bash")
    for line, there, not_there in LINES:
        words = line.split(" ")
        found = set(_output(bash, "--norc", "-c", BASH_SCRIPT, "-", BASH, *words).split())
        assert there <= found, line
        assert not found & not_there, line


def test_fish_completes_commands_options_and_values(tmp_path):
    fish = _program("fish")
    for line, there, not_there in LINES:
        script = f"source {FISH}; complete -C '{line}'"
        answers = _output(fish, "--no-config", "-c", script).split("\n")
        found = {answer.split("\t")[0] for answer in answers}
        assert there <= found, line
        assert not found & not_there, line


def test_zsh_completes_commands_options_and_values(tmp_path):
    zsh = _program("zsh")
    for line, there, not_there in LINES:
        answer = _output(
            zsh,
            "-f",
            "-c",
            ZSH_SCRIPT,
            "-",
            ZSH,
            line,
            env={**os.environ, "ZDOTDIR": str(tmp_path)},
        )
        found = set(re.findall(r"MATCH(\S+)", answer))
        assert there <= found, (line, answer)
        assert not found & not_there, line


def test_both_names_of_the_command_are_completed():
    bash = _output(_program("bash"), "--norc", "-c", f"source {BASH}; complete -p")
    assert "_agent_memory agent-memory-admin" in bash
    fish = _program("fish")
    answers = _output(
        fish, "--no-config", "-c", f"source {FISH}; complete -C 'agent-memory-admin ex'"
    )
    assert answers.startswith("export")
    assert ZSH.read_text().startswith("#compdef agent-memory agent-memory-admin\n")
