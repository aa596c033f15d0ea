"""Imports point down only."""

import ast
from pathlib import Path

import pytest

import agent_memory_cli

ROOT = Path(agent_memory_cli.__file__).parent
FLOORS = {
    0: (
        "errors",
        "times",
        "ids",
        "records",
        "selection",
        "reports",
        "paths",
        "_version",
        "stopwords",
    ),
    1: ("port", "events", "config", "jsontext"),
    2: ("guard", "ranking"),
    3: ("backends",),
    4: ("services",),
    5: ("cli", "__main__"),
}
FLOOR_OF = {name: floor for floor, names in FLOORS.items() for name in names}
MODULES = sorted(
    path for path in ROOT.rglob("*.py") if path.relative_to(ROOT) != Path("__init__.py")
)


def _imports(path: Path) -> list[tuple[str, bool]]:
    """Every module that is imported, in full, and whether that happens inside a function."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    inside = {
        id(node)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
    }
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(alias.name, id(node) in inside) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            found += [(f"{node.module}.{alias.name}", id(node) in inside) for alias in node.names]
    return found


def _part(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_stands_on_a_floor_and_imports_from_no_higher_one(path):
    floor = FLOOR_OF[_part(path)]
    for name, _ in _imports(path):
        parts = name.split(".")
        if parts[0] == "agent_memory_cli" and parts[1] in FLOOR_OF:
            assert FLOOR_OF[parts[1]] <= floor, f"imports {name}"


def _importers(package: str) -> set[Path]:
    return {
        path.relative_to(ROOT)
        for path in MODULES
        if any(name.split(".")[0] == package for name, _ in _imports(path))
    }


def test_only_the_sqlite_backend_knows_its_driver():
    assert {path.parts[:2] for path in _importers("apsw")} == {("backends", "sqlite")}


@pytest.mark.parametrize("package", ["typer", "rich", "click"])
def test_only_the_command_line_knows_how_it_is_shown(package):
    assert {path.parts[0] for path in _importers(package)} <= {"cli"}


def test_services_name_no_backend():
    concrete = {path.stem for path in (ROOT / "backends").iterdir() if path.stem != "__init__"} - {
        "registry",
        "__pycache__",
    }
    for path in MODULES:
        if _part(path) == "services":
            for name, _ in _imports(path):
                parts = name.split(".")
                assert parts[:2] != ["agent_memory_cli", "backends"] or parts[2] not in concrete


def test_numpy_is_imported_only_where_it_is_used():
    early = [
        path.relative_to(ROOT)
        for path in MODULES
        for name, inside in _imports(path)
        if name.split(".")[0] == "numpy" and not inside
    ]
    assert early == []
