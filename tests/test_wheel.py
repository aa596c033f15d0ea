"""What is installed: the commands, the manual and the completions where shells look for them."""

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, built without the network from what is installed here."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--no-deps",
        "--quiet",
        "--wheel-dir",
        folder,
        ROOT,
    ]
    try:
        import hatchling  # noqa: F401

        build.insert(4, "--no-build-isolation")
    except ImportError:
        pass
    done = subprocess.run(build, capture_output=True, text=True, check=False)
    if done.returncode and "--no-build-isolation" not in build:
        pytest.skip(f"hatchling is not installed and cannot be fetched: {done.stderr[-200:]}")
    assert done.returncode == 0, done.stderr
    (file,) = folder.glob("*.whl")
    with zipfile.ZipFile(file) as archive:
        yield archive


def test_the_manual_and_the_completions_are_installed_where_they_are_looked_for(wheel):
    data = {name.partition(".data/data/")[2]: name for name in wheel.namelist()}
    for place, source in (
        ("share/man/man1/agent-memory.1", "man/agent-memory.1"),
        ("share/bash-completion/completions/agent-memory", "completions/agent-memory.bash"),
        ("share/zsh/site-functions/_agent-memory", "completions/_agent-memory"),
        ("share/fish/vendor_completions.d/agent-memory.fish", "completions/agent-memory.fish"),
    ):
        assert wheel.read(data[place]) == (ROOT / source).read_bytes()


def test_both_commands_are_installed(wheel):
    (name,) = (name for name in wheel.namelist() if name.endswith("entry_points.txt"))
    lines = wheel.read(name).decode().split("\n")
    for command in ("agent-memory", "agent-memory-admin"):
        assert f"{command} = agent_memory_cli.__main__:main" in lines


def test_the_wheel_holds_the_package_its_types_and_nothing_else(wheel):
    names = {
        name for name in wheel.namelist() if ".data/" not in name and ".dist-info/" not in name
    }
    assert "agent_memory_cli/py.typed" in names
    assert {name.split("/")[0] for name in names} == {"agent_memory_cli"}
    source = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "agent_memory_cli").rglob("*")
        if path.is_file() and not re.search(r"/(\.|__pycache__)", str(path.relative_to(ROOT)))
    }
    assert names == source
