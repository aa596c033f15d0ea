"""A file that appears whole, or not at all."""

import os

import pytest

from agent_memory_cli.errors import OutputError, RefusedError
from agent_memory_cli.services import outfile
from agent_memory_cli.services.outfile import whole_file


@pytest.fixture(params=["without a name", "with a temporary name"])
def folder(tmp_path, request, monkeypatch):
    """Both ways: where the system has nameless files, and where it has not."""
    if request.param == "with a temporary name":
        monkeypatch.setattr(outfile, "_without_name", lambda folder: None)
    folder = tmp_path / "out"
    folder.mkdir()
    return folder


def _written(path, data: bytes, **options) -> None:
    with whole_file(path, **{"force": False, **options}) as file:
        file.write(data)
        assert not path.exists() or path.read_bytes() != data


def _stopped(path, trouble: type[BaseException], *, force: bool) -> None:
    with whole_file(path, force=force) as file:
        file.write(b"part")
        raise trouble


def test_it_appears_at_the_end_for_the_owner_only(folder):
    old = os.umask(0)
    try:
        _written(folder / "f", b"data")
    finally:
        os.umask(old)
    assert (folder / "f").read_bytes() == b"data"
    assert (folder / "f").stat().st_mode & 0o777 == 0o600
    assert list(folder.iterdir()) == [folder / "f"]


@pytest.mark.parametrize("trouble", [ValueError, KeyboardInterrupt, BrokenPipeError])
def test_trouble_in_between_leaves_what_was_there(folder, trouble):
    (folder / "f").write_bytes(b"older")
    for name, force in (("f", True), ("g", False)):
        with pytest.raises(trouble):
            _stopped(folder / name, trouble, force=force)
    assert [path.name for path in folder.iterdir()] == ["f"]
    assert (folder / "f").read_bytes() == b"older"


def test_a_failed_write_is_an_output_error(folder):
    with pytest.raises(OutputError, match="No space"), whole_file(folder / "f", force=False):
        raise OSError(28, "No space left on device")
    assert list(folder.iterdir()) == []


def test_an_existing_file_is_kept_unless_forced(folder):
    (folder / "f").write_bytes(b"older")
    with pytest.raises(RefusedError):
        _written(folder / "f", b"new")
    assert (folder / "f").read_bytes() == b"older"
    _written(folder / "f", b"new", force=True)
    assert (folder / "f").read_bytes() == b"new"


def test_a_file_that_appears_meanwhile_is_kept(folder):
    def late() -> None:
        with whole_file(folder / "f", force=False) as file:
            file.write(b"new")
            (folder / "f").write_bytes(b"somebody else's")

    with pytest.raises(RefusedError, match="meanwhile"):
        late()
    assert (folder / "f").read_bytes() == b"somebody else's"
    assert len(list(folder.iterdir())) == 1


def test_a_link_is_replaced_and_its_target_kept(folder, tmp_path):
    victim = tmp_path / "victim"
    victim.write_bytes(b"mine")
    (folder / "f").symlink_to(victim)
    with pytest.raises(RefusedError):
        _written(folder / "f", b"new")
    _written(folder / "f", b"new", force=True)
    assert victim.read_bytes() == b"mine"
    assert not (folder / "f").is_symlink()


def test_what_is_forbidden_is_refused_by_every_name(folder, tmp_path):
    store = tmp_path / "m.db"
    store.write_bytes(b"store")
    (folder / "soft").symlink_to(store)
    (folder / "hard").hardlink_to(store)
    for path in (store, folder / "soft", folder / "hard", folder / ".." / "m.db"):
        with pytest.raises(RefusedError, match="store"):
            _written(path, b"new", force=True, never=[store])
    missing = tmp_path / "m.db-wal"
    with pytest.raises(RefusedError, match="store"):
        _written(missing, b"new", never=[store, missing])
    assert store.read_bytes() == b"store"


def test_a_directory_a_device_and_a_missing_folder_are_output_errors(folder, tmp_path):
    os.mkfifo(folder / "pipe")
    (folder / "link").symlink_to("pipe")
    (folder / "loop").symlink_to("loop")
    before = set(folder.iterdir())
    for name in (".", "no/f", "pipe", "pipe/f", "link", "loop"):
        with pytest.raises(OutputError):
            _written(folder / name, b"new", force=True)
    assert set(folder.iterdir()) == before
    assert (folder / "link").is_symlink()
