"""Case 33: many processes on one store wait for one another, and never for ever."""

import threading

import pytest

from tests.cli.runner import run, start
from tests.helpers import add, looking_into, wrong_counts

PROCESSES = 24


def _results(processes) -> list[tuple[int, bytes]]:
    ended = [(process, *process.communicate(timeout=120)) for process in processes]
    return [(process.returncode, err) for process, _, err in ended]


def test_24_processes_at_once_on_a_missing_file_all_succeed(am):
    adding = [
        start("--db", am.path, "add", f"number {n}", "--user", "ann", "--busy-timeout", "60")
        for n in range(PROCESSES)
    ]
    assert {code for code, _ in _results(adding)} == {0}
    assert sorted(am.texts("ann")) == sorted(f"number {n}" for n in range(PROCESSES))
    assert am("doctor", "--strict").code == 0


def test_writers_and_a_purge_beside_each_other_lose_nothing(memory, am):
    add(memory, *(f"old {n}" for n in range(2500)), user="bob")
    memory.close()
    failures: list[str] = []
    wait = ("--busy-timeout", "60")

    def writes(user: str) -> None:
        for n in range(4):
            added = am("add", f"{n}", "--user", user, "--id", f"{user}{n}", *wait)
            deleted = am("delete", f"{user}{n}", "--yes", *wait) if n % 2 else added
            failures.extend(one.err for one in (added, deleted) if one.code)

    threads = [threading.Thread(target=writes, args=(f"w{n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    purge = start(
        "--db", am.path, "purge", "--user", "bob", "--before", "2025-01-01", "--yes", *wait
    )
    for thread in threads:
        thread.join()
    code, err = _results([purge])[0]
    assert failures == []
    # A writer may hold the log's end when the purge comes to it: that is said, and not wrong.
    assert code in (0, 6), err
    assert am.json("purge", "--yes")["incomplete"] == []
    counts = {one["user_id"]: one["records"] for one in am.json("users")["users"] if one["records"]}
    assert counts == dict.fromkeys((f"w{n}" for n in range(4)), 2)
    assert am("doctor").code == 0
    assert wrong_counts(memory) == []


@pytest.mark.parametrize("waiting", [(), ("--json",)])
def test_a_store_held_by_somebody_else_is_busy_after_a_bounded_wait(memory, am, waiting):
    add(memory, "one")
    memory.close()
    with looking_into(am.path) as holder:
        holder.execute("BEGIN IMMEDIATE")
        for command in (
            ["add", "x", "--user", "ann"], ["delete", "nosuch", "--yes"], ["import", "-"],
        ):  # fmt: skip
            line = '{"user":"ann","text":"two"}' if command[0] == "import" else ""
            result = am(*command, "--busy-timeout", "0.1", *waiting, stdin=line)
            if command[0] == "delete":
                assert result.code == 3
                continue
            assert result.code == 7
            if waiting:
                assert result.json["errors"][0]["code"] == "busy"
            else:
                assert result.err.count("\n") == 1
                assert "--busy-timeout" in result.err
        assert am.texts("ann") == ["one"]
    am.ok("add", "two", "--user", "ann")


def test_the_wait_comes_from_the_environment_too(memory, am):
    add(memory, "one")
    memory.close()
    with looking_into(am.path) as holder:
        holder.execute("BEGIN IMMEDIATE")
        result = run(
            "--db", am.path, "add", "x", "--user", "ann", env={"AGENT_MEMORY_BUSY_TIMEOUT": "0"}
        )
    assert result.code == 7
