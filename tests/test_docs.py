"""What the documents show exists, and the library example runs as it stands."""

import asyncio
import re
from pathlib import Path

from agent_memory_cli.cli.reference import commands, common_options
from agent_memory_cli.config import PREFIX
from agent_memory_cli.errors import AgentMemoryError

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCUMENTS = [README, *(p.read_text(encoding="utf-8") for p in sorted((ROOT / "docs").glob("*.md")))]
COMMANDS = {command.name: command for command in commands()}


def shown_lines() -> list[str]:
    """Every command line in the documents, from the command's name on."""
    fences = [block for text in DOCUMENTS for block in re.findall(r"```\w*\n(.*?)```", text, re.S)]
    lines = "\n".join(fences).splitlines()
    return [line.split("agent-memory ", 1)[1] for line in lines if "agent-memory " in line]


def test_every_command_stands_in_the_readme_with_its_own_words():
    for name, command in COMMANDS.items():
        assert re.search(
            rf"^\| `{name}[ `].*\| {re.escape(command.summary.rstrip('.'))} \|", README, re.M
        )


def test_every_shown_command_and_option_exists():
    common = {name for option in common_options() for name in option.names}
    assert len(shown_lines()) > 10
    for line in shown_lines():
        words = line.replace('"$STORE"', "x").split()
        name = next(word for word in words if word in COMMANDS)
        known = common | {n for option in COMMANDS[name].options for n in option.names}
        options = {word for word in words if re.fullmatch(r"--[a-z-]+", word)}
        assert options <= known, line


def test_every_exit_code_is_explained():
    def codes(kind: type[AgentMemoryError]) -> set[int]:
        return {kind.exit_code}.union(*map(codes, kind.__subclasses__()))

    explained = set(map(int, re.findall(r"^\| (\d+) \|", README, re.M)))
    assert explained == codes(AgentMemoryError) | {0}


def test_every_variable_is_explained():
    for name in ("DB", "BACKEND", "RETENTION_DAYS", "BUSY_TIMEOUT", "EVENTS_FILE", "CONFIG"):
        assert f"`{PREFIX}{name}`" in README


def test_the_library_example_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    example = re.search(r"```python\n(.*?)```", README, re.S)[1]
    names: dict = {}
    exec(compile(example, "README.md", "exec"), names)
    assert capsys.readouterr().out == "['Likes the aisle seat']\n"
    assert asyncio.run(names["answer"]("which seat")) == ["Likes the aisle seat"]
    names["memory"].close()
