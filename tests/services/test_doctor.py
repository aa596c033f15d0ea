from importlib import metadata

import pytest

from agent_memory_cli.backends.registry import open_memory
from agent_memory_cli.config import resolve
from agent_memory_cli.errors import ToolUsageError
from agent_memory_cli.reports import Check
from agent_memory_cli.services.doctor import examine, required
from tests.helpers import add


def test_rows_have_their_own_ids_in_a_stable_order(memory, path):
    add(memory, "x")
    settings = resolve({"db": str(path)})
    rows = examine(memory, settings)
    ids = [row.id for row in rows]
    assert len(set(ids)) == len(ids)
    assert ids == [row.id for row in examine(memory, settings)]
    assert [id_.split(".")[0] for id_ in ids] == sorted(
        (i.split(".")[0] for i in ids), key=["runtime", "config", "store"].index
    )
    assert all(row.fix for row in rows if row.status in ("warn", "fail"))


def test_a_missing_package_is_named_with_what_to_do(memory, path, monkeypatch):
    add(memory, "x")
    real = metadata.version

    def version(name: str) -> str:
        if name == "rich":
            raise metadata.PackageNotFoundError(name)
        return real(name)

    monkeypatch.setattr(metadata, "version", version)
    rows = {row.id: row for row in examine(memory, resolve({"db": str(path)}))}
    assert (rows["runtime.rich"].status, rows["runtime.rich"].fix) == ("fail", "pip install rich")
    assert rows["runtime.typer"].status == "ok"


def test_each_value_is_shown_with_where_it_came_from(memory, path, tmp_path):
    add(memory, "x")
    settings = resolve({"db": str(path), "events_file": str(tmp_path / "no" / "e")})
    rows = {row.id: row for row in examine(memory, settings)}
    assert rows["config.db"].seen == f"{path} (option)"
    assert rows["config.backend"].seen == "sqlite (default)"
    assert rows["config.events_folder"].status == "fail"


def test_a_missing_store_is_one_failing_row_and_nothing_is_made(path):
    settings = resolve({"db": str(path)})
    rows = examine(open_memory(settings), settings, fix=True)
    assert [row.id for row in rows if row.id.startswith("store.")] == ["store.missing"]
    assert not path.exists()


def test_what_is_required_is_found_by_id_or_its_last_part():
    checks = [Check("store.index", "ok", "fine"), Check("runtime.zep", "skip", "none", "get it")]
    assert required(checks, ["store.index", "index"]) == []
    (row,) = required(checks, ["zep"])
    assert (row.id, row.status, row.fix) == ("require.zep", "fail", "get it")
    with pytest.raises(ToolUsageError):
        required(checks, ["nothing"])
