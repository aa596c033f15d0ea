import pytest

from tests.helpers import add


@pytest.fixture
def exported(memory, am, tmp_path):
    add(memory, "one", "two")
    for format_ in ("jsonl", "json", "csv"):
        out = tmp_path / f"e.{format_}"
        am.ok("export", "--all", "--out", out, "--manifest", "--format", format_)
    return tmp_path / "e.jsonl"


def test_an_untouched_export_is_what_its_manifest_says(exported, am):
    for format_ in ("jsonl", "json", "csv"):
        verified = am.ok("verify-export", exported.with_suffix(f".{format_}"))
        assert verified.out.startswith("ok: 2 records, SHA-256 ")


def test_any_change_is_found(exported, am):
    good = exported.read_bytes()
    for changed in (good + b"\n", good[:-1], good.replace(b"one", b"One"), b""):
        exported.write_bytes(changed)
        result = am("verify-export", exported, "--json")
        assert result.code == 6
        assert any("sha256" in one for one in result.data["differences"])


def test_a_missing_export_or_manifest_is_not_found(exported, am, tmp_path):
    assert "manifest" in am.failed(3, "verify-export", tmp_path / "other.jsonl")
    exported.unlink()
    assert "export" in am.failed(3, "verify-export", exported)


def test_a_manifest_that_is_none_is_refused(exported, am):
    manifest = exported.with_name("e.jsonl.manifest.json")
    good = manifest.read_text()
    for broken in (
        "",
        "{",
        "[]",
        "{}",
        good.replace('"jsonl"', '"xml"'),
        good.replace("manifest/1", "x"),
    ):
        manifest.write_text(broken)
        assert "manifest" in am.failed(2, "verify-export", exported)
    manifest.write_bytes(b"\xff")
    am.failed(2, "verify-export", exported)
